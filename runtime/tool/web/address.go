package web

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"shelly/fsm/wording"
)

// address finds the address in a link of Markdown, in quotes or in brackets.
var address = regexp.MustCompile("https?://[^\\s<>()\"'`\\]]+")

// parseAddress reads the address of a page (TOL-72).
func parseAddress(text string) (*url.URL, error) {
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return nil, errors.New("url is empty")
	case strings.ContainsFunc(text, unicode.IsControl):
		return nil, errors.New("url holds a control character")
	}
	u, err := url.Parse(text)
	if err != nil {
		if inner := address.FindString(text); inner != "" && inner != text {
			return nil, fmt.Errorf("url is more than an address; give %s alone", wording.Quote(inner))
		}
		return nil, fmt.Errorf("%s is not an address; url must begin with https:// or http://", wording.Quote(text))
	}
	return u, checkAddress(u)
}

// checkAddress refuses what is not a page on the web. It drops the user name, and the fragment,
// which is never sent to a server, and encodes the query.
func checkAddress(u *url.URL) error {
	switch strings.ToLower(u.Scheme) {
	case "http", "https":
	case "":
		return errors.New("url must begin with https:// or http://")
	default:
		return fmt.Errorf("%s: is refused; url must begin with https:// or http://", wording.Clip(u.Scheme, wording.ShownMax))
	}
	if u.Opaque != "" || u.Hostname() == "" {
		return errors.New("url names no host")
	}
	if _, secret := u.User.Password(); secret {
		return errors.New("url holds a password; it is refused")
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return fmt.Errorf("%s is not a port", wording.Quote(port))
		}
	}
	u.User, u.Fragment, u.RawFragment = nil, "", ""
	u.RawQuery = encoded(u.RawQuery)
	return nil
}

// encoded returns a query as browsers send it: models and pages write blanks and letters in it that
// must not stand in a request. Package url does so in a path, but not in a query.
func encoded(query string) string {
	var b strings.Builder
	for _, c := range []byte(query) {
		if c <= ' ' || c > '~' || strings.IndexByte(`"<>`, c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

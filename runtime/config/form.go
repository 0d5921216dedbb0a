package config

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"shelly/fsm/wording"
)

const ollamaPort = "11434"

// parseURL parses the address of any other server. It must say its scheme: a guess, or the port of
// an Ollama server, would lead elsewhere.
func parseURL(text string) (string, error) {
	if !strings.Contains(text, "://") {
		return "", errors.New("wants an address that begins with http:// or https://")
	}
	return parseAddress(text, "http://127.0.0.1:8080", true)
}

// parseServer parses the address of an Ollama server in the forms of OLLAMA_HOST: a URL, a host, or
// a host and port. An address on which a server listens everywhere becomes a loopback address,
// through which a client reaches it. The server is sent neither name nor password.
func parseServer(text string) (string, error) {
	return parseAddress(text, "http://127.0.0.1:"+ollamaPort, false)
}

// parseAddress parses what both kinds have in common; an error names the example. The text may hold a
// password, even where none may be, so no error repeats it.
func parseAddress(text, example string, user bool) (string, error) {
	bad := errors.New("wants the address of a server such as " + example)
	text = strings.TrimSpace(strings.Trim(strings.TrimSpace(text), "\"'")) // BRN-41
	scheme, rest, named := strings.Cut(text, "://")
	bare := !named
	if bare {
		scheme, rest = "http", text
	}
	if host, path, _ := strings.Cut(rest, "/"); isBareIPv6(host) {
		rest = "[" + host + "]/" + path
	}
	text = scheme + "://" + rest
	u, err := url.Parse(text)
	switch {
	case !user && strings.Contains(rest, "@"):
		return "", fmt.Errorf("%w, without a name or password", bad)
	case err != nil && named && oddUser(rest):
		return "", fmt.Errorf("%w; in its name or password, write characters other than letters, digits and -._~ as codes, such as %%5B for [", bad)
	case err != nil || u.Hostname() == "" && u.Port() == "":
		return "", bad
	case u.Scheme != "http" && u.Scheme != "https":
		return "", fmt.Errorf("%w; %s:// is neither http:// nor https://", bad, wording.Clip(u.Scheme, wording.ShownMax))
	case u.RawQuery != "" || u.Fragment != "":
		return "", fmt.Errorf("%w, without ? or #", bad)
	}
	host, port := u.Hostname(), u.Port()
	if err := checkPort(port); port != "" && err != nil {
		return "", err
	}
	if bare && port == "" {
		port = ollamaPort
	}
	if ip, err := netip.ParseAddr(host); host == "" || err == nil && ip.IsUnspecified() {
		host = "127.0.0.1"
		if err == nil && ip.Is6() {
			host = "::1"
		}
	}
	u.Host = strings.TrimSuffix(net.JoinHostPort(host, port), ":")
	u.Path = strings.TrimRight(u.Path, "/")
	return u.String(), nil
}

// oddUser reports whether the name and password in an address have a character that they cannot have there.
func oddUser(rest string) bool {
	end := strings.LastIndex(rest, "@")
	return end >= 0 && strings.ContainsFunc(rest[:end], func(r rune) bool {
		return r != ':' && r != '%' && r != '-' && r != '.' && r != '_' && r != '~' && (r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r))
	})
}

// isBareIPv6 reports whether a host is an IPv6 address without brackets, so that none of its colons
// begins a port.
func isBareIPv6(host string) bool {
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Is6()
}

// withoutPassword masks the password of a URL.
func withoutPassword(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return "(not shown)"
	}
	return u.Redacted()
}

// parseListen parses an address to listen on, which must be on loopback (COM-1). localhost means
// IPv4's; off and the empty text mean nowhere.
func parseListen(text string) (string, error) {
	if text == "" || text == "off" {
		return "", nil
	}
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		return "", fmt.Errorf("wants HOST:PORT such as 127.0.0.1:7433, or off, not %s", wording.Quote(text))
	}
	if err := checkPort(port); err != nil {
		return "", err
	}
	if host == "localhost" {
		return net.JoinHostPort("127.0.0.1", port), nil
	}
	if ip, err := netip.ParseAddr(host); err != nil || !ip.IsLoopback() {
		return "", fmt.Errorf("%s is not a loopback address; shelly listens on loopback only: use 127.0.0.1:%s, [::1]:%s or off",
			wording.Quote(text), port, port)
	}
	return text, nil
}

func checkPort(text string) error {
	if _, err := strconv.ParseUint(text, 10, 16); err != nil {
		return fmt.Errorf("%s is not a port; ports are 0 to 65535", wording.Quote(text))
	}
	return nil
}

func isControl(r rune) bool { return unicode.IsControl(r) || r == utf8.RuneError }

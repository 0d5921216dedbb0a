package ollama

import (
	"cmp"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"

	"shelly/fsm/wording"
)

// DefaultBaseURL is where a server listens by default.
const DefaultBaseURL = "http://127.0.0.1:11434"

const (
	loopback    = "127.0.0.1"
	defaultPort = "11434"
)

// server is a server's address. In words it has no path, which may hold a token of a proxy: what
// the client says goes into logs, answers and chats (BRN-41).
type server struct{ *url.URL }

func (s server) String() string { return wording.Address(s.URL.String()) }

// parseBase parses an address in any form that OLLAMA_HOST takes. The rules are Ollama's own (a
// bare host has port 11434, http:// without a port has 80), with two exceptions: an address that
// cannot be parsed is an error rather than the default, and an address that can only be listened on
// (0.0.0.0, ::) becomes the loopback one. No error repeats the address, which may hold a password.
func parseBase(address string) (*url.URL, error) {
	s := strings.TrimSpace(strings.Trim(strings.TrimSpace(address), "\"'")) // quoted, as an environment file may have it
	s = cmp.Or(s, DefaultBaseURL)
	bad := func(why string) (*url.URL, error) {
		return nil, fmt.Errorf("the address of the Ollama server cannot be used: %s; write host:port or http://host:port", why)
	}
	scheme, rest, found := strings.Cut(s, "://")
	port := defaultPort
	switch {
	case !found:
		scheme, rest = "http", s
	case scheme == "http":
		port = "80"
	case scheme == "https":
		port = "443"
	default:
		return bad("its scheme is neither http nor https")
	}
	hostport, path, _ := strings.Cut(rest, "/")
	if strings.ContainsAny(rest, "?#@ \t\r\n") {
		return bad("it has a space, a user, a query or a fragment")
	}
	host, port, ok := splitHost(hostport, port)
	if !ok {
		return bad("its host cannot be read")
	}
	if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
		return bad("its port is not a number from 1 to 65535")
	}
	u := &url.URL{Scheme: scheme, Host: net.JoinHostPort(connectable(host), port)}
	if path = strings.Trim(path, "/"); path != "" {
		u.Path = "/" + path
	}
	return u, nil
}

// splitHost accepts host, host:port, :port, [v6]:port, [v6] and a bare v6.
func splitHost(hostport, otherwise string) (host, port string, ok bool) {
	bare := hostport
	if strings.HasPrefix(bare, "[") && strings.HasSuffix(bare, "]") {
		bare = bare[1 : len(bare)-1]
	}
	if net.ParseIP(bare) != nil {
		return bare, otherwise, true
	}
	host, port = hostport, otherwise
	if strings.Contains(hostport, ":") {
		var err error
		if host, port, err = net.SplitHostPort(hostport); err != nil {
			return "", "", false
		}
	}
	if strings.ContainsAny(host, "[]") {
		return "", "", false
	}
	host = cmp.Or(host, loopback)
	return host, port, true
}

// connectable replaces an address that can be listened on but not connected to.
func connectable(host string) string {
	ip := net.ParseIP(host)
	switch {
	case ip == nil || !ip.IsUnspecified():
		return host
	case ip.To4() != nil:
		return loopback
	default:
		return "::1"
	}
}

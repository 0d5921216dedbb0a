package comm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"shelly/runtime/comm/listener"
)

// guard passes only requests that were meant for this listener and carry a valid token (COM-3),
// and sets their caller (COM-86), before anything else looks at them.
//
// The Host must be one of our names, because a page of any site can make its own
// name lead here (DNS rebinding), and comparing Origin with Host does not help
// against that. A browser's Origin and Sec-Fetch-Site headers say whose page asks.
//
// The page's own files hold no secret and need no token (COM-70). Its token is valid for the
// routes that a page may use (COM-72).
func (h *HTTP) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("Cache-Control", "no-store")
		header.Set("X-Content-Type-Options", "nosniff")
		defer discard(r)
		if p := foreign(r); p != nil {
			h.o.Counters.foreign.Add(1)
			header.Set("Connection", "close")
			p.write(w)
			return
		}
		if h.o.Page != nil && h.o.Page.Mine(r.URL.Path) {
			h.o.Page.ServeHTTP(w, r)
			return
		}
		caller, alive, known := h.caller(r)
		if !known && !h.isOpen(r) {
			h.o.Counters.badTokens.Add(1)
			h.refuseToken(w)
			return
		}
		if known {
			listener.Shown(r)
		}
		if p := r.URL.EscapedPath(); path.Clean(p) != p {
			misspelt := notFound() // without a redirect to what it might have meant
			misspelt.Hint = "a path has no empty part, no dots and no slash at its end: " + path.Clean(p)
			misspelt.write(w)
			return
		}
		if p := encoded(r); p != nil {
			header.Set("Accept-Encoding", "identity") // RFC 9110, 15.5.16
			p.write(w)
			return
		}
		caller.counters = h.o.Counters
		ctx, cancel := context.WithCancelCause(WithCaller(r.Context(), caller))
		defer cancel(nil)
		if alive != nil { // revoking a token ends what is open with it
			defer context.AfterFunc(alive, func() { cancel(errRevoked) })()
		}
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// caller is whose token the request carries: the daemon's own, a page's or a client's; then
// alive ends when that token is revoked. On a socket in the file system the daemon's own user
// and root need none, because they could read it anyway (COM-91).
func (h *HTTP) caller(r *http.Request) (c Caller, alive context.Context, known bool) {
	token := bearer(r)
	if uid, is := listener.Peer(r.Context()); is && r.Header.Get("Authorization") == "" && (uid == os.Getuid() || uid == 0) {
		return Local(), nil, true
	}
	if h.secret.is(token) {
		return Local(), nil, true
	}
	if h.o.Page != nil && h.o.Page.Holds(token) {
		c = Local()
		c.paged = true
		return c, nil, true
	}
	client, alive, known := h.o.Clients.Find(token)
	return Caller{Name: client.Name, Rights: client.Can}, alive, known
}

// refuseToken answers a wrong token. The connection closes, so that each try
// costs its sender a new one.
func (h *HTTP) refuseToken(w http.ResponseWriter) {
	header := w.Header()
	header.Set("Connection", "close")
	ok, wait := h.wrong.take()
	if !ok {
		header.Set("Retry-After", retryAfter(wait))
		(&Problem{CodeTooManyTries, "too many wrong tokens", "wait, then send the token of the data folder's file named token"}).write(w)
		return
	}
	header.Set("WWW-Authenticate", "Bearer")
	(&Problem{CodeUnauthorized, "the token is missing or wrong", "send Authorization: Bearer TOKEN with the token of the data folder's file named token"}).write(w)
}

// errRevoked is why the context of a request ends when its token is revoked.
var errRevoked = &Problem{CodeUnauthorized, "the token was revoked", "what was accepted with it is kept; ask with another token"}

// servingKey is the context key of a listener's own context, which ends when shelly stops.
type servingKey struct{}

// errLeft is why the context of a request ends when its client closes the connection, or only its
// own side, after which it can still read (COM-9). The server cannot tell the two apart.
var errLeft = &Problem{CodeUnknownOutcome, "the client closed its side of the connection before it was answered", "what was accepted is kept and done; keep the connection open until the answer, and send the same id again, which is never done twice"}

// left reports whether the context of a request has ended while its listener goes on.
func left(ctx context.Context) bool {
	serving, ok := ctx.Value(servingKey{}).(context.Context)
	return ok && ctx.Err() != nil && serving.Err() == nil
}

// Ended returns why the events of a request ended before its reply, given the error with which they
// did; nil: because shelly stops.
func Ended(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return err
	}
	if p, ok := errors.AsType[*Problem](context.Cause(ctx)); ok {
		return p
	}
	if left(ctx) {
		return errLeft
	}
	return nil
}

// encoded returns a problem if the body is compressed or otherwise encoded, or nil. It is the
// same for every front, because without decoding it the body looks malformed.
func encoded(r *http.Request) *Problem {
	for _, line := range r.Header.Values("Content-Encoding") {
		for _, coding := range strings.Split(line, ",") {
			if coding = strings.ToLower(strings.TrimSpace(coding)); coding != "" && coding != "identity" {
				return &Problem{CodeMediaType, fmt.Sprintf("the body has the Content-Encoding %q", coding), "send it as it is, without Content-Encoding"}
			}
		}
	}
	return nil
}

// discardedBytesMax is how much of a refused body is still read: as much as the highest
// request_bytes_max.
const discardedBytesMax = 64 << 20

// discard reads what is left of a body, as long as it may take. A client that sends everything
// before it reads would find the connection reset, and not the answer (COM-6). One that expects
// 100 Continue reads while it sends. Who has shown no token holds by it no more than by sending
// its headers slowly: a connection that others displace (COM-19), and for no longer.
func discard(r *http.Request) {
	if r.Header.Get("Expect") == "" && r.ContentLength <= discardedBytesMax {
		_, _ = io.CopyN(io.Discard, r.Body, discardedBytesMax) // the answer is the same if the body breaks off
	}
}

// retryAfter rounds up to whole seconds, the header's unit.
func retryAfter(d time.Duration) string {
	return strconv.Itoa(max(1, int(math.Ceil(d.Seconds()))))
}

func bearer(r *http.Request) string {
	if r.Header.Get("Upgrade") != "" && r.Header.Get("Authorization") == "" {
		return offered(r.Header.Values("Sec-WebSocket-Protocol"))
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return token
}

// offered is the token among the subprotocols of a WebSocket, the only place where a page can
// put it (COM-93).
func offered(lines []string) string {
	for _, line := range lines {
		for _, one := range strings.Split(line, ",") {
			if token, is := strings.CutPrefix(strings.TrimSpace(one), "bearer."); is {
				return token
			}
		}
	}
	return ""
}

// foreign returns why the request does not come from here, or nil.
func foreign(r *http.Request) *Problem {
	if _, is := r.Context().Value(http.LocalAddrContextKey).(*net.UnixAddr); is {
		return nil // no page can reach a socket in the file system
	}
	hosts := ownHosts(r)
	if !slices.Contains(hosts, strings.ToLower(r.Host)) {
		return &Problem{CodeForbidden, "the Host header does not name this listener", "use an address such as http://127.0.0.1:PORT"}
	}
	for _, origin := range r.Header.Values("Origin") {
		if name, ok := strings.CutPrefix(strings.ToLower(origin), "http://"); !ok || !slices.Contains(hosts, name) {
			return otherSite()
		}
	}
	for _, site := range r.Header.Values("Sec-Fetch-Site") {
		if site != "same-origin" && site != "none" {
			return otherSite()
		}
	}
	return nil
}

func otherSite() *Problem {
	return &Problem{CodeForbidden, "the request comes from a page of another site", "ask from a program, not from a web page"}
}

// ownHosts returns the Host values that name the connection's listener.
func ownHosts(r *http.Request) []string {
	addr, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	if !ok {
		return nil
	}
	port := strconv.Itoa(addr.Port)
	var hosts []string
	for _, name := range []string{"127.0.0.1", "localhost", "::1", addr.IP.String()} {
		hosts = append(hosts, net.JoinHostPort(name, port))
		if port == "80" { // clients leave the scheme's own port out
			hosts = append(hosts, strings.TrimSuffix(net.JoinHostPort(name, port), ":80"))
		}
	}
	return hosts
}

// isOpen reports whether a request is for a route that needs no token.
func (h *HTTP) isOpen(r *http.Request) bool {
	_, pattern := h.mux.Handler(r)
	return h.open[pattern]
}

package comm

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// body reads a whole JSON body of at most the request limit.
func (h *HTTP) body(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	return Body(w, r, h.o.RequestBytesMax)
}

// Body reads a whole JSON body of a request to a listener. If it is longer than bytesMax, the guard
// discards the rest.
func Body(w http.ResponseWriter, r *http.Request, bytesMax int) ([]byte, error) {
	media, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	charset, named := params["charset"]
	if err != nil || media != "application/json" || named && !strings.EqualFold(charset, "utf-8") {
		return nil, &Problem{CodeMediaType, "the body is not declared as JSON", "send Content-Type: application/json"}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, int64(bytesMax)))
	switch {
	case errors.As(err, new(*http.MaxBytesError)):
		return nil, tooLarge("the body", bytesMax)
	case err != nil:
		hint := "nothing has happened; send it whole"
		if h, ok := r.Context().Value(placesKey{}).(*HTTP); ok {
			hint += " within " + h.o.ReadTimeout.String()
		}
		return nil, Broken(err, "the body", hint)
	}
	return body, nil
}

// Broken is the problem of a body, called what, that could not be read. Hint says what its sender does if
// it was only cut off; a body that is malformed would not be read the next time either.
func Broken(err error, what, hint string) *Problem {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, new(net.Error)) {
		return &Problem{CodeIncomplete, what + " ended early or came too slowly", hint}
	}
	return badRequest(what+" is malformed: its chunks are not as HTTP/1.1 has them", "write the length of each chunk before it, or send a Content-Length")
}

// mode is how a client wants its request answered.
type mode int

const (
	modeReceipt mode = iota // at once, that it is accepted
	modeWait                // once it is done
	modeStream              // event by event
)

// mode reads how the client wants to be answered.
func (h *HTTP) mode(r *http.Request) (mode, error) {
	q := r.URL.Query()
	stream, err := flag(q, "stream")
	if err != nil {
		return 0, err
	}
	wait, err := flag(q, "wait")
	if err != nil {
		return 0, err
	}
	switch {
	case stream && wait:
		return 0, badRequest("stream and wait exclude each other", "leave one out")
	case wait:
		return modeWait, nil
	case stream || wantsEvents(r.Header.Values("Accept")):
		return modeStream, nil
	default:
		return modeReceipt, nil
	}
}

// Query refuses parameters that a route does not know, so that no misspelt one is ignored, and one
// that is given twice (COM-97).
func Query(r *http.Request, known ...string) error {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return badRequest("the query cannot be read", "escape it as in a URL")
	}
	for name, given := range values { // order-free: one fault is enough
		if len(given) > 1 { // whoever else reads the address may take another of them
			return badRequest(fmt.Sprintf("query parameter %q is given %d times", name, len(given)), "give it once")
		}
		if !slices.Contains(known, name) {
			hint := "leave it out"
			if len(known) > 0 {
				hint = "the parameters are " + strings.Join(known, ", ")
			}
			return badRequest(fmt.Sprintf("unknown query parameter %q", name), hint)
		}
	}
	return nil
}

func flag(q url.Values, name string) (bool, error) {
	switch v := q.Get(name); v {
	case "", "0", "false":
		return false, nil
	case "1", "true":
		return true, nil
	default:
		return false, badRequest(fmt.Sprintf("query parameter %s is %q", name, v), "use 1 or leave it out")
	}
}

func wantsEvents(accept []string) bool {
	for _, line := range accept {
		for _, one := range strings.Split(line, ",") {
			if media, _, err := mime.ParseMediaType(one); err == nil && media == eventStream {
				return true
			}
		}
	}
	return false
}

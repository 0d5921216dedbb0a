package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"

	compat "github.com/ollama/ollama/openai"
)

// requestBytesMax bounds a request's body.
const requestBytesMax = 64 << 20

// Before returns a handler that answers /v1 from what next answers under /api.
func Before(next http.Handler) http.Handler { return &handler{next: next} }

type handler struct {
	next http.Handler
	ids  atomic.Int64
}

// Serves reports whether a path is one of OpenAI's API that takes a method.
func Serves(method, path string) bool {
	route, ours := new(handler).routes(path)
	return ours && route.method == method
}

// route is how a path of OpenAI's API is served.
type route struct {
	method string
	// convert reads the body and returns the request for next, and how its answers are written. An
	// error is the client's fault.
	convert func(body []byte) (asked, error)
}

// asked is a request under /api.
type asked struct {
	method, path string
	body         any // nil: none
	write        writing
}

// writing writes one answer of next, a JSON object, either as events or as a whole body.
type writing interface {
	// media returns the media type of what is written.
	media() string
	// write returns the bytes for an answer with status 200.
	write(line []byte) ([]byte, error)
}

func (h *handler) routes(path string) (route, bool) {
	switch {
	case path == "/v1/chat/completions":
		return route{http.MethodPost, h.chat}, true
	case path == "/v1/completions":
		return route{http.MethodPost, h.completion}, true
	case path == "/v1/responses":
		return route{http.MethodPost, h.response}, true
	case path == "/v1/embeddings":
		return route{http.MethodPost, h.embeddings}, true
	case path == "/v1/models":
		return route{http.MethodGet, models}, true
	}
	// As in a real server the name is one part of the path, without a namespace.
	if name, ok := strings.CutPrefix(path, "/v1/models/"); ok && name != "" && !strings.Contains(name, "/") {
		return route{http.MethodGet, model(name)}, true
	}
	return route{}, false
}

// ServeHTTP implements [http.Handler].
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	route, ours := h.routes(r.URL.Path)
	if !ours {
		h.next.ServeHTTP(w, r)
		return
	}
	if r.Method != route.method {
		w.Header().Set("Allow", route.method)
		w.Header().Set("Content-Type", "text/plain")
		w.WriteHeader(http.StatusMethodNotAllowed)
		_, _ = io.WriteString(w, "405 method not allowed")
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, requestBytesMax))
	if err != nil {
		refuse(w, http.StatusBadRequest, err)
		return
	}
	to, err := route.convert(body)
	if err != nil {
		refuse(w, http.StatusBadRequest, err)
		return
	}
	text := []byte{}
	if to.body != nil {
		if text, err = json.Marshal(to.body); err != nil {
			refuse(w, http.StatusInternalServerError, err)
			return
		}
	}
	inner := r.Clone(r.Context())
	inner.Method, inner.URL.Path, inner.Body, inner.ContentLength = to.method, to.path, io.NopCloser(bytes.NewReader(text)), int64(len(text))
	out := &answer{ResponseWriter: w, as: to.write, status: http.StatusOK}
	h.next.ServeHTTP(out, inner)
	out.begin()
}

// decode reads a request as a real server does, which does not look at what follows the object.
func decode(body []byte, v any) error { return json.NewDecoder(bytes.NewReader(body)).Decode(v) }

// coded is an error that a real server gives its type as its code, too.
type coded struct{ error }

// refuse answers with an error in OpenAI's form.
func refuse(w http.ResponseWriter, status int, err error) {
	body := compat.NewError(status, err.Error())
	if errors.As(err, new(coded)) {
		body.Error.Code = &body.Error.Type
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

// answer receives what next answers.
type answer struct {
	http.ResponseWriter
	as     writing
	status int
	begun  bool
	broken bool // an answer had no form in this API: nothing follows
}

// Unwrap is for [http.ResponseController].
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// WriteHeader keeps the status until it is known what will be written.
func (a *answer) WriteHeader(status int) { a.status = status }

// begin sends the header.
func (a *answer) begin() {
	if a.begun {
		return
	}
	a.begun = true
	if h := a.Header(); h.Get("Content-Type") != "" { // the answer has a body
		h.Set("Content-Type", "application/json")
		if a.status == http.StatusOK {
			h.Set("Content-Type", a.as.media())
		}
	}
	a.ResponseWriter.WriteHeader(a.status)
}

// Write implements [io.Writer]. Next writes each of its lines with one call.
func (a *answer) Write(line []byte) (int, error) {
	if a.broken {
		return len(line), nil
	}
	out, err := a.said(line)
	if err != nil { // what this API's form cannot say, such as a call whose arguments are no object
		a.broken, out = true, a.refusal(http.StatusInternalServerError, err.Error())
	}
	a.begin()
	_, err = a.ResponseWriter.Write(out)
	return len(line), err
}

// refusal returns an error as an event of a stream that has begun, or as the answer.
func (a *answer) refusal(status int, text string) []byte {
	if a.begun && a.as.media() == eventStream {
		return event("", compat.NewError(status, text))
	}
	a.status = status
	return encode(compat.NewError(status, text))
}

func (a *answer) said(line []byte) ([]byte, error) {
	var failed struct {
		Error *string `json:"error"`
	}
	streams := a.as.media() == eventStream
	isError := json.Unmarshal(line, &failed) == nil && failed.Error != nil
	switch {
	case len(line) == 0:
		return nil, nil
	case a.status != http.StatusOK && isError:
		return encode(compat.NewError(a.status, *failed.Error)), nil
	case a.status != http.StatusOK:
		return encode(compat.NewError(a.status, strings.TrimSpace(string(line)))), nil
	case isError && streams:
		return event("", compat.NewError(http.StatusInternalServerError, *failed.Error)), nil
	case !json.Valid(line) && streams: // garbage that a script sends on purpose
		return []byte("data: " + strings.TrimSpace(string(line)) + "\n\n"), nil
	case !json.Valid(line):
		return line, nil
	}
	return a.as.write(line)
}

const eventStream = "text/event-stream"

// event returns one event of a stream. An event without a name has no name line.
func event(name string, v any) []byte {
	text := append([]byte("data: "), encode(v)...)
	if name != "" {
		text = append([]byte("event: "+name+"\n"), text...)
	}
	return append(text, '\n') // the second line end: encode adds the first
}

// encode returns v as a line of JSON with its line end.
func encode(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic("openai: encode an answer: " + err.Error()) // every type here is plain data
	}
	return append(text, '\n')
}

package ollama

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/access"
	"shelly/runtime/comm"
	"shelly/runtime/comm/idempotency"
	"shelly/runtime/front/stream"
	"shelly/runtime/front/wire"
)

// Channel is the channel of requests from Ollama's clients.
const Channel = "ollama"

// Agent is the model's name.
const Agent = "shelly"

// Version is the version of the API.
const Version = "0.17.4"

// Options sets the front up. RequestBytesMax is required.
type Options struct {
	RequestBytesMax int
	Started         time.Time // given as the time at which the model was changed
	Stream          stream.Options
	// Tokens returns how many tokens a request's model calls took, according to the journal;
	// nil: unknown.
	Tokens func(ctx context.Context, key fsm.RequestKey) (prompt, answer int, err error)
}

// Front speaks Ollama's API.
type Front struct {
	front comm.Front
	o     Options
}

// New returns a front.
func New(front comm.Front, o Options) *Front { return &Front{comm.Owned(front), o} }

// Routes returns its routes.
func (f *Front) Routes() []comm.Route {
	get, post := http.MethodGet, http.MethodPost
	routes := []comm.Route{
		{Method: get, Pattern: "/{$}", Handle: root},
		{Method: http.MethodHead, Pattern: "/{$}", Handle: root},
		{Method: get, Pattern: "/api/version", Handle: version},
		{Method: get, Pattern: "/api/tags", Handle: f.tags},
		{Method: get, Pattern: "/api/ps", Handle: f.ps},
		{Method: post, Pattern: "/api/show", Handle: f.show},
		{Method: post, Pattern: "/api/chat", Handle: f.chat},
		{Method: post, Pattern: "/api/generate", Handle: f.generate},
	}
	for _, name := range []string{"pull", "push", "create", "copy", "embed", "embeddings"} {
		routes = append(routes, comm.Route{Method: post, Pattern: "/api/" + name, Handle: notHere})
	}
	routes = append(routes, comm.Route{Method: http.MethodDelete, Pattern: "/api/delete", Handle: notHere})
	for i, r := range routes {
		routes[i].Right, routes[i].Handle = access.Ask, speaking(r.Handle)
	}
	return routes
}

// Error is an error in Ollama's shape.
type Error struct {
	Status  int
	Message string
}

func (e *Error) Error() string { return e.Message }

type errorBody struct {
	Error string `json:"error"`
}

// speaking writes a handler's errors in Ollama's shape. [Dialect] words those of the listener.
func speaking(handle func(http.ResponseWriter, *http.Request) error) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		err := handle(w, r)
		if fault, ok := errors.AsType[*wire.Error](err); ok {
			err = &Error{http.StatusBadRequest, fault.Message}
		}
		if e, ok := errors.AsType[*Error](err); ok {
			return comm.JSON(w, e.Status, errorBody{e.Message})
		}
		return err
	}
}

// Dialect returns how the listener's problems are written for this front's paths, and how a
// token is taken from a path.
func Dialect() comm.Dialect { return comm.Dialect{Front: Channel, Word: words, Enter: enter} }

func words(path string) (word func(p *comm.Problem, status int) any, ours bool) {
	return func(p *comm.Problem, _ int) any { return errorBody{p.Sentence()} }, path == "/" || strings.HasPrefix(path, "/api/")
}

// pathPrefix is the prefix of a path that contains the token.
const pathPrefix = "/ollama/"

// enter moves a token from the path to the header: Ollama's own command line sends no header,
// and uses only the host, port and path of its address (FRT-15). A key that the client sends
// anyway, such as OLLAMA_API_KEY, may be meant for another server.
func enter(r *http.Request) *http.Request {
	rest, ok := strings.CutPrefix(r.URL.Path, pathPrefix)
	if !ok {
		return r
	}
	token, path, _ := strings.Cut(rest, "/")
	inner := r.Clone(r.Context())
	inner.URL.Path, inner.URL.RawPath = "/"+path, ""
	inner.Header.Set("Authorization", "Bearer "+token)
	return inner
}

func root(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = io.WriteString(w, "Ollama is running") // the words by which clients know a server
	return nil
}

func version(w http.ResponseWriter, _ *http.Request) error {
	return comm.JSON(w, http.StatusOK, struct {
		Version string `json:"version"`
	}{Version})
}

// notHere refuses the routes about model files and embeddings.
func notHere(_ http.ResponseWriter, r *http.Request) error {
	return &Error{http.StatusNotImplemented, r.URL.Path + " is not served: shelly is an agent, not a store of models; ask the Ollama server that it uses"}
}

// body reads a message. Its type is ignored, because curl declares a form.
func (f *Front) body(w http.ResponseWriter, r *http.Request) (wire.Value, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, int64(f.o.RequestBytesMax)))
	if errors.As(err, new(*http.MaxBytesError)) {
		return wire.Value{}, &Error{http.StatusRequestEntityTooLarge, fmt.Sprintf("the body is longer than %d bytes; send less, or raise request_bytes_max in shelly's configuration", f.o.RequestBytesMax)}
	}
	if err != nil {
		return wire.Value{}, comm.Broken(err, "the body", "nothing has happened; send it whole")
	}
	return wire.Parse(body)
}

// known checks the name of a model.
func known(model string) error {
	if name := strings.TrimSuffix(model, ":latest"); name == Agent {
		return nil
	}
	if model == "" {
		return &Error{http.StatusBadRequest, "model is required"}
	}
	return &Error{http.StatusNotFound, fmt.Sprintf("model '%s' not found: the agent is %q", model, Agent)}
}

// keyHeader names a request, so that sending it again is the same request.
const keyHeader = idempotency.Header

// keyBytesMax leaves room for the prefix of a session's name.
const keyBytesMax = 100

// accept passes a request to the daemon.
func (f *Front) accept(r *http.Request, in comm.Request) (engine.Acceptance, error) {
	id := rand.Text()
	if keys := r.Header.Values(keyHeader); len(keys) > 0 {
		key := idempotency.Key(r.Header)
		if len(keys) > 1 || key == "" || len(key) > keyBytesMax {
			return engine.Acceptance{}, &Error{http.StatusBadRequest, fmt.Sprintf("%s is not one text of 1 to %d bytes", keyHeader, keyBytesMax)}
		}
		id = key
	}
	in.Key = fsm.RequestKey{Principal: comm.CallerOf(r.Context()).Name, Channel: Channel, ID: id}
	in.Session = Channel + "-once:" + id
	if err := in.Check(); err != nil {
		return engine.Acceptance{}, err
	}
	return f.front.Accept(r.Context(), in)
}

// line is a value as a line of JSON.
func line(v any) ([]byte, error) {
	body, err := json.Marshal(v)
	return append(body, '\n'), err
}

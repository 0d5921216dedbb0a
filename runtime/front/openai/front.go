package openai

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/access"
	"shelly/runtime/comm"
	"shelly/runtime/front/stream"
	"shelly/runtime/front/wire"
)

// Channel is the channel of requests from OpenAI's clients.
const Channel = "openai"

// Agent is the model's name.
const Agent = "shelly"

// Options sets the front up. RequestBytesMax is required.
type Options struct {
	RequestBytesMax int
	Models          []string // other names of the agent, such as the name of its model
	Stream          stream.Options
	// Past returns what the journal knows about a request; nil: only the record is known.
	Past func(ctx context.Context, key fsm.RequestKey) (Past, error)
}

// Past is what the journal knows about a request besides its record.
type Past struct {
	Prompt, Answer int        // tokens, as the model's server counts them
	Cached         int        // of Prompt: those that its cache held; 0 if it does not say so of each call
	Beside         []Spoken   // texts of the model besides tool calls, in order
	Asked          []Question // to a person, in order
	Last           Spoken     // what it said last; Call 0: nothing
}

// Spoken is the text of a model call.
type Spoken struct {
	Epoch int // the epoch in which it was asked
	Call  fsm.CallID
	Text  string
}

// Question is a question to a person, whether or not it is still open.
type Question struct {
	After           fsm.CallID // the last text before it besides tool calls; 0: none
	Key, Tool, Args string
}

// item returns the text of a reply's item in a stream, and whether it is that of what the model said
// last: the blanks around it and the notice after it are part of it then.
func (p Past) item(reply comm.Event) (text string, last bool) {
	var texts []string
	own := p.Last.Call != 0
	for _, s := range p.Beside {
		texts = append(texts, s.Text)
		own = own && s.Call != p.Last.Call
	}
	said := p.Last.Text
	if own {
		texts = append(texts, said)
	}
	switch rest, added := stream.Added(reply, texts...); {
	case added && own:
		return said + rest, true
	case added:
		return strings.TrimSpace(rest), false
	case own && strings.TrimSpace(said) == strings.TrimSpace(reply.Text):
		return said, true
	default:
		return reply.Text, false
	}
}

// Front speaks OpenAI's API.
type Front struct {
	front comm.Front
	o     Options

	naming   sync.Mutex
	reserved map[fsm.RequestKey]int // ids made of bytes that are being accepted, and how often
}

// New returns a front.
func New(front comm.Front, o Options) *Front {
	return &Front{front: comm.Owned(front), o: o, reserved: map[fsm.RequestKey]int{}}
}

// Routes returns its routes.
func (f *Front) Routes() []comm.Route {
	routes := []comm.Route{
		{Method: http.MethodPost, Pattern: "/v1/chat/completions", Handle: f.postChat},
		{Method: http.MethodPost, Pattern: "/v1/responses", Handle: f.postResponse},
		{Method: http.MethodGet, Pattern: "/v1/responses/{id}", Handle: f.getResponse},
		{Method: http.MethodDelete, Pattern: "/v1/responses/{id}", Handle: f.deleteResponse},
		{Method: http.MethodGet, Pattern: "/v1/responses/{id}/input_items", Handle: f.getInput},
		{Method: http.MethodPost, Pattern: "/v1/responses/{id}/cancel", Handle: f.postCancel},
		{Method: http.MethodGet, Pattern: "/v1/models", Handle: f.getModels},
		{Method: http.MethodGet, Pattern: "/v1/models/{id...}", Handle: f.getModel},
	}
	for _, path := range absent {
		routes = append(routes, comm.Route{Method: http.MethodPost, Pattern: path, Handle: notHere})
	}
	for i, r := range routes {
		routes[i].Right, routes[i].Handle = access.Ask, speaking(r.Handle)
	}
	return routes
}

// absent are routes that clients of OpenAI's API know and that are not served.
var absent = []string{
	"/v1/completions", "/v1/embeddings", "/v1/moderations", "/v1/images/generations", "/v1/images/edits", "/v1/images/variations",
	"/v1/audio/speech", "/v1/audio/transcriptions", "/v1/audio/translations",
	"/v1/responses/compact", "/v1/responses/input_tokens", conversations,
}

// conversations is where OpenAI's clients create one.
const conversations = "/v1/conversations"

// notHere refuses them with an explanation.
func notHere(_ http.ResponseWriter, r *http.Request) error {
	why := "shelly is an agent, and answers at /v1/chat/completions and /v1/responses"
	if r.URL.Path == conversations {
		why = "a conversation begins with its first response; send a name of your choice as conversation to /v1/responses"
	}
	return &Error{
		Status: http.StatusNotFound, Code: "not_served", Final: true,
		Message: r.URL.Path + " is not served: " + why,
	}
}

// speaking writes a handler's errors in OpenAI's shape. [Dialect] words those of the listener.
func speaking(handle func(http.ResponseWriter, *http.Request) error) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		err := handle(w, r)
		if fault, ok := errors.AsType[*wire.Error](err); ok {
			err = faulty(fault)
		}
		if e, ok := errors.AsType[*Error](err); ok {
			e.write(w)
			return nil
		}
		return err
	}
}

// body reads a message.
func (f *Front) body(w http.ResponseWriter, r *http.Request) ([]byte, wire.Value, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, int64(f.o.RequestBytesMax)))
	if errors.As(err, new(*http.MaxBytesError)) {
		return nil, wire.Value{}, tooLong(f.o.RequestBytesMax)
	}
	if err != nil {
		return nil, wire.Value{}, comm.Broken(err, "the body", "nothing has happened; send it whole")
	}
	v, err := wire.Parse(body)
	return body, v, err
}

// accept passes a request to the daemon, with the id that comes from its sender or its bytes.
func (f *Front) accept(r *http.Request, body []byte, in comm.Request, session func(id string) string) (engine.Acceptance, error) {
	id, release, err := f.id(r, body)
	if err != nil {
		return engine.Acceptance{}, err
	}
	defer release()
	in.Key = f.key(r.Context(), id)
	if in.Session == "" {
		in.Session = session(id)
	}
	if err := in.Check(); err != nil {
		return engine.Acceptance{}, err
	}
	// A request may be accepted although its client has gone. Its id stays reserved until that is
	// known: the client's retry would take the request before it for this one.
	return f.front.Accept(context.WithoutCancel(r.Context()), in)
}

// key returns the key of a request of the caller's.
func (f *Front) key(ctx context.Context, id string) fsm.RequestKey {
	return fsm.RequestKey{Principal: comm.CallerOf(ctx).Name, Channel: Channel, ID: id}
}

// past returns what the journal knows, or false.
func (f *Front) past(ctx context.Context, key fsm.RequestKey) (Past, bool) {
	if f.o.Past == nil {
		return Past{}, false
	}
	p, err := f.o.Past(ctx, key)
	return p, err == nil
}

// known checks the name of a model.
func (f *Front) known(model string) error {
	if model == Agent || slices.Contains(f.o.Models, model) {
		return nil
	}
	if model == "" {
		return &Error{Param: "model", Code: "missing_required_parameter", Message: "\"model\" is missing; the agent is \"" + Agent + "\""}
	}
	return &Error{Status: http.StatusNotFound, Param: "model", Code: "model_not_found", Message: "there is no model \"" + model + "\" here: the agent is \"" + Agent + "\""}
}

// seconds returns a time in OpenAI's unit.
func seconds(at fsm.Millis) int64 { return int64(at) / int64(time.Second/time.Millisecond) }

// answer writes a whole body.
func answer(w http.ResponseWriter, status int, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n')) // an error means that the client has gone
	return nil
}

// event encodes an event of a stream.
func event(name string, v any) ([]byte, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	text := "data: " + string(data) + "\n\n"
	if name != "" {
		text = "event: " + name + "\n" + text
	}
	return []byte(text), nil
}

const eventStream = "text/event-stream"

// beat keeps an idle stream alive.
var beat = []byte(": still here\n\n")

package openai

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"strings"

	"shelly/fsm/engine"
	"shelly/runtime/comm"
	"shelly/runtime/failpoint"
	"shelly/runtime/front/stream"
	"shelly/runtime/front/wire"
)

// responding is a request for a response.
type responding struct {
	model        string
	streams      bool
	background   bool
	previous     string // a response's id
	conversation string // a name
	unkept       bool   // store is false
	session      string // of the metadata
	metadata     map[string]string
	instructions string
	input        []message
	at           wire.Value // of the input
}

// readResponse reads a request for a response.
func (f *Front) readResponse(v wire.Value) (q responding, err error) {
	q.metadata = map[string]string{}
	keeps, conversation := true, wire.Value{Kind: wire.Null}
	fields := slices.Concat(sampling(), []wire.Field{
		wire.Text("model", &q.model), wire.Flag("stream", &q.streams), wire.Flag("background", &q.background), wire.Flag("store", &keeps),
		wire.Text("previous_response_id", &q.previous), wire.Any("conversation", &conversation), wire.Text("instructions", &q.instructions),
		{Name: "input", Read: q.read}, {Name: "metadata", Read: metadata(q.metadata)},
		{Name: "text", Read: func(v wire.Value) error {
			return v.Object(wire.Field{Name: "format", Read: format}, wire.Idle("verbosity", wire.String))
		}},
		{Name: "stream_options", Read: func(v wire.Value) error { return v.Object(wire.Idle("include_obfuscation", wire.Bool)) }},
		wire.Idle("user", wire.String),
		wire.Refused("tools", ownTools), wire.Refused("tool_choice", ownTools, "none", "auto"),
		wire.Refused("prompt", "there are no stored prompts here"), wire.Refused("context_management", "shelly keeps the context itself"),
		wire.Refused("moderation", "nothing is moderated here"),
	})
	if err := v.Object(fields...); err != nil {
		return q, err
	}
	if err := f.known(q.model); err != nil {
		return q, err
	}
	if len(q.input) == 0 {
		return q, &wire.Error{Param: "input", Message: `"input" is missing or empty; send a text or messages`}
	}
	q.unkept, q.session = !keeps, q.metadata[ofSession]
	switch conversation.Kind {
	case wire.Null:
	case wire.String:
		q.conversation = conversation.Text
	default:
		if err := conversation.Object(wire.Text("id", &q.conversation)); err != nil {
			return q, err
		}
	}
	if err := cmp.Or(sessionFault("conversation", q.conversation, keptSession), sessionFault(metadataSession, q.session, "")); err != nil {
		return q, err
	}
	if q.conversation != "" && q.previous != "" {
		return q, &wire.Error{Param: "previous_response_id", Message: `"previous_response_id" and "conversation" exclude each other; leave one out`}
	}
	return q, imagesFit(q.at, q.input)
}

// read reads an input: a text, or items.
func (q *responding) read(v wire.Value) error {
	q.at = v
	if v.Kind == wire.String {
		q.input = []message{{at: v, role: "user", text: v.Text}}
		return nil
	}
	if err := v.Is(wire.String, wire.List); err != nil {
		return err
	}
	return v.Each(comm.ContextMax, q.item)
}

// item reads one item: a message, in the form that clients write or in the form that they get.
func (q *responding) item(v wire.Value) error {
	if err := v.Is(wire.Object); err != nil {
		return err
	}
	switch kind := v.Member("type"); {
	case kind.Kind == wire.Null, kind.Text == "message":
	case kind.Text == approvalRequest && v.Member("server_label").Text == Agent:
		return nil // a client that keeps the conversation sends back all that it got (FRT-9)
	case kind.Text == "mcp_approval_response":
		return v.Fault("is of type %q, and a question is decided in shelly, with shelly request approve or deny; leave it out", kind.Text)
	case kind.Text == "reasoning", kind.Text == "item_reference":
		return v.Fault("is of type %q, which is of another server; send messages", kind.Text)
	default:
		return v.Fault("is of type %q, and %s", kind.Text, ownTools)
	}
	m := message{at: v}
	var kind string
	err := v.Object(slices.Concat([]wire.Field{
		wire.Text("type", &kind), wire.Text("role", &m.role), {Name: "content", Read: m.content},
	}, wire.Idles(wire.String, "id", "status", "phase"))...)
	if err != nil {
		return err
	}
	q.input = append(q.input, m)
	return m.roleFault()
}

// request returns the request for it. If it has messages of the assistant, or nothing is to be
// stored, the caller keeps the conversation (own): the messages are the request's history, and
// no session is loaded or saved. Otherwise shelly keeps it: instructions and all messages are
// one text (FRT-9).
func (q responding) request(session string) (in comm.Request, own bool, err error) {
	last := q.input[len(q.input)-1]
	if last.role != "user" {
		return in, false, last.at.Fault("is the last item and has the role %q; the last one is the question, of role user", last.role)
	}
	answered := slices.ContainsFunc(q.input, func(m message) bool { return m.role == "assistant" })
	if (answered || q.unkept) && session == "" {
		if err := textFault(last.at, last.text); err != nil {
			return in, true, err
		}
		before := q.input[:len(q.input)-1]
		if q.instructions != "" {
			before = slices.Concat([]message{{role: "system", text: q.instructions}}, before)
		}
		return comm.Request{Text: last.text, Images: last.images, Context: history(before)}, true, nil
	}
	if answered {
		return in, false, q.at.Fault("holds what the assistant has said, and shelly keeps this conversation itself; send what is new")
	}
	texts := []string{}
	if q.instructions != "" {
		texts = append(texts, q.instructions)
	}
	for _, m := range q.input {
		if m.text != "" {
			texts = append(texts, m.text)
		}
		in.Images = append(in.Images, m.images...)
	}
	in.Text, in.Session = strings.Join(texts, "\n\n"), session
	return in, false, textFault(q.at, in.Text)
}

// sessionOf returns the session of a conversation that continues, or "" for a new one.
func (f *Front) sessionOf(r *http.Request, q responding) (string, error) {
	if q.conversation != "" {
		return keptSession + q.conversation, nil
	}
	if q.previous == "" {
		return q.session, nil
	}
	known, err := f.find(r, q.previous)
	if none, ok := errors.AsType[*Error](err); ok {
		return "", &Error{Param: "previous_response_id", Code: "previous_response_not_found", Message: none.Message + " to continue"}
	}
	if err != nil {
		return "", err
	}
	session := comm.CallerOf(r.Context()).Short(known.Session) // as its client gave it
	if strings.HasPrefix(session, onceSession) || known.Body != "" && session == "" {
		return "", &Error{Param: "previous_response_id", Code: "previous_response_not_kept", Message: "the conversation of that response was its sender's, and shelly has not kept it; send it whole, or begin one with a text and without store: false"}
	}
	return session, nil
}

func (f *Front) postResponse(w http.ResponseWriter, r *http.Request) error {
	body, v, err := f.body(w, r)
	if err != nil {
		return err
	}
	q, err := f.readResponse(v)
	if err != nil {
		return err
	}
	session, err := f.sessionOf(r, q)
	if err != nil {
		return err
	}
	in, own, err := q.request(session)
	if err != nil {
		return err
	}
	if !q.background || q.streams {
		release, err := comm.Place(r.Context())
		if err != nil {
			return err
		}
		defer release()
	}
	accepted, err := f.accept(r, body, in, func(id string) string {
		if own {
			return onceSession + id
		}
		return keptSession + id
	})
	if err != nil {
		return err
	}
	failpoint.Hit(failpoint.HTTPAccepted)
	view, known := viewOf(q), accepted.Request
	switch {
	case q.streams:
		return f.streamResponse(w, r, view, known, nowhere, comm.From(accepted, nil))
	case q.background:
		now, err := f.now(r, view, known)
		if err != nil {
			return err
		}
		return answer(w, http.StatusOK, now)
	}
	return f.waitResponse(w, r, view, known)
}

// waitResponse answers with the response once it is done.
func (f *Front) waitResponse(w http.ResponseWriter, r *http.Request, view view, known engine.Request) error {
	reply, replied, err := stream.Wait(r.Context(), w, f.front, known.Key, nil, f.o.Stream, func(comm.Event) {})
	if err != nil || !replied {
		return unanswered(err)
	}
	failpoint.Hit(failpoint.HTTPReplyBefore)
	defer failpoint.Hit(failpoint.HTTPReplyAfter)
	return answer(w, http.StatusOK, f.done(r, view, known, reply))
}

// find returns the request of a response's id.
func (f *Front) find(r *http.Request, wire string) (engine.Request, error) {
	id, err := requestID(responsePrefix, wire)
	if err != nil {
		return engine.Request{}, notFound(wire)
	}
	known, ok, err := f.front.Request(r.Context(), f.key(r.Context(), id))
	switch {
	case err != nil:
	case !ok:
		err = notFound(wire)
	case known.Forgotten: // the journal may still have what it said, which is not to be shown
		gone := notFound(wire)
		gone.Message += ": its session was forgotten"
		err = gone
	}
	return known, err
}

// view is the part of a request that a client is shown again but that the record does not keep.
type view struct {
	model        string
	background   bool
	previous     *string
	conversation *conversation
	instructions *string
	metadata     map[string]string // not nil
	unkept       bool              // store was false
}

type conversation struct {
	ID string `json:"id"`
}

func viewOf(q responding) view {
	v := view{model: q.model, background: q.background, previous: orNull(q.previous), instructions: orNull(q.instructions), metadata: q.metadata, unkept: q.unkept}
	if q.conversation != "" {
		v.conversation = &conversation{q.conversation}
	}
	return v
}

// again is the view of a request that is known only by its record.
func again() view { return view{model: Agent, metadata: map[string]string{}} }

package comm

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"strconv"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/wording"
	"shelly/runtime/comm/idempotency"
	"shelly/runtime/failpoint"
)

func (h *HTTP) postRequest(w http.ResponseWriter, r *http.Request) error {
	m, err := h.mode(r)
	if err != nil {
		return err
	}
	after, err := heard(r)
	if err != nil {
		return err
	}
	body, err := h.body(w, r)
	if err != nil {
		return err
	}
	in, err := posted(r, body)
	if err != nil {
		return err
	}
	if m != modeReceipt { // before the acceptance: "busy" means that nothing has happened
		release, err := h.stream(r.Context())
		if err != nil {
			return err
		}
		defer release()
	}
	accepted, err := h.accept(r.Context(), in)
	if err != nil {
		return err
	}
	failpoint.Hit(failpoint.HTTPAccepted)
	switch m {
	case modeStream:
		first := Event{Type: EventAccepted, ID: in.Key.ID}
		if after != nil {
			first.At = *after
		}
		h.streamEvents(w, r, accepted.Request.Key, From(accepted, after), first)
		return nil
	case modeWait:
		return h.wait(w, r, accepted.Request)
	default:
		return answerAccepted(w, r, accepted.Request)
	}
}

// posted reads a request from a body.
func posted(r *http.Request, body []byte) (Request, error) {
	in := Request{Key: fsm.RequestKey{Principal: CallerOf(r.Context()).Name, Channel: ChannelHTTP}}
	id := &in.Key.ID
	err := decodeObject(body, text("id", id), text("session", &in.Session), text("text", &in.Text), text("channel", &in.Origin.Channel),
		text("chat", &in.Origin.Chat), images("images", &in.Images), conversation("context", &in.Context))
	if err == nil {
		err = Named(id, idempotency.Key(r.Header))
	}
	in.Key.Channel = cmp.Or(in.Origin.Channel, ChannelHTTP)
	in.Origin = originAt(in.Origin, ChannelHTTP)
	if err == nil {
		err = checkRequest(in)
	}
	return in, err
}

// postTyping takes that a person has begun to write a request (COM-111).
func (h *HTTP) postTyping(w http.ResponseWriter, r *http.Request) error {
	var session string
	var from fsm.Origin
	if err := h.read(w, r, text("session", &session), text("channel", &from.Channel), text("chat", &from.Chat)); err != nil {
		return err
	}
	from = originAt(from, ChannelHTTP)
	if err := checkPlace(session, from); err != nil {
		return err
	}
	taken, err := h.front.Typing(r.Context(), session, from)
	return h.answer(w, "pass on that a person writes", Taken{taken}, err)
}

// Named gives a request without an id its Idempotency-Key as id (COM-92), or else a new one.
func Named(id *string, key string) error {
	if key != "" && *id != "" && *id != key {
		return badRequest("the id and the Idempotency-Key differ", "send one, or the same twice")
	}
	*id = cmp.Or(*id, key)
	if *id == "" {
		*id = rand.Text()
	}
	return nil
}

// originAt is the origin that a request names. A chat without a channel is in the listener's
// own channel.
func originAt(o fsm.Origin, own string) fsm.Origin {
	if o.Chat != "" && o.Channel == "" {
		o.Channel = own
	}
	return o
}

// ChatOf is the chat of a request over HTTP, whether or not it names a channel and a chat: its
// messages go there.
func ChatOf(channel, chat string) fsm.Origin {
	_, origin := fsm.Belongs("", originAt(fsm.Origin{Channel: channel, Chat: chat}, ChannelHTTP))
	return origin
}

// accept passes a request to the daemon.
func (h *HTTP) accept(ctx context.Context, in Request) (engine.Acceptance, error) {
	a, err := h.front.Accept(ctx, in)
	if err != nil {
		h.note("accept a request", err)
	}
	return a, err
}

// note logs an error whose cause the client does not learn.
func (h *HTTP) note(what string, err error) {
	if ProblemOf(err).Code == CodeInternal {
		h.o.Log.Error("could not "+what, "error", err)
	}
}

// answer answers with body, or with the error that there is: what is what could not be done then.
func (h *HTTP) answer(w http.ResponseWriter, what string, body any, err error) error {
	if err != nil {
		h.note(what, err)
		return err
	}
	return JSON(w, http.StatusOK, body)
}

func answerAccepted(w http.ResponseWriter, r *http.Request, known engine.Request) error {
	if known.Done {
		return JSON(w, http.StatusOK, CallerOf(r.Context()).shows(newRecord(known)))
	}
	return JSON(w, http.StatusAccepted, Receipt{ID: known.Key.ID, State: stateOf(known)})
}

// wait answers with the record once the request is done. If shelly stops first, it answers
// that the request is kept (COM-9).
func (h *HTTP) wait(w http.ResponseWriter, r *http.Request, known engine.Request) error {
	known, err := h.front.Replied(r.Context(), known)
	if err != nil {
		err = Ended(r.Context(), err)
	}
	switch {
	case err != nil:
		h.note("wait for a request", err)
		return err
	case !known.Done:
		return &Problem{CodeStopping, "shelly is stopping", "the request is kept and done after the next start; send the same id again then"}
	}
	return JSON(w, http.StatusOK, CallerOf(r.Context()).shows(newRecord(known)))
}

// getRequest answers from the record (COM-8).
func (h *HTTP) getRequest(w http.ResponseWriter, r *http.Request) error {
	known, err := h.find(r)
	if err != nil {
		return err
	}
	record := newRecord(known)
	if standings, err := h.front.Standings(r.Context()); err == nil { // a record can be read to the end
		record.stand(standings)
	}
	return JSON(w, http.StatusOK, CallerOf(r.Context()).shows(record))
}

// subagents returns the subagents of the request that a route names.
func (h *HTTP) subagents(r *http.Request) (known engine.Request, list []Subagent, err error) {
	if known, err = h.find(r); err != nil {
		return known, nil, err
	}
	all, err := h.front.Standings(r.Context())
	if err != nil {
		h.note("look up the subagents", err)
		return known, nil, err
	}
	return known, subagentsOf(known.Handle, all), nil
}

func (h *HTTP) getSubagents(w http.ResponseWriter, r *http.Request) error {
	_, list, err := h.subagents(r)
	if err != nil {
		return err
	}
	if list == nil {
		list = []Subagent{}
	}
	return JSON(w, http.StatusOK, SubagentsBody{list})
}

// postCancelSubagent asks to end one of a request's subagents, and nothing else.
func (h *HTTP) postCancelSubagent(w http.ResponseWriter, r *http.Request) error {
	known, list, err := h.subagents(r)
	if err != nil {
		return err
	}
	for _, s := range list {
		if strconv.FormatInt(int64(s.Handle), 10) == r.PathValue("handle") {
			taken, err := h.front.CancelHandle(r.Context(), s.Handle)
			return h.answer(w, "cancel a subagent", Taken{taken}, err)
		}
	}
	return &Problem{
		CodeNotFound, fmt.Sprintf("request %q has no unfinished subagent with the handle %q", known.Key.ID, r.PathValue("handle")),
		"see which it has with GET /v1/requests/ID/subagents",
	}
}

func (h *HTTP) getEvents(w http.ResponseWriter, r *http.Request) error {
	known, err := h.find(r)
	if err != nil {
		return err
	}
	after, err := heard(r)
	if err != nil {
		return err
	}
	release, err := h.stream(r.Context())
	if err != nil {
		return err
	}
	defer release()
	h.streamEvents(w, r, known.Key, after)
	return nil
}

// find returns the record that a route names.
func (h *HTTP) find(r *http.Request) (engine.Request, error) {
	key, err := KeyOf(r)
	if err != nil {
		return engine.Request{}, err
	}
	known, ok, err := h.front.Request(r.Context(), key)
	if err != nil {
		h.note("look up a request", err)
		return engine.Request{}, err
	}
	if !ok {
		hint := "name its channel with ?channel= if it came another way"
		if CallerOf(r.Context()).Everything() {
			hint = "name its channel with ?channel= and its client with ?client= if it came another way"
		}
		return engine.Request{}, &Problem{CodeNotFound, fmt.Sprintf("there is no request %s in channel %q", wording.Quote(key.ID), key.Channel), hint}
	}
	return known, nil
}

// postEvent takes a system event (COM-10).
func (h *HTTP) postEvent(w http.ResponseWriter, r *http.Request) error {
	body, err := h.body(w, r)
	if err != nil {
		return err
	}
	var e fsm.EventRaised
	err = decodeObject(body, text("source", &e.Source), text("event", &e.Event), text("subject", &e.Subject), text("detail", &e.Detail))
	err = cmp.Or(err,
		checkName("source", e.Source, 1, SourceBytesMax),
		checkName("event", e.Event, 1, EventBytesMax),
		checkName("subject", e.Subject, 0, SubjectBytesMax),
	)
	if err != nil {
		return err
	}
	if err := h.front.Raise(r.Context(), e); err != nil {
		h.o.Counters.refused.Add(1)
		h.note("raise an event", err)
		return err
	}
	return JSON(w, http.StatusAccepted, struct {
		State string `json:"state"`
	}{RecordAccepted})
}

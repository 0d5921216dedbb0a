package openai

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/state"
	"shelly/runtime/comm"
	"shelly/runtime/comm/position"
	"shelly/runtime/failpoint"
	"shelly/runtime/front/stream"
)

// An event's sequence_number is its place, and is the same in every stream (FRT-13): the daemon's
// epoch, the model call and the place in its text, so that a client that comes back after a
// kill can name what it has. The numbers rise, with gaps.
//
//	epoch (15 bits)  call (17)  place (21)
//
// Calls are counted from the request's handle. Places 0 and 1 begin a call's item, 2+n ends a
// piece at byte n, and the places above the longest text end the item and ask a person.
const (
	placeBits = 21
	callBits  = 17
	placeMax  = 1<<placeBits - 1
	callMax   = 1<<callBits - 1
	epochMax  = 1<<15 - 1

	createdSequence  = 0
	progressSequence = 1
	lastSequence     = 1<<53 - 1 // the largest number that JavaScript is exact in

	placeDone     = placeMax - 10_000 // the text, the part and the item are done
	placeQuestion = placeDone + 10
	textMax       = placeDone - 3
)

// nowhere is before the first event.
const nowhere = -1

// numbered numbers the events of a request.
type numbered struct {
	now    int // the daemon's present epoch
	handle fsm.HandleID
	epochs map[fsm.CallID]int // of calls of former epochs
}

// epoch is the epoch in which a call was asked.
func (n numbered) epoch(call fsm.CallID) int {
	if epoch, former := n.epochs[call]; former {
		return epoch
	}
	return n.now
}

// at is the number of a place in a call's text.
func (n numbered) at(call fsm.CallID, place int) int64 { return n.in(n.epoch(call), call, place) }

func (n numbered) in(epoch int, call fsm.CallID, place int) int64 {
	of := min(max(int64(call)-int64(n.handle), 0), callMax-1)
	if call == stream.ReplyCall {
		epoch, of = epochMax, callMax
	}
	return int64(min(epoch, epochMax))<<(callBits+placeBits) | of<<placeBits | int64(min(place, placeMax))
}

// reading returns the call in whose text a number lies, and its epoch, if a client that has read
// up to the number lacks the text's end; call 0: none.
func (n numbered) reading(number int64) (epoch int, call fsm.CallID) {
	of := number >> placeBits & callMax
	if number <= progressSequence || of == callMax || number&placeMax >= placeDone {
		return 0, 0
	}
	return int(number >> (callBits + placeBits)), fsm.CallID(int64(n.handle) + of)
}

// resuming reads whether a client wants a stream, and the number after which it begins.
func resuming(r *http.Request) (streams bool, after int64, err error) {
	after = nowhere
	q, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return false, 0, &Error{Message: "the query cannot be read"}
	}
	for name, values := range q { // order-free: one fault is enough
		v := values[0]
		switch {
		case strings.HasPrefix(name, "include"): // as with a create, it has no effect
		case len(values) > 1:
			return false, 0, &Error{Param: name, Message: fmt.Sprintf("query parameter %q is given twice", name)}
		case name == "stream" && (v == "true" || v == "false"):
			streams = v == "true"
		case name == "starting_after":
			after, err = strconv.ParseInt(v, 10, 64)
			if err != nil || after < 0 {
				return false, 0, &Error{Param: name, Message: "starting_after is not a sequence_number"}
			}
		default:
			return false, 0, &Error{Param: name, Code: "unknown_parameter", Message: fmt.Sprintf("query parameter %s=%q is unknown", name, v)}
		}
	}
	return streams, after, nil
}

// itemID is the id of the item with a model call's text.
func itemID(id string, epoch int, call fsm.CallID) string {
	if call == stream.ReplyCall {
		return replyID(id)
	}
	return fmt.Sprintf("%s_%d_%d", wireID(itemPrefix, id), epoch, call)
}

// replyID is the id of the item with a reply of which the journal does not know the call.
func replyID(id string) string { return wireID(itemPrefix, id) }

// responseStream streams a response.
type responseStream struct {
	front  *Front
	r      *http.Request
	view   view
	known  engine.Request
	out    *stream.Writer
	text   stream.Text
	number numbered
	after  int64  // the client has the events up to this number; they are not sent
	sent   int64  // the number of the last event that was sent
	items  []item // that were sent whole: the index of the item being sent is their number
	work   bool   // the status "in progress" was sent
	asked  map[string]bool
	asking struct {
		after fsm.CallID // the text after which the last question came, and how many have come after it
		n     int
	}
	cutOff bool       // the reply has come, and is cut at its length
	call   fsm.CallID // the call that was sent last
	lost   fsm.CallID // the call, in the epoch below, of whose text the client lacks the end; 0: none
	since  int
}

// streamResponse sends the events of a response after a number. From is the position from which
// the request is followed; nil: what came before now is read from the journal.
func (f *Front) streamResponse(w http.ResponseWriter, r *http.Request, v view, known engine.Request, after int64, from *position.Position) error {
	s := &responseStream{
		front: f, r: r, view: v, known: known, after: after, asked: map[string]bool{},
		number: numbered{f.front.Status(r.Context()).Epoch, known.Handle, map[fsm.CallID]int{}},
	}
	s.since, s.lost = s.number.reading(after)
	s.out = stream.Begin(w, f.o.Stream, eventStream)
	defer s.out.End()
	if s.begin(from == nil) != nil {
		return nil // the client has gone; the request continues (FRT-6)
	}
	replied, err := s.out.Follow(r.Context(), f.front, known.Key, from, beat, s.heard)
	if !replied {
		s.cut(err)
	}
	return nil
}

// cut sends an event that says why a stream ends early. It has the number of the last one, after
// which a client goes on: it may well take the number from this one.
func (s *responseStream) cut(err error) {
	p := comm.ProblemOf(unanswered(err))
	text, err := event("error", struct {
		Type    string  `json:"type"`
		Code    string  `json:"code"`
		Message string  `json:"message"`
		Param   *string `json:"param"`
		Number  int64   `json:"sequence_number"`
	}{"error", string(p.Code), p.Sentence(), nil, max(s.after, s.sent)})
	if err == nil {
		_ = s.out.Write(text)
	}
}

// begin sends what is known already: the response, and, unless it is followed from its beginning,
// the texts besides tool calls and the questions to a person.
func (s *responseStream) begin(late bool) error {
	if err := s.whole("response.created", createdSequence, s.view.response(s.known, queued)); err != nil {
		return err
	}
	if !late {
		return nil
	}
	past, ok := s.front.past(s.r.Context(), s.known.Key)
	if !ok {
		return nil
	}
	if len(past.Beside)+len(past.Asked) > 0 {
		if err := s.started(); err != nil {
			return err
		}
	}
	if err := s.questions(past.Asked, 0); err != nil {
		return err
	}
	for _, t := range past.Beside {
		s.text.Told(t.Text)
		s.number.epochs[t.Call] = t.Epoch
		if err := s.piece(stream.Piece{Call: t.Call, Text: t.Text, Begins: true, Ends: true, Said: t.Text}); err != nil {
			return err
		}
		if err := s.questions(past.Asked, t.Call); err != nil {
			return err
		}
	}
	return nil
}

// questions sends those of a request's questions that came after a text.
func (s *responseStream) questions(all []Question, after fsm.CallID) error {
	for _, q := range all {
		if q.After != after {
			continue
		}
		if err := s.question(q); err != nil {
			return err
		}
	}
	return nil
}

// forget ends the item of a call that will say nothing more, because a later call is being sent:
// the model was asked again.
func (s *responseStream) forget(now fsm.CallID) error {
	lost := s.lost
	if lost == 0 || lost == now && s.since == s.number.epoch(now) {
		s.lost = 0
		return nil
	}
	if former, ok := s.number.epochs[now]; ok && s.number.in(former, now, 0) < s.number.in(s.since, lost, 0) {
		return nil // it was sent before
	}
	s.lost = 0
	index, it := len(s.items), messageItem(itemID(s.known.Key.ID, s.since, lost), unfinished)
	s.items = append(s.items, it)
	return s.send(told{Type: "response.output_item.done", Number: s.number.in(s.since, lost, placeDone+2), Index: &index, Item: &it})
}

// heard sends what an event of the request adds to the stream.
func (s *responseStream) heard(e comm.Event) error {
	if e.Type == comm.EventReply {
		s.cutOff = e.Outcome == fsm.OutcomeCut
		failpoint.Hit(failpoint.HTTPReplyBefore)
		defer failpoint.Hit(failpoint.HTTPReplyAfter)
	}
	if works(e) {
		if err := s.started(); err != nil {
			return err
		}
	}
	if err := s.pieces(e); err != nil {
		return err
	}
	switch e.Type {
	case comm.EventQuestion:
		if !s.asked[e.Key] {
			if err := s.forget(0); err != nil {
				return err
			}
		}
		return s.question(Question{Key: e.Key, Tool: e.Tool, Args: e.Args})
	case comm.EventReply:
		return s.end(e)
	}
	return nil
}

// started says, once, that the request has been started; before any text, because numbers rise.
func (s *responseStream) started() error {
	if s.work {
		return nil
	}
	s.work = true
	return s.whole("response.in_progress", progressSequence, s.view.response(s.known, inProgress))
}

// works reports whether an event shows that the request has been started.
func works(e comm.Event) bool {
	switch e.Type {
	case comm.EventState:
		return e.State != state.Queued && e.State != state.Parked
	case comm.EventChunk, comm.EventTool, comm.EventQuestion, comm.EventReply:
		return true
	}
	return false
}

// pieces sends what an event adds to the text. A reply of which nothing was sent is the text of
// the call that said it, if the journal knows it, with the blanks around it that were streamed
// and that the reply lacks. So it has the same numbers as in other streams.
func (s *responseStream) pieces(e comm.Event) error {
	if e.Type == comm.EventReply && e.IsError {
		if err := s.forget(0); err != nil {
			return err
		}
		if p, open := s.text.Stop(); open {
			return s.piece(p)
		}
		return nil
	}
	e.Thinking = "" // this API has no place for it (FRT-11)
	for _, p := range s.text.Heard(e) {
		if p.Call == stream.ReplyCall {
			past, ok := s.front.past(s.r.Context(), s.known.Key)
			if text, last := past.item(e); ok && last && past.Last.Call != s.call {
				p.Call, p.Text, p.Said = past.Last.Call, text, text
				s.number.epochs[p.Call] = past.Last.Epoch
			}
		}
		if err := s.piece(p); err != nil {
			return err
		}
	}
	return nil
}

// end sends the response as the record has it, with the other items of the stream in their places.
func (s *responseStream) end(reply comm.Event) error {
	b := s.front.done(s.r, s.view, s.known, reply)
	b.Output = placed(s.items, b.Output)
	name := "response." + b.Status
	if b.Status == cancelled { // there is no event of that name
		name = "response.incomplete"
	}
	return s.whole(name, lastSequence, b)
}

// placed returns the items of a stream, with the statuses that the record gives them, and then the
// record's others, so that an output_index of the stream names its item in the whole response too.
func placed(sent, recorded []item) []item {
	all, rest := make([]item, 0, len(sent)+len(recorded)), slices.Clone(recorded)
	for _, it := range sent {
		i := slices.IndexFunc(rest, func(r item) bool { // an unfinished one may have the id of the item that took its place
			return r.ID == it.ID && (it.Status != unfinished || it.says(r))
		})
		if i >= 0 {
			if it.Status = rest[i].Status; !it.says(rest[i]) {
				it = rest[i]
			}
			rest = slices.Delete(rest, i, i+1)
		}
		all = append(all, it)
	}
	return append(all, rest...)
}

// told is an event; its fields are those that events about an item have in common.
type told struct {
	Type         string      `json:"type"`
	Number       int64       `json:"sequence_number"`
	Index        *int        `json:"output_index,omitempty"`
	ItemID       string      `json:"item_id,omitempty"`
	ContentIndex *int        `json:"content_index,omitempty"`
	Response     *response   `json:"response,omitempty"`
	Item         *item       `json:"item,omitempty"`
	Part         *content    `json:"part,omitempty"`
	Delta        *string     `json:"delta,omitempty"`
	Text         *string     `json:"text,omitempty"`
	Logprobs     *[]struct{} `json:"logprobs,omitempty"`
}

func (s *responseStream) whole(name string, number int64, b response) error {
	return s.send(told{Type: name, Number: number, Response: &b})
}

// send sends an event unless the client already has it.
func (s *responseStream) send(e told) error {
	if e.Number <= s.after {
		return nil
	}
	text, err := event(e.Type, e)
	if err != nil {
		return err
	}
	s.sent = e.Number
	return s.out.Write(text)
}

// piece sends the events of a piece of text.
func (s *responseStream) piece(p stream.Piece) error {
	if err := s.forget(p.Call); err != nil {
		return err
	}
	s.call = p.Call
	id, zero := itemID(s.known.Key.ID, s.number.epoch(p.Call), p.Call), 0
	about := func(name string, place int) told {
		index := len(s.items)
		return told{Type: name, Number: s.number.at(p.Call, place), Index: &index, ItemID: id, ContentIndex: &zero}
	}
	events, items := []told(nil), s.items
	if p.Begins {
		added, part := about("response.output_item.added", 0), about("response.content_part.added", 1)
		empty, begun := output(""), messageItem(id, inProgress)
		added.ItemID, added.ContentIndex, added.Item, part.Part = "", nil, &begun, &empty
		events = append(events, added, part)
	}
	if rest := s.unread(p); rest != "" {
		delta := about("response.output_text.delta", min(2+p.From+len(p.Text), textMax))
		delta.Delta, delta.Logprobs = &rest, &[]struct{}{}
		events = append(events, delta)
	}
	if p.Ends {
		status := completed
		if p.Lost || s.cutOff {
			status = unfinished
		}
		text, part, done := about("response.output_text.done", placeDone), about("response.content_part.done", placeDone+1), about("response.output_item.done", placeDone+2)
		whole := output(p.Said)
		ended := messageItem(id, status, whole)
		text.Text, text.Logprobs, part.Part = &p.Said, &[]struct{}{}, &whole
		done.ItemID, done.ContentIndex, done.Item = "", nil, &ended
		items = append(items, ended)
		events = append(events, text, part, done)
	}
	for _, e := range events {
		if err := s.send(e); err != nil {
			return err
		}
	}
	s.items = items
	return nil
}

// unread returns the part of a piece that the client does not have.
func (s *responseStream) unread(p stream.Piece) string {
	read := s.after - s.number.at(p.Call, 2+p.From)
	if read <= 0 || p.Text == "" {
		return p.Text
	}
	for read < int64(len(p.Text)) && !utf8.RuneStart(p.Text[read]) {
		read++
	}
	return p.Text[min(read, int64(len(p.Text))):]
}

// question sends a question to a person, once. Its place is after the last text before it.
func (s *responseStream) question(q Question) error {
	if s.asked[q.Key] {
		return nil
	}
	s.asked[q.Key] = true
	if s.asking.after != s.call {
		s.asking.after, s.asking.n = s.call, 0
	}
	number := s.number.at(s.call, placeQuestion+2*s.asking.n)
	if s.call == 0 { // before any text; every epoch has the same place for it
		number = s.number.in(0, fsm.CallID(s.number.handle), placeQuestion+2*s.asking.n)
	}
	s.asking.n++
	index, it := len(s.items), question(s.known.Key.ID, q.Key, q.Tool, q.Args)
	for i, name := range []string{"response.output_item.added", "response.output_item.done"} {
		if err := s.send(told{Type: name, Number: number + int64(i), Index: &index, Item: &it}); err != nil {
			return err
		}
	}
	s.items = append(s.items, it)
	return nil
}

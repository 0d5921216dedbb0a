package openai_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/state"
	"shelly/runtime/comm"
	"shelly/runtime/front/asking"
	"shelly/runtime/front/openai"
)

const object = `"object":"response","created_at":0,`

// told is an event of a stream, as far as the tests look.
type told struct {
	Type     string
	Number   int64  `json:"sequence_number"`
	Index    int    `json:"output_index"`
	ItemID   string `json:"item_id"`
	Delta    string
	Item     struct{ ID, Status string }
	Response struct {
		ID, Status string
		Output     []struct {
			ID, Status string
			Content    []struct{ Text string }
		}
	}
}

// events reads a stream, and checks that the numbers rise.
func events(t *testing.T, body string) (all []told) {
	t.Helper()
	last := int64(-1)
	if body == "" {
		return nil
	}
	for part := range strings.SplitSeq(strings.TrimSuffix(body, "\n\n"), "\n\n") {
		name, data, _ := strings.Cut(part, "\n")
		var e told
		if err := json.Unmarshal([]byte(strings.TrimPrefix(data, "data: ")), &e); err != nil || "event: "+e.Type != name {
			t.Fatalf("got %s, %v; want data whose type is that of the event, %q", part, err, name)
		}
		if e.Number <= last && (e.Type != "error" || e.Number < last) {
			t.Errorf("%s has number %d after %d", e.Type, e.Number, last)
		}
		last = e.Number
		all = append(all, e)
	}
	return all
}

// words are the events in short.
func words(all []told) string {
	var b strings.Builder
	for _, e := range all {
		b.WriteString(strings.TrimPrefix(e.Type, "response."))
		switch {
		case e.Delta != "":
			fmt.Fprintf(&b, "(%s)", e.Delta)
		case e.Item.Status != "":
			fmt.Fprintf(&b, "(%d %s %s)", e.Index, e.Item.ID, e.Item.Status)
		}
		b.WriteString(" ")
	}
	return strings.TrimSpace(b.String())
}

// says5 is an answer of one call in two pieces.
func says5() []comm.Event {
	return []comm.Event{{Type: comm.EventState, State: state.Queued}, {Type: comm.EventState, State: "cognition"}, says(5, 0, "It "), says(5, 3, "is.")}
}

const streamed = `created in_progress output_item.added(0 msg_k_1_5 in_progress) content_part.added output_text.delta(It ) output_text.delta(is.) ` +
	`output_text.done content_part.done output_item.done(0 msg_k_1_5 completed) completed`

func TestFRT13AStreamGoesOnAfterEachOfItsEvents(t *testing.T) {
	s := serve(t)
	whole := s.Meanwhile(1, func(key fsm.RequestKey) {
		s.Front.Say(key, says5()...)
		s.Front.Reply(key, "It is.", false)
	}, "POST", "/v1/responses", `{"model":"shelly","input":"Hi","stream":true}`, keyed, "k")
	all := events(t, whole.Body)
	if got := words(all); got != streamed {
		t.Fatalf("%s\nwant %s", got, streamed)
	}
	if last := all[len(all)-1]; last.Number != 1<<53-1 || last.Response.ID != "resp_k" || last.Response.Output[0].Content[0].Text != "It is." {
		t.Errorf("got %+v; want Number 9007199254740991, Response.ID %q, Response.Output[0].Content[0].Text %q", last, "resp_k", "It is.")
	}
	if got, want := all[len(all)-1].Response.Output[0].ID, all[len(all)-2].Item.ID; got != want {
		t.Errorf("the item %s of the stream is %s in the whole response", want, got)
	}
	comesBack(t, s, all)
}

// SES-25: of a response whose session was forgotten nothing is shown, also of what the journal has of it.
func TestFRT9AForgottenResponseIsNotThere(t *testing.T) {
	s := serveWith(t, openai.Past{Last: openai.Spoken{Epoch: 1, Call: 5, Text: "It is."}})
	s.Meanwhile(1, func(key fsm.RequestKey) {
		s.Front.Reply(key, "It is.", false)
		s.Front.Forget(key)
	}, "POST", "/v1/responses", `{"model":"shelly","input":"Hi"}`, keyed, "k")
	for _, path := range []string{"", "?stream=true", "/input_items"} {
		if got := s.Ask("GET", "/v1/responses/resp_k"+path, ""); got.Status != 404 || !strings.Contains(got.Body, `there is no response with id \"resp_k\": its session was forgotten`) {
			t.Errorf("%s: %d %s", path, got.Status, got.Body)
		}
	}
	got := s.Ask("POST", "/v1/responses", `{"model":"shelly","input":"And?","previous_response_id":"resp_k"}`, keyed, "l")
	if got.Status != 400 || !strings.Contains(got.Body, "previous_response_not_found") {
		t.Errorf("to continue it: %d %s", got.Status, got.Body)
	}
}

// A response is read with any of its parts asked for, as SDKs write a list; nothing else is asked for twice.
func TestFRT3WhatToIncludeHasNoEffect(t *testing.T) {
	s := serveWith(t, openai.Past{})
	s.Ask("POST", "/v1/responses", `{"model":"shelly","input":"Hi","background":true}`, keyed, "k")
	for query, want := range map[string]int{"?include[]=a&include[]=b": 200, "?include=a&include=b": 200, "?stream=false&stream=false": 400, "?colour=red": 400} {
		if got := s.Ask("GET", "/v1/responses/resp_k"+query, ""); got.Status != want {
			t.Errorf("%s: got %d %s; want %d", query, got.Status, got.Body, want)
		}
	}
}

// The blanks around an answer are streamed, but its reply does not have them.
func TestFRT13AStreamGoesOnAfterEachOfItsEventsWithBlanksAroundTheAnswer(t *testing.T) {
	s := serveWith(t, openai.Past{Last: openai.Spoken{Epoch: 1, Call: 5, Text: "\nIt is. \n"}})
	whole := s.Meanwhile(1, func(key fsm.RequestKey) {
		s.Front.Say(key, says(5, 0, "\nIt "), says(5, 4, "is. \n"))
		s.Front.Reply(key, "It is.", false)
	}, "POST", "/v1/responses", `{"model":"shelly","input":"Hi","stream":true}`, keyed, "k")
	comesBack(t, s, events(t, whole.Body))
}

// A request that ends without an answer while one is written leaves its item incomplete, in the stream
// and in the whole response.
func TestFRT13WhatEndsAmidAnAnswerEndsItsItem(t *testing.T) {
	for outcome, name := range map[fsm.Outcome]string{fsm.OutcomeCancelled: "incomplete", fsm.OutcomeFailed: "failed"} { // order-free: each is alone
		s := serveWith(t, openai.Past{})
		all := events(t, s.Meanwhile(1, func(key fsm.RequestKey) {
			s.Front.Say(key, says(5, 0, "It "))
			s.Front.End(key, "error: it has ended", true, outcome)
		}, "POST", "/v1/responses", `{"model":"shelly","input":"Hi","stream":true}`, keyed, "k").Body)
		want := `created in_progress output_item.added(0 msg_k_1_5 in_progress) content_part.added output_text.delta(It ) output_text.done content_part.done output_item.done(0 msg_k_1_5 incomplete) ` + name
		if got := words(all); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
		if out := all[len(all)-1].Response.Output; len(out) != 1 || out[0].ID != "msg_k_1_5" || out[0].Status != "incomplete" {
			t.Errorf("%s: the whole response has %+v", outcome, out)
		}
	}
}

// The reply to an answer that is cut is its text and a notice. Both are one item, which has one id in
// every stream and in the record.
func TestFRT16ACutAnswerIsOneItem(t *testing.T) {
	s := serveWith(t, openai.Past{Last: openai.Spoken{Epoch: 1, Call: 5, Text: "It is"}})
	all := events(t, s.Meanwhile(1, func(key fsm.RequestKey) {
		s.Front.Say(key, says(5, 0, "It is"))
		s.Front.End(key, "It is\n\n[cut]", false, fsm.OutcomeCut)
	}, "POST", "/v1/responses", `{"model":"shelly","input":"Hi","stream":true}`, keyed, "k").Body)
	want := "created in_progress output_item.added(0 msg_k_1_5 in_progress) content_part.added output_text.delta(It is) output_text.delta(\n\n[cut]) output_text.done content_part.done output_item.done(0 msg_k_1_5 incomplete) incomplete"
	if got := words(all); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	one := `"output":[{"id":"msg_k_1_5","type":"message","status":"incomplete","role":"assistant","content":[{"type":"output_text","text":"It is\n\n[cut]",`
	if out := all[len(all)-1].Response.Output; len(out) != 1 || out[0].ID != "msg_k_1_5" {
		t.Errorf("the stream ends with %+v", out)
	}
	if got := s.Ask("GET", "/v1/responses/resp_k", ""); !strings.Contains(got.Body, one) {
		t.Errorf("got %s; want with %s", got.Body, one)
	}
	comesBack(t, s, all)
}

// The reply of a request that ends without its answer repeats what the model has said. A response has each
// text once, in its streams and in the record.
func TestFRT16WhatTheModelHasSaidIsNotRepeated(t *testing.T) {
	for outcome, tt := range map[fsm.Outcome]struct { // order-free: each is alone
		last  string
		calls bool // the last text is beside calls
		items string
	}{
		fsm.OutcomeCut:       {"It is", false, "msg_k_1_3 completed: Wait.|msg_k_1_5 incomplete: It is\n\n[stopped]|"},
		fsm.OutcomeExhausted: {"Now.", true, "msg_k_1_3 completed: Wait.|msg_k_1_5 completed: Now.|msg_k completed: [stopped]|"},
	} {
		past := openai.Past{Beside: []openai.Spoken{{Epoch: 1, Call: 3, Text: "Wait."}}, Last: openai.Spoken{Epoch: 1, Call: 5, Text: tt.last}}
		happens := []comm.Event{says(3, 0, "Wait."), {Type: comm.EventTool, Tool: "look"}, says(5, 0, tt.last)}
		if tt.calls {
			past.Beside = append(past.Beside, past.Last)
			happens = append(happens, comm.Event{Type: comm.EventTool, Tool: "look"})
		}
		s := serveWith(t, past)
		live := events(t, s.Meanwhile(1, func(key fsm.RequestKey) {
			s.Front.Say(key, happens...)
			s.Front.End(key, "Wait.\n"+tt.last+"\n\n[stopped]", false, outcome)
		}, "POST", "/v1/responses", `{"model":"shelly","input":"Hi","stream":true}`, keyed, "k").Body)
		late := events(t, s.Ask("GET", "/v1/responses/resp_k?stream=true", "").Body)
		for way, all := range map[string][]told{"live": live, "late": late} { // order-free: each is alone
			got := ""
			for _, o := range all[len(all)-1].Response.Output {
				got += fmt.Sprintf("%s %s: %s|", o.ID, o.Status, o.Content[0].Text)
			}
			if got != tt.items {
				t.Errorf("%s, %s: got %s; want %s", outcome, way, got, tt.items)
			}
		}
		record := s.Ask("GET", "/v1/responses/resp_k", "").Body
		if n := strings.Count(record, "Wait."); n != 1 || strings.Count(record, `"type":"message"`) != strings.Count(tt.items, "|") {
			t.Errorf("%s: the record has %s", outcome, record)
		}
		comesBack(t, s, live)
	}
}

// A client that names the last number that it received, be it the error's, gets the rest.
func TestFRT13AnErrorThatEndsAStreamTakesNoPlaceInIt(t *testing.T) {
	s := serve(t)
	all := events(t, s.Meanwhile(1, func(key fsm.RequestKey) {
		s.Front.Say(key, says(5, 0, "It "))
		s.Front.Cut()
	}, "POST", "/v1/responses", `{"model":"shelly","input":"Hi","stream":true}`, keyed, "k").Body)
	if last := len(all) - 1; last < 2 || all[last].Type != "error" || all[last-1].Delta == "" || all[last].Number != all[last-1].Number {
		t.Errorf("got %+v; want a delta and an error of the same number at the end", all)
	}
}

// comesBack checks that a client gets exactly the rest of a stream after each of its events.
func comesBack(t *testing.T, s *asking.Server, all []told) {
	t.Helper()
	for i, e := range all { // from the record and the journal alone, as after a kill
		rest := s.Ask("GET", "/v1/responses/resp_k?stream=true&starting_after="+strconv.FormatInt(e.Number, 10), "")
		got, want := "", ""
		for _, e := range all[i+1:] {
			want += e.Delta
		}
		for _, r := range events(t, rest.Body) {
			if r.Number <= e.Number {
				t.Errorf("after %d comes %d", e.Number, r.Number)
			}
			got += r.Delta
		}
		if got != want {
			t.Errorf("after %s %d: %q, want %q", e.Type, e.Number, got, want)
		}
	}
}

// The text of an earlier call, which comes from the journal, has a higher number than the
// event that the response is in progress.
func TestFRT13NumbersRiseWhenTheTextBesideACallComesFirst(t *testing.T) {
	s := serveWith(t, openai.Past{
		Beside: []openai.Spoken{{Epoch: 1, Call: 3, Text: "Wait."}}, Last: openai.Spoken{Epoch: 1, Call: 5, Text: "It is."},
	})
	s.Ask("POST", "/v1/responses", `{"model":"shelly","input":"Hi","background":true}`, keyed, "k")
	s.Front.Reply(fsm.RequestKey{Principal: comm.Principal, Channel: "openai", ID: "k"}, "It is.", false)
	const item = ` content_part.added output_text.delta(%s) output_text.done content_part.done output_item.done(%d msg_k_1_%d completed)`
	want := `created in_progress output_item.added(0 msg_k_1_3 in_progress)` + fmt.Sprintf(item, "Wait.", 0, 3) +
		` output_item.added(1 msg_k_1_5 in_progress)` + fmt.Sprintf(item, "It is.", 1, 5) + ` completed`
	if got := words(events(t, s.Ask("GET", "/v1/responses/resp_k?stream=true", "").Body)); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// A question to a person has the same place in every stream, before any text and after one, also when it
// has been answered and only the journal knows it: what comes after it is not at its index.
func TestFRT13AQuestionKeepsItsPlace(t *testing.T) {
	for name, past := range map[string]openai.Past{ // order-free: each is alone
		"before any text": {Asked: []openai.Question{{Key: "q"}}, Last: openai.Spoken{Epoch: 1, Call: 5, Text: "It is."}},
		"after a text":    {Asked: []openai.Question{{After: 3, Key: "q"}}, Beside: []openai.Spoken{{Epoch: 1, Call: 3, Text: "Wait."}}, Last: openai.Spoken{Epoch: 1, Call: 5, Text: "It is."}},
	} {
		s := serveWith(t, past)
		live := events(t, s.Meanwhile(1, func(key fsm.RequestKey) {
			for _, b := range past.Beside {
				s.Front.Say(key, says(b.Call, 0, b.Text))
			}
			s.Front.Say(key, comm.Event{Type: comm.EventQuestion, Question: fsm.QuestionApprove, Key: "q"}, says(5, 0, "It is."))
			s.Front.Reply(key, "It is.", false)
		}, "POST", "/v1/responses", `{"model":"shelly","input":"Hi","stream":true}`, keyed, "k").Body)
		for i, e := range live {
			rest := events(t, s.Ask("GET", "/v1/responses/resp_k?stream=true&starting_after="+strconv.FormatInt(e.Number, 10), "").Body)
			if got, want := words(rest), words(live[i+1:]); e.Delta == "" && got != want { // amid a text the rest of it is another piece
				t.Errorf("%s, after %s %d: %s\nwant %s", name, e.Type, e.Number, got, want)
			}
		}
	}
}

// A client that comes back while the same call is still streaming gets what it lacks.
func TestFRT13AStreamGoesOnAmidACall(t *testing.T) {
	s := serve(t)
	s.Ask("POST", "/v1/responses", `{"model":"shelly","input":"Hi","background":true}`, keyed, "k")
	after := int64(1)<<38 | (5-1)<<21 | (2 + 4) // "It i" of call 5, the handle being 1
	rest := s.Meanwhile(1, func(key fsm.RequestKey) {
		s.Front.Say(key, comm.Event{Type: comm.EventChunk, Call: 5, Text: "It is", Whole: true}, says(5, 5, "."))
		s.Front.Reply(key, "It is.", false)
	}, "GET", fmt.Sprintf("/v1/responses/resp_k?stream=true&starting_after=%d", after), "")
	want := `output_text.delta(s) output_text.delta(.) output_text.done content_part.done output_item.done(0 msg_k_1_5 completed) completed`
	if got := words(events(t, rest.Body)); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// After the model was asked again, the item that was being sent is incomplete, and the new text
// is another item.
func TestFRT13WhatIsAskedAgainIsANewItem(t *testing.T) {
	s := serve(t)
	s.Ask("POST", "/v1/responses", `{"model":"shelly","input":"Hi","background":true}`, keyed, "k")
	for _, lost := range []struct{ epoch, call int64 }{{1, 4}, {0, 5}} { // another call, or one of the same number before a kill
		after := lost.epoch<<38 | (lost.call-1)<<21 | (2 + 4)
		rest := s.Meanwhile(1, func(key fsm.RequestKey) {
			s.Front.Say(key, says(5, 0, "It is."))
			s.Front.Cut()
		}, "GET", fmt.Sprintf("/v1/responses/resp_k?stream=true&starting_after=%d", after), "")
		body, _, _ := strings.Cut(rest.Body, "event: error")
		want := fmt.Sprintf("output_item.done(0 msg_k_%d_%d incomplete) output_item.added(1 msg_k_1_5 in_progress) content_part.added output_text.delta(It is.)", lost.epoch, lost.call)
		if got := words(events(t, body)); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}

func TestFRT16AResponseIsReadFromTheRecord(t *testing.T) {
	s := serve(t)
	made := s.Ask("POST", "/v1/responses", `{"model":"shelly","input":"Hi","background":true,"instructions":"Be short."}`, keyed, "a b")
	if made.Status != 200 || !strings.HasPrefix(made.Body, `{"id":"resp_a.20b",`+object+`"completed_at":null,"status":"queued","background":true,`) {
		t.Errorf("got %d %s; want 200, beginning with %q", made.Status, made.Body, `{"id":"resp_a.20b",`+object+`"completed_at":null,"status":"queued","background":true,`)
	}
	key := s.Front.Seen().Requests[0].Key
	s.Front.Stand(comm.Standing{Handle: 1, Phase: "cognition", Asks: &comm.Ask{Question: fsm.QuestionApprove, Handle: 1, Key: "h1.1", Tool: "exec", Args: `{"command":"make"}`}})
	if now := s.Ask("GET", "/v1/responses/resp_a.20b", ""); !strings.Contains(now.Body, `"status":"in_progress"`) ||
		!strings.Contains(now.Body, `"output":[{"id":"mcpr_a.20b-h1.2E1","type":"mcp_approval_request","server_label":"shelly","name":"exec","arguments":"{\"command\":\"make\"}"}]`) {
		t.Errorf("got %s; want with %q and %q", now.Body, `"status":"in_progress"`, `"output":[{"id":"mcpr_a.20b-h1.2E1","type":"mcp_approval_request","server_label":"shelly","name":"exec","arguments":"{\"command\":\"make\"}"}]`)
	}
	if got := s.Ask("POST", "/v1/responses/resp_a.20b/cancel", ""); got.Status != 200 || len(s.Front.Seen().Told) != 1 {
		t.Errorf("%d %s; told %+v", got.Status, got.Body, s.Front.Seen().Told)
	}
	s.Front.Reply(key, "It is.", false)
	want := `"output":[{"id":"msg_a.20b_1_5","type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","text":"It is.","annotations":[],"logprobs":[]}]}]`
	usage := `"usage":{"input_tokens":7,"input_tokens_details":{"cached_tokens":3},"output_tokens":4,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":11}`
	if got := s.Ask("GET", "/v1/responses/resp_a.20b?stream=false", ""); !strings.Contains(got.Body, `"status":"completed"`) || !strings.Contains(got.Body, want) || !strings.Contains(got.Body, usage) {
		t.Errorf("got %s; want with %q and %q and %q", got.Body, `"status":"completed"`, want, usage)
	}
	if got := s.Ask("POST", "/v1/responses/resp_a.20b/cancel", ""); got.Status != 400 || !strings.Contains(got.Body, "is completed") || !strings.Contains(got.Body, "invalid_request_error") {
		t.Errorf("got %d %s; want 400, with %q and %q", got.Status, got.Body, "is completed", "invalid_request_error")
	}
	s.Meanwhile(2, func(key fsm.RequestKey) { s.Front.End(key, "cancelled", true, fsm.OutcomeCancelled) }, "POST", "/v1/responses", `{"model":"shelly","input":"Hi"}`, keyed, "c")
	if got := s.Ask("POST", "/v1/responses/resp_c/cancel", ""); got.Status != 200 || !strings.Contains(got.Body, `"status":"cancelled"`) {
		t.Errorf("got %d %s; want 200, with %q", got.Status, got.Body, `"status":"cancelled"`)
	}
	if got := s.Ask("DELETE", "/v1/responses/resp_a.20b", ""); got.Status != 405 || !strings.Contains(got.Body, "until retention drops it") {
		t.Errorf("got %d %s; want 405, with %q", got.Status, got.Body, "until retention drops it")
	}
	failed := s.Meanwhile(3, func(key fsm.RequestKey) { s.Front.Reply(key, "error: no model", true) }, "POST", "/v1/responses", `{"model":"shelly","input":"Hi"}`, keyed, "f")
	if failed.Status != 200 || !strings.Contains(failed.Body, `"status":"failed"`) || !strings.Contains(failed.Body, `"error":{"code":"server_error","message":"error: no model"}`) {
		t.Errorf("got %d %s; want 200, with %q and %q", failed.Status, failed.Body, `"status":"failed"`, `"error":{"code":"server_error","message":"error: no model"}`)
	}
}

func TestFRT9WhoKeepsTheConversation(t *testing.T) {
	s := serve(t)
	n := 0
	for _, tt := range []struct {
		name, body    string
		session, text string
		context       int
		status        int
		want          string
	}{
		{"a text", `"input":"Hi"`, "openai:r1", "Hi", 0, 200, ""},
		{"it goes on", `"input":"And now?","previous_response_id":"resp_r1"`, "openai:r1", "And now?", 0, 200, ""},
		{"and on", `"input":"And now?","previous_response_id":"resp_r2"`, "openai:r1", "And now?", 0, 200, ""},
		{"a conversation", `"input":"Hi","conversation":{"id":"talk"}`, "openai:talk", "Hi", 0, 200, ""},
		{"a session", `"input":"Hi","metadata":{"session":"mine"}`, "mine", "Hi", 0, 200, ""},
		{"instructions", `"input":[{"role":"developer","content":"In verse."},{"role":"user","content":[{"type":"input_text","text":"Hi"}]}],"instructions":"Be short."`, "openai:r6", "Be short.\n\nIn verse.\n\nHi", 0, 200, ""},
		{"a history", `"input":[{"role":"user","content":"Hi"},{"type":"message","id":"msg_1","status":"completed","role":"assistant","content":[{"type":"output_text","text":"Hello.","annotations":[]}]},{"role":"user","content":"And?"}],"instructions":"Be short."`, "openai-once:r7", "And?", 4, 200, ""},
		{"not stored", `"input":"Hi","store":false`, "openai-once:r8", "Hi", 1, 200, ""},
		{"what was not kept", `"input":"Hi","previous_response_id":"resp_r8"`, "", "", 0, 400, "shelly has not kept it"},
		{"both", `"input":"Hi","previous_response_id":"resp_r1","conversation":"talk"`, "", "", 0, 400, "exclude each other"},
		{"an unknown one", `"input":"Hi","previous_response_id":"resp_none"`, "", "", 0, 400, `"param":"previous_response_id","code":"previous_response_not_found"`},
		{"answers in what shelly keeps", `"input":[{"role":"assistant","content":"Hi"},{"role":"user","content":"Hi"}],"conversation":"talk"`, "", "", 0, 400, "send what is new"},
		{"a call's output", `"input":[{"type":"function_call_output","call_id":"a","output":"b"}]`, "", "", 0, 400, "its own tools"},
		{"a reference", `"input":[{"type":"item_reference","id":"msg_1"}]`, "", "", 0, 400, "of another server"},
		{"a history with a question of shelly's", `"input":[{"role":"user","content":"Hi"},{"id":"mcpr_r1-q","type":"mcp_approval_request","server_label":"shelly","name":"exec","arguments":"{}"},{"role":"assistant","content":"Done."},{"role":"user","content":"And?"}]`, "openai-once:r15", "And?", 3, 200, ""},
		{"another server's question", `"input":[{"type":"mcp_approval_request","server_label":"other","name":"exec","arguments":"{}"},{"role":"user","content":"Hi"}]`, "", "", 0, 400, "its own tools"},
		{"a decision", `"input":[{"type":"mcp_approval_response","approval_request_id":"mcpr_r1-q","approve":true}]`, "", "", 0, 400, "shelly request approve"},
		{"nothing", `"input":[]`, "", "", 0, 400, "is missing or empty"},
		{"tools", `"input":"Hi","tools":[{"type":"web_search"}]`, "", "", 0, 400, "its own tools"},
		{"a schema", `"input":"Hi","text":{"format":{"type":"json_schema"}}`, "", "", 0, 400, "only in text"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			n++
			got := s.Ask("POST", "/v1/responses", `{"model":"shelly","background":true,`+tt.body+`}`, keyed, fmt.Sprintf("r%d", n))
			if got.Status != tt.status || !strings.Contains(got.Body, tt.want) {
				t.Fatalf("got %d %s; want %d, with %q", got.Status, got.Body, tt.status, tt.want)
			}
			if tt.status != 200 {
				return
			}
			all := s.Front.Seen().Requests
			if r := all[len(all)-1]; r.Session != tt.session || r.Text != tt.text || len(r.Context) != tt.context {
				t.Errorf("session %q, text %q, %d messages before it", r.Session, r.Text, len(r.Context))
			}
		})
	}
}

// A client finds its responses by what it has attached to them.
func TestFRT16AResponseShowsWhatItsRequestSaid(t *testing.T) {
	s := serve(t)
	for i, c := range []struct{ more, want string }{
		{`"metadata":{"trace":"t1","session":"mine"},"store":false`, `"metadata":{"session":"mine","trace":"t1"},`},
		{`"metadata":null,"store":null`, `"metadata":{},`},
	} {
		got := s.Ask("POST", "/v1/responses", `{"model":"shelly","input":"Hi","background":true,`+c.more+`}`)
		if store := fmt.Sprintf(`"store":%v,`, i > 0); !strings.Contains(got.Body, c.want) || !strings.Contains(got.Body, store) {
			t.Errorf("%s: got %s; want with %q and %q", c.more, got.Body, c.want, store)
		}
	}
}

// What a response was asked is listed as far as the record has it.
func TestFRT16WhatAResponseWasAskedIsListed(t *testing.T) {
	s := serve(t)
	s.Ask("POST", "/v1/responses", `{"model":"shelly","input":"Hi","background":true,"instructions":"Be short."}`, keyed, "a b")
	const path = "/v1/responses/resp_a.20b/input_items"
	item := `{"id":"msg_in_a.20b","type":"message","status":"completed","role":"user","content":[{"type":"input_text","text":"Be short.\n\nHi"}]}`
	if got := s.Ask("GET", path, ""); got.Status != 200 || strings.TrimSpace(got.Body) != `{"object":"list","data":[`+item+`],"first_id":"msg_in_a.20b","last_id":"msg_in_a.20b","has_more":false}` {
		t.Errorf("got %d %s; want 200 and a list of 1, %s", got.Status, got.Body, item)
	}
	if got := s.Ask("GET", path+"?after=msg_in_a.20b", ""); got.Status != 200 || !strings.Contains(got.Body, `"data":[],"first_id":null`) {
		t.Errorf("got %d %s; want 200, with %q", got.Status, got.Body, `"data":[],"first_id":null`)
	}
	s.Ask("POST", "/v1/responses", `{"model":"shelly","input":[{"role":"user","content":"1"},{"role":"assistant","content":"2"},{"role":"user","content":"3"}],"background":true}`, keyed, "c d")
	if got := s.Ask("GET", "/v1/responses/resp_c.20d/input_items", ""); got.Status != 404 || !strings.Contains(got.Body, `"code":"not_kept"`) || !strings.Contains(got.Body, "show 'c d'") {
		t.Errorf("got %d %s; want 404, with %q and the id in quotes", got.Status, got.Body, `"code":"not_kept"`)
	}
	if got := s.Ask("GET", "/v1/responses/resp_none/input_items", ""); got.Status != 404 || strings.Contains(got.Body, "not_kept") {
		t.Errorf("got %d %s; want 404, without %q", got.Status, got.Body, "not_kept")
	}
}

func TestFRT12AQuestionIsAnItem(t *testing.T) {
	s := serve(t)
	got := s.Meanwhile(1, func(key fsm.RequestKey) {
		ask := comm.Event{Type: comm.EventQuestion, Question: fsm.QuestionApprove, Key: "h1.1", Tool: "exec", Args: `{}`}
		s.Front.Say(key, says(4, 0, "I make it."), ask, ask, says(5, 0, "It is."))
		s.Front.Reply(key, "It is.", false)
	}, "POST", "/v1/responses", `{"model":"shelly","input":"Hi","stream":true}`, keyed, "k")
	var asked []told
	for _, e := range events(t, got.Body) {
		if strings.HasPrefix(e.Item.ID, "mcpr_") {
			asked = append(asked, e)
		}
	}
	if len(asked) != 2 || asked[0].Type != "response.output_item.added" || asked[1].Type != "response.output_item.done" {
		t.Errorf("%+v in %s", asked, got.Body)
	}
}

// An output_index of a stream names its item in the whole response at its end: questions and
// items that were given up have their places there too.
func TestFRT16TheEndOfAStreamHasItsItemsInTheirPlaces(t *testing.T) {
	s := serve(t)
	got := s.Meanwhile(1, func(key fsm.RequestKey) {
		ask := comm.Event{Type: comm.EventQuestion, Question: fsm.QuestionApprove, Key: "h1.1", Tool: "exec", Args: `{}`}
		s.Front.Say(key, says(3, 0, "I make it."), ask, says(4, 0, "It was"), says(5, 0, "It is."))
		s.Front.Reply(key, "It is.", false)
	}, "POST", "/v1/responses", `{"model":"shelly","input":"Hi","stream":true}`, keyed, "k")
	all := events(t, got.Body)
	end, n := all[len(all)-1].Response, 0
	for _, e := range all {
		if e.Type != "response.output_item.done" {
			continue
		}
		n++
		if e.Index >= len(end.Output) || end.Output[e.Index].ID != e.Item.ID || end.Output[e.Index].Status != e.Item.Status {
			t.Errorf("item %d is %+v, and at the end the items are %+v", e.Index, e.Item, end.Output)
		}
	}
	if n != 4 || len(end.Output) != n {
		t.Errorf("%d items, and at the end %+v", n, end.Output)
	}
}

// Whatever the bytes are, they are accepted, or refused with an explanation.
func FuzzBodies(f *testing.F) {
	for _, body := range []string{
		`{"model":"shelly","messages":[{"role":"user","content":"Hi"}]}`, `{"model":"shelly","input":[{"role":"user","content":[{"type":"input_text","text":"Hi"}]}],"background":true}`,
		`{"model":"shelly","input":"Hi","conversation":{"id":7}}`, `{"model":"shelly","messages":[null]}`, `{"model":"shelly","input":[[]]}`, `{"messages":{"role":1}}`,
		`{"model":"shelly","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:,"}}]}]}`, strings.Repeat("[", 200), `{"model":"shelly","model":"x"}`, "",
		`{"model":"shelly","input":"Hi","metadata":{"session":"\u0000"}}`, `{"model":"shelly","messages":[{"role":"user","content":"\ud800"}],"metadata":[]}`,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if strings.Contains(string(body), "stream") {
			return // which would wait for a reply
		}
		s := serve(t)
		s.Front.Refuse(engine.ErrBusy)
		for _, path := range []string{"/v1/chat/completions", "/v1/responses"} {
			got := s.Ask("POST", path, string(body))
			if got.Status == 200 || !strings.HasPrefix(got.Body, `{"error":{"message":"`) {
				t.Errorf("%s: got %d %s; want not 200, beginning with %q", path, got.Status, got.Body, `{"error":{"message":"`)
			}
		}
	})
}

package history_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/profile"
	"shelly/fsm/state"
	"shelly/sim/history"
)

// world answers what it is asked, one effect after another.
type world struct{ next []fsm.Input }

func (w *world) Perform(e fsm.Effect) error {
	switch e := e.(type) {
	case fsm.AskBrain:
		in := fsm.BrainAnswered{Answered: fsm.To(e.Call), Stop: fsm.StopEndTurn, Text: "four"}
		last := e.Conversation.Messages[len(e.Conversation.Messages)-1]
		switch {
		case strings.Contains(last.Text, "look"):
			in.Stop, in.Calls = fsm.StopToolUse, []fsm.ToolCall{{ID: "1", Name: "list_dir", Args: "{}"}}
		case strings.Contains(last.Text, "delegate") && e.Purpose == fsm.PurposeAnswer:
			in.Stop, in.Calls = fsm.StopToolUse, []fsm.ToolCall{{ID: "1", Name: "spawn", Args: `{"task":"count"}`}}
		}
		w.next = append(w.next, fsm.Input{Fact: in})
	case fsm.RunTool:
		w.next = append(w.next, fsm.Input{Fact: fsm.ToolAnswered{Answered: fsm.To(e.Call), Text: "a b"}})
	case fsm.LoadSession:
		w.next = append(w.next, fsm.Input{Fact: fsm.SessionLoaded{Answered: fsm.To(e.Call)}})
	case fsm.SaveSession:
		w.next = append(w.next, fsm.Input{Fact: fsm.SessionSaved{Answered: fsm.To(e.Call)}})
	case fsm.Recall:
		w.next = append(w.next, fsm.Input{Fact: fsm.Recalled{Answered: fsm.To(e.Call)}})
	case fsm.Embed:
		w.next = append(w.next, fsm.Input{Fact: fsm.Embedded{Answered: fsm.To(e.Call), Error: "none"}})
	case fsm.Store:
		w.next = append(w.next, fsm.Input{Fact: fsm.Stored{Answered: fsm.To(e.Call)}})
	}
	return nil
}

func key(id string) fsm.RequestKey { return fsm.RequestKey{Principal: "p", Channel: "c", ID: id} }

// lived returns the journal of a process to which requests with the given texts came
// at once, and which has nothing left to do.
func lived(t *testing.T, texts ...string) *engine.MemoryJournal {
	t.Helper()
	j, w := engine.NewMemoryJournal(), &world{}
	e, err := engine.Open(j, w)
	if err != nil {
		t.Fatal(err)
	}
	config := profile.Nanobot()
	config.Init = fsm.InitOff
	config.Tools = append(config.Tools, fsm.ToolDecl{Name: "list_dir", Effects: fsm.EffectsNone})
	inputs := []fsm.Input{{At: 1, Fact: fsm.Boot{Config: config}}}
	for _, text := range texts {
		inputs = append(inputs, fsm.Input{At: 2, Fact: fsm.Requested{Request: key(text), Text: text, Session: text}})
	}
	if err := e.Turn(inputs...); err != nil {
		t.Fatal(err)
	}
	for len(w.next) > 0 {
		in := w.next[0]
		w.next = w.next[1:]
		if err := e.Turn(in); err != nil {
			t.Fatal(err)
		}
	}
	return j
}

// kinds is the inputs of a history's steps.
func kinds(h history.History) string {
	var list []string
	for _, s := range h.Steps {
		list = append(list, fsm.InputKind(s.Input))
	}
	return strings.Join(list, " ")
}

func of(t *testing.T, j engine.Reader, id string) history.History {
	t.Helper()
	h, err := history.Of(j, key(id))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

const looked = "requested session_loaded brain_answered tool_answered brain_answered session_saved"

func TestJRN27AHistoryIsTheStepsOfItsRequest(t *testing.T) {
	j := lived(t, "look", "four?")
	h := of(t, j, "look")
	if got := kinds(h); got != looked || !h.Ended || h.Request.Reply != "four" {
		t.Errorf("%s, ended %v, %q; want %s and the reply", got, h.Ended, h.Request.Reply, looked)
	}
	for i, s := range h.Steps {
		if s.N != i+1 || !s.About || s.Handle != h.Request.Handle || s.Differs {
			t.Errorf("step %d: %+v", i+1, s)
		}
	}
	if e, ok := h.Steps[2].Effects[len(h.Steps[2].Effects)-1].(fsm.RunTool); !ok || e.Name != "list_dir" {
		t.Errorf("step 3 caused %v; want that list_dir runs", h.Steps[2].Effects)
	}
	waited := of(t, j, "four?")
	if first, second := waited.Steps[0], waited.Steps[1]; len(first.Moves) > 1 || second.About || len(second.Moves) == 0 {
		t.Errorf("the one that waits: %+v, then %+v; want that the end of the other starts it", first, second)
	}
}

func TestJRN27AHistoryHoldsTheSubagents(t *testing.T) {
	h := of(t, lived(t, "delegate"), "delegate")
	if len(h.Handles) != 2 || h.Handles[0] != h.Request.Handle {
		t.Fatalf("handles %v; want the request's and one more", h.Handles)
	}
	child := 0
	for _, s := range h.Steps {
		if s.Handle == h.Handles[1] {
			child++
		}
	}
	if child == 0 || !h.Ended {
		t.Errorf("%d steps of the subagent, ended %v", child, h.Ended)
	}
}

// Snapshots change nothing but what it costs; what was trimmed is reported (JRN-19).
func TestJRN19AHistoryIsTheSameFromASnapshot(t *testing.T) {
	j := lived(t, "look", "four?")
	want := of(t, j, "four?")
	at := want.Request.Index - 1
	snapshot, err := engine.StateAt(j, at)
	if err != nil {
		t.Fatal(err)
	}
	from := engine.NewMemoryJournalFrom(at, snapshot)
	if err := from.Append(engine.Batch{Records: j.Records()[at:], Requests: []engine.Request{want.Request, {Key: key("look"), Index: 2}}}, true); err != nil {
		t.Fatal(err)
	}
	record, handle := want.Steps[1].After()
	snapshot, err = engine.StateAt(from, record)
	if i := slices.IndexFunc(snapshot.Handles, func(h state.Handle) bool { return h.ID == handle }); err != nil || i < 0 || snapshot.Handles[i].State != state.Loading {
		t.Errorf("after step 2 the handles are %+v, %v", snapshot.Handles, err)
	}
	if got := of(t, from, "four?"); kinds(got) != kinds(want) || len(got.Steps) != len(want.Steps) {
		t.Errorf("%s; want %s", kinds(got), kinds(want))
	}
	if _, err := history.Of(from, key("look")); !errors.Is(err, engine.ErrTrimmed) {
		t.Errorf("what is no longer kept: %v; want ErrTrimmed", err)
	}
	if _, err := history.Of(from, key("nobody's")); !errors.Is(err, history.ErrNone) {
		t.Errorf("an unknown request: %v; want ErrNone", err)
	}
}

// What came before the first record that is kept is reported as lost; the rest is there.
func TestJRN27AHistoryGoesOnWhereItsBeginningIsGone(t *testing.T) {
	j := lived(t, "look")
	want := of(t, j, "look")
	for at := want.Request.Index; at <= want.Steps[len(want.Steps)-1].Index; at++ {
		state, err := engine.StateAt(j, at)
		if err != nil {
			t.Fatal(err)
		}
		from := engine.NewMemoryJournalFrom(at, state)
		if err := from.Append(engine.Batch{Records: j.Records()[at:], Requests: []engine.Request{want.Request}}, true); err != nil {
			t.Fatal(err)
		}
		h, err := history.Rest(from, key("look"))
		lost := at + 1 - want.Request.Index
		if err != nil || h.Lost != lost || !h.Ended || len(h.Steps) != len(want.Steps)-int(lost) {
			t.Errorf("from record %d: lost %d, %d steps, ended %v, %v", at+1, h.Lost, len(h.Steps), h.Ended, err)
		}
	}
	if h, err := history.Rest(j, key("look")); err != nil || h.Lost != 0 || kinds(h) != looked {
		t.Errorf("of a whole one: %+v, %v", h, err)
	}
}

func TestJRN27AStepThatDivergesIsMarked(t *testing.T) {
	j := lived(t, "look")
	other := engine.NewMemoryJournal()
	b := engine.Batch{Records: j.Records()}
	b.Records[4].Effects++
	r, _, err := j.Request(key("look"))
	if err != nil {
		t.Fatal(err)
	}
	b.Requests = []engine.Request{r}
	if err := other.Append(b, true); err != nil {
		t.Fatal(err)
	}
	for _, s := range of(t, other, "look").Steps {
		if s.Differs != (s.Index == 5) {
			t.Errorf("record %d differs: %v", s.Index, s.Differs)
		}
	}
}

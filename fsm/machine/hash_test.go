package machine_test

import (
	"reflect"
	"slices"
	"testing"

	"shelly/fsm"
	"shelly/fsm/state"
)

// unhashed returns the fields of a handle that its hash leaves out: names and times.
func unhashed() []string {
	return []string{".ID", ".Parent", ".Armed", ".Left", ".Await.Call", ".Inf.Began", ".Talk.Tokens", ".Inf.Talk.Tokens", ".Inf.Prompt", ".Inf.Anew", ".Inf.Contained", ".Source", ".Sess.MemorySource", ".Batch.Began", ".Batch.Took", ".Batch.Contained"}
}

// fullSession and fullHandle have a value in every field.
func fullSession() fsm.Session {
	msgs := []fsm.Message{{Role: fsm.RoleUser, Text: "hello"}, {Role: fsm.RoleAssistant, Text: "good day", Used: []string{"list_dir"}}}
	return fsm.Session{
		Version: 3, Ratio: 1100, Memory: "# Memory", MemoryHash: "abc", MemorySource: fsm.FromPerson, History: msgs, Pending: msgs[:1],
		Skills: []fsm.LoadedSkill{{Name: "flights", Reference: "codes.md", Text: "NRT"}},
		Texts:  []fsm.KeptText{{Number: 7, Ref: "ab", Bytes: 900, Tokens: 300}}, LastText: 7,
		Offer: fsm.Offer{Own: 7, Servers: []string{"github"}, Tools: []fsm.ToolDecl{{Name: "exec", Description: "runs", Parameters: "{}"}}},
	}
}

func fullHandle() state.Handle {
	talk := fsm.Conversation{Messages: []fsm.Message{{Role: fsm.RoleUser, Text: "hello"}}, Hash: 42, Tokens: 6}
	return state.Handle{
		Accepted: state.Accepted{
			ID: 1, Kind: fsm.KindUser, Request: fsm.RequestKey{Principal: "p", Channel: "c", ID: "r1"}, Session: "s", Input: "hello",
			Origin: fsm.Origin{Channel: "cli", Chat: "direct"}, Images: [][]byte{{1}}, Context: talk.Messages, Command: "new", About: "disk",
			Joined: 1, Beside: true, Hush: true, Happened: "it is low", Compacts: true, Ahead: true, Typed: true, Parent: 1, Label: "a label", Home: "s", Schedule: "s1", Source: fsm.FromPerson,
		},
		Standing: state.Standing{Crashes: 1, Postponed: 1, Poison: true, Doubt: "doubted", Place: 1, State: state.Execution, Resume: state.Execution},
		Inferring: state.Inferring{Unthought: true, Rounds: 1, Need: "a need", Talk: talk, Inf: state.Inference{
			Begun:    state.Begun{State: state.Acting, Purpose: fsm.PurposeAnswer, Tools: fsm.AllTools, Talk: talk},
			Counters: state.Counters{Rounds: 1, Iterations: 1, Ran: 1, Empty: 1, Waits: 1, Compactions: 1, Refits: 1, Unthinking: true},
			Calling:  state.Calling{Stage: fsm.StageWriting, Prompt: 2, Anew: 1},
			Cutting:  state.Cutting{Cut: 1, Appended: true},
			Round: state.Round{
				Calls: []fsm.ToolCall{{ID: "c1", Name: "list_dir", Args: "{}"}}, Next: 1, Effects: fsm.EffectsNone, Attempt: 1, Began: 1,
				Nothing: true, Probed: true, Works: true, Asked: true, Why: "a push", Cleared: true, Told: "told",
				Batch: []state.Read{{Call: 2, Use: 1, Attempt: 1, Began: 1, Took: 1, Done: true, Text: "a result", Failed: true, Nothing: true, Again: true,
					Kept: fsm.Kept{Ref: "ab", Tail: "end", Bytes: 9, Tokens: 3}, Shows: fsm.Part{Result: 7, From: 1, To: 9}, Contained: "namespaces"}},
				Shows: fsm.Part{Result: 7, From: 1, To: 9}, Contained: "namespaces",
				Capped: true, Seen: []uint64{1},
			},
			Concluded: state.Concluded{Result: "a result", Said: "said", Outcome: fsm.OutcomeAnswered},
		}},
		Pending: state.Pending{Wait: 2, Await: state.Await{Call: 1, Kind: fsm.CallTool}, Timer: 1, Armed: 1, Left: 1},
		SessionTurn: state.SessionTurn{
			Loaded: true, Sess: fullSession(), TurnAt: 1, Turn: talk.Messages, Closing: talk.Messages, Condensed: true, Rebased: true, Uses: 1,
			Used: []string{"list_dir"}, Notes: []string{"a note"}, Learnt: "a fact", Tries: 1, Portion: 1,
		},
		Ending:      state.Ending{Stop: true, Alone: true, Replied: true, Outcome: fsm.OutcomeAnswered, Failure: "broken", Answer: "an answer"},
		Remembering: state.Remembering{Turns: 1, Summary: "a summary", Vector: []byte{1, 2, 3, 4}, VectorModel: "embedder", StoreTries: 1},
	}
}

func TestEveryFieldThatDecidesIsInTheHash(t *testing.T) {
	s := state.Snapshot{Lifecycle: state.Serving, Handles: []state.Handle{fullHandle()}, Schedules: []fsm.Schedule{{ID: "s1", Last: 1}}, Beat: state.Beat{Last: 1, Spoke: 1, Greets: 1, Day: 1, Greeted: 1}}
	full := s.Hash()
	differs := func(path string, field reflect.Value) {
		if field.IsZero() {
			t.Errorf("the full handle has no %s", path)
		}
		before := reflect.ValueOf(field.Interface())
		field.SetZero()
		same := s.Hash() == full
		field.Set(before)
		if same != slices.Contains(unhashed(), path) {
			t.Errorf("%s makes no difference to the hash: %t", path, same)
		}
	}
	eachField(reflect.ValueOf(&s.Beat).Elem(), ".Beat", differs)
	eachField(reflect.ValueOf(&s.Handles[0]).Elem(), "", differs)
	eachField(reflect.ValueOf(&s.Handles[0].Inf.Batch[0]).Elem(), ".Batch", differs)
	for _, change := range []func(*state.Snapshot){
		func(s *state.Snapshot) { s.Lifecycle = state.Draining },
		func(s *state.Snapshot) { s.GraceTimer = 1 },
		func(s *state.Snapshot) { s.Handles = append(s.Handles, fullHandle()) },
		func(s *state.Snapshot) { s.Schedules = []fsm.Schedule{{ID: "another", Last: 1}} },
		func(s *state.Snapshot) { s.Schedules = []fsm.Schedule{{ID: "s1", Last: 2}} },
		func(s *state.Snapshot) { s.Schedules = []fsm.Schedule{{ID: "s1", Last: 1, Paused: true}} },
		func(s *state.Snapshot) { s.Beat.Last = 2 },
		func(s *state.Snapshot) { s.Beat.Greeted = 2 },
		func(s *state.Snapshot) { s.Channels = []string{"mail"} },
		func(s *state.Snapshot) { s.Initialized = true },
		func(s *state.Snapshot) { s.LastEvent = true },
		func(s *state.Snapshot) { s.LastSession = "s" },
		func(s *state.Snapshot) { s.LastChat = "c" },
		func(s *state.Snapshot) { s.Grants = []fsm.Grant{{Tool: "exec"}} },
		func(s *state.Snapshot) { s.Said = []state.Said{{Session: "s", Text: "t"}} },
	} {
		other := s
		if change(&other); other.Hash() == full {
			t.Errorf("%+v has the same hash", other)
		}
	}
}

// Texts decide, so each is in the hash; the shape only has whether there is one.
func TestEachTextIsInTheHash(t *testing.T) {
	other := []fsm.Message{{Role: fsm.RoleUser, Text: "HELLO"}}
	for i, change := range []func(*state.Handle){
		func(h *state.Handle) { h.Input = "HELLO" },
		func(h *state.Handle) { h.Images = [][]byte{{2}} },
		func(h *state.Handle) { h.Turn = other },
		func(h *state.Handle) { h.Closing = other },
		func(h *state.Handle) { h.Notes = []string{"A NOTE"} },
		func(h *state.Handle) { h.Sess.Pending = other },
		func(h *state.Handle) { h.Sess.Memory = "# MEMORY" },
		func(h *state.Handle) { h.Inf.Batch[0].Text = "A RESULT" },
		func(h *state.Handle) { h.Inf.Batch[0].Kept.Ref = "AB" },
		func(h *state.Handle) { h.Inf.Batch[0].Kept.Tail = "END" },
		func(h *state.Handle) { h.Inf.Seen = []uint64{2} },
		func(h *state.Handle) { h.Inf.Result = "A RESULT" },
		func(h *state.Handle) { h.Inf.Said = "SAID" },
		func(h *state.Handle) { h.Inf.Told = "TOLD" },
		func(h *state.Handle) { h.Need = "A NEED" },
		func(h *state.Handle) { h.Answer = "AN ANSWER" },
		func(h *state.Handle) { h.Summary = "A SUMMARY" },
		func(h *state.Handle) { h.Vector = []byte{4, 3, 2, 1} },
	} {
		was, is := state.Snapshot{Handles: []state.Handle{fullHandle()}}, state.Snapshot{Handles: []state.Handle{fullHandle()}}
		if change(&is.Handles[0]); is.Hash() == was.Hash() || is.Shape() != was.Shape() {
			t.Errorf("change %d: the same hash %t, another shape %t", i, is.Hash() == was.Hash(), is.Shape() != was.Shape())
		}
	}
}

// The shape has the length of a list, and of a text whether there is one.
func TestTheShapeSaysWhatThereIs(t *testing.T) {
	was := state.Snapshot{Handles: []state.Handle{fullHandle()}}
	for i, empty := range []func(*state.Handle){
		func(h *state.Handle) { h.Turn = nil },
		func(h *state.Handle) { h.Closing = nil },
		func(h *state.Handle) { h.Notes = nil },
		func(h *state.Handle) { h.Sess.History = nil },
		func(h *state.Handle) { h.Sess.Pending = nil },
		func(h *state.Handle) { h.Sess.Skills = nil },
		func(h *state.Handle) { h.Sess.Texts = nil },
		func(h *state.Handle) { h.Inf.Seen = nil },
		func(h *state.Handle) { h.Inf.Told = "" },
		func(h *state.Handle) { h.Inf.Asked = false },
		func(h *state.Handle) { h.Inf.Batch[0].Text = "" },
		func(h *state.Handle) { h.Answer = "" },
		func(h *state.Handle) { h.Vector = nil },
	} {
		is := state.Snapshot{Handles: []state.Handle{fullHandle()}}
		if empty(&is.Handles[0]); is.Shape() == was.Shape() {
			t.Errorf("without what change %d takes away the shape is the same", i)
		}
	}
}

// eachField calls f with each field of a struct, those of inner structs one by one.
func eachField(v reflect.Value, path string, f func(string, reflect.Value)) {
	for i := range v.NumField() {
		name, field := path+"."+v.Type().Field(i).Name, v.Field(i)
		if v.Type().Field(i).Anonymous { // a group, whose fields are the struct's
			name = path
		}
		switch {
		case !v.Type().Field(i).IsExported(): // a conversation's hashes, which follow from its messages
		case field.Kind() == reflect.Struct:
			eachField(field, name, f)
		default:
			f(name, field)
		}
	}
}

func TestTheHashLeavesOutNamesAndTimes(t *testing.T) {
	a := state.Snapshot{Lifecycle: state.Serving, Now: 1, LastID: 7, LastHandle: 1, Epoch: 1, Handles: []state.Handle{fullHandle()}}
	b := a
	b.Now, b.LastID, b.LastHandle, b.Epoch, b.Ignored.Answers = 2, 70, 10, 2, 3
	b.Handles = []state.Handle{fullHandle()}
	h := &b.Handles[0]
	h.ID, h.Await.Call, h.Timer, h.Armed, h.Left = 10, 70, 69, 2, 2
	if a.Hash() != b.Hash() {
		t.Error("two states that differ only in names and times have different hashes")
	}
}

func TestTheShapeLeavesOutWhatWasSaid(t *testing.T) {
	play := func(input, answer string) uint64 {
		d := serving(t)
		d.ask(input)
		d.answer("NEED: " + answer)
		d.recalls(answer)
		d.calls("list_dir")
		d.toolSays(answer)
		d.answer(answer)
		return d.m.View().Shape()
	}
	if play("hello", "good day") != play("goodbye", "farewell") {
		t.Error("two states that differ only in texts have different shapes")
	}
}

// The hash of a state without a last session is that of older builds; any session changes it.
func TestTheHashKnowsWhoseTurnItWas(t *testing.T) {
	hash := func(session string, burst int) uint64 {
		s := state.Snapshot{LastSession: session, Burst: burst}
		return s.Hash()
	}
	if hash("", 0) != hash("", 1) || hash("a", 1) == hash("", 0) || hash("a", 1) == hash("b", 1) || hash("a", 1) == hash("a", 2) {
		t.Error("states are told apart by what they do not have, or not by what they have")
	}
}

// What a side inference says belongs to no conversation of the handle's.
func TestAHandlesConversationIsItsOwn(t *testing.T) {
	own, aside := fsm.Conversation{}.Add(fsm.Message{Text: "own"}), fsm.Conversation{}.Add(fsm.Message{Text: "aside"})
	h := state.Handle{Accepted: state.Accepted{Kind: fsm.KindUser}, Inferring: state.Inferring{Talk: own}}
	for purpose, want := range map[fsm.Purpose]uint64{"": own.Hash, fsm.PurposeSummary: own.Hash, fsm.PurposeCompact: own.Hash, fsm.PurposeAnswer: aside.Hash} { // order-free: each alone
		if h.Inf = (state.Inference{Begun: state.Begun{State: state.Thinking, Purpose: purpose, Talk: aside}}); h.Conversation().Hash != want {
			t.Errorf("during an inference for %q: %+v", purpose, h.Conversation().Messages)
		}
	}
}

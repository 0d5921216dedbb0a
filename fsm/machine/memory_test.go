package machine_test

import (
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/fsm/state"
)

func TestHND12TheSummaryIsOfTheFullMessages(t *testing.T) {
	d := serving(t)
	d.ask("what is here?")
	d.answer("NEED: the folder")
	d.recalls("it is /srv")
	d.calls("list_dir")
	d.toolSays("a.txt")
	d.answer("one file")
	ask := one[fsm.AskBrain](d)
	if ask.Purpose != fsm.PurposeSummary || ask.Tools != fsm.AllTools { // HND-49
		t.Errorf("asked for %s, tools %q", ask.Purpose, ask.Tools)
	}
	var roles []fsm.Role
	for _, m := range ask.Messages() {
		roles = append(roles, m.Role)
	}
	want := []fsm.Role{
		fsm.RoleSystem, fsm.RoleUser, fsm.RoleAssistant, // the question and the need
		fsm.RoleUser, fsm.RoleAssistant, fsm.RoleTool, // what was recalled, the call
		fsm.RoleAssistant, fsm.RoleUser, // the answer, the request for a summary
	}
	same(t, want, roles, unsourced())
	if text := d.lastMessage().Text; text != d.config.Prompts.Summary {
		t.Errorf("the summary is asked for with %q", text)
	}
}

func TestHND13TheSummaryIsEmbedded(t *testing.T) {
	d := serving(t)
	d.ask("hello")
	d.answer("good day")
	d.answer(" they said hello ")
	d.inStates(state.Embedding)
	if e := one[fsm.Embed](d); e.Text != "they said hello" {
		t.Errorf("embedded %q", e.Text)
	}
}

func TestHND14TheEntryIsStoredWhole(t *testing.T) {
	d := serving(t)
	d.ask("hello")
	d.answer("good day")
	d.answer("they said hello")
	d.embeds()
	d.inStates(state.Storing)
	want := fsm.Entry{
		ID: "h1", Kind: fsm.KindUser, Session: "s", At: d.at, Summary: "they said hello",
		Text: "Input: hello\nAnswer: good day", Vector: []byte{1, 2, 3, 4}, Model: "embedder",
	}
	same(t, want, one[fsm.Store](d).Entry, unsourced())
}

func TestHND15TheReplyComesAfterMemory(t *testing.T) {
	d := serving(t)
	key := d.ask("hello")
	d.answer("good day")
	d.answer("they said hello")
	d.embeds()
	if n := len(of[fsm.Reply](d.all)); n > 0 {
		t.Errorf("%d replies before the entry is stored", n)
	}
	d.stores()
	d.replied(key, "good day")
	d.inStates()
	one[fsm.ClearTimer](d)
}

func TestHND15NothingThatTheModelThinksIsReplied(t *testing.T) {
	d := serving(t)
	key := d.ask("hello")
	d.answer("good day") // the driver's model thinks "let me see"
	if c := d.conversation(); c[len(c)-2].Thinking != "let me see" {
		t.Errorf("the thinking is not kept in the conversation: %+v", c)
	}
	d.remember()
	d.replied(key, "good day")
}

func TestHND20TimeIsUpInMemoryAndTheReplyStands(t *testing.T) {
	phases := []struct {
		state fsm.State
		to    func(*driver)
	}{
		{state.Summarizing, func(d *driver) {}},
		{state.Embedding, func(d *driver) { d.answer("a summary") }},
		{state.Storing, func(d *driver) { d.answer("a summary"); d.embeds() }},
	}
	for _, tt := range phases {
		t.Run(string(tt.state), func(t *testing.T) {
			d := serving(t)
			key := d.ask("hello")
			d.answer("good day")
			tt.to(d)
			d.inStates(tt.state)
			call := d.active().Await.Call
			d.timeUp()
			d.replied(key, "good day")
			if got := one[fsm.AbortCall](d).Call; got != call {
				t.Errorf("call %d is aborted, not %d", got, call)
			}
			d.inStates()
		})
	}
}

func TestHND21AnExtractStandsInForASummary(t *testing.T) {
	long := strings.Repeat("é", 400)
	tests := []struct {
		name string
		end  func(*driver)
	}{
		{"failed", func(d *driver) { d.brainFails(fsm.BrainTimeout, "slow") }},
		{"cut", func(d *driver) { d.stopsAtTokens("they sa") }},
		{"empty", func(d *driver) { d.answer(" ") }},
		{"only a marker", func(d *driver) { d.answer("NEED:") }},
		{"tools", func(d *driver) { d.calls("list_dir") }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := serving(t)
			key := d.ask("hello")
			d.answer(long)
			tt.end(d)
			d.inStates(state.Embedding)
			want := "Asked: hello\nAnswered: " + strings.Repeat("é", 245) + " …"
			if got := one[fsm.Embed](d).Text; got != want {
				t.Errorf("the extract is %q, want %q", got, want)
			}
			d.embeds()
			d.stores()
			d.replied(key, long)
		})
	}
}

func TestHND22WithoutAVectorTheEntryIsStoredForKeywords(t *testing.T) {
	d := serving(t)
	key := d.ask("hello")
	d.answer("good day")
	d.answer("a summary")
	d.embedFails("no embedding model")
	d.inStates(state.Storing)
	if e := one[fsm.Store](d).Entry; e.Vector != nil || e.Model != "" || e.Summary != "a summary" {
		t.Errorf("stored %+v", e)
	}
	d.stores()
	d.replied(key, "good day")
}

func TestHND23AStoreIsTriedAgainThenReported(t *testing.T) {
	d := serving(t)
	key := d.ask("hello")
	d.answer("good day")
	d.answer("a summary")
	d.embeds()
	first := one[fsm.Store](d).Entry
	for range d.config.Limits.MaxStoreAttempts - 1 {
		d.storeFails("disk full")
		again := one[fsm.Store](d).Entry
		again.At = first.At
		same(t, first, again, unsourced())
		no[fsm.Reply](d)
	}
	d.storeFails("disk full")
	if r := one[fsm.Report](d); r.Text != "the memory entry was not stored: disk full" {
		t.Errorf("report %+v", r)
	}
	d.replied(key, "good day")
}

func TestHND23AStoreThatACrashLostIsNotAFailedTry(t *testing.T) {
	d := serving(t)
	key := d.ask("hello")
	d.answer("good day")
	d.answer("a summary")
	d.embeds()
	for range d.config.Limits.MaxCrashes - 1 {
		d.boot()
		one[fsm.Store](d)
	}
	for range d.config.Limits.MaxStoreAttempts - 1 {
		d.storeFails("disk full")
		one[fsm.Store](d)
	}
	d.stores()
	no[fsm.Report](d)
	d.replied(key, "good day")
}

// HND-49: an answer with calls alone, none of which is run, is an answer of the model like any other
// (INF-17).
func TestHND49AnAnswerWithCallsAloneIsCounted(t *testing.T) {
	d := serving(t)
	d.ask("hello")
	d.answer("good day")
	d.calls("list_dir")
	d.inStates(state.Embedding)
	no[fsm.RunTool](d)
	if n := d.active().Inf.Iterations; n != 1 {
		t.Errorf("%d answers are counted", n)
	}
}

// HND-49: a farewell is summarised with its tools even with `remember: idle`, because it has
// little time.
func TestHND49AFarewellIsSummedUpUnderItsTools(t *testing.T) {
	d := driverOf(t, "default")
	d.boot()
	d.signal()
	d.step(says("good night")(d))
	if ask := one[fsm.AskBrain](d); ask.Purpose != fsm.PurposeSummary || ask.Tools != fsm.AllTools {
		t.Errorf("asked for %s with the tools %q", ask.Purpose, ask.Tools)
	}
}

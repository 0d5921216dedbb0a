package machine_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/fsm/machine"
	"shelly/fsm/state"
)

// overflowing returns a driver whose session has n messages beyond those that a
// profile keeps: four of ten, with four more that may wait.
func overflowing(t testing.TB, profile string, n int) (*driver, fsm.Session) {
	t.Helper()
	d := driverOf(t, profile)
	d.config.Limits.MaxHistory, d.config.Limits.MaxPending = 10, 4
	d.boot()
	s := fsm.Session{Version: 3, History: talk(10 + n), Memory: "facts", MemoryHash: "m1"}
	return d, s
}

const consolidation = `{"history_entry": "They spoke of dogs.", "memory_update": "facts\nThe dog is Rex."}`

func TestSES9WhatIsBeyondMaxHistoryIsSummarised(t *testing.T) {
	d, s := overflowing(t, "countbot", 2)
	d.ask("hello")
	d.loads(s)
	d.inStates(state.Compacting)
	ask := one[fsm.AskBrain](d)
	if ask.Purpose != fsm.PurposeCompact || ask.Tools != fsm.NoTools {
		t.Errorf("asked for %s with tools %q", ask.Purpose, ask.Tools)
	}
	text := d.lastMessage().Text
	if !strings.HasPrefix(text, d.config.Prompts.Overflow) || !strings.Contains(text, "question 0") || !strings.Contains(text, "answer 0") || strings.Contains(text, "question 1") {
		t.Errorf("asked %q", text)
	}
	d.answer("- They have a dog.")
	d.inStates(state.Execution)
	same(t, s.History[2:], one[fsm.AskBrain](d).Conversation.Messages[:10])
	d.answer("good day")
	save := one[fsm.SaveSession](d)
	if !save.Memory || save.State.Memory != "facts\n\n- They have a dog." || save.State.MemoryHash != "m1" || len(save.Notes) > 0 {
		t.Errorf("saves %+v", save)
	}
}

func TestSES10AHistoryIsConsolidatedBeforeTheTurn(t *testing.T) {
	d, s := overflowing(t, "nanobot", 1)
	d.ask("hello")
	d.loads(s)
	d.inStates(state.Compacting)
	if text := d.lastMessage().Text; !strings.HasPrefix(text, d.config.Prompts.Consolidate) || !strings.Contains(text, "facts") ||
		!strings.Contains(text, "question 2") || strings.Contains(text, "question 3") {
		t.Errorf("asked %q", text)
	}
	d.answer(consolidation)
	d.inStates(state.Execution)
	same(t, s.History[6:], one[fsm.AskBrain](d).Conversation.Messages[:5])
	d.answer("good day")
	save := one[fsm.SaveSession](d)
	if !save.Memory || save.State.Memory != "facts\nThe dog is Rex." {
		t.Errorf("MEMORY.md becomes %q: %t", save.State.Memory, save.Memory)
	}
	same(t, []string{"[1970-01-01 00:16] They spoke of dogs."}, save.Notes)
}

func TestSES10AHistoryOfMaxHistoryMessagesStays(t *testing.T) {
	for _, profile := range []string{"countbot", "nanobot"} {
		t.Run(profile, func(t *testing.T) {
			d, s := overflowing(t, profile, 0)
			d.ask("hello")
			d.loads(s)
			d.inStates(state.Execution)
		})
	}
}

func TestSES10TheAnswersThatAreConsolidations(t *testing.T) {
	tests := []struct {
		name, answer string
		entry        string // empty: it is not one
		memory       string
	}{
		{"alone", `{"history_entry":"E","memory_update":"M"}`, "E", "M"},
		{"in a fence", "```json\n{\"history_entry\":\"E\",\"memory_update\":\"M\"}\n```", "E", "M"},
		{"in prose", `Here it is: {"history_entry":"E","memory_update":"M"} I hope it helps.`, "E", "M"},
		{"after a marker", `NEED: {"history_entry":"E","memory_update":"M"}`, "E", "M"},
		{"with other keys", `{"history_entry":"E","memory_update":"M","mood":"good"}`, "E", "M"},
		{"with braces inside", `{"history_entry":"E {x}","memory_update":"M"}`, "E {x}", "M"},
		{"without an update", `{"history_entry":"E"}`, "E", ""},
		{"with an empty update", `{"history_entry":"E","memory_update":" "}`, "E", ""},
		{"with the memory as it was", `{"history_entry":"E","memory_update":"facts"}`, "E", ""},
		{"blanks around", `{"history_entry":" E\n","memory_update":" M "}`, "E", "M"},
		{"with a timestamp", `{"history_entry":"[2026-01-31 09:00] E","memory_update":"M"}`, "[2026-01-31 09:00] E", "M"},
		{"with a timestamp of nines", `{"history_entry":"[2099-09-29 09:00] E","memory_update":"M"}`, "[2099-09-29 09:00] E", "M"},
		{"with the beginning of a timestamp", `{"history_entry":"[1","memory_update":"M"}`, "[1", "M"},
		{"with nothing but a timestamp", `{"history_entry":"[2026-01-31","memory_update":"M"}`, "[2026-01-31", "M"},
		{"with another bracket", `{"history_entry":"[tea] E","memory_update":"M"}`, "[tea] E", "M"},
		{"with words in the form of a timestamp", `{"history_entry":"[read-me-now] E","memory_update":"M"}`, "[read-me-now] E", "M"},

		{"without an entry", `{"memory_update":"M"}`, "", ""},
		{"with an empty entry", `{"history_entry":"  ","memory_update":"M"}`, "", ""},
		{"an entry that is no text", `{"history_entry":["E"],"memory_update":"M"}`, "", ""},
		{"an update that is no text", `{"history_entry":"E","memory_update":{"a":1}}`, "", ""},
		{"cut", `{"history_entry":"E","memory_upd`, "", ""},
		{"two objects", `{"history_entry":"E"} {"memory_update":"M"}`, "", ""},
		{"a list", `["E","M"]`, "", ""},
		{"prose", "They spoke of dogs.", "", ""},
		{"prose with the end of an object", "They spoke of dogs }", "", ""},
		{"prose with braces the wrong way round", "They spoke } of { dogs.", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, s := overflowing(t, "nanobot", 1)
			d.ask("hello")
			d.loads(s)
			d.answer(tt.answer)
			d.inStates(state.Execution)
			d.answer("good day")
			save := one[fsm.SaveSession](d)
			if tt.entry == "" {
				if save.Memory || len(save.Notes) > 0 || len(save.State.History) != 13 {
					t.Errorf("taken as %q, %q with %d messages", save.Notes, save.State.Memory, len(save.State.History))
				}
				return
			}
			if !strings.HasPrefix(tt.entry, "[20") {
				tt.entry = "[1970-01-01 00:16] " + tt.entry
			}
			same(t, []string{tt.entry}, save.Notes)
			if save.Memory != (tt.memory != "") || save.Memory && save.State.Memory != tt.memory {
				t.Errorf("MEMORY.md becomes %q: %t", save.State.Memory, save.Memory)
			}
			if len(save.State.History) != 7 {
				t.Errorf("%d messages stay", len(save.State.History))
			}
		})
	}
}

func TestSES11WithoutAConsolidationTheHistoryStaysWhole(t *testing.T) {
	ends := []struct {
		name string
		end  func(*driver)
	}{
		{"failed", func(d *driver) { d.brainFails(fsm.BrainMissingModel, "gone") }},
		{"cut", func(d *driver) { d.stopsAtTokens(consolidation) }},
		{"empty", func(d *driver) { d.answer(" ") }},
		{"prose", func(d *driver) { d.answer("well") }},
		{"too slow", func(d *driver) { d.waitUp(); one[fsm.AbortCall](d) }},
	}
	for _, tt := range ends {
		t.Run(tt.name, func(t *testing.T) {
			d, s := overflowing(t, "nanobot", 4)
			d.ask("hello")
			d.loads(s)
			tt.end(d)
			d.inStates(state.Execution)
			same(t, s.History, one[fsm.AskBrain](d).Conversation.Messages[:14])
			d.answer("good day")
			if save := one[fsm.SaveSession](d); len(save.Notes) > 0 || len(save.State.Pending) > 0 {
				t.Errorf("saves %+v", save)
			}
		})
	}
}

func TestSES11WhatIsBeyondMaxPendingGoesToTheLogAsItIs(t *testing.T) {
	ends := []struct {
		name string
		end  func(*driver)
	}{
		{"failed", func(d *driver) { d.answer("well"); d.answer("good day") }},
		{"out of time", func(d *driver) { d.timeUp() }},
	}
	for _, tt := range ends {
		t.Run(tt.name, func(t *testing.T) {
			d, s := overflowing(t, "nanobot", 6)
			s.Pending = []fsm.Message{{Role: fsm.RoleUser, Text: "pending"}}
			d.ask("hello")
			d.loads(s)
			tt.end(d)
			save := one[fsm.SaveSession](d)
			want := []string{"[1970-01-01 00:16] Not consolidated:\n[user] pending\n[user] question 0\n[assistant] answer 0"}
			same(t, want, save.Notes)
			if n := len(save.State.History); n != 14+2 || len(save.State.Pending) > 0 {
				t.Errorf("%d messages stay, %d are pending", n, len(save.State.Pending))
			}
		})
	}
}

// SES-21: pending messages that go to the log leave the history as it was sent, empty inputs
// included.
func TestSES11PendingMessagesLeaveTheHistoryAsItIs(t *testing.T) {
	d, s := overflowing(t, "nanobot", -4)
	d.config.Switches.History = fsm.HistorySent
	d.boot()
	s.History[2].Text = ""
	s.Pending = talk(6) // two more than may wait
	d.ask("hello")
	d.loads(s)
	d.answer("well")
	same(t, s.History, one[fsm.AskBrain](d).Conversation.Messages[:6])
	d.answer("good day")
	save := one[fsm.SaveSession](d)
	same(t, talk(6)[2:], save.State.Pending)
	if len(save.Notes) != 1 || len(save.State.History) != 8 {
		t.Errorf("%d notes, %d messages stay", len(save.Notes), len(save.State.History))
	}
}

func TestSES11ACallLeavesWithItsResults(t *testing.T) {
	d, s := overflowing(t, "nanobot", 4)
	s.History = append([]fsm.Message{
		{Role: fsm.RoleAssistant, Text: "I look", Calls: []fsm.ToolCall{{ID: "a", Name: "list_dir", Args: "{}"}}},
		{Role: fsm.RoleTool, Text: "a.txt", Tool: "list_dir", ToolCall: "a"},
	}, s.History[:13]...) // one too many
	d.ask("hello")
	d.loads(s)
	d.answer("well")
	d.answer("good day")
	save := one[fsm.SaveSession](d)
	want := []string{"[1970-01-01 00:16] Not consolidated:\n[assistant] I look\n[assistant] calls list_dir {}\n[tool] a.txt"}
	same(t, want, save.Notes)
	if got := save.State.History[0].Text; got != "question 0" {
		t.Errorf("the history begins with %q", got)
	}
}

func TestSES12AnUpdateIsAppendedToAMemoryFileThatWasEdited(t *testing.T) {
	tests := []struct {
		profile string
		answer  string
		want    string
	}{
		{"countbot", "- They have a dog.", "edited\n\n- They have a dog."},
		{"nanobot", consolidation, "edited\n\nfacts\nThe dog is Rex."},
	}
	for _, tt := range tests {
		t.Run(tt.profile, func(t *testing.T) {
			d, s := overflowing(t, tt.profile, 2)
			d.ask("hello")
			d.loads(s)
			d.answer(tt.answer)
			d.answer("good day")
			notes := one[fsm.SaveSession](d).Notes
			now := s
			now.Memory, now.MemoryHash = "edited", "m2"
			d.conflicts(now)
			save := one[fsm.SaveSession](d)
			if !save.Memory || save.State.Memory != tt.want || save.State.MemoryHash != "m2" || save.State.Version != 3 {
				t.Errorf("saves %+v", save)
			}
			same(t, notes, save.Notes)
			now.Memory, now.MemoryHash = "edited again", "m3"
			d.conflicts(now)
			if got := one[fsm.SaveSession](d).State.Memory; got != strings.Replace(tt.want, "edited", "edited again", 1) {
				t.Errorf("the second time MEMORY.md becomes %q", got)
			}
		})
	}
}

func TestSES12AMemoryFileThatWasEditedToTheSameIsWrittenOnce(t *testing.T) {
	d, s := overflowing(t, "nanobot", 2)
	d.ask("hello")
	d.loads(s)
	d.answer(consolidation)
	d.answer("good day")
	now := s
	now.Memory, now.MemoryHash = "facts\nThe dog is Rex.", "m2"
	d.conflicts(now)
	if got := one[fsm.SaveSession](d).State.Memory; got != now.Memory {
		t.Errorf("MEMORY.md becomes %q", got)
	}
}

func TestSES12AConflictOverTheSessionAloneLeavesTheUpdateAsItIs(t *testing.T) {
	d, s := overflowing(t, "nanobot", 2)
	d.ask("hello")
	d.loads(s)
	d.answer(consolidation)
	d.answer("good day")
	now := s
	now.Version = 4
	d.conflicts(now)
	if save := one[fsm.SaveSession](d); save.State.Memory != "facts\nThe dog is Rex." || !save.Memory || save.State.Version != 4 {
		t.Errorf("saves %+v", save)
	}
}

func TestSES14NewConsolidatesAndStartsOver(t *testing.T) {
	d, s := overflowing(t, "nanobot", 0)
	s.Skills = []fsm.LoadedSkill{{Name: "flights", Text: "book them"}}
	key := d.ask("/new")
	d.loads(s)
	d.inStates(state.Compacting)
	if text := d.lastMessage().Text; !strings.Contains(text, "question 0") || !strings.Contains(text, "answer 4") {
		t.Errorf("asked %q", text)
	}
	d.answer(consolidation)
	d.inStates(state.Saving)
	save := one[fsm.SaveSession](d)
	if len(save.State.History)+len(save.State.Pending)+len(save.State.Skills)+len(save.Archive) > 0 || len(save.Notes) != 1 || !save.Memory {
		t.Errorf("saves %+v", save)
	}
	d.saves()
	d.replied(key, "New session started.")
}

func TestSES14NewWithNothingToConsolidateDoesNotAsk(t *testing.T) {
	for _, profile := range []string{"nanobot", "countbot"} {
		for _, edition := range []int{fsm.PresentEdition, fsm.FirstEdition} {
			d, s := overflowing(t, profile, 0)
			d.config.Edition = edition
			d.boot()
			s.History = nil
			key := d.ask("/new")
			d.loads(s)
			d.inStates(state.Saving)
			d.saves()
			d.replied(key, "New session started.")
		}
	}
}

func TestSES14NewWithoutOverflowDoesNotAsk(t *testing.T) {
	d, s := overflowing(t, "omniemployee", 0)
	key := d.ask("/new")
	d.loads(s)
	if save := one[fsm.SaveSession](d); len(save.State.History) > 0 {
		t.Errorf("saves %+v", save)
	}
	d.saves()
	d.replied(key, "New session started.")
}

func TestSES14WhatNewCouldNotConsolidateWaitsForTheNext(t *testing.T) {
	d, s := overflowing(t, "nanobot", 0)
	s.History = talk(4)
	d.ask("/new")
	d.loads(s)
	d.answer("well")
	save := one[fsm.SaveSession](d)
	if diff := cmp.Diff(talk(4), save.State.Pending); diff != "" || len(save.State.History) > 0 {
		t.Fatalf("%d messages stay, pending: %s", len(save.State.History), diff)
	}
	d.saves()
	d.ask("hello")
	d.loads(save.State)
	d.inStates(state.Compacting)
	if text := d.lastMessage().Text; !strings.Contains(text, "question 1") {
		t.Errorf("asked %q", text)
	}
	d.answer(consolidation)
	d.answer("good day")
	if again := one[fsm.SaveSession](d); len(again.State.Pending) > 0 || len(again.Notes) != 1 {
		t.Errorf("saves %+v", again)
	}
}

// Four messages may wait, of a history of ten, and of one that is too long.
func TestSES14ThePendingListIsBounded(t *testing.T) {
	for _, n := range []int{10, 14} {
		d, s := overflowing(t, "nanobot", n-10)
		d.ask("/new")
		d.loads(s)
		d.answer("well")
		save := one[fsm.SaveSession](d)
		if diff := cmp.Diff(s.History[n-4:], save.State.Pending); diff != "" {
			t.Errorf("of %d messages: %s", n, diff)
		}
		last, waits := "question "+strconv.Itoa(n/2-3), "question "+strconv.Itoa(n/2-2)
		if len(save.Notes) != 1 || !strings.Contains(save.Notes[0], last) || strings.Contains(save.Notes[0], waits) {
			t.Errorf("of %d messages: notes %q", n, save.Notes)
		}
	}
}

// INF-11: a consolidation that takes too long is given up, and /new goes on without it (SES-14).
func TestSES14NewGivesUpAConsolidationThatIsTooSlow(t *testing.T) {
	d, s := overflowing(t, "nanobot", 0)
	d.ask("/new")
	d.loads(s)
	d.waitUp()
	d.inStates(state.Saving)
	if got := d.active().Inf.State; got != state.Aborted {
		t.Errorf("the inference is %s", got)
	}
	if n := len(one[fsm.SaveSession](d).State.Pending); n != 4 {
		t.Errorf("%d messages are pending", n)
	}
}

// CTX-13: pending messages that do not fit into one call are shown in several, each message once.
func TestCTX13PendingMessagesAreConsolidatedInParts(t *testing.T) {
	d := driverOf(t, "nanobot")
	d.boot()
	pending := talk(60)
	for i := range pending {
		pending[i].Text += ": " + strings.Repeat("word ", 1200)
	}
	d.ask("hello")
	d.loads(fsm.Session{Version: 3, History: talk(2), Pending: pending})
	var shown []string
	for one[fsm.AskBrain](d).Purpose == fsm.PurposeCompact {
		text := d.lastMessage().Text
		for i := range pending {
			if title, _, _ := strings.Cut(pending[i].Text, ":"); strings.Contains(text, title+":") {
				shown = append(shown, title)
			}
		}
		d.answer(consolidation)
	}
	var want []string
	for _, msg := range talk(60) {
		want = append(want, msg.Text)
	}
	same(t, want, shown)
	d.answer("good day")
	save := one[fsm.SaveSession](d)
	if len(save.Notes) < 2 || len(save.State.Pending) > 0 || len(save.State.History) != 4 {
		t.Errorf("%d notes, %d pending, %d in the history", len(save.Notes), len(save.State.Pending), len(save.State.History))
	}
}

// CTX-13: the state of an older build does not say how many messages the model was shown: it was
// all of them.
func TestCTX13AConsolidationThatAnOlderBuildBeganIsOfAll(t *testing.T) {
	d, s := overflowing(t, "nanobot", 1)
	d.ask("hello")
	d.loads(s)
	old := d.m.Snapshot()
	old.Handles[0].Portion = 0
	d.m = machine.Restore(old)
	d.answer(consolidation)
	d.inStates(state.Execution)
	d.answer("good day")
	if save := one[fsm.SaveSession](d); len(save.Notes) != 1 || len(save.State.History) != 7 {
		t.Errorf("%d notes, %d messages stay", len(save.Notes), len(save.State.History))
	}
}

// CTX-14: the operator sees failures until a consolidation is useful again.
func TestCTX14FailedConsolidationsAreCounted(t *testing.T) {
	d, s := overflowing(t, "nanobot", 1)
	for _, turn := range []struct {
		answer string
		failed int
	}{{"well", 1}, {"well", 2}, {consolidation, 0}} {
		d.ask("hello")
		d.loads(s)
		d.answer(turn.answer)
		if u := d.m.View().Upkeep; u.Failed != turn.failed {
			t.Errorf("after %q: %+v", turn.answer, u)
		}
		d.answer("good day")
		d.saves()
	}
}

// A MEMORY.md that the model has not seen whole goes into HISTORY.md when it is replaced.
func TestSES10AMemoryThatWasNotSeenWholeIsKept(t *testing.T) {
	for more, notes := range map[int]int{-1000: 1, 0: 1, 1: 2} { // tokens beyond those that the model is shown; order-free
		d := driverOf(t, "nanobot")
		d.config.Limits.MaxHistory, d.config.Limits.MaxPending = 10, 4
		d.config.Limits.ContextTokens, d.config.Limits.AnswerPercent = 8000, 20
		d.boot()
		s := fsm.Session{Version: 3, History: talk(11), Memory: strings.Repeat("fact", max(d.config.MemoryRoom()+more, 1)), MemoryHash: "m1"}
		d.ask("hello")
		d.loads(s)
		d.inStates(state.Compacting)
		if whole := strings.Contains(d.lastMessage().Text, s.Memory); whole != (notes == 1) {
			t.Errorf("%d more: the model is shown all of it: %t", more, whole)
		}
		d.answer(consolidation)
		d.answer("good day")
		save := one[fsm.SaveSession](d)
		if len(save.Notes) != notes || notes > 1 && !strings.Contains(save.Notes[1], s.Memory) {
			t.Errorf("%d more: %d notes", more, len(save.Notes))
		}
	}
}

// If the newest messages are one answer with its many results, which stay together, none would
// leave a history that is too long.
func TestSES11TheModelIsNotAskedAboutNothing(t *testing.T) {
	history := []fsm.Message{{Role: fsm.RoleAssistant}}
	for i := range 15 {
		id := "call_" + strconv.Itoa(i)
		history[0].Calls = append(history[0].Calls, fsm.ToolCall{ID: id, Name: "list_dir", Args: "{}"})
		history = append(history, fsm.Message{Role: fsm.RoleTool, Text: "a.txt", Tool: "list_dir", ToolCall: id})
	}
	history = append(history, fsm.Message{Role: fsm.RoleAssistant, Text: "There is a.txt."})
	for edition, want := range map[int]fsm.State{fsm.PresentEdition: state.Execution, fsm.SecondEdition: state.Execution, fsm.FirstEdition: state.Compacting} { // the boots of older builds had it asked
		d := driverOf(t, "countbot")
		d.config.Edition, d.config.Switches.History, d.config.Limits.MaxHistory = edition, fsm.HistoryAll, 10
		d.boot()
		d.ask("hello")
		d.loads(fsm.Session{Version: 3, History: history})
		d.inStates(want)
	}
}

// Nor is it in a session without messages, however long the question is.
func TestSES11TheModelIsNotAskedAboutAnEmptyHistory(t *testing.T) {
	for _, edition := range []int{fsm.PresentEdition, fsm.SecondEdition, fsm.FirstEdition} {
		d := driverOf(t, "countbot")
		d.config.Edition, d.config.Limits.CompressPercent = edition, 40
		d.boot()
		d.ask(strings.Repeat("word ", 3500))
		d.loads(fsm.Session{Version: 3})
		d.inStates(state.Execution)
		one[fsm.AskBrain](d)
	}
}

// CTX-14: the model is told how long its answer may be where prompts are kept within the window;
// elsewhere it is shown the whole MEMORY.md.
func TestCTX14WhatAConsolidationIsShownOfMEMORY(t *testing.T) {
	for percent, want := range map[fsm.Share]bool{0: true, 20: false} { // order-free
		d := driverOf(t, "nanobot")
		d.config.Limits.MaxHistory, d.config.Limits.ContextTokens, d.config.Limits.AnswerPercent = 10, 8000, percent
		d.boot()
		memory := strings.Repeat("fact", d.config.MemoryRoom()+1)
		d.ask("hello")
		d.loads(fsm.Session{Version: 3, History: talk(11), Memory: memory})
		d.inStates(state.Compacting)
		text := d.lastMessage().Text
		if whole, told := strings.Contains(text, memory), strings.Contains(text, "Your whole answer has at most"); whole != want || told == want {
			t.Errorf("answer_percent %d: whole %t, told the length %t", percent, whole, told)
		}
	}
}

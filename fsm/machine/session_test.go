package machine_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/fsm/state"
)

func TestSES1ARequestHasASession(t *testing.T) {
	tests := []struct {
		name    string
		session string
		origin  fsm.Origin
		want    string
	}{
		{"given", "mine", fsm.Origin{Channel: "telegram", Chat: "42"}, "mine"},
		{"of the origin", "", fsm.Origin{Channel: "telegram", Chat: "42"}, "telegram:42"},
		{"of a channel alone", "", fsm.Origin{Channel: "telegram"}, "telegram:"},
		{"of neither", "", fsm.Origin{}, "cli:direct"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := serving(t)
			d.step(fsm.Input{At: d.now(), Fact: fsm.Requested{Session: tt.session, Origin: tt.origin, Text: "hello"}})
			if got := d.active().Session; got != tt.want {
				t.Errorf("the session is %q, want %q", got, tt.want)
			}
		})
	}
}

func TestSES1AnEventHasTheSessionOfItsSource(t *testing.T) {
	d := serving(t)
	d.raise("full")
	if got := d.active().Session; got != "event:disk" {
		t.Errorf("the session is %q", got)
	}
}

// inTurn returns a driver of a machine under a profile; it works on "hello" in a session
// with a history.
func inTurn(t testing.TB, profile string, change func(*fsm.Config)) (*driver, fsm.RequestKey) {
	t.Helper()
	d := driverOf(t, profile)
	if change != nil {
		change(&d.config)
	}
	d.boot()
	key := d.ask("hello")
	d.loads(fsm.Session{Version: 7, History: talk(2), MemoryHash: "m1", Memory: "facts"})
	return d, key
}

func TestSES3ATurnIsLoadedAndWrittenOverItsVersion(t *testing.T) {
	d := driverOf(t, "omniemployee")
	d.boot()
	d.ask("hello")
	d.inStates(state.Loading)
	if load := one[fsm.LoadSession](d); load.Session != "s" || load.Handle != 1 {
		t.Errorf("loads %+v", load)
	}
	no[fsm.AskBrain](d)
	d.loads(fsm.Session{Version: 7, History: talk(2)})
	want := append(talk(2), fsm.Message{Role: fsm.RoleUser, Text: "hello"})
	same(t, want, one[fsm.AskBrain](d).Conversation.Messages, unsourced())
	d.answer("good day")
	d.inStates(state.Saving)
	save := one[fsm.SaveSession](d)
	if save.Session != "s" || save.Turn != "h1" || save.State.Version != 7 || save.Memory {
		t.Errorf("saves %+v", save)
	}
	d.saves()
	d.inStates()
	if n := len(of[fsm.SaveSession](d.all)); n != 1 {
		t.Errorf("the session is saved %d times", n)
	}
}

func TestSES3WhatBeginsWithItsSession(t *testing.T) {
	tests := []struct {
		name  string
		in    func(*driver)
		loads bool
	}{
		{"a request", func(d *driver) { d.boot(); d.ask("hello") }, true},
		{"an event", func(d *driver) { d.boot(); d.raise("full") }, true},
		{"the initial inference", func(d *driver) { d.config.Init = fsm.InitEveryStart; d.boot() }, false},
		{"the farewell", func(d *driver) { d.boot(); d.signal() }, false},
		{"a request without histories", func(d *driver) { d.config.Switches.History = fsm.HistoryNone; d.boot(); d.ask("hello") }, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := driverOf(t, "default")
			tt.in(d)
			if got := len(of[fsm.LoadSession](d.effects)) == 1; got != tt.loads {
				t.Errorf("it loads a session: %t, want %t", got, tt.loads)
			}
		})
	}
}

func TestSES3AConflictAppendsTheTurnToWhatStandsThere(t *testing.T) {
	d, key := inTurn(t, "omniemployee", nil)
	d.answer("good day")
	d.replied(key, "good day")
	other := append(talk(2), fsm.Message{Role: fsm.RoleUser, Text: "meanwhile"}, fsm.Message{Role: fsm.RoleAssistant, Text: "yes"})
	d.conflicts(fsm.Session{Version: 9, History: other, MemoryHash: "m2", Memory: "other facts", Skills: []fsm.LoadedSkill{{Name: "flights", Text: "book them"}}, Pending: talk(4)})
	d.inStates(state.Saving)
	save := one[fsm.SaveSession](d)
	want := append(other, fsm.Message{Role: fsm.RoleUser, Text: "hello"}, fsm.Message{Role: fsm.RoleAssistant, Text: "good day"})
	same(t, want, save.State.History, unsourced())
	if save.State.Version != 9 || save.State.MemoryHash != "m2" || save.Turn != "h1" || save.Memory {
		t.Errorf("saved again as %+v", save)
	}
	if diff := cmp.Diff(talk(4), save.State.Pending); diff != "" { // SES-14
		t.Errorf("what waits for a consolidation: %s", diff)
	}
	if len(save.State.Skills) != 1 {
		t.Errorf("the skills that the other turn loaded are gone: %+v", save.State.Skills)
	}
	d.saves()
	d.inStates()
	no[fsm.Report](d)
	no[fsm.Reply](d)
}

// looksAndAnswers makes the model look around, give one empty answer, and then answer.
func looksAndAnswers(d *driver) {
	d.calls("list_dir", "list_dir")
	d.toolSays("a.txt")
	d.toolSays("a.txt")
	d.answer(" ")
	d.answer("one file")
}

func TestSES4WhatTheHistoryGetsOfATurn(t *testing.T) {
	call := fsm.Message{Role: fsm.RoleAssistant, Calls: []fsm.ToolCall{
		{ID: "call_0", Name: "list_dir", Args: `{"n":0}`}, {ID: "call_1", Name: "list_dir", Args: `{"n":1}`},
	}}
	question := fsm.Message{Role: fsm.RoleUser, Text: "hello"}
	tests := []struct {
		mode fsm.HistoryMode
		want []fsm.Message
	}{
		{fsm.HistoryAnswers, []fsm.Message{question, {Role: fsm.RoleAssistant, Text: "one file", Used: []string{"list_dir"}}}},
		{fsm.HistoryAll, []fsm.Message{
			question, call,
			{Role: fsm.RoleTool, Text: "a.txt", Tool: "list_dir", ToolCall: "call_0"},
			{Role: fsm.RoleTool, Text: "a.txt", Tool: "list_dir", ToolCall: "call_1"},
			{Role: fsm.RoleAssistant, Text: "one file"},
		}},
	}
	for _, tt := range tests {
		t.Run(string(tt.mode), func(t *testing.T) {
			d, _ := inTurn(t, "nanobot", func(c *fsm.Config) {
				c.Switches.History = tt.mode
				c.Limits.MaxAnswerAttempts = 2
			})
			looksAndAnswers(d)
			same(t, append(talk(2), tt.want...), one[fsm.SaveSession](d).State.History, unsourced())
		})
	}
}

func TestSES4ADescribedNeedIsNotPartOfTheHistory(t *testing.T) {
	d, _ := inTurn(t, "default", func(c *fsm.Config) { c.Switches.History = fsm.HistoryAll })
	d.answer("NEED: the name of the dog")
	d.recalls("the dog is called Rex")
	d.answer("Rex")
	want := append(talk(2), fsm.Message{Role: fsm.RoleUser, Text: "hello"}, fsm.Message{Role: fsm.RoleAssistant, Text: "Rex"})
	same(t, want, one[fsm.SaveSession](d).State.History, unsourced())
}

func TestSES21WhatWasSentIsKeptAndTheArchiveHasTheRecord(t *testing.T) {
	d, _ := inTurn(t, "default", nil)
	d.answer("NEED: the name of the dog")
	d.recalls("the dog is called Rex")
	sent := one[fsm.AskBrain](d).Conversation.Messages
	for i := range sent {
		sent[i].Thinking = ""
	}
	d.answer("\nRex")
	save := one[fsm.SaveSession](d)
	want := append(slices.Clip(sent), fsm.Message{Role: fsm.RoleAssistant, Text: "\nRex"})
	same(t, want, save.State.History, unsourced())
	record := []fsm.Message{{Role: fsm.RoleUser, Text: "hello"}, {Role: fsm.RoleAssistant, Text: "\nRex"}}
	same(t, record, save.Archive, unsourced())
}

// Nor is an answer there twice that its client got without a marker.
func TestSES21AnAnswerIsKeptOnceAsTheModelGaveIt(t *testing.T) {
	d, key := inTurn(t, "default", func(c *fsm.Config) { c.Switches.NoCognition, c.Switches.TellTime = true, false })
	d.answer("NEED: a rest")
	d.replied(key, "a rest")
	want := append(talk(2), fsm.Message{Role: fsm.RoleUser, Text: "hello"}, fsm.Message{Role: fsm.RoleAssistant, Text: "NEED: a rest"})
	same(t, want, one[fsm.SaveSession](d).State.History, unsourced())
}

func TestSES4WithHistoryNoneNothingIsKept(t *testing.T) {
	d := serving(t)
	d.ask("hello")
	d.answer("good day")
	d.remember()
	if found := of[fsm.SaveSession](d.all); len(found) > 0 {
		t.Errorf("saved %+v", found)
	}
}

// The notes and results with which a turn without an answer is kept.
const (
	lostCall  = "interrupted, outcome unknown: check before repeating"
	cancelled = "cancelled, not run"
)

func TestSES5ATurnWithoutAnAnswerIsKept(t *testing.T) {
	timesOut := func(d *driver, _ fsm.RequestKey) { d.timeUp() }
	tests := []struct {
		name    string
		cancel  fsm.CancelMode
		calls   []string
		end     func(*driver, fsm.RequestKey)
		results []string
		note    string
	}{
		{"failed", fsm.CancelImmediate, nil, func(d *driver, _ fsm.RequestKey) { d.brainFails(fsm.BrainMissingModel, "no such model") }, nil,
			"[no answer: missing_model: no such model]"},
		{"timed out", fsm.CancelImmediate, nil, timesOut, nil, "[no answer: timed out after 300s]"},
		{"cancelled", fsm.CancelImmediate, nil, func(d *driver, key fsm.RequestKey) { d.cancels(key) }, nil, "[no answer: cancelled]"},
		{"timed out in a tool", fsm.CancelImmediate, []string{"send_mail", "list_dir"}, func(d *driver, key fsm.RequestKey) { d.timeUp(); d.toolStops() },
			[]string{lostCall, "not run: timed out after 300s"}, "[no answer: timed out after 300s]"},
		{"cancelled in a tool", fsm.CancelImmediate, []string{"send_mail", "list_dir"}, func(d *driver, key fsm.RequestKey) { d.cancels(key); d.toolStops() },
			[]string{lostCall, cancelled}, "[no answer: cancelled]"},
		{"cancelled at a checkpoint", fsm.CancelCheckpoint, []string{"send_mail", "list_dir", "list_dir"},
			func(d *driver, key fsm.RequestKey) { d.cancels(key); d.toolSays("sent") },
			[]string{"sent", cancelled, cancelled}, "[no answer: cancelled]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, key := inTurn(t, "omniemployee", func(c *fsm.Config) { c.Switches.Cancel = tt.cancel })
			if tt.calls != nil {
				d.calls(tt.calls...)
			}
			tt.end(d, key)
			d.inStates(state.Saving)
			save := one[fsm.SaveSession](d)
			var results []string
			for _, m := range save.State.History {
				if m.Role == fsm.RoleTool {
					results = append(results, m.Text)
				}
			}
			same(t, tt.results, results, unsourced())
			if last := save.State.History[len(save.State.History)-1]; last.Role != fsm.RoleAssistant || last.Text != tt.note {
				t.Errorf("the turn ends with %+v, want %q", last, tt.note)
			}
			if diff := cmp.Diff(save.State.History[2:], save.Archive, unsourced()); diff != "" {
				t.Errorf("the archive has a different turn: %s", diff)
			}
			d.saves()
			d.inStates()
			if n := len(of[fsm.Reply](d.all)); n != 1 {
				t.Errorf("%d replies", n)
			}
		})
	}
}

func TestSES5OnlyATurnThatIsKeptIsClosed(t *testing.T) {
	d := serving(t)
	d.ask("hello")
	d.answer("NEED: a name")
	d.recalls()
	d.answer("  Ann  ")
	if c := d.active().Closing; d.active().Answer != "Ann" || c != nil {
		t.Errorf("without a history: %+v", c)
	}
	d = driverOf(t, "nanobot")
	d.boot()
	d.ask("/new")
	d.loads(fsm.Session{Version: 1})
	d.inStates(state.Saving)
	if c := d.active().Closing; c != nil {
		t.Errorf("a new session: %+v", c)
	}
}

func TestSES5ATurnOutOfTimeMaySaveForAbortTimeout(t *testing.T) {
	d, _ := inTurn(t, "omniemployee", nil)
	d.timeUp()
	if set := one[fsm.SetTimer](d); set.Purpose != fsm.TimerAbort || set.After != d.config.Limits.AbortTimeout {
		t.Errorf("timer %+v", set)
	}
	d.timeUp()
	d.inStates()
	if r := one[fsm.Report](d); !strings.Contains(r.Text, "may not have been saved") {
		t.Errorf("report %+v", r)
	}
	no[fsm.Reply](d) // it was sent before
}

func TestSES6ARequestWithItsOwnHistoryLeavesTheSessionAlone(t *testing.T) {
	d := driverOf(t, "omniemployee")
	d.boot()
	own := []fsm.Message{
		{Role: fsm.RoleTool, Text: "lost"}, {Role: fsm.RoleUser, Text: "before", Source: fsm.FromOperator}, {Role: fsm.RoleAssistant, Text: "well", Source: fsm.FromOperator},
	}
	d.step(fsm.Input{At: d.now(), Fact: fsm.Requested{Request: fsm.RequestKey{ID: "r1"}, Session: "s", Text: "hello", Context: own}})
	no[fsm.LoadSession](d)
	want := append(own[1:], fsm.Message{Role: fsm.RoleUser, Text: "hello"})
	asked := one[fsm.AskBrain](d).Conversation.Messages
	same(t, want, asked, unsourced())
	if asked[0].Source != fsm.FromPerson || asked[1].Source != fsm.FromPerson|fsm.FromModel { // whatever the caller claims
		t.Errorf("their sources are %v and %v", asked[0].Source, asked[1].Source)
	}
	d.answer("good day")
	no[fsm.SaveSession](d)
	d.inStates()
}

func TestSES7AHistoryIsMendedWhenItIsLoaded(t *testing.T) {
	d := driverOf(t, "omniemployee")
	d.boot()
	d.ask("hello")
	d.loads(fsm.Session{History: []fsm.Message{
		{Role: fsm.RoleTool, Text: "lost", Tool: "list_dir"},
		{Role: fsm.RoleAssistant, Calls: []fsm.ToolCall{{ID: "a", Name: "list_dir"}}},
	}})
	want := []fsm.Message{
		{Role: fsm.RoleAssistant, Calls: []fsm.ToolCall{{ID: "a", Name: "list_dir"}}},
		{Role: fsm.RoleTool, Text: fsm.PresentWords().Text(fsm.WordUnknownOutcome), Tool: "list_dir", ToolCall: "a"},
		{Role: fsm.RoleUser, Text: "hello"},
	}
	same(t, want, one[fsm.AskBrain](d).Conversation.Messages, unsourced())
}

func TestSES8ALoadIsTriedAgainThenTheHandleFails(t *testing.T) {
	d := driverOf(t, "omniemployee")
	d.boot()
	key := d.ask("hello")
	for range d.config.Limits.MaxStoreAttempts - 1 {
		d.loadFails("no disk")
		one[fsm.LoadSession](d)
		no[fsm.Reply](d)
	}
	d.loadFails("no disk")
	d.refused(key, "error: the session could not be read: no disk")
	d.inStates()
	if found := of[fsm.SaveSession](d.all); len(found) > 0 {
		t.Errorf("a session that was not loaded is saved: %+v", found)
	}
}

func TestSES8ALoadThatWorksInTheEndIsNotAFailedSave(t *testing.T) {
	d := driverOf(t, "omniemployee")
	d.boot()
	d.ask("hello")
	d.loadFails("no disk")
	d.loadFails("no disk")
	d.loads(fsm.Session{})
	d.answer("good day")
	d.saveFails("no disk")
	d.saveFails("no disk")
	one[fsm.SaveSession](d)
	no[fsm.Report](d)
}

func TestSES8ASaveIsTriedAgainThenReported(t *testing.T) {
	tests := []struct {
		name  string
		fails func(*driver)
		want  string
	}{
		{"failed", func(d *driver) { d.saveFails("no disk") }, "the session was not saved: no disk"},
		{"in conflict", func(d *driver) { d.conflicts(fsm.Session{Version: 9}) }, "the session was not saved: others kept changing it"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, key := inTurn(t, "omniemployee", func(c *fsm.Config) { c.Switches.ReplyFirst = false })
			d.answer("good day")
			for range d.config.Limits.MaxStoreAttempts - 1 {
				tt.fails(d)
				one[fsm.SaveSession](d)
				no[fsm.Reply](d)
			}
			tt.fails(d)
			if r := one[fsm.Report](d); r.Text != tt.want || r.Handle != 1 || r.Kind != fsm.KindUser {
				t.Errorf("report %+v", r)
			}
			d.replied(key, "good day")
			d.inStates()
		})
	}
}

func TestSES13ImagesGoWithTheirTurnAlone(t *testing.T) {
	d := driverOf(t, "omniemployee")
	d.boot()
	images := [][]byte{{1}, {2}}
	d.step(fsm.Input{At: d.now(), Fact: fsm.Requested{Request: fsm.RequestKey{ID: "r1"}, Session: "s", Text: "what is this?", Images: images}})
	d.loads(fsm.Session{})
	same(t, images, d.lastMessage().Images, unsourced())
	d.answer("a dog")
	want := []fsm.Message{{Role: fsm.RoleUser, Text: "[image]\n[image]\nwhat is this?"}, {Role: fsm.RoleAssistant, Text: "a dog"}}
	same(t, want, one[fsm.SaveSession](d).State.History, unsourced())
}

func TestSES16TheArchiveHasTheTurnWhole(t *testing.T) {
	d, _ := inTurn(t, "nanobot", nil) // its history keeps only answers
	d.calls("list_dir")
	d.toolSays("a.txt")
	d.answer("one file")
	save := one[fsm.SaveSession](d)
	var roles []fsm.Role
	for _, m := range save.Archive {
		roles = append(roles, m.Role)
	}
	if want := []fsm.Role{fsm.RoleUser, fsm.RoleAssistant, fsm.RoleTool, fsm.RoleAssistant}; !cmp.Equal(roles, want) {
		t.Errorf("the archive has %s, want %s", roles, want)
	}
	d.conflicts(fsm.Session{Version: 9})
	if diff := cmp.Diff(save.Archive, one[fsm.SaveSession](d).Archive, unsourced()); diff != "" {
		t.Errorf("saved again, the archive is different: %s", diff)
	}
}

func TestSES17ASubagentsReportIsMarkedInTheHistory(t *testing.T) {
	d, _ := inTurn(t, "nanobot", nil)
	d.asksFor(fsm.ToolSpawn, `{"task":"look"}`)
	d.answer("it is at work")
	d.saves()
	d.answer("found nothing") // the subagent
	d.loads(fsm.Session{})
	report := d.lastMessage().Text
	d.answer("It found nothing.")
	history := one[fsm.SaveSession](d).State.History
	if got := history[0]; got.Role != fsm.RoleUser || got.Text != "[System: subagent] "+report {
		t.Errorf("the report %q is kept as %+v", report, got)
	}
}

// SES-7: what a session is still to consolidate is mended when it is loaded, too.
func TestSES7WhatIsPendingIsMended(t *testing.T) {
	d := driverOf(t, "nanobot")
	d.boot()
	d.ask("hello")
	d.loads(fsm.Session{Pending: []fsm.Message{{Role: fsm.RoleTool, Text: "of no call"}, {Role: fsm.RoleUser, Text: "kept"}}})
	if got := d.active().Sess.Pending; len(got) != 1 || got[0].Text != "kept" {
		t.Errorf("pending are %+v", got)
	}
}

// SES-25: what a turn had loaded of a session that was forgotten meanwhile does not come back with it.
func TestSES25ARunningTurnBringsNothingBack(t *testing.T) {
	for edition, kept := range map[int]int{fsm.TwentiethEdition: 0, fsm.NineteenthEdition: 1} { // order-free
		d := driverOf(t, "omniemployee")
		d.config.Edition = edition
		d.boot()
		key := d.ask("hello")
		d.loads(fsm.Session{Version: 3, History: talk(2), LastText: 2, Skills: []fsm.LoadedSkill{{Name: "flights", Text: "book them"}},
			Texts: []fsm.KeptText{{Number: 2, Ref: "r", Bytes: 900, Tokens: 300}}})
		d.answer("good day")
		d.replied(key, "good day")
		d.conflicts(fsm.Session{Version: 4, LastText: 2}) // as runtime/session leaves it
		save := one[fsm.SaveSession](d)
		if len(save.State.Skills) != kept || len(save.State.Texts) != kept || len(save.State.History) != 2 {
			t.Errorf("edition %d: saved again with the skills %+v, the results %+v and %d messages", edition, save.State.Skills, save.State.Texts, len(save.State.History))
		}
	}
}

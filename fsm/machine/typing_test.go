package machine_test

import (
	"testing"

	"shelly/fsm"
	"shelly/fsm/state"
)

// types says that a person writes in a session.
func (d *driver) types(session string, unloaded bool) {
	d.step(fsm.Input{At: d.now(), Fact: fsm.Typing{Session: session, Unloaded: unloaded}})
}

// answered is ahead in which a person's question in session a was answered, and nothing is left to do.
func answered(t *testing.T, change func(*fsm.Config)) *driver {
	d := ahead(t, change)
	d.boot()
	if d.config.Switches.ReadAhead && d.config.Switches.Progress && d.config.Init != fsm.InitOff {
		d.answer("")
	}
	d.in("a", "hello")
	d.finishes("a")
	return d
}

// While a person writes in another session than the last, its conversation is read, and that is all.
func TestHND72WhatAPersonWritesInIsReadMeanwhile(t *testing.T) {
	d := answered(t, nil)
	d.types("b", false)
	d.loads(fsm.Session{Version: 4, History: talk(2)})
	if ask, ok := d.readsAhead(); !ok || ask.Options.MaxTokens != 1 || len(ask.Conversation.Messages) != len(talk(2))+1 {
		t.Fatalf("the effects are %+v", d.effects)
	}
	d.answer("Hello")
	if n := len(d.m.View().Handles); n > 0 || len(of[fsm.SaveSession](d.effects))+len(of[fsm.Report](d.effects)) > 0 {
		t.Errorf("there are %d handles after %+v", n, d.effects)
	}
	d.in("b", "and now?")
	d.loads(fsm.Session{Version: 4, History: talk(2)})
	if inf := d.active().Inf; inf.Anew*2 > inf.Prompt {
		t.Errorf("%d of %d tokens are to be read", inf.Anew, inf.Prompt)
	}
}

func TestHND72WhenWhatComesBeforeAQuestionIsRead(t *testing.T) {
	for _, tt := range []struct {
		name     string
		change   func(*fsm.Config)
		before   func(*driver)
		session  string
		unloaded bool
		want     bool
	}{
		{name: "the server holds another conversation", session: "b", want: true},
		{name: "the server holds it", session: "a"},
		{name: "…but the model is not loaded", session: "a", unloaded: true, want: true},
		{name: "without an initial inference", change: func(c *fsm.Config) { c.Init = fsm.InitOff }, session: "b", want: true},
		{name: "without the switch", change: func(c *fsm.Config) { c.Switches.ReadAhead = false }, session: "b"},
		{name: "without progress", change: func(c *fsm.Config) { c.Switches.Progress = false }, session: "b"},
		{name: "while another is answered", before: func(d *driver) { d.in("c", "hello") }, session: "b"},
		{name: "while an approval is awaited", change: func(c *fsm.Config) { c.Tools[2].Approve = true }, before: asksPerson, session: "b", want: true},
		{name: "while it is read already", before: func(d *driver) { d.types("b", false) }, session: "b"},
		{name: "while shelly stops", before: func(d *driver) { d.in("c", "hello"); d.signal() }, session: "b"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := answered(t, tt.change)
			if tt.before != nil {
				tt.before(d)
			}
			reads := d.m.ReadsFor(fsm.Typing{Session: tt.session, Unloaded: tt.unloaded})
			handles := d.m.View().LastHandle
			if d.types(tt.session, tt.unloaded); reads != tt.want || d.m.View().LastHandle-handles > 0 != tt.want {
				t.Errorf("it reads: %v; the effects are %+v", reads, d.effects)
			}
		})
	}
}

// Of a conversation that has not begun, nothing is read that the server holds with another: that would be
// displaced.
func TestHND72ANewConversationDisplacesNone(t *testing.T) {
	for _, tt := range []struct {
		name     string
		unloaded bool
		history  int
		asks     bool
	}{
		{"a new one", false, 0, false},
		{"a new one, and the model is not loaded", true, 0, true},
		{"one with a history", false, 1, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := answered(t, nil)
			held := d.m.View().Cached
			d.types("b", tt.unloaded)
			d.loads(fsm.Session{History: talk(tt.history)})
			if _, ok := d.readsAhead(); ok != tt.asks {
				t.Fatalf("the effects are %+v", d.effects)
			}
			held.Spared = "b"
			if !tt.asks && (len(d.m.View().Handles) > 0 || d.m.View().Cached != held) {
				t.Errorf("there are %d handles; the server holds %+v", len(d.m.View().Handles), d.m.View().Cached)
			}
		})
	}
}

// asksPerson has a call of session c wait for its approval.
func asksPerson(d *driver) {
	d.in("c", "send it")
	d.loads(fsm.Session{})
	d.calls("send_mail")
	d.inStates(state.Approving)
}

// Who writes now goes first: what is read for another session ends, in whatever state it is.
func TestHND72TheLastWhoWritesIsReadFor(t *testing.T) {
	for name, at := range map[string]func(*driver){
		"while its session is loaded": func(*driver) {},
		"while it is read":            func(d *driver) { d.loads(fsm.Session{History: talk(1)}) },
	} {
		t.Run(name, func(t *testing.T) {
			d := answered(t, nil)
			d.types("b", false)
			at(d)
			d.types("c", false)
			d.types("d", false)
			for len(d.m.View().Handles) > 1 {
				d.loads(fsm.Session{History: talk(1)})
			}
			if h := d.m.View().Handles[0]; h.Session != "d" {
				t.Errorf("it reads for %q", h.Session)
			}
		})
	}
}

// Summaries give way to it as to a question, and go on after it.
func TestHND72SummariesGiveWay(t *testing.T) {
	reads := func(c *fsm.Config) { c.Switches.ReadAhead, c.Init = true, fsm.InitOff }
	for name, change := range map[string]func(*fsm.Config){
		"one that idles":        nil,
		"one that is asked for": func(c *fsm.Config) { c.Pace.Reads = 0 },
	} {
		t.Run(name, func(t *testing.T) {
			d := twoTalks(t, func(c *fsm.Config) {
				if reads(c); change != nil {
					change(c)
				}
			})
			d.types("c", false)
			d.loads(fsm.Session{History: talk(1)})
			if _, ok := d.readsAhead(); !ok || d.of("a").State != state.Queued || d.of("b").State != state.Queued {
				t.Fatalf("a is %s, b is %s; the effects are %+v", d.of("a").State, d.of("b").State, d.effects)
			}
			d.answer("")
			next, wait := d.of("a"), fsm.Millis(0)
			for _, timer := range of[fsm.SetTimer](d.effects) {
				if timer.Purpose == fsm.TimerIdle {
					wait = timer.After
				}
			}
			if next.State != state.Idling || wait < 60*fsm.Second {
				t.Fatalf("a is %s for %s: what was read is displaced at once", next.State, wait)
			}
			if d.idles("a"); d.of("a").State != state.Summarizing {
				t.Errorf("a is %s", d.of("a").State)
			}
		})
	}
}

// A session that is loaded to be read while somebody waits is not asked for: the model would be asked and given
// up in one step, and the session would go ahead of others (HND-50, INV-5).
func TestHND72NothingIsReadIfSomebodyWaits(t *testing.T) {
	for name, waits := range map[string]func(*driver){
		"a question":      func(d *driver) { d.in("a", "hello") },
		"another reading": func(d *driver) { d.types("c", false) },
	} {
		t.Run(name, func(t *testing.T) {
			d := answered(t, nil)
			d.types("b", false)
			waits(d)
			d.loads(fsm.Session{History: talk(1)})
			if asks := of[fsm.AskBrain](d.effects); len(asks) > 0 {
				t.Errorf("the model is asked for %s", asks[0].Purpose)
			}
			d.inStates(state.Loading)
		})
	}
}

// What only waits to be read ends with the epoch, and when anybody asks.
func TestHND72AReadingThatWaitsEnds(t *testing.T) {
	for name, end := range map[string]func(*driver){
		"a question": func(d *driver) { d.in("a", "hello") },
		"a crash":    (*driver).boot,
		"a stop":     (*driver).signal,
	} {
		t.Run(name, func(t *testing.T) {
			d := answered(t, nil)
			d.types("b", false)
			d.types("c", false)
			if d.of("c").State != state.Queued {
				t.Fatalf("it is %s", d.of("c").State)
			}
			end(d)
			for _, h := range d.m.View().Handles {
				if h.Session == "c" {
					t.Errorf("it is %s", h.State)
				}
			}
		})
	}
}

// What was cut, or failed, is not held: it is read again (INF-51).
func TestHND72WhatWasNotReadToItsEndIsNotHeld(t *testing.T) {
	for name, end := range map[string]func(*driver){
		"the server is away": func(d *driver) { d.brainFails(fsm.BrainUnreachable, "nobody is there") },
		"the call failed":    func(d *driver) { d.brainFails(fsm.BrainError, "no memory") },
		"its time is up":     (*driver).timeUp,
		"a command cut it":   func(d *driver) { d.in("d", "/new"); d.finishes("d") },
	} {
		t.Run(name, func(t *testing.T) {
			d := answered(t, nil)
			d.types("b", false)
			d.loads(fsm.Session{Version: 4, History: talk(2)})
			end(d)
			d.types("b", false)
			d.loads(fsm.Session{Version: 4, History: talk(2)})
			if _, ok := d.readsAhead(); !ok {
				t.Errorf("the effects are %+v", d.effects)
			}
		})
	}
}

// What each conversation begins with is not read again because what comes after it was cut, unless the model
// was loaded for that: the conversation would be displaced.
func TestHND72WhatEachBeginsWithIsHeldWhenAReadingIsCut(t *testing.T) {
	for loads, want := range map[bool]bool{false: false, true: true} {
		d := answered(t, nil)
		d.types("b", false)
		d.loads(fsm.Session{Version: 4, History: talk(2)})
		if loads {
			d.comesTo(fsm.StageLoading)
		}
		d.types("c", false)
		d.loads(fsm.Session{})
		if _, ok := d.readsAhead(); ok != want {
			t.Errorf("it loads: %v; it reads: %v", loads, ok)
		}
	}
}

// A question that was cancelled before its answer began was perhaps not read either; one whose answer had begun was.
func TestHND72AQuestionIsReadWhenItsAnswerBegins(t *testing.T) {
	for stage, want := range map[fsm.Stage]bool{fsm.StageAccepted: true, fsm.StageWriting: false} {
		d := answered(t, nil)
		key := d.in("b", "hello")
		d.loads(fsm.Session{Version: 4, History: talk(2)})
		d.comesTo(stage)
		d.cancels(key)
		for len(d.m.View().Handles) > 0 {
			d.saves()
		}
		if reads := d.m.ReadsFor(fsm.Typing{Session: "b"}); reads != want {
			t.Errorf("cancelled while %s: it reads: %v", stage, reads)
		}
	}
}

// Where nothing is to be read, the session is not loaded again as long as the server holds the same.
func TestHND72WhatIsNotReadIsLookedAtOnce(t *testing.T) {
	long := fsm.Session{Version: 1}
	for range 400 {
		long.History = append(long.History, talk(1)...)
	}
	for name, s := range map[string]fsm.Session{"a new conversation": {}, "one that will be shortened first": long} {
		t.Run(name, func(t *testing.T) {
			d := answered(t, func(c *fsm.Config) {
				c.Switches.History, c.Switches.Overflow, c.Limits.MaxHistory = fsm.HistoryAll, fsm.OverflowSummarize, 100
			})
			d.types("b", false)
			d.loads(s)
			if _, ok := d.readsAhead(); ok || len(d.m.View().Handles) > 0 || d.m.ReadsFor(fsm.Typing{Session: "b"}) {
				t.Errorf("the effects are %+v; the server holds %+v", d.effects, d.m.View().Cached)
			}
			d.in("c", "hello")
			d.finishes("c")
			if !d.m.ReadsFor(fsm.Typing{Session: "b"}) {
				t.Error("after another conversation it is not read")
			}
		})
	}
}

// A new conversation ends the reading of a start, which then goes on with what each begins with.
func TestHND72AStartsReadingThatIsCutGoesOn(t *testing.T) {
	d := talked(t)
	d.boot()
	d.loads(fsm.Session{Version: 1, History: talk(1)})
	d.types("c", false)
	d.loads(fsm.Session{})
	if ask, ok := d.readsAhead(); !ok || len(ask.Conversation.Messages) != 1 {
		t.Errorf("the effects are %+v", d.effects)
	}
}

// After a start the model may have been loaded anew, whatever it was asked before. A start without an initial
// inference reads nothing itself.
func TestHND72AfterAStartNothingIsHeld(t *testing.T) {
	d := answered(t, func(c *fsm.Config) { c.Init = fsm.InitOff })
	if d.m.ReadsFor(fsm.Typing{Session: "a"}) {
		t.Error("before the start it is read")
	}
	d.boot()
	d.types("a", false)
	d.loads(fsm.Session{Version: 1, History: talk(1)})
	if ask, ok := d.readsAhead(); !ok || len(ask.Conversation.Messages) != len(talk(1))+1 {
		t.Errorf("the effects are %+v", d.effects)
	}
}

// After a crash in a reading for a person the next start reads the last chat, unless that was read (HND-71).
func TestHND72ACrashForgetsOnlyWhatWasRead(t *testing.T) {
	for session, want := range map[string]string{"b": "a", "a": ""} { // order-free: each alone
		d := answered(t, nil)
		d.types(session, true)
		d.loads(fsm.Session{Version: 4, History: talk(1)})
		d.boot()
		read := ""
		for _, load := range of[fsm.LoadSession](d.effects) {
			read = load.Session
		}
		if read != want {
			t.Errorf("after a crash in %s the start reads %q, want %q", session, read, want)
		}
	}
}

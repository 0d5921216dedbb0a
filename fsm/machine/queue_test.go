package machine_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/fsm/state"
)

// in sends a request in a session and returns its key.
func (d *driver) in(session, text string) fsm.RequestKey {
	d.t.Helper()
	d.asked++
	key := fsm.RequestKey{Channel: "test", ID: "r" + strconv.Itoa(d.asked)}
	d.step(fsm.Input{At: d.now(), Fact: fsm.Requested{Request: key, Session: session, Text: text}})
	return key
}

// finishes makes the handle that runs in a session answer, and saves its turn.
func (d *driver) finishes(session string) {
	d.t.Helper()
	for range 3 {
		for _, h := range d.m.View().Handles {
			if h.Session != session || h.Await.Call == 0 || h.Kind == fsm.KindMemory {
				continue
			}
			switch h.Await.Kind {
			case fsm.CallLoad:
				d.step(fsm.Input{At: d.now(), Fact: fsm.SessionLoaded{Answered: fsm.To(h.Await.Call)}})
			case fsm.CallBrain:
				d.step(fsm.Input{At: d.now(), Fact: fsm.BrainAnswered{Answered: fsm.To(h.Await.Call), Stop: fsm.StopEndTurn, Text: "done"}})
			case fsm.CallSave:
				d.step(fsm.Input{At: d.now(), Fact: fsm.SessionSaved{Answered: fsm.To(h.Await.Call)}})
			default:
				d.t.Fatalf("handle %d awaits its %s call", h.ID, h.Await.Kind)
			}
			break
		}
	}
}

// atWork returns the sessions of the handles that run, in the order of admission.
func (d *driver) atWork() string {
	var sessions []string
	for _, h := range d.m.View().Handles {
		if h.State != state.Queued && h.State != state.Parked {
			sessions = append(sessions, h.Session)
		}
	}
	return strings.Join(sessions, " ")
}

// places returns a driver of a machine without memory, with places for n handles.
func places(t testing.TB, n int, change func(*fsm.Config)) *driver {
	t.Helper()
	d := driverOf(t, "default")
	d.config.Switches.NoCognition, d.config.Switches.Remember, d.config.Switches.Alternate = true, fsm.RememberOff, false
	d.config.Limits.MaxActive = n
	if change != nil {
		change(&d.config)
	}
	d.boot()
	return d
}

func TestSES2HandlesOfOneSessionRunInOrder(t *testing.T) {
	d := places(t, 4, nil)
	d.in("a", "first")
	d.in("a", "second")
	d.in("b", "third")
	d.in("a", "fourth")
	d.inStates(state.Loading, state.Queued, state.Loading, state.Queued)
	d.finishes("a")
	d.inStates(state.Loading, state.Loading, state.Queued)
	if h := d.active(); h.Input != "second" {
		t.Errorf("then %q runs", h.Input)
	}
}

func TestSES2TheOldestThatMayTakesAPlaceInTheStepThatFreesIt(t *testing.T) {
	d := places(t, 2, nil)
	for _, s := range []string{"a", "b", "a", "c", "d"} {
		d.in(s, "hello")
	}
	if got := d.atWork(); got != "a b" {
		t.Fatalf("at work: %s", got)
	}
	d.finishes("b") // the next one of a is held back by its session
	if got := d.atWork(); got != "a c" {
		t.Errorf("at work: %s", got)
	}
	d.finishes("a") // which is now the oldest
	if got := d.atWork(); got != "a c" {
		t.Errorf("at work: %s", got)
	}
	d.finishes("c")
	if got := d.atWork(); got != "a d" {
		t.Errorf("at work: %s", got)
	}
}

func TestSES2SubagentsHavePlacesOfTheirOwn(t *testing.T) {
	d := places(t, 1, func(c *fsm.Config) { c.Limits.MaxSubagents = 2 })
	d.in("a", "hello")
	d.loads(fsm.Session{})
	d.asksFor(fsm.ToolSpawn, `{"task":"one"}`)
	d.asksFor(fsm.ToolSpawn, `{"task":"two"}`)
	if got := d.atWork(); got != "a subagent:h2 subagent:h3" {
		t.Errorf("at work: %s", got)
	}
}

// The report of a subagent that an initial inference started belongs to that session, and
// is served only after the next initial inference.
func TestSES2AnInitialInferenceWaitsForNobodyInItsSession(t *testing.T) {
	tests := []struct {
		name string
		to   func(*driver)
	}{
		{"a request that names it", func(d *driver) { d.in("other", "hello"); d.in("init", "hello") }},
		{"a report of its subagent", func(d *driver) {
			d.in("other", "hello")
			d.loads(fsm.Session{})
			d.in("init", "hello")
			d.finishes("other")
			d.loads(fsm.Session{})
			d.asksFor(fsm.ToolSpawn, `{"task":"look"}`)
			d.in("other", "again")
			d.finishes("subagent:h3")
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := places(t, 1, nil)
			tt.to(d)
			d.config.Init = fsm.InitEveryStart
			d.boot()
			d.inLifecycle(state.Initializing)
			one[fsm.AskBrain](d)
			d.answer("a report")
			d.inLifecycle(state.Serving)
		})
	}
}

func TestHND37AWaitingClientHearsHowManyGoBeforeIt(t *testing.T) {
	d := places(t, 1, nil)
	type place struct {
		Request string
		Ahead   int
	}
	told := func() []place {
		var got []place
		for _, n := range of[fsm.Notify](d.effects) {
			if n.Notice == fsm.NoticeQueued {
				got = append(got, place{n.Request.ID, n.Ahead})
			}
		}
		return got
	}
	steps := []struct {
		name string
		step func()
		want []place
	}{
		{"the first starts", func() { d.in("a", "hello") }, nil},
		{"the second waits", func() { d.in("b", "hello") }, []place{{"r2", 1}}},
		{"the third waits", func() { d.in("c", "hello") }, []place{{"r3", 2}}},
		{"an event waits", func() { d.raise("full") }, []place{{"", 3}}},
		{"the fourth waits", func() { d.in("d", "hello") }, []place{{"r4", 4}}},
		{"nothing has changed", func() { d.loads(fsm.Session{}) }, nil},
		{"the first ends", func() { d.finishes("a") }, []place{{"r3", 1}, {"r4", 3}}},
		{"the third is cancelled", func() { d.cancels(fsm.RequestKey{Channel: "test", ID: "r3"}) }, []place{{"r4", 2}}},
	}
	for _, s := range steps {
		s.step()
		if diff := cmp.Diff(s.want, told()); diff != "" {
			t.Errorf("%s: %s", s.name, diff)
		}
	}
}

func TestHND38AnEventJoinsOneOfTheSameSubjectThatWaits(t *testing.T) {
	raise := func(d *driver, subject, event, detail string) {
		d.step(fsm.Input{At: d.now(), Fact: fsm.EventRaised{Source: "disk", Subject: subject, Event: event, Detail: detail}})
	}
	d := places(t, 1, nil)
	raise(d, "/var", "full", "1 % left")
	raise(d, "/var", "full", "2 % left") // the first runs
	d.inStates(state.Loading, state.Queued)
	raise(d, "/var", "full", "3 % left")
	raise(d, "/var", "full", "4 % left")
	d.inStates(state.Loading, state.Queued)
	if n := d.m.View().Ignored.Joined; n != 2 || len(d.effects) > 0 {
		t.Errorf("%d have joined, effects %+v", n, d.effects)
	}
	want := "System event from disk: full (/var). 4 % left (3 times since the first.)"
	if got := d.m.View().Handles[1].Input; got != want {
		t.Errorf("its input is %q, want %q", got, want)
	}
	raise(d, "/srv", "full", "")
	raise(d, "/var", "failed", "")
	d.inStates(state.Loading, state.Queued, state.Queued, state.Queued)
}

func TestHND38WhereEventsDoNotJoinEachIsAdmitted(t *testing.T) {
	d := places(t, 1, func(c *fsm.Config) { c.Switches.Coalesce = false })
	for range 3 {
		d.raise("full")
	}
	d.inStates(state.Loading, state.Queued, state.Queued)
}

func TestHND44UsersAndEventsTakeTurns(t *testing.T) {
	// Each letter is a waiting handle: a user's, or an event's.
	order := func(alternate bool, waiting string) string {
		d := places(t, 1, func(c *fsm.Config) { c.Switches.Alternate, c.Switches.Coalesce = alternate, false })
		d.in("first", "hello")
		for i, c := range waiting {
			if c == 'u' {
				d.in("u"+strconv.Itoa(i), "hello")
			} else {
				d.step(fsm.Input{At: d.now(), Fact: fsm.EventRaised{Source: "e" + strconv.Itoa(i), Event: "full"}})
			}
		}
		var got []string
		for d.finishes("first"); len(d.m.View().Handles) > 0; d.finishes(d.active().Session) {
			got = append(got, strings.TrimPrefix(d.active().Session, "event:"))
		}
		return strings.Join(got, " ")
	}
	tests := []struct {
		alternate bool
		waiting   string
		want      string
	}{
		{true, "uuee", "e2 u0 e3 u1"},
		{true, "eeuu", "e0 u2 e1 u3"},
		{true, "uuue", "e3 u0 u1 u2"},
		{true, "uuu", "u0 u1 u2"},
		{true, "eee", "e0 e1 e2"},
		{false, "uuee", "u0 u1 e2 e3"},
	}
	for _, tt := range tests {
		if got := order(tt.alternate, tt.waiting); got != tt.want {
			t.Errorf("with %s waiting, alternating %t: %s, want %s", tt.waiting, tt.alternate, got, tt.want)
		}
	}
}

func TestHND44NothingPassesAnOlderScheduleOrReport(t *testing.T) {
	d := places(t, 1, func(c *fsm.Config) { c.Switches.Alternate = true })
	d.in("a", "hello")
	d.loads(fsm.Session{})
	d.asksFor(fsm.ToolCron, `{"action":"add","message":"tick","every_seconds":60}`)
	d.in("b", "hello")
	d.step(fsm.Input{At: d.now(), Fact: fsm.ScheduleDue{Schedule: "s1", Slot: d.at + 60*fsm.Second}})
	d.raise("full")
	var got []string
	for d.finishes("a"); len(d.m.View().Handles) > 0; d.finishes(d.active().Session) {
		got = append(got, d.active().Session)
	}
	same(t, []string{"b", "schedule:s1", "event:disk"}, got)
}

// idlePlaces returns a driver of a machine that remembers while nothing waits, and has the
// turns of some sessions to remember.
func idlePlaces(t testing.TB, change func(*fsm.Config)) *driver {
	return places(t, 1, func(c *fsm.Config) {
		c.Switches.Remember, c.Switches.SideCalls = fsm.RememberIdle, fsm.SideAlone
		if change != nil {
			change(c)
		}
	})
}

func TestHND29TurnsAreRememberedTogetherWhileNobodyWaits(t *testing.T) {
	d := idlePlaces(t, nil)
	d.in("a", "one")
	d.in("a", "two")
	d.in("b", "three")
	d.finishes("a")
	d.finishes("a")
	d.inStates(state.Loading, state.Queued)
	d.finishes("b")
	d.inStates(state.Summarizing, state.Queued) // a's, then b's
	if ask := one[fsm.AskBrain](d); ask.Purpose != fsm.PurposeSummary || ask.Session != "a" || len(ask.Conversation.Messages) != 5 {
		t.Errorf("asked %+v", ask)
	}
	d.answer("they counted")
	d.embeds()
	e := one[fsm.Store](d).Entry
	if e.Kind != fsm.KindMemory || e.Session != "a" || e.Text != "Input: one\nAnswer: done\n\nInput: two\nAnswer: done" {
		t.Errorf("stores %+v", e)
	}
	d.stores()
	d.inStates(state.Summarizing)
	no[fsm.Reply](d)
}

// A turn joins others only if the conversation after which the model is asked about them has
// these too, which it has not after /new (SES-14). The boots of older builds did not look.
func TestHND29ATurnJoinsThoseThatItsConversationHas(t *testing.T) {
	summed := func(s *fsm.Session) { s.History = []fsm.Message{{Role: fsm.RoleSystem, Text: "a summary"}} }
	emptied := func(s *fsm.Session) { s.History = nil }
	written := func(s *fsm.Session) {
		summed(s)
		s.Version++
	}
	for _, tt := range []struct {
		name    string
		edition int
		alone   bool
		said    []string
		then    func(*fsm.Session) // what becomes of the session after the first
		want    []int
	}{
		{"the conversation goes on", fsm.SeventhEdition, false, []string{"one", "two"}, nil, []int{2}},
		{"it was new between them", fsm.SeventhEdition, false, []string{"one", "/new", "two", "three"}, nil, []int{1, 2}},
		{"the newest has no room", fsm.SeventhEdition, false, []string{"one", "/new", "two", "three", "four", "five"}, nil, []int{1, 3, 1}},
		{"it has a summary of older ones", fsm.SeventhEdition, false, []string{"one", "two"}, summed, []int{2}},
		{"its turn has left the conversation", fsm.SeventhEdition, false, []string{"one", "two"}, emptied, []int{1, 1}},
		{"another has written to the session", fsm.SeventhEdition, false, []string{"one", "two"}, written, []int{1, 1}},
		{"up to the sixth edition, another has", fsm.SixthEdition, false, []string{"one", "two"}, written, []int{2}},
		{"the turns alone are shown", fsm.SeventhEdition, true, []string{"one", "/new", "two"}, nil, []int{2}},
		{"up to the sixth edition, it was new between them", fsm.SixthEdition, false, []string{"one", "/new", "two", "three"}, nil, []int{1, 2}},
		{"up to the sixth edition, the newest has no room", fsm.SixthEdition, false, []string{"one", "/new", "two", "three", "four", "five"}, nil, []int{1, 3, 1}},
		{"up to the fifth edition", fsm.FifthEdition, false, []string{"one", "/new", "two"}, nil, []int{2}},
		{"up to the fifth edition, the first with room", fsm.FifthEdition, false, []string{"one", "/new", "two", "three", "four"}, nil, []int{3, 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := places(t, 1, func(c *fsm.Config) {
				c.Switches.Remember, c.Limits.MaxTurns, c.Edition = fsm.RememberIdle, 3, tt.edition
				if tt.alone {
					c.Switches.SideCalls = fsm.SideAlone
				}
			})
			for _, text := range tt.said {
				d.in("a", text)
			}
			session := fsm.Session{}
			for i, text := range tt.said {
				d.loads(session)
				if text != "/new" {
					d.answer("done")
				}
				session = one[fsm.SaveSession](d).State
				if session.Version++; i == 0 && tt.then != nil {
					tt.then(&session)
				}
				d.saves()
			}
			var turns []int
			for _, h := range d.m.View().Handles {
				turns = append(turns, h.Turns)
			}
			same(t, tt.want, turns)
		})
	}
}

func TestHND29AtMostMaxTurnsAreGathered(t *testing.T) {
	d := idlePlaces(t, func(c *fsm.Config) { c.Limits.MaxTurns = 2 })
	for range 3 {
		d.in("a", "hello")
	}
	for range 3 {
		d.finishes("a")
	}
	var turns []int
	for _, h := range d.m.View().Handles {
		turns = append(turns, h.Turns)
	}
	same(t, []int{2, 1}, turns)
}

func TestHND29ARememberingHandleGivesWay(t *testing.T) {
	d := idlePlaces(t, nil)
	d.in("a", "one")
	d.finishes("a")
	d.inStates(state.Summarizing)
	call := d.active().Await.Call
	d.in("a", "two")
	d.inStates(state.Queued, state.Loading)
	if got := one[fsm.AbortCall](d).Call; got != call {
		t.Errorf("call %d is aborted, not %d", got, call)
	}
	d.finishes("a")
	d.inStates(state.Summarizing)
	if set := only[fsm.SetTimer](d, func(s fsm.SetTimer) bool { return s.Purpose == fsm.TimerHandle }); set.After != d.config.Limits.HandleTimeout {
		t.Errorf("it continues with %s", set.After)
	}
	if n := d.active().Turns; n != 2 {
		t.Errorf("it remembers %d turns", n)
	}
}

func TestHND29WhatIsBeingStoredDoesNotGiveWay(t *testing.T) {
	d := idlePlaces(t, nil)
	d.in("a", "one")
	d.finishes("a")
	d.answer("a summary")
	d.in("b", "two")
	d.inStates(state.Embedding, state.Queued)
}

func TestHND29ATurnJoinsNothingThatIsBeingStored(t *testing.T) {
	d := idlePlaces(t, func(c *fsm.Config) { c.Limits.MaxActive = 2 })
	d.in("a", "one")
	d.finishes("a")
	d.answer("a summary")
	d.in("a", "two")
	d.inStates(state.Embedding, state.Loading)
	d.finishes("a")
	for _, h := range d.m.View().Handles {
		if h.Turns != 1 {
			t.Errorf("handle %d, which is %s, remembers %d turns", h.ID, h.State, h.Turns)
		}
	}
}

func TestHND29ManyMemoryHandlesTakeTheirTurn(t *testing.T) {
	d := idlePlaces(t, func(c *fsm.Config) { c.Limits.MaxQueue = 2 })
	d.in("a", "hello")
	d.in("b", "hello")
	d.finishes("a")
	d.in("c", "hello")
	d.finishes("b") // two sessions wait to be remembered, as many as may wait
	d.inStates(state.Summarizing, state.Queued, state.Queued)
	d.in("d", "hello")
	d.inStates(state.Summarizing, state.Queued, state.Queued, state.Queued)
}

func TestHND29WhatIsNotRemembered(t *testing.T) {
	tests := []struct {
		name string
		turn func(*driver)
	}{
		{"a command", func(d *driver) { d.in("a", "/new"); d.loads(fsm.Session{}); d.saves() }},
		{"a turn without an answer", func(d *driver) {
			d.in("a", "hello")
			d.loads(fsm.Session{})
			d.brainFails(fsm.BrainMissingModel, "gone")
			d.saves()
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := idlePlaces(t, nil)
			tt.turn(d)
			d.inStates()
		})
	}
}

func TestHND30WithRememberOffNothingIsRemembered(t *testing.T) {
	d := places(t, 1, nil)
	d.in("a", "hello")
	d.finishes("a")
	d.inStates()
	for _, e := range d.all {
		switch e := e.(type) {
		case fsm.Embed, fsm.Store:
			t.Errorf("effect %+v", e)
		case fsm.AskBrain:
			if e.Purpose == fsm.PurposeSummary {
				t.Errorf("asked %+v", e)
			}
		}
	}
}

// Memory handles run while nothing waits, so they do not count as ahead of a request.
func TestHND37WhatIsRememberedIsNotAhead(t *testing.T) {
	d := idlePlaces(t, nil)
	d.in("a", "one")
	d.finishes("a")
	d.inStates(state.Summarizing)
	d.in("b", "two") // it gives way
	d.in("c", "three")
	if n := one[fsm.Notify](d); n.Notice != fsm.NoticeQueued || n.Ahead != 1 {
		t.Errorf("told %+v", n)
	}
}

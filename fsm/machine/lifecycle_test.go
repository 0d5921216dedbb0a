package machine_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/fsm/state"
)

// initializing returns a driver of a machine in its initial inference.
func initializing(t testing.TB) *driver {
	d := newDriver(t)
	d.config.Init = fsm.InitEveryStart
	d.boot()
	return d
}

func TestLIF1ABootIsLegalInEveryState(t *testing.T) {
	tests := []struct {
		state fsm.State
		to    func(*driver)
	}{
		{state.Down, func(d *driver) {}},
		{state.Initializing, func(d *driver) { d.boot() }},
		{state.Serving, func(d *driver) { d.boot(); d.answer("a report"); d.embeds(); d.stores() }},
		{state.Draining, func(d *driver) { d.boot(); d.calls("list_dir"); d.signal() }},
		{state.Farewell, func(d *driver) { d.boot(); d.signal() }},
		{state.Stopped, func(d *driver) { d.boot(); d.signal(); d.signal() }},
	}
	for _, tt := range tests {
		t.Run(string(tt.state), func(t *testing.T) {
			d := newDriver(t)
			d.config.Init = fsm.InitEveryStart
			tt.to(d)
			d.inLifecycle(tt.state)
			epoch := d.m.View().Epoch
			d.boot()
			d.inLifecycle(state.Initializing)
			d.inStates(state.Execution)
			if got := d.m.View().Epoch; got != epoch+1 {
				t.Errorf("epoch %d follows epoch %d", got, epoch)
			}
			no[fsm.AbortCall](d)
			no[fsm.ClearTimer](d)
		})
	}
}

func TestLIF1LimitsBelowOneAreRaisedToOne(t *testing.T) {
	d := newDriver(t)
	d.config.Limits = fsm.Limits{MaxToolRounds: -5, Backoff: []fsm.Millis{0, 7}}
	d.boot()
	want := fsm.Limits{}
	v := reflect.ValueOf(&want).Elem()
	for i := range v.NumField() {
		if f := v.Field(i); f.CanInt() {
			f.SetInt(1)
		}
	}
	want.Backoff = []fsm.Millis{1, 7}
	want.AnswerPercent, want.ThinkPercent, want.OfferTokens = 0, 0, 0 // for which 0 means none
	same(t, want, d.m.View().Config.Limits, unsourced())
}

func TestLIF3TheInitialInferenceHasNoQuestion(t *testing.T) {
	d := initializing(t)
	want := []fsm.Message{
		{Role: fsm.RoleSystem, Text: d.config.Prompts.Identity},
		{Role: fsm.RoleUser, Text: "You just started. You know nothing about this machine.\nExplore your environment and report what you find."},
	}
	same(t, want, d.conversation(), unsourced())
	d.inStates(state.Execution)
	if ask := one[fsm.AskBrain](d); ask.Purpose != fsm.PurposeInit || ask.Tools == fsm.NoTools {
		t.Errorf("asked for %s, tools %q", ask.Purpose, ask.Tools)
	}
	if set := one[fsm.SetTimer](d); set.After != 120*fsm.Second {
		t.Errorf("timer %+v", set)
	}
}

func TestLIF3TheInitialInferenceExploresWithTools(t *testing.T) {
	d := initializing(t)
	d.calls("list_dir")
	d.toolSays("a.txt")
	d.answer("there is a file")
	d.inStates(state.Embedding)
}

func TestLIF4TheReportIsTheMemory(t *testing.T) {
	d := initializing(t)
	d.answer("NEED: nothing, this is Linux")
	d.inStates(state.Embedding)
	if n := len(of[fsm.AskBrain](d.all)); n != 1 {
		t.Errorf("%d model calls, want no summary of the report", n)
	}
	d.embeds()
	e := one[fsm.Store](d).Entry
	if e.Kind != fsm.KindInit || e.Summary != "nothing, this is Linux" || e.Session != "init" {
		t.Errorf("stored %+v", e)
	}
}

func TestLIF5ServingBeginsWhenTheInitialInferenceHasEnded(t *testing.T) {
	ends := []struct {
		name string
		end  func(*driver)
	}{
		{"well", func(d *driver) { d.answer("a report"); d.embeds(); d.stores() }},
		{"failed", func(d *driver) { d.brainFails(fsm.BrainUnreachable, "no server") }},
		{"timed out", func(d *driver) { d.timeUp() }},
		{"timed out in memory", func(d *driver) { d.answer("a report"); d.timeUp() }},
		{"timed out in a tool", func(d *driver) { d.calls("list_dir"); d.timeUp(); d.toolStops() }},
		{"never stored", func(d *driver) {
			d.answer("a report")
			d.embeds()
			for range d.config.Limits.MaxStoreAttempts {
				d.storeFails("disk full")
			}
		}},
	}
	for _, tt := range ends {
		t.Run(tt.name, func(t *testing.T) {
			d := initializing(t)
			d.ask("hello") // waits in the meantime
			d.inStates(state.Execution, state.Queued)
			tt.end(d)
			d.inLifecycle(state.Serving)
			d.inStates(state.Cognition)
			no[fsm.Reply](d)
		})
	}
}

func TestLIF5WithoutAnInitialInferenceABootServesAtOnce(t *testing.T) {
	d := serving(t)
	d.inLifecycle(state.Serving)
	if len(d.effects) > 0 {
		t.Errorf("effects %+v", d.effects)
	}
}

func TestLIF6ASignalParksWhatIsQueued(t *testing.T) {
	d := serving(t)
	d.ask("active")
	waits := d.ask("waits")
	d.raise("full")
	d.signal()
	d.inLifecycle(state.Draining)
	d.inStates(state.Cognition, state.Parked, state.Parked)
	if n := one[fsm.Notify](d); n.Request != waits || n.Notice != fsm.NoticeDeferred {
		t.Errorf("notice %+v", n)
	}
	if set := one[fsm.SetTimer](d); set.Purpose != fsm.TimerGrace || set.After != 300*fsm.Second {
		t.Errorf("timer %+v", set)
	}
}

func TestLIF6ARequestThatArrivesWhileDrainingIsParked(t *testing.T) {
	d := serving(t)
	d.ask("active")
	d.signal()
	late := d.ask("late")
	d.inStates(state.Cognition, state.Parked)
	if n := one[fsm.Notify](d); n.Request != late {
		t.Errorf("notice %+v", n)
	}
}

func TestLIF7ASignalWhileInitializingAbortsTheInitialInference(t *testing.T) {
	tests := []struct {
		name string
		to   func(*driver)
	}{
		{"thinking", func(d *driver) {}},
		{"embedding", func(d *driver) { d.answer("a report") }},
		{"storing", func(d *driver) { d.answer("a report"); d.embeds() }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := initializing(t)
			waits := d.ask("hello")
			tt.to(d)
			d.signal()
			d.inLifecycle(state.Farewell)
			d.inStates(state.Parked, state.Cognition)
			one[fsm.AbortCall](d)
			if n := one[fsm.Notify](d); n.Request != waits {
				t.Errorf("notice %+v", n)
			}
			if r := one[fsm.Report](d); r.Text != "error: shutting down" || r.Kind != fsm.KindInit {
				t.Errorf("report %+v", r)
			}
		})
	}
}

// A client whose request has been parked since the previous epoch may have sent it again.
func TestLIF7ASignalWhileInitializingTellsThoseWhoAreParkedAlready(t *testing.T) {
	d := serving(t)
	active, waits := d.ask("active"), d.ask("waits")
	d.config.Init = fsm.InitEveryStart
	d.boot()
	d.signal()
	d.inStates(state.Parked, state.Parked, state.Cognition)
	var told []fsm.RequestKey
	for _, n := range of[fsm.Notify](d.effects) {
		told = append(told, n.Request)
	}
	if !slices.Equal(told, []fsm.RequestKey{active, waits}) {
		t.Errorf("told %v", told)
	}
}

func TestLIF7TheFarewellWaitsForTheToolOfAnAbortedInitialInference(t *testing.T) {
	d := initializing(t)
	d.calls("send_mail")
	d.signal()
	d.inLifecycle(state.Draining)
	d.inStates(state.Stopping)
	d.toolStops()
	d.inLifecycle(state.Farewell)
}

func TestLIF8TheActiveHandleIsFinishedBeforeTheFarewell(t *testing.T) {
	d := serving(t)
	key := d.ask("hello")
	d.signal()
	d.answer("good day")
	d.remember()
	d.replied(key, "good day")
	d.inLifecycle(state.Farewell)
	if n := len(of[fsm.ClearTimer](d.effects)); n != 2 {
		t.Errorf("%d timers are cleared, want the handle's and the grace", n)
	}
}

// One that fails in the meantime fails as ever.
func TestLIF8AHandleThatFailsWhileDraining(t *testing.T) {
	d := driverOf(t, "nanobot")
	d.boot()
	key := d.ask("hello")
	d.signal()
	d.inStates(state.Loading)
	for range d.config.Limits.MaxStoreAttempts {
		d.loadFails("no disk")
	}
	d.refused(key, "error: the session could not be read: no disk")
	d.inLifecycle(state.Farewell)
}

func TestLIF8WhatIsStillActiveAfterTheGraceIsParked(t *testing.T) {
	phases := []struct {
		name string
		to   func(*driver)
	}{
		{"cognition", func(d *driver) {}},
		{"a tool", func(d *driver) { d.calls("send_mail") }},
		{"recalling", func(d *driver) { d.answer("NEED: more") }},
		{"execution", untilExecution},
		{"summarizing", func(d *driver) { d.answer("good day") }},
		{"embedding", func(d *driver) { d.answer("good day"); d.answer("a summary") }},
		{"storing", func(d *driver) { d.answer("good day"); d.answer("a summary"); d.embeds() }},
	}
	for _, tt := range phases {
		t.Run(tt.name, func(t *testing.T) {
			d := serving(t)
			key := d.ask("hello")
			tt.to(d)
			call := d.active().Await.Call
			d.signal()
			d.graceUp()
			d.inLifecycle(state.Farewell)
			d.inStates(state.Parked, state.Cognition)
			no[fsm.Reply](d)
			if n := one[fsm.Notify](d); n.Request != key {
				t.Errorf("notice %+v", n)
			}
			if got := one[fsm.AbortCall](d).Call; got != call {
				t.Errorf("call %d is aborted, not %d", got, call)
			}
			if n := d.m.View().Ignored.Timers; n != 0 {
				t.Errorf("%d timers are ignored", n)
			}
			// A journal is replayed to the same effects in the same order (JRN-1): the clock stops before the client is told.
			clears := slices.IndexFunc(d.effects, func(e fsm.Effect) bool { _, ok := e.(fsm.ClearTimer); return ok })
			tells := slices.IndexFunc(d.effects, func(e fsm.Effect) bool { _, ok := e.(fsm.Notify); return ok })
			if clears < 0 || clears > tells {
				t.Errorf("effects %+v", d.effects)
			}
		})
	}
}

func TestLIF8AnAbortedToolIsNotWaitedForAfterTheGrace(t *testing.T) {
	d := serving(t)
	d.ask("hello")
	d.calls("send_mail")
	d.timeUp()
	d.signal()
	d.inStates(state.Stopping)
	d.graceUp()
	d.inLifecycle(state.Farewell)
	d.inStates(state.Cognition)
	no[fsm.Notify](d)
}

func TestLIF9TheFarewellIsHandledAsAnEventIs(t *testing.T) {
	d := serving(t)
	d.signal()
	d.inLifecycle(state.Farewell)
	ask := one[fsm.AskBrain](d)
	if ask.Purpose != fsm.PurposeFarewell || d.lastMessage().Text != d.config.Prompts.Question+"\n\nInput:\n"+d.config.Prompts.Farewell {
		t.Errorf("asked %+v", ask)
	}
	if set := one[fsm.SetTimer](d); set.After != 30*fsm.Second {
		t.Errorf("timer %+v", set)
	}
	d.answer("NEED: what to save")
	d.recalls()
	d.calls("write_note")
	d.toolSays("saved")
	d.answer("I saved a note")
	d.answer("a summary")
	d.embeds()
	if e := one[fsm.Store](d).Entry; e.Kind != fsm.KindFarewell {
		t.Errorf("stored %+v", e)
	}
	d.stores()
	d.inLifecycle(state.Stopped)
	if e := one[fsm.Exit](d); e.Code != fsm.ExitClean {
		t.Errorf("exit %s", e.Code)
	}
}

func TestLIF9AFarewellThatFailsEndsTheEpochToo(t *testing.T) {
	tests := []struct {
		name string
		end  func(*driver)
		code fsm.ExitCode
	}{
		{"the model fails", func(d *driver) { d.brainFails(fsm.BrainUnreachable, "no server") }, fsm.ExitClean},
		{"time is up", func(d *driver) { d.timeUp() }, fsm.ExitTimeout},
		{"time is up while a tool runs", func(d *driver) { d.calls("send_mail"); d.timeUp() }, fsm.ExitTimeout},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := serving(t)
			d.signal()
			tt.end(d)
			d.inLifecycle(state.Stopped)
			d.inStates()
			if e := one[fsm.Exit](d); e.Code != tt.code {
				t.Errorf("exit %s, want %s", e.Code, tt.code)
			}
		})
	}
}

func TestLIF16AShutdownLeavesItToTheNextBootToAskTheModelAgain(t *testing.T) {
	away := func(d *driver) { d.brainFails(fsm.BrainUnreachable, "no server") }
	tests := []struct {
		name    string
		waits   int // that are counted
		edition int
		to      func(*driver)
	}{
		{"it waits already", 1, fsm.TenthEdition, func(d *driver) { away(d); d.signal() }},
		{"it would wait", 1, fsm.TenthEdition, func(d *driver) { d.signal(); away(d) }},
		{"it is silent", 3, fsm.TenthEdition, func(d *driver) { d.signal(); d.waitUp() }},
		{"it waits already, in the ninth edition", 0, fsm.NinthEdition, func(d *driver) { away(d); d.signal() }},
		{"it would wait, in the ninth edition", 0, fsm.NinthEdition, func(d *driver) { d.signal(); away(d) }},
		{"it is silent, in the ninth edition", 0, fsm.NinthEdition, func(d *driver) { d.signal(); d.waitUp() }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, key := paced(t, slowPace)
			d.config.Edition, d.config.Limits.Backoff = tt.edition, []fsm.Millis{fsm.Second, 2 * fsm.Second, 3 * fsm.Second}
			d.boot()
			asked := one[fsm.AskBrain](d)
			tt.to(d)
			if tt.waits == 0 {
				d.inStates(state.Execution)
				d.inLifecycle(state.Draining)
				return
			}
			d.inStates(state.Parked, state.Execution)
			d.inLifecycle(state.Farewell)
			no[fsm.Reply](d)
			if n := one[fsm.Notify](d); n.Request != key || n.Notice != fsm.NoticeDeferred {
				t.Errorf("notice %+v", n)
			}
			if h := d.m.View().Handles[0]; h.Inf.Waits != tt.waits || h.Wait != 0 || h.Timer != 0 {
				t.Errorf("%d waits, timers %d and %d", h.Inf.Waits, h.Wait, h.Timer)
			}
			d.boot()
			again := one[fsm.AskBrain](d)
			asked.Call = again.Call
			if diff := cmp.Diff(asked, again); diff != "" {
				t.Errorf("another question (-first +again):\n%s", diff)
			}
			for range 3 - tt.waits {
				away(d)
				d.waitUp()
			}
			away(d)
			d.refused(key, "error: unreachable: no server")
		})
	}
}

func TestLIF16AFarewellIsNotAskedForAgain(t *testing.T) {
	for _, edition := range []int{fsm.TenthEdition, fsm.NinthEdition} {
		d := newDriver(t)
		d.config.Edition, d.config.Limits.Backoff = edition, []fsm.Millis{fsm.Second}
		d.boot()
		d.signal()
		d.brainFails(fsm.BrainUnreachable, "no server")
		if edition == fsm.NinthEdition {
			d.inLifecycle(state.Farewell)
			continue
		}
		d.inLifecycle(state.Stopped)
		d.inStates()
		if e := one[fsm.Exit](d); e.Code != fsm.ExitClean {
			t.Errorf("exit %s", e.Code)
		}
	}
}

func TestLIF10ASecondSignalStopsAtOnce(t *testing.T) {
	tests := []struct {
		name   string
		to     func(*driver)
		states []fsm.State
	}{
		{"draining", func(d *driver) { d.ask("hello"); d.signal() }, []fsm.State{state.Parked}},
		{"draining with a tool", func(d *driver) { d.ask("hello"); d.calls("send_mail"); d.signal() }, []fsm.State{state.Parked}},
		{"draining with an aborted tool", func(d *driver) { d.ask("hello"); d.calls("send_mail"); d.timeUp(); d.signal() }, nil},
		{"farewell", func(d *driver) { d.signal() }, nil},
		{"farewell in memory", func(d *driver) { d.signal(); d.answer("bye") }, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := serving(t)
			tt.to(d)
			d.signal()
			d.inLifecycle(state.Stopped)
			d.inStates(tt.states...)
			if e := one[fsm.Exit](d); e.Code != fsm.ExitForced {
				t.Errorf("exit %s", e.Code)
			}
			d.signal() // a third has nothing to stop
			if n := d.m.View().Ignored.Signals; n != 1 || len(d.effects) > 0 {
				t.Errorf("%d signals ignored, effects %+v", n, d.effects)
			}
		})
	}
}

func TestLIF11ParkedHandlesComeBackInOrderOfAdmission(t *testing.T) {
	d := serving(t)
	first, second := d.ask("first"), d.ask("second")
	d.signal()
	d.signal()
	d.inStates(state.Parked, state.Parked)
	d.config.Init = fsm.InitEveryStart
	d.boot()
	d.inStates(state.Parked, state.Parked, state.Execution)
	third := d.ask("third")
	d.answer("a report")
	d.embeds()
	d.stores()
	d.inStates(state.Cognition, state.Queued, state.Queued)
	for _, key := range []fsm.RequestKey{first, second, third} {
		d.answer("good day")
		d.remember()
		d.replied(key, "good day")
	}
}

func TestLIF11AQueuedHandleOutlivesACrash(t *testing.T) {
	d := serving(t)
	d.ask("first")
	d.ask("second")
	d.boot()
	d.inStates(state.Cognition, state.Queued)
	no[fsm.Notify](d)
}

func TestLIF12ACrashEndsInitialInferencesAndFarewells(t *testing.T) {
	inits := []struct {
		name string
		to   func(*driver)
	}{
		{"thinking", func(d *driver) {}},
		{"acting", func(d *driver) { d.calls("send_mail") }},
		{"embedding", func(d *driver) { d.answer("a report") }},
		{"storing", func(d *driver) { d.answer("a report"); d.embeds() }},
		{"stopping", func(d *driver) { d.calls("send_mail"); d.timeUp() }},
	}
	for _, tt := range inits {
		t.Run("init "+tt.name, func(t *testing.T) {
			d := initializing(t)
			tt.to(d)
			d.boot()
			d.inStates(state.Execution) // a new one
			if h := d.active(); h.ID != 2 || h.Kind != fsm.KindInit {
				t.Errorf("handle %d of kind %s is active", h.ID, h.Kind)
			}
		})
	}
	farewells := append(inits[:2:2], []struct {
		name string
		to   func(*driver)
	}{
		{"recalling", func(d *driver) { d.answer("NEED: more") }},
		{"summarizing", func(d *driver) { d.answer("bye") }},
		{"embedding", func(d *driver) { d.answer("bye"); d.answer("a summary") }},
		{"storing", func(d *driver) { d.answer("bye"); d.answer("a summary"); d.embeds() }},
	}...)
	for _, tt := range farewells {
		t.Run("farewell "+tt.name, func(t *testing.T) {
			d := serving(t)
			d.signal()
			tt.to(d)
			d.boot()
			d.inLifecycle(state.Serving)
			d.inStates()
		})
	}
}

func TestJRN6ADoubtedHandleWaitsForAPersonAndTheRestGoesOn(t *testing.T) {
	d := serving(t)
	first, second := d.ask("first"), d.ask("second")
	d.step(fsm.Input{At: d.now(), Fact: fsm.Boot{Config: d.config, Doubts: []fsm.Doubt{{Handle: 1, Text: "record 7"}, {Handle: 9}}}})
	d.inStates(state.Parked, state.Cognition)
	if q := one[fsm.AskPerson](d); q.Handle != 1 || q.Question != fsm.QuestionDoubt || q.Text != "record 7" {
		t.Errorf("asked %+v", q)
	}
	if n := one[fsm.Notify](d); n.Request != first || n.Notice != fsm.NoticeHeld {
		t.Errorf("told %+v", n)
	}
	d.answer("good day")
	d.remember()
	d.replied(second, "good day")
	d.boot()
	d.inStates(state.Parked)
	d.step(fsm.Input{At: d.now(), Fact: fsm.Resolved{Handle: 1}})
	d.inStates(state.Cognition)
	d.boot()
	d.inStates(state.Cognition)
}

func TestJRN6ADoubtedHandleThatHasNotBegunWaitsToo(t *testing.T) {
	d := serving(t)
	first := d.ask("first")
	d.ask("second")
	d.inStates(state.Cognition, state.Queued)
	d.step(fsm.Input{At: d.now(), Fact: fsm.Boot{Config: d.config, Doubts: []fsm.Doubt{{Handle: 2, Text: "record 7"}}}})
	d.inStates(state.Cognition, state.Parked)
	if q := one[fsm.AskPerson](d); q.Handle != 2 || q.Question != fsm.QuestionDoubt || q.Text != "record 7" {
		t.Errorf("asked %+v", q)
	}
	d.answer("good day")
	d.remember()
	d.replied(first, "good day")
	d.inStates(state.Parked)
	d.resolves(2, "")
	d.inStates(state.Cognition)
}

// first returns a driver at its first start; its initial inference runs beside requests.
func first(t *testing.T) *driver {
	t.Helper()
	d := newDriver(t)
	d.config.Init, d.config.Switches.InitBeside = fsm.InitFirstStart, true
	d.boot()
	return d
}

func TestLIF14TheFirstBootServesAtOnceAndOthersStartBeside(t *testing.T) {
	d := first(t)
	d.inLifecycle(state.Serving)
	d.inStates(state.Execution)
	d.calls("send_mail")
	d.ask("hello")
	d.inStates(state.Execution, state.Cognition) // although max_active is 1
	if d.m.View().Initialized {
		t.Error("the machine is initialized before the inference has ended")
	}
	d.signal()
	d.inStates(state.Stopping, state.Cognition)
	d.toolStops()
	d.inStates(state.Cognition)
	if d.m.View().Initialized {
		t.Error("an aborted inference counts as one that has ended")
	}
}

// A subagent of the initial inference reports to its session, and a request may name it.
func TestLIF14WhatBelongsToItsSessionWaits(t *testing.T) {
	d := first(t)
	d.calls("send_mail")
	d.in("init", "hello")
	d.inStates(state.Execution, state.Queued)
	d.in("other", "hello")
	d.inStates(state.Execution, state.Queued, state.Cognition)
	d.toolSays("a quiet machine")
	d.inStates(state.Queued, state.Queued, state.Cognition)
	d.answer("good day")
	d.remember()
	d.inStates(state.Queued, state.Cognition)
}

// Until it has begun it delays nothing: it waits itself until nothing else does.
func TestLIF14OneThatHasNotBegunKeepsNobodyWaiting(t *testing.T) {
	d := newDriver(t)
	d.boot()
	d.ask("hello")
	d.config.Init, d.config.Switches.InitBeside = fsm.InitFirstStart, true
	d.boot()
	d.in("init", "hello")
	d.inStates(state.Cognition, state.Queued, state.Queued)
	d.answer("good day")
	d.remember()
	d.inStates(state.Queued, state.Cognition)
}

func TestLIF14ABootAdmitsNoOtherWhereOneIsParked(t *testing.T) {
	d := newDriver(t)
	d.boot()
	d.ask("hello")
	d.config.Init, d.config.Switches.InitBeside = fsm.InitFirstStart, true
	d.boot() // the request continues, so that the initial inference does not begin yet
	d.inStates(state.Cognition, state.Queued)
	d.boot()
	d.inStates(state.Cognition, state.Queued)
	d.answer("good day")
	d.remember()
	d.inStates(state.Execution)
	d.answer("a quiet machine")
	d.embeds()
	d.stores()
	if !d.m.View().Initialized {
		t.Error("the machine is not initialized")
	}
}

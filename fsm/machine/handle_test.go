package machine_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/fsm/state"
)

func TestHND1RequestsAndEventsAreAdmittedInOrder(t *testing.T) {
	d := serving(t)
	d.ask("first")
	d.raise("full")
	d.ask("third")
	d.inStates(state.Cognition, state.Queued, state.Queued)
	for i, want := range []fsm.Kind{fsm.KindUser, fsm.KindEvent, fsm.KindUser} {
		h := d.m.View().Handles[i]
		if h.Kind != want || h.ID != fsm.HandleID(i+1) {
			t.Errorf("handle %d is handle %d of kind %s, want %d of kind %s", i, h.ID, h.Kind, i+1, want)
		}
	}
}

func TestHND2TheOldestStartsInTheStepThatFreesTheSlot(t *testing.T) {
	d := serving(t)
	first := d.ask("first")
	d.raise("full")
	d.ask("third")
	d.answer("done")
	d.remember()
	d.replied(first, "done")
	d.inStates(state.Cognition, state.Queued)
	if h := d.active(); h.Kind != fsm.KindEvent {
		t.Errorf("the %s handle was started, not the event, which is older", h.Kind)
	}
	one[fsm.AskBrain](d)
}

func TestHND3TheMessagesAreTheSystemPromptAndTheInput(t *testing.T) {
	d := serving(t)
	d.ask("what is in this folder?")
	want := []fsm.Message{
		{Role: fsm.RoleSystem, Text: d.config.Prompts.Identity},
		{Role: fsm.RoleUser, Text: d.config.Prompts.Question + "\n\nInput:\nwhat is in this folder?"},
	}
	same(t, want, d.conversation(), unsourced())
	if ask := one[fsm.AskBrain](d); ask.Tools == fsm.NoTools || ask.Purpose != fsm.PurposeAnswer || ask.Session != "s" {
		t.Errorf("asked with tools %q for %s in session %q", ask.Tools, ask.Purpose, ask.Session)
	}
}

func TestHND3NothingIsCarriedOverBetweenHandles(t *testing.T) {
	d := serving(t)
	d.ask("my name is Ada")
	d.answer("hello Ada")
	d.remember()
	d.ask("what is my name?")
	if c := d.conversation(); len(c) != 2 || strings.Contains(c[1].Text, "Ada") {
		t.Errorf("the second request is asked with %+v", c)
	}
}

func TestHND4TheCognitionQuestionIsAskedFirst(t *testing.T) {
	d := serving(t)
	d.ask("hello")
	d.inStates(state.Cognition)
	if text := d.lastMessage().Text; !strings.HasPrefix(text, d.config.Prompts.Question) {
		t.Errorf("the first message is %q", text)
	}
}

func TestHND5TheMarkerAloneDecidesWhetherSomethingIsNeeded(t *testing.T) {
	tests := []struct {
		name   string
		answer string
		need   string
		needed bool
	}{
		{"marker", "NEED: the name of the dog", "the name of the dog", true},
		{"leading blanks", "\n \t NEED: the name", "the name", true},
		{"no blank after it", "NEED:name", "name", true},
		{"nothing after it", "NEED:", "", true},
		{"more lines", "NEED: the name\nof the dog", "the name\nof the dog", true},
		{"lower case", "need: the name", "", false},
		{"mixed case", "Need: the name", "", false},
		{"no colon", "NEED the name", "", false},
		{"within a line", "I NEED: the name", "", false},
		{"on a later line", "Well.\nNEED: the name", "", false},
		{"quoted", "`NEED: the name`", "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := newDriver(t)
			d.config.Switches.Reading = fsm.ReadingPlain // HND-60 reads more
			d.boot()
			d.ask("hello")
			d.answer(tt.answer)
			if !tt.needed {
				d.inStates(state.Summarizing)
				return
			}
			d.inStates(state.Recalling)
			if got := one[fsm.Recall](d).Need; got != tt.need {
				t.Errorf("recalled %q, want %q", got, tt.need)
			}
		})
	}
}

func TestHND6AnAnswerGoesOnToMemory(t *testing.T) {
	d := serving(t)
	d.ask("hello")
	d.answer("  good day \n")
	d.inStates(state.Summarizing)
	no[fsm.Reply](d)
	if got := d.active().Answer; got != "good day" {
		t.Errorf("the answer is %q", got)
	}
}

func TestHND7ANeedIsLookedUpInMemory(t *testing.T) {
	d := serving(t)
	d.ask("what is my dog called?")
	d.answer("NEED: the dog's name")
	d.inStates(state.Recalling)
	if r := one[fsm.Recall](d); r.Need != "the dog's name" || r.TopK != 5 || r.Session != "s" {
		t.Errorf("recall %+v", r)
	}
	no[fsm.AskBrain](d)
}

func TestHND8WhatIsFoundIsInjectedAndTheModelAskedAgain(t *testing.T) {
	d := serving(t)
	key := d.ask("what is my dog called?")
	d.answer("NEED: the dog's name")
	d.recalls("the dog is\ncalled Rex", "there is a cat")
	d.inStates(state.Cognition)
	c := d.conversation()
	if len(c) != 4 || c[2].Role != fsm.RoleAssistant || c[3].Role != fsm.RoleUser {
		t.Fatalf("the model is asked with %+v", c)
	}
	for _, want := range []string{"the dog's name", "- the dog is called Rex\n", "- there is a cat\n"} {
		if !strings.Contains(c[3].Text, want) {
			t.Errorf("the injected message lacks %q: %q", want, c[3].Text)
		}
	}
	d.answer("Rex")
	d.remember()
	d.replied(key, "Rex")
}

func TestHND9TheModelIsToldThatNothingWasFound(t *testing.T) {
	tests := []struct {
		name   string
		recall func(*driver)
		want   string
	}{
		{"nothing", func(d *driver) { d.recalls() }, "Your memory holds nothing about it."},
		{"broken", func(d *driver) { d.recallFails("index is gone") }, "Your memory could not be read (index is gone)."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := serving(t)
			d.ask("what is my dog called?")
			d.answer("NEED: the dog's name")
			tt.recall(d)
			d.inStates(state.Cognition)
			if text := d.lastMessage().Text; !strings.Contains(text, tt.want) || !strings.Contains(text, "the dog's name") {
				t.Errorf("the model gets %q", text)
			}
		})
	}
}

// untilExecution makes the model need something in every cognition round.
func untilExecution(d *driver) {
	d.t.Helper()
	for range d.config.Limits.MaxCognitionRounds {
		d.answer("NEED: more")
		d.recalls("something")
	}
}

func TestHND10AfterTheLastRoundTheModelInfersWithoutTheQuestion(t *testing.T) {
	d := serving(t)
	key := d.ask("hello")
	d.answer("NEED: more")
	d.recalls("something")
	d.inStates(state.Cognition)
	for range d.config.Limits.MaxCognitionRounds - 1 {
		d.answer("NEED: more")
		d.recalls("something")
	}
	d.inStates(state.Execution)
	if n := len(of[fsm.AskBrain](d.all)); n != d.config.Limits.MaxCognitionRounds+1 {
		t.Errorf("%d model calls", n)
	}
	if text := d.lastMessage().Text; !strings.Contains(text, "something") {
		t.Errorf("the last need was not injected: %q", text)
	}
	d.answer("an answer")
	d.remember()
	d.replied(key, "an answer")
}

func TestHND11TheMarkerMeansNothingInExecution(t *testing.T) {
	tests := []struct{ name, answer, reply string }{
		{"one", "NEED: a holiday", "a holiday"},
		{"two", "NEED: NEED: a holiday", "a holiday"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := serving(t)
			key := d.ask("hello")
			untilExecution(d)
			d.answer(tt.answer)
			d.inStates(state.Summarizing)
			d.remember()
			d.replied(key, tt.reply)
		})
	}
}

func TestHND11AMarkerWithNothingAfterItIsAnEmptyAnswer(t *testing.T) {
	d := serving(t)
	key := d.ask("hello")
	untilExecution(d)
	d.answer("NEED:")
	d.refused(key, "error: the model gave an empty answer")

	d, key = bare(t, nil) // also where the model is not told about it
	d.answer("NEED:")
	d.refused(key, "error: the model gave an empty answer")
	if r := one[fsm.Reply](d); r.Outcome != fsm.OutcomeFailed {
		t.Errorf("the outcome is %q", r.Outcome)
	}
}

func TestHND16AFailedInferenceIsRepliedAsAnError(t *testing.T) {
	d := serving(t)
	key := d.ask("hello")
	d.brainFails(fsm.BrainUnreachable, "connection refused")
	d.refused(key, "error: unreachable: connection refused")
	d.inStates()
	if n := len(of[fsm.Store](d.all)); n > 0 {
		t.Errorf("a failed handle stored %d entries", n)
	}
}

func TestHND16AFailedEventIsReported(t *testing.T) {
	d := serving(t)
	d.raise("full")
	d.brainFails(fsm.BrainGarbage, "no JSON")
	no[fsm.Reply](d)
	if r := one[fsm.Report](d); r.Text != "error: garbage: no JSON" || r.Kind != fsm.KindEvent {
		t.Errorf("report %+v", r)
	}
}

func TestHND17AnEventIsDescribedInWordsAndHasNoReply(t *testing.T) {
	tests := []struct {
		event fsm.EventRaised
		want  string
	}{
		{fsm.EventRaised{Source: "disk", Subject: "/var", Event: "full", Detail: "2 % left"}, "System event from disk: full (/var). 2 % left"},
		{fsm.EventRaised{Source: "disk", Event: "full"}, "System event from disk: full."},
		{fsm.EventRaised{Source: "load", Event: "high", Detail: "9.1"}, "System event from load: high. 9.1"},
	}
	for _, tt := range tests {
		t.Run(tt.want, func(t *testing.T) {
			d := serving(t)
			d.step(fsm.Input{At: d.now(), Fact: tt.event})
			if text := d.lastMessage().Text; !strings.HasSuffix(text, "\n"+tt.want) {
				t.Errorf("the model gets %q", text)
			}
			d.answer("I cleaned up")
			d.remember()
			no[fsm.Reply](d)
			no[fsm.Report](d)
			d.inStates()
			if e := of[fsm.Store](d.all)[0].Entry; e.Kind != fsm.KindEvent || e.Session != "event:"+tt.event.Source {
				t.Errorf("stored %+v", e)
			}
		})
	}
}

func TestHND18TimeIsUpBeforeThereIsAnAnswer(t *testing.T) {
	tests := []struct {
		name string
		to   func(*driver)
	}{
		{"cognition", func(d *driver) {}},
		{"recalling", func(d *driver) { d.answer("NEED: more") }},
		{"execution", untilExecution},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := serving(t)
			key := d.ask("hello")
			if set := one[fsm.SetTimer](d); set.After != 300*fsm.Second || set.Purpose != fsm.TimerHandle {
				t.Errorf("timer %+v", set)
			}
			tt.to(d)
			call := d.active().Await.Call
			d.timeUp()
			d.refused(key, "error: timed out after 300s")
			if got := one[fsm.AbortCall](d).Call; got != call {
				t.Errorf("call %d is aborted, not %d", got, call)
			}
			d.inStates()
		})
	}
}

func TestHND19TimeIsUpWhileAToolRuns(t *testing.T) {
	ends := []struct {
		name string
		end  func(*driver, fsm.CallID)
	}{
		{"it stops", func(d *driver, call fsm.CallID) { d.step(fsm.Input{Fact: fsm.ToolStopped{Answered: fsm.To(call)}}) }},
		{"it answers", func(d *driver, call fsm.CallID) {
			d.step(fsm.Input{Fact: fsm.ToolAnswered{Answered: fsm.To(call), Text: "late"}})
		}},
		{"it hangs", func(d *driver, _ fsm.CallID) { d.timeUp() }},
	}
	for _, tt := range ends {
		t.Run(tt.name, func(t *testing.T) {
			d := serving(t)
			key := d.ask("hello")
			d.calls("send_mail", "list_dir")
			call := d.call(fsm.CallTool)
			d.ask("next")
			d.timeUp()
			d.refused(key, "error: timed out after 300s")
			if got := one[fsm.AbortCall](d).Call; got != call {
				t.Errorf("call %d is aborted, not %d", got, call)
			}
			if set := one[fsm.SetTimer](d); set.Purpose != fsm.TimerAbort || set.After != 10*fsm.Second {
				t.Errorf("timer %+v", set)
			}
			d.inStates(state.Stopping, state.Queued) // the slot is kept
			tt.end(d, call)
			no[fsm.Reply](d)
			d.inStates(state.Cognition)
		})
	}
}

func TestHND24AParkedHandleGoesOnInItsPhase(t *testing.T) {
	phases := []struct {
		name string
		to   func(*driver)
		want fsm.Effect // asked again
	}{
		{"cognition", func(d *driver) {}, fsm.AskBrain{}},
		{"recalling", func(d *driver) { d.answer("NEED: more") }, fsm.Recall{}},
		{"execution", untilExecution, fsm.AskBrain{}},
		{"summarizing", func(d *driver) { d.answer("good day") }, fsm.AskBrain{}},
		{"embedding", func(d *driver) { d.answer("good day"); d.answer("a summary") }, fsm.Embed{}},
		{"storing", func(d *driver) { d.answer("good day"); d.answer("a summary"); d.embeds() }, fsm.Store{}},
	}
	for _, tt := range phases {
		t.Run(tt.name, func(t *testing.T) {
			d := serving(t)
			d.ask("hello")
			tt.to(d)
			state, before := d.active().State, d.effects[len(d.effects)-1]
			d.boot()
			d.inStates(state)
			again := d.effects[len(d.effects)-1]
			if fsm.EffectKind(again) != fsm.EffectKind(tt.want) {
				t.Fatalf("asked again with %T, want %T", again, tt.want)
			}
			ignore := cmp.FilterPath(func(p cmp.Path) bool {
				return p.Last().String() == ".Call" || p.Last().String() == ".At"
			}, cmp.Ignore())
			same(t, before, again, ignore, unsourced())
		})
	}
}

func TestHND25OverMaxQueueARequestIsRefused(t *testing.T) {
	d := newDriver(t)
	d.config.Limits.MaxQueue = 2
	d.boot()
	d.ask("active")
	d.ask("waits")
	d.raise("full")
	key := d.ask("one too many")
	d.refused(key, "error: busy: 2 requests are already waiting (max_queue)")
	d.inStates(state.Cognition, state.Queued, state.Queued)
	d.raise("full again")
	if r := one[fsm.Report](d); r.Kind != fsm.KindEvent {
		t.Errorf("report %+v", r)
	}
	if n := d.m.View().Ignored.Refused; n != 2 {
		t.Errorf("%d are counted as refused", n)
	}
}

func TestHND26ARequestThatIsHereAlreadyIsNotAdmittedAgain(t *testing.T) {
	d := serving(t)
	key := d.ask("hello")
	d.askAs(key, "hello")
	d.inStates(state.Cognition)
	if n := d.m.View().Ignored.Duplicates; n != 1 || len(d.effects) != 0 {
		t.Errorf("%d duplicates, effects %+v", n, d.effects)
	}
	other := key
	other.Principal = "somebody else"
	d.askAs(other, "hello")
	d.inStates(state.Cognition, state.Queued)
}

func TestHND27AParkedHandleKeepsWhatIsLeftOfItsTime(t *testing.T) {
	d := serving(t)
	d.ask("hello")
	d.at += 99 * fsm.Second
	d.raise("full") // at 100 s: the last known time of the epoch
	d.at += 1000 * fsm.Second
	d.boot()
	if set := one[fsm.SetTimer](d); set.After != 200*fsm.Second {
		t.Errorf("%s are left, want 200s", set.After)
	}
	d.at += 999 * fsm.Second // the timer has not fired: the clock has jumped
	d.raise("full")
	d.boot()
	if set := one[fsm.SetTimer](d); set.After != 200*fsm.Second {
		t.Errorf("%s are left after a jump, want 200s", set.After)
	}
	for _, passed := range []fsm.Millis{330 * fsm.Second, 360 * fsm.Second} { // the timer is late, but by no more than a minute
		d = serving(t)
		d.ask("hello")
		d.at += passed - fsm.Second
		d.raise("full")
		d.boot()
		if set := one[fsm.SetTimer](d); set.After != 1 {
			t.Errorf("after %s, %s are left of a time that is up, want 1ms", passed, set.After)
		}
	}
}

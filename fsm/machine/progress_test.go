package machine_test

import (
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/fsm/state"
)

// paced returns a driver that has asked the model, with deadlines that follow its progress.
func paced(t *testing.T, pace fsm.Pace) (*driver, fsm.RequestKey) {
	return bare(t, func(c *fsm.Config) {
		c.Switches.Progress, c.Pace = true, pace
		c.Limits.Backoff = []fsm.Millis{fsm.Second, 30 * fsm.Second}
	})
}

var slowPace = fsm.Pace{Load: 300 * fsm.Second, Idle: 60 * fsm.Second, Reads: 25, Writes: 8}

func (d *driver) comesTo(stage fsm.Stage) {
	d.t.Helper()
	d.step(fsm.Input{At: d.now(), Fact: fsm.BrainProgress{Call: d.active().Await.Call, Stage: stage}})
}

func (d *driver) answerTimer() fsm.Millis {
	d.t.Helper()
	return only[fsm.SetTimer](d, func(s fsm.SetTimer) bool { return s.Purpose == fsm.TimerAnswer }).After
}

func TestINF50EachStageSetsTheTimeOfTheNext(t *testing.T) {
	d, key := paced(t, slowPace)
	h := d.active()
	first := slowPace.FirstToken(h.Inf.Anew, h.Inf.Prompt)
	if got := d.answerTimer(); got != first || first <= 300*fsm.Second || h.Inf.Anew != h.Inf.Prompt {
		t.Errorf("%s to the first token of %d new ones, want %s", got, h.Inf.Anew, first)
	}
	d.comesTo(fsm.StageLoading)
	one[fsm.ClearTimer](d)
	if got := d.answerTimer(); got != first {
		t.Errorf("while loading %s, want %s", got, first)
	}
	d.comesTo(fsm.StageAccepted)
	d.comesTo(fsm.StageWriting)
	if got, want := d.answerTimer(), slowPace.Rest(d.config.Limits.ContextTokens); got != want {
		t.Errorf("while writing %s, want %s", got, want)
	}
	d.comesTo(fsm.StageAccepted) // it has left that stage
	if len(d.effects) != 0 || d.m.View().Ignored.Progress != 1 {
		t.Errorf("effects %+v, %+v", d.effects, d.m.View().Ignored)
	}
	d.answer("good day")
	d.replied(key, "good day")
}

func TestINF50ASilentCallIsMadeOnceMore(t *testing.T) {
	d, key := paced(t, slowPace)
	d.waitUp()
	one[fsm.AbortCall](d)
	d.inStates(state.Execution)
	if set := only[fsm.SetTimer](d, func(s fsm.SetTimer) bool { return s.Purpose == fsm.TimerBackoff }); set.After != 30*fsm.Second {
		t.Errorf("it waits %s", set.After)
	}
	d.waitUp()
	one[fsm.AskBrain](d)
	if h := d.active(); h.Inf.Anew != h.Inf.Prompt { // a call that was given up leaves nothing that can be relied on
		t.Errorf("%d of %d tokens are to be read", h.Inf.Anew, h.Inf.Prompt)
	}
	d.waitUp()
	reply := one[fsm.Reply](d)
	if reply.Request != key || !strings.Contains(reply.Text, "no progress for") || !strings.Contains(reply.Text, "brain.timeouts.load") {
		t.Errorf("got %+v; want Request %+v, Text with %q and %q", reply, key, "no progress for", "brain.timeouts.load")
	}
}

// A speed that was learnt from a faster model would give no call of a slower one its time. What was
// waited for decides which speed is doubted; before the seventh edition none was.
func TestINF50ASilentCallMakesItsSpeedDoubtful(t *testing.T) {
	for _, c := range []struct {
		edition       int
		stage         fsm.Stage
		reads, writes int
	}{
		{fsm.SeventhEdition, fsm.StageLoading, 60, 12},
		{fsm.SeventhEdition, fsm.StageAccepted, 20, 12},
		{fsm.SeventhEdition, fsm.StageWriting, 60, 4},
		{fsm.SixthEdition, fsm.StageAccepted, 60, 12},
	} {
		d, _ := bare(t, func(o *fsm.Config) {
			o.Switches.Progress, o.Pace, o.Edition = true, fsm.Pace{Load: 1, Idle: 1, Reads: 60, Writes: 12}, c.edition
			o.Limits.Backoff = []fsm.Millis{fsm.Second}
		})
		d.comesTo(c.stage)
		d.waitUp()
		if s := d.m.View(); s.Reads != c.reads || s.Writes != c.writes {
			t.Errorf("edition %d, silent while %s: %d read and %d written a second, want %d and %d", c.edition, c.stage, s.Reads, s.Writes, c.reads, c.writes)
		}
		d.waitUp()
		h := d.active()
		if got, want := d.answerTimer(), (fsm.Pace{Load: 1, Reads: c.reads}).FirstToken(h.Inf.Prompt, h.Inf.Prompt); got != want {
			t.Errorf("edition %d, silent while %s: the next call has %s, want %s", c.edition, c.stage, got, want)
		}
	}
}

// The reply names the setting that bounds the stage in which the call was silent.
func TestINF50TheReplyNamesTheSettingOfTheStage(t *testing.T) {
	for stage, setting := range map[fsm.Stage]string{ // order-free
		fsm.StageLoading: "brain.timeouts.load", fsm.StageAccepted: "brain.timeouts.load", fsm.StageWriting: "brain.timeouts.idle",
	} {
		d, key := paced(t, slowPace)
		for range 2 {
			d.comesTo(stage)
			d.waitUp()
			if len(of[fsm.Reply](d.effects)) == 0 {
				d.waitUp()
			}
		}
		if reply := one[fsm.Reply](d); reply.Request != key || !strings.Contains(reply.Text, setting) {
			t.Errorf("silent while %s: %q", stage, reply.Text)
		}
	}
}

func TestINF50WithoutTheSwitchACallHasNoTimer(t *testing.T) {
	d, _ := bare(t, nil)
	if d.active().Wait != 0 {
		t.Error("a timer is armed")
	}
	d.comesTo(fsm.StageLoading)
	if len(d.effects) != 0 || d.active().Inf.Stage != "" {
		t.Errorf("effects %+v", d.effects)
	}
}

func TestINF50SpeedsAreLearnt(t *testing.T) {
	d, _ := paced(t, fsm.Pace{Load: 1, Idle: 1})
	reads := d.active().Inf.Prompt
	d.step(fsm.Input{At: d.now(), Fact: fsm.BrainAnswered{
		Answered: fsm.To(d.call(fsm.CallBrain)), Stop: fsm.StopToolUse, Calls: []fsm.ToolCall{{ID: "1", Name: "list_dir", Args: "{}"}},
		Tokens: fsm.Tokens{Prompt: 500, Answer: 160, Reading: 20 * fsm.Second, Writing: 20 * fsm.Second},
	}})
	if s := d.m.View(); s.Reads != 25 || s.Writes != 8 {
		t.Errorf("%d read and %d written a second, of %d", s.Reads, s.Writes, reads)
	}
	d.toolSays("a.txt")
	if h := d.active(); h.Inf.Anew >= h.Inf.Prompt-100 && h.Inf.Prompt > 100 || h.Inf.Anew < 1 { // INF-51
		t.Errorf("%d of %d are new", h.Inf.Anew, h.Inf.Prompt)
	}
	d.boot()
	if s := d.m.View(); s.Reads != 25 || s.Writes != 8 {
		t.Errorf("after a boot that names no speed: %d and %d", s.Reads, s.Writes)
	}
	d.config.Pace.Reads = 100
	d.boot()
	if s := d.m.View(); s.Reads != 100 || s.Writes != 8 {
		t.Errorf("after a boot that names one: %d and %d", s.Reads, s.Writes)
	}
}

// If the server does not count a prompt, the speed is learnt from the estimate; without deadlines
// nothing is learnt.
func TestINF50WhatASpeedIsLearntFrom(t *testing.T) {
	for progress, prompt := range map[bool]int{true: 0, false: 500} { // order-free
		d, _ := bare(t, func(c *fsm.Config) {
			c.Switches.Progress, c.Prompts.Identity = progress, strings.Repeat("Be kind. ", 100)
		})
		want, writes := d.active().Inf.Anew/2, 8
		if progress != (want > 100) {
			t.Fatalf("%d tokens are to be read", 2*want)
		}
		if !progress {
			want, writes = 0, 0
		}
		d.step(fsm.Input{At: d.now(), Fact: fsm.BrainAnswered{
			Answered: fsm.To(d.call(fsm.CallBrain)), Stop: fsm.StopEndTurn, Text: "good day",
			Tokens: fsm.Tokens{Prompt: prompt, Answer: 160, Reading: 2 * fsm.Second, Writing: 20 * fsm.Second},
		}})
		if s := d.m.View(); s.Reads != want || s.Writes != writes {
			t.Errorf("progress %t: %d read and %d written a second, want %d and %d", progress, s.Reads, s.Writes, want, writes)
		}
	}
}

// INF-51: the part that a prompt shares with the last one is not read again.
func TestINF51WhatIsCachedIsNotWaitedFor(t *testing.T) {
	d, _ := paced(t, slowPace)
	whole := d.active().Inf.Anew
	d.calls("list_dir")
	d.toolSays("a.txt")
	if again := d.active().Inf.Anew; again >= whole || again < 1 {
		t.Errorf("%d tokens at first, then %d", whole, again)
	}
	d.comesTo(fsm.StageLoading)
	if h := d.active(); h.Inf.Anew != h.Inf.Prompt {
		t.Errorf("a model that is loaded has %d of %d tokens to read", h.Inf.Anew, h.Inf.Prompt)
	}
}

// INF-51: the slot also holds the answer to the last prompt. The reading speed is learnt from the
// tokens that were really read: 60 in two seconds, not 800 with the answer.
func TestINF51AnAnswerIsCachedAndNoSpeedIsLearntFromIt(t *testing.T) {
	for _, c := range []struct {
		name, thinks string
		held         bool
	}{{"an answer", "", true}, {"one after thinking, which the next prompt leaves out", "well", false}} {
		d := driverOf(t, "default")
		d.config.Switches.TellTime, d.config.Switches.NoCognition, d.config.Switches.Remember = false, true, fsm.RememberOff
		d.boot()
		d.ask("hello")
		d.loads(fsm.Session{})
		long := "good day, " + strings.Repeat("and a fine one it is, ", 150)
		d.step(fsm.Input{At: d.now(), Fact: fsm.BrainAnswered{
			Answered: fsm.To(d.call(fsm.CallBrain)), Text: long, Thinking: c.thinks, Stop: fsm.StopEndTurn,
			Tokens: fsm.Tokens{Prompt: 1000, Answer: 800, Reading: 40 * fsm.Second, Writing: 100 * fsm.Second},
		}})
		d.saves()
		d.ask("and now?")
		d.loads(fsm.Session{Version: 1, History: []fsm.Message{{Role: fsm.RoleUser, Text: "hello"}, {Role: fsm.RoleAssistant, Text: long, Thinking: c.thinks}}})
		anew := d.active().Inf.Anew
		if anew < 60 != c.held {
			t.Errorf("%s: the next turn has %d tokens to read", c.name, anew)
		}
		learnt := d.m.View().Reads
		d.step(fsm.Input{At: d.now(), Fact: fsm.BrainAnswered{
			Answered: fsm.To(d.call(fsm.CallBrain)), Text: "fine", Stop: fsm.StopEndTurn, Tokens: fsm.Tokens{Prompt: d.active().Inf.Prompt, Reading: 2 * fsm.Second, Answer: 1, Writing: 1},
		}})
		if s := d.m.View(); c.held && s.Reads != learnt {
			t.Errorf("the reading speed is %d tokens a second; it was %d before an answer that the slot held", s.Reads, learnt)
		}
	}
}

// INF-51, BRN-47: what the server says it has read is what the speed is learnt from, however much
// was expected to be cached. Before the fifteenth edition it was not.
func TestINF51TheSpeedIsThatOfWhatTheServerSaysItRead(t *testing.T) {
	for edition, want := range map[int]int{fsm.FifteenthEdition: 50, fsm.FourteenthEdition: 250} { // order-free
		d, _ := bare(t, func(c *fsm.Config) {
			c.Switches.Progress, c.Edition = true, edition
		})
		d.step(fsm.Input{At: d.now(), Fact: fsm.BrainAnswered{
			Answered: fsm.To(d.call(fsm.CallBrain)), Stop: fsm.StopEndTurn, Text: "yes",
			Tokens: fsm.Tokens{Prompt: 1000, Read: 200, Answer: 1, Reading: 4 * fsm.Second, Writing: 1},
		}})
		if got := d.m.View().Reads; got != want {
			t.Errorf("edition %d: %d tokens a second, want %d", edition, got, want)
		}
	}
}

// INF-51: what the slot holds is corrected as the new prompt is, also where the answer between
// them taught the correction. Before the seventh edition it was not.
func TestINF51WhatIsCachedIsCorrectedAsThePromptIs(t *testing.T) {
	for edition, late := range map[int]bool{fsm.SeventhEdition: false, fsm.SixthEdition: true} { // order-free
		d, _ := bare(t, func(c *fsm.Config) {
			c.Switches.Progress, c.Prompts.Identity, c.Edition = true, strings.Repeat("Be kind. ", 100), edition
		})
		whole := d.active().Inf.Prompt
		d.step(fsm.Input{At: d.now(), Fact: fsm.BrainAnswered{
			Answered: fsm.To(d.call(fsm.CallBrain)), Stop: fsm.StopToolUse, Calls: []fsm.ToolCall{{ID: "1", Name: "list_dir", Args: "{}"}},
			Tokens: fsm.Tokens{Prompt: 2 * whole, Answer: 20, Reading: 20 * fsm.Second, Writing: 20 * fsm.Second},
		}})
		d.toolSays("a.txt")
		h := d.active()
		if h.Inf.Prompt < 2*whole {
			t.Fatalf("the prompt of %d tokens is not corrected, after one of %d that had twice as many", h.Inf.Prompt, whole)
		}
		if late != (h.Inf.Anew > whole) || !late && h.Inf.Anew > 60 {
			t.Errorf("edition %d: %d of %d tokens are to be read", edition, h.Inf.Anew, h.Inf.Prompt)
		}
	}
}

// INF-51: in a new session nothing has corrected the estimates yet, so a server may count twice as
// many tokens; what it holds is as much more. Before the seventh edition the difference was taken
// to be read, and the machine to be many times as fast as it is.
func TestINF51NoSpeedIsLearntFromAnEstimateThatIsTooLow(t *testing.T) {
	for _, edition := range []int{fsm.SeventhEdition, fsm.SixthEdition} {
		d := places(t, 1, func(c *fsm.Config) {
			c.Switches.TellTime, c.Prompts.Identity, c.Edition = false, strings.Repeat("Be kind. ", 100), edition
		})
		var whole, anew, took int
		for _, text := range []string{"hello", "good morning to all of you, and good luck"} {
			d.in(text, text)
			d.loads(fsm.Session{})
			whole, anew = d.active().Inf.Prompt, d.active().Inf.Anew
			took = 2 * anew * 1000 / 60
			d.step(fsm.Input{At: d.now(), Fact: fsm.BrainAnswered{
				Answered: fsm.To(d.call(fsm.CallBrain)), Text: "good day", Stop: fsm.StopEndTurn,
				Tokens: fsm.Tokens{Prompt: 2 * whole, Answer: 3, Reading: fsm.Millis(took), Writing: fsm.Second},
			}})
			d.saves()
		}
		want := 60
		if edition < fsm.SeventhEdition {
			want = (3*60 + (whole+anew)*1000/took) / 4
		}
		if reads := d.m.View().Reads; reads != want {
			t.Errorf("edition %d: %d tokens a second, want %d", edition, reads, want)
		}
	}
}

// After a side call, whose last message is in no other prompt, the next turn begins with
// the messages before that one.
func TestINF51ASideCallKeepsWhatStandsBeforeItCached(t *testing.T) {
	d := driverOf(t, "default")
	d.config.Switches.TellTime, d.config.Switches.NoCognition, d.config.Prompts.Identity = false, true, strings.Repeat("Be kind. ", 100)
	d.boot()
	d.ask("hello")
	d.loads(fsm.Session{})
	whole := d.active().Inf.Anew
	d.answer("good day, " + strings.Repeat("and a fine one it is, ", 50))
	d.saves()
	d.inStates(state.Summarizing)
	if again := d.active().Inf.Anew; again >= whole/2 {
		t.Errorf("the summary has %d tokens to read, the turn had %d", again, whole)
	}
	d.ask("and now?")
	d.loads(fsm.Session{Version: 1, History: []fsm.Message{
		{Role: fsm.RoleUser, Text: "hello"}, {Role: fsm.RoleAssistant, Text: "good day, " + strings.Repeat("and a fine one it is, ", 50)},
	}})
	for i := range d.m.View().Handles {
		if h := &d.m.View().Handles[i]; h.Kind == fsm.KindUser && (h.Inf.Anew > 60 || h.Inf.Anew < fsm.TextTokens("and now?")) {
			t.Errorf("the next turn has %d of %d tokens to read", h.Inf.Anew, h.Inf.Prompt)
		}
	}
}

// If one message of a prompt differs, the system prompt and the tools are not read again.
func TestINF51WithAnotherQuestionTheSystemPromptStaysCached(t *testing.T) {
	d, _ := bare(t, func(c *fsm.Config) {
		c.Switches.Progress, c.Prompts.Identity = true, strings.Repeat("Be kind. ", 100)
	})
	whole := d.active().Inf.Anew
	d.answer("good day")
	d.ask("and now?")
	if h := d.active(); h.Inf.Anew > whole/2 || h.Inf.Anew < fsm.TextTokens("and now?") {
		t.Errorf("the next turn has %d of %d tokens to read", h.Inf.Anew, h.Inf.Prompt)
	}
}

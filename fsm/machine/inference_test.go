package machine_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/fsm/state"
)

func TestINF1AnInferenceAsksTheModelWithItsMessages(t *testing.T) {
	d := serving(t)
	d.ask("hello")
	ask := one[fsm.AskBrain](d)
	if ask.Call != d.call(fsm.CallBrain) || len(ask.Messages()) != 2 || ask.Tools == fsm.NoTools {
		t.Errorf("asked %+v", ask)
	}
}

func TestINF1NoToolsAreOfferedWhereThereAreNone(t *testing.T) {
	d := newDriver(t)
	d.config.Tools = nil
	d.boot()
	d.ask("hello")
	if one[fsm.AskBrain](d).Tools != fsm.NoTools {
		t.Error("tools are offered")
	}
}

func TestINF2ToolUseRunsTheTool(t *testing.T) {
	d := serving(t)
	d.ask("what is here?")
	d.calls("list_dir")
	run := one[fsm.RunTool](d)
	want := fsm.RunTool{Asked: fsm.Asked{Call: d.call(fsm.CallTool), Handle: 1}, Session: "s", Name: "list_dir", Args: `{"n":0}`, Effects: fsm.EffectsNone, Attempt: 1, Key: run.Key,
		Origin: fsm.Origin{Channel: "cli", Chat: "direct"}, // SES-1
	}
	same(t, want, run, unsourced())
	no[fsm.AskBrain](d)
}

func TestINF2ToolCallsCountWhateverTheStopReason(t *testing.T) {
	d := serving(t)
	d.ask("what is here?")
	d.step(fsm.Input{Fact: fsm.BrainAnswered{
		Answered: fsm.To(d.call(fsm.CallBrain)), Stop: fsm.StopEndTurn, Text: "NEED: nothing",
		Calls: []fsm.ToolCall{{Name: "list_dir", Args: "{}"}},
	}})
	one[fsm.RunTool](d)
}

func TestINF3EndTurnEndsTheInferenceWithItsText(t *testing.T) {
	d := serving(t)
	key := d.ask("hello")
	d.answer("good day")
	d.remember()
	d.replied(key, "good day")
}

func TestINF4ToolsRunInTheOrderGiven(t *testing.T) {
	d := serving(t)
	d.ask("look around")
	d.calls("list_dir", "send_mail", "list_dir")
	for i, name := range []string{"list_dir", "send_mail", "list_dir"} {
		if run := one[fsm.RunTool](d); run.Name != name || run.Args != `{"n":`+strconv.Itoa(i)+`}` {
			t.Fatalf("call %d runs %+v", i, run)
		}
		if i == 1 {
			d.toolFails("no mail server")
		} else {
			d.toolSays("result " + strconv.Itoa(i))
		}
	}
	want := []fsm.Message{
		{Role: fsm.RoleTool, Text: "result 0", Tool: "list_dir", ToolCall: "call_0"},
		{Role: fsm.RoleTool, Text: "error: no mail server", Tool: "send_mail", ToolCall: "call_1"},
		{Role: fsm.RoleTool, Text: "result 2", Tool: "list_dir", ToolCall: "call_2"},
	}
	same(t, want, d.conversation()[3:], unsourced())
}

func TestINF5AnAnswerCutAtTheTokenLimitFails(t *testing.T) {
	d := serving(t)
	key := d.ask("hello")
	d.stopsAtTokens("good d")
	d.refused(key, "error: the model's answer was cut at its token limit (max_tokens)")
}

func TestINF6AModelFailureFailsTheInference(t *testing.T) {
	classes := []fsm.BrainClass{
		fsm.BrainNoChat, fsm.BrainCrashed, fsm.BrainBadCall, fsm.BrainUnreachable, fsm.BrainLoading, fsm.BrainBusy, fsm.BrainMissingModel, fsm.BrainNoTools,
		fsm.BrainContextTruncated, fsm.BrainCutStream, fsm.BrainGarbage, fsm.BrainTimeout, fsm.BrainCancelled, fsm.BrainError,
	}
	for _, class := range classes {
		t.Run(string(class), func(t *testing.T) {
			d := serving(t)
			key := d.ask("hello")
			d.brainFails(class, "a reason")
			want := "error: " + string(class) + ": a reason"
			if class == fsm.BrainError {
				want = "error: a reason"
			}
			d.refused(key, want)
		})
	}
}

func TestINF7AskingForToolsBeyondMaxToolRoundsFails(t *testing.T) {
	d := newDriver(t)
	d.config.Limits.MaxToolRounds = 2
	d.boot()
	key := d.ask("look around")
	for range 2 {
		d.calls("list_dir", "list_dir")
		d.toolSays("a.txt")
		d.toolSays("a.txt")
	}
	d.calls("list_dir")
	d.refused(key, "error: the model still asked for tools after 2 rounds (max_tool_rounds)")
}

// The history says of each call why it was not run.
func TestINF7TheCallsBeyondMaxToolRoundsHaveTheirResults(t *testing.T) {
	d, _ := inTurn(t, "default", func(c *fsm.Config) { c.Limits.MaxToolRounds = 1 })
	d.calls("list_dir")
	d.toolSays("a.txt")
	d.calls("list_dir", "send_mail")
	var results []string
	for _, msg := range one[fsm.SaveSession](d).Archive {
		if msg.Role == fsm.RoleTool {
			results = append(results, msg.Tool+" "+msg.ToolCall+" "+msg.Text)
		}
	}
	const limit = "not run: limit (max_tool_rounds)"
	same(t, []string{"list_dir call_0 a.txt", "list_dir call_0 " + limit, "send_mail call_1 " + limit}, results)
}

func TestINF7AnAnswerInTheLastRoundIsTaken(t *testing.T) {
	d := newDriver(t)
	d.config.Limits.MaxToolRounds = 1
	d.boot()
	key := d.ask("look around")
	d.calls("list_dir")
	d.toolSays("a.txt")
	d.answer("one file")
	d.remember()
	d.replied(key, "one file")
}

func TestINF8AnUnknownToolGetsAnErrorAsItsResult(t *testing.T) {
	d := serving(t)
	d.ask("look around")
	d.calls("fly", "swim")
	no[fsm.RunTool](d)
	c := d.conversation()
	for i, name := range []string{"fly", "swim"} {
		want := `error: there is no tool "` + name + `"; the tools are: list_dir, write_note, send_mail, mystery`
		if got := c[3+i].Text; got != want {
			t.Errorf("the result is %q, want %q", got, want)
		}
	}
}

func TestINF9AnEmptyAnswerFails(t *testing.T) {
	for _, stop := range []fsm.Stop{fsm.StopEndTurn, fsm.StopToolUse, "something new"} {
		t.Run(string(stop), func(t *testing.T) {
			d := serving(t)
			key := d.ask("hello")
			d.step(fsm.Input{Fact: fsm.BrainAnswered{Answered: fsm.To(d.call(fsm.CallBrain)), Stop: stop, Text: " \n", Thinking: "hm"}})
			d.refused(key, "error: the model gave an empty answer")
		})
	}
}

func TestINF10CallsBeyondMaxCallsPerAnswerAreNotRun(t *testing.T) {
	d := newDriver(t)
	d.config.Limits.MaxCallsPerAnswer = 1
	d.boot()
	d.ask("look around")
	d.calls("list_dir", "send_mail", "fly")
	d.toolSays("a.txt")
	no[fsm.RunTool](d)
	c := d.conversation()
	for _, i := range []int{4, 5} {
		if got := c[i].Text; !strings.HasPrefix(got, "not run: ") || !strings.Contains(got, "max_calls_per_answer") {
			t.Errorf("the result is %q", got)
		}
	}
}

func TestINF11AnInferenceThatIsGivenUpIsAborted(t *testing.T) {
	for _, from := range []fsm.State{state.Thinking, state.Acting} {
		t.Run(string(from), func(t *testing.T) {
			d := serving(t)
			d.ask("hello")
			if from == state.Acting {
				d.calls("list_dir")
			}
			d.timeUp()
			want := state.Move{Table: "inference", Handle: 1, Kind: fsm.KindUser, From: from, On: state.OnGiveUp, To: state.Aborted}
			if !slices.Contains(d.m.Moves(), want) {
				t.Errorf("the moves are %+v", d.m.Moves())
			}
		})
	}
}

func TestINF12CallsThatWereNotOfferedAreNotTaken(t *testing.T) {
	d := newDriver(t)
	d.config.Tools = nil
	d.boot()
	key := d.ask("hello")
	d.step(fsm.Input{Fact: fsm.BrainAnswered{
		Answered: fsm.To(d.call(fsm.CallBrain)), Stop: fsm.StopToolUse, Text: "good day",
		Calls: []fsm.ToolCall{{Name: "list_dir", Args: "{}"}},
	}})
	no[fsm.RunTool](d)
	d.remember()
	d.replied(key, "good day")
}

// A boot may bring other tools than those with which the inference began.
func TestINF12WhatABootDeclaresDecidesWhatIsOffered(t *testing.T) {
	tests := []struct {
		name      string
		then, now []fsm.ToolDecl
		taken     bool
	}{
		{"tools that are gone", tools(), nil, false},
		{"tools that are new", nil, tools(), true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := newDriver(t)
			d.config.Tools = tt.then
			d.boot()
			d.ask("hello")
			d.config.Tools = tt.now
			d.boot()
			if got := one[fsm.AskBrain](d).Tools != fsm.NoTools; got != tt.taken {
				t.Fatalf("tools are offered: %t", got)
			}
			d.step(fsm.Input{Fact: fsm.BrainAnswered{
				Answered: fsm.To(d.call(fsm.CallBrain)), Stop: fsm.StopToolUse, Text: "good day",
				Calls: []fsm.ToolCall{{Name: "list_dir", Args: "{}"}},
			}})
			if got := d.m.Moves()[0].On == state.OnToolsAsked; got != tt.taken {
				t.Errorf("the call is taken: %t", got)
			}
		})
	}
}

// After a crash the lost steps may take another course: then their keys are not reused.
func TestTOL8AnotherCallAfterALostTailHasAnotherKey(t *testing.T) {
	key := func(input, args string) string {
		d := serving(t)
		d.ask(input)
		d.step(fsm.Input{Fact: fsm.BrainAnswered{
			Answered: fsm.To(d.call(fsm.CallBrain)), Stop: fsm.StopToolUse, Calls: []fsm.ToolCall{{Name: "write_note", Args: args}},
		}})
		return one[fsm.RunTool](d).Key
	}
	was := key("note it", `{"text":"a"}`)
	if again := key("note it", `{"text":"a"}`); again != was {
		t.Errorf("the same call has the keys %q and %q", was, again)
	}
	if other := key("note it", `{"text":"b"}`); other == was {
		t.Errorf("another call has the key %q too", was)
	}
	if other := key("note that", `{"text":"a"}`); other == was {
		t.Errorf("another handle has the key %q too", was)
	}
}

func TestINF13AnUnsafeToolIsNotStartedAgainAfterACrash(t *testing.T) {
	tests := []struct {
		tool  string
		again bool
	}{
		{"list_dir", true},
		{"write_note", true},
		{"send_mail", false},
		{"mystery", false}, // an undeclared tool is unsafe
	}
	for _, tt := range tests {
		t.Run(tt.tool, func(t *testing.T) {
			d := serving(t)
			d.ask("go")
			d.calls("list_dir", tt.tool, "list_dir")
			d.toolSays("first")
			before := one[fsm.RunTool](d)
			d.boot()
			run := one[fsm.RunTool](d)
			if tt.again {
				if run.Name != before.Name || run.Args != before.Args || run.Key != before.Key || run.Call == before.Call {
					t.Fatalf("%+v is started as %+v", before, run)
				}
				d.toolSays("second")
			} else if run.Args != `{"n":2}` {
				t.Fatalf("%+v was started after %+v", run, before)
			}
			d.toolSays("third")
			second := "second"
			if !tt.again {
				second = "interrupted, outcome unknown: check before repeating"
			}
			c := d.conversation()
			if got := []string{c[3].Text, c[4].Text, c[5].Text}; !cmp.Equal(got, []string{"first", second, "third"}) {
				t.Errorf("the results are %q", got)
			}
		})
	}
}

func TestINF13AToolThatIsUnsafeByEitherDeclarationIsNotStartedAgain(t *testing.T) {
	tests := []struct{ then, now fsm.ToolEffects }{
		{fsm.EffectsNone, fsm.EffectsUnsafe},
		{fsm.EffectsUnsafe, fsm.EffectsNone},
	}
	for _, tt := range tests {
		t.Run(string(tt.then)+" then "+string(tt.now), func(t *testing.T) {
			d := newDriver(t)
			d.config.Tools = []fsm.ToolDecl{{Name: "tool", Effects: tt.then}}
			d.boot()
			d.ask("go")
			d.calls("tool")
			d.config.Tools = []fsm.ToolDecl{{Name: "tool", Effects: tt.now}}
			d.boot()
			no[fsm.RunTool](d)
			if got := d.lastMessage().Text; got != fsm.PresentWords().Text(fsm.WordUnknownOutcome) {
				t.Errorf("the result is %q", got)
			}
		})
	}
}

// INF-16: a tool that says that nothing happened leaves no doubt, even if a boot removes it
// before it is started again. The first editions had it unknown.
func TestINF16AToolThatDidNothingAndIsGone(t *testing.T) {
	const gone = "error: there is no tool "
	unknown := fsm.PresentWords().Text(fsm.WordUnknownOutcome)
	for edition, want := range map[int]string{fsm.PresentEdition: gone, fsm.ThirdEdition: gone, fsm.SecondEdition: unknown} { // order-free
		d, _ := inTurn(t, "default", func(c *fsm.Config) { c.Edition, c.Limits.MaxToolAttempts = edition, 3 })
		d.calls("send_mail")
		d.step(fsm.Input{At: d.now(), Fact: fsm.ToolAnswered{Answered: fsm.To(one[fsm.RunTool](d).Call), Text: "busy", Failed: true, Nothing: true}})
		d.config.Tools = d.config.Tools[:1]
		d.boot()
		no[fsm.RunTool](d)
		if got := d.lastMessage().Text; !strings.HasPrefix(got, want) {
			t.Errorf("edition %d: the result is %q", edition, got)
		}
	}
}

// INF-16: the history does not call it unknown what came of it, unless it was started again.
func TestINF16ACancelledToolThatDidNothingIsNotInDoubt(t *testing.T) {
	const doubt = "interrupted, outcome unknown: check before repeating"
	for _, tt := range []struct {
		edition int
		again   bool
		want    string
	}{{fsm.PresentEdition, false, "cancelled, not run"}, {fsm.ThirdEdition, false, "cancelled, not run"}, {fsm.SecondEdition, false, doubt}, {fsm.PresentEdition, true, doubt}} {
		d, key := inTurn(t, "default", func(c *fsm.Config) { c.Edition, c.Limits.MaxToolAttempts = tt.edition, 3 })
		d.calls("send_mail")
		d.step(fsm.Input{At: d.now(), Fact: fsm.ToolAnswered{Answered: fsm.To(one[fsm.RunTool](d).Call), Text: "busy", Failed: true, Nothing: true}})
		if tt.again {
			d.waitUp()
		}
		d.cancels(key)
		if tt.again {
			d.step(fsm.Input{At: d.now(), Fact: fsm.ToolStopped{Answered: fsm.To(one[fsm.AbortCall](d).Call)}})
		}
		if got := one[fsm.SaveSession](d).Archive[2]; got.Tool != "send_mail" || got.Text != tt.want {
			t.Errorf("edition %d, started again %t: the archive has %q of %s", tt.edition, tt.again, got.Text, got.Tool)
		}
	}
}

func TestINF14EveryCallerRunsTheSameInference(t *testing.T) {
	callers := []struct {
		purpose fsm.Purpose
		to      func(*driver)
	}{
		{fsm.PurposeAnswer, func(d *driver) { d.boot(); d.ask("hello") }},
		{fsm.PurposeAnswer, func(d *driver) { d.boot(); d.ask("hello"); untilExecution(d) }},
		{fsm.PurposeInit, func(d *driver) { d.config.Init = fsm.InitEveryStart; d.boot() }},
		{fsm.PurposeFarewell, func(d *driver) { d.boot(); d.signal() }},
	}
	for _, tt := range callers {
		t.Run(string(tt.purpose), func(t *testing.T) {
			d := newDriver(t)
			tt.to(d)
			var path []fsm.State
			watch := func() {
				for _, mv := range d.m.Moves() {
					if mv.Table == state.InferenceTable.Name && !mv.Stays() {
						path = append(path, mv.To)
					}
				}
			}
			if got := of[fsm.AskBrain](d.effects)[0].Purpose; got != tt.purpose {
				t.Errorf("asked for %s", got)
			}
			d.calls("list_dir")
			watch()
			d.toolSays("a.txt")
			watch()
			d.answer("done")
			watch()
			if want := []fsm.State{state.Acting, state.Thinking, state.Completed}; !cmp.Equal(path, want) {
				t.Errorf("the inference went through %s, want %s", path, want)
			}
		})
	}
}

func TestINF33ACallOfAnAnswerThatWasCutWhileThinkingIsNotRun(t *testing.T) {
	d, _ := inTurn(t, "default", nil)
	d.step(fsm.Input{At: d.now(), Fact: fsm.BrainAnswered{
		Answered: fsm.To(d.call(fsm.CallBrain)), Stop: fsm.StopMaxTokens, Thinking: "first I look, then",
		Calls: []fsm.ToolCall{{ID: "call_0", Name: "exec", Args: `{"command":"ls"}`}},
	}})
	h := d.active()
	if h.Await.Kind != fsm.CallBrain || !h.Inf.Unthinking || len(h.Inf.Calls) != 0 {
		t.Fatalf("awaits %s with %d calls, unthinking %t; want the model to be asked again without thinking, and no call", h.Await.Kind, len(h.Inf.Calls), h.Inf.Unthinking)
	}
	if last := h.Talk.Messages[len(h.Talk.Messages)-1]; last.Role != fsm.RoleUser {
		t.Errorf("the last message is %+v, want the question: the cut answer is not added", last)
	}
}

// thinksTooLong answers as a model does whose thinking was cut.
func (d *driver) thinksTooLong() {
	d.t.Helper()
	d.step(fsm.Input{At: d.now(), Fact: fsm.BrainAnswered{Answered: fsm.To(d.call(fsm.CallBrain)), Stop: fsm.StopMaxTokens, Thinking: "first I look, then"}})
}

// The notice in a reply is about its own answer: not about a consolidation before it, nor does a
// summary after it take the notice away.
func TestINF33TheNoticeIsAboutTheAnswer(t *testing.T) {
	d, s := overflowing(t, "nanobot", 1)
	key := d.ask("hello")
	d.loads(s)
	d.thinksTooLong()
	if ask := one[fsm.AskBrain](d); ask.Purpose != fsm.PurposeCompact || !ask.NoThinking {
		t.Fatalf("asked for %s, without thinking: %t", ask.Purpose, ask.NoThinking)
	}
	d.answer(consolidation)
	d.answer("good day")
	d.replied(key, "good day")

	d = serving(t)
	key = d.ask("hello")
	d.thinksTooLong()
	d.answer("good day")
	d.thinksTooLong()
	d.remember()
	d.replied(key, "good day\n\n"+d.config.Words.Text(fsm.WordUnthought, "tokens", strconv.Itoa(d.config.ThinkRoom())))
}

// TOL-61: a call that offers no tools shows none, whatever the session's other calls show.
func TestINF1ACallWithoutToolsShowsNone(t *testing.T) {
	d := newDriver(t)
	d.config.Limits.OfferTokens, d.config.Switches.SideCalls = 1, fsm.SideAlone
	d.boot()
	d.ask("hello")
	if ask := one[fsm.AskBrain](d); !ask.Offer.Made() {
		t.Fatal("all tools are shown whole")
	}
	d.answer("good day")
	if ask := one[fsm.AskBrain](d); ask.Tools != fsm.NoTools || ask.Offer.Made() {
		t.Errorf("the summary is asked for with the tools %q, offer %+v", ask.Tools, ask.Offer)
	}
}

package machine_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/fsm/state"
)

// bare returns a driver that works on "hello" without cognition, sessions and memory, under the
// profile shelly with a changed configuration.
func bare(t testing.TB, change func(*fsm.Config)) (*driver, fsm.RequestKey) {
	t.Helper()
	d := newDriver(t)
	d.config.Switches = fsm.Switches{NoCognition: true, Remember: fsm.RememberOff}
	if change != nil {
		change(&d.config)
	}
	d.boot()
	return d, d.ask("hello")
}

func TestINF15AFailureThatMayPassIsAskedAgainAfterEachWait(t *testing.T) {
	d, key := bare(t, func(c *fsm.Config) { c.Limits.Backoff = []fsm.Millis{fsm.Second, 5 * fsm.Second} })
	asked := one[fsm.AskBrain](d)
	for _, wait := range []fsm.Millis{fsm.Second, 5 * fsm.Second} {
		d.brainFails(fsm.BrainBusy, "queue full")
		no[fsm.AskBrain](d)
		if set := one[fsm.SetTimer](d); set.Purpose != fsm.TimerBackoff || set.After != wait {
			t.Errorf("timer %+v", set)
		}
		d.waitUp()
		again := one[fsm.AskBrain](d)
		again.Call = asked.Call
		same(t, asked, again, unsourced())
	}
	d.brainFails(fsm.BrainBusy, "queue full")
	d.refused(key, "error: busy: queue full")
}

func TestINF15AWaitIsLongerByTheJitterOfTheBoot(t *testing.T) {
	for jitter, want := range map[int]fsm.Millis{0: 1500, 1: 1501, 333: 1999, 500: 2250, 9999: 2250, -1: 1500} {
		d, _ := bare(t, func(c *fsm.Config) { c.Jitter, c.Limits.Backoff = jitter, []fsm.Millis{1500} })
		one[fsm.AskBrain](d)
		d.brainFails(fsm.BrainBusy, "queue full")
		if set := one[fsm.SetTimer](d); set.After != want {
			t.Errorf("jitter %d: %d ms, want %d", jitter, set.After, want)
		}
	}
}

func TestINF15AnAnswerMakesTheWaitsNewAgain(t *testing.T) {
	d, _ := bare(t, func(c *fsm.Config) { c.Limits.Backoff = []fsm.Millis{fsm.Second} })
	for range 3 {
		d.brainFails(fsm.BrainBusy, "queue full")
		d.waitUp()
		d.calls("list_dir")
		d.toolSays("a.txt")
	}
	d.inStates(state.Execution)
}

func TestINF15WhatMayPass(t *testing.T) {
	passes := map[fsm.BrainClass]bool{
		fsm.BrainUnreachable: true, fsm.BrainLoading: true, fsm.BrainBusy: true, fsm.BrainCutStream: true, fsm.BrainGarbage: true, fsm.BrainTimeout: true, fsm.BrainCrashed: true,
		fsm.BrainNoChat: false, fsm.BrainMissingModel: false, fsm.BrainNoTools: false, fsm.BrainContextTruncated: false, fsm.BrainCancelled: false, fsm.BrainError: false, "new": false,
	}
	for class, want := range passes { // order-free
		d, _ := bare(t, func(c *fsm.Config) { c.Limits.Backoff = []fsm.Millis{fsm.Second} })
		d.brainFails(class, "a reason")
		if got := len(d.m.View().Handles) == 1; got != want {
			t.Errorf("%s: asked again: %t", class, got)
		}
	}
}

func TestINF16WhenAToolIsStartedAgain(t *testing.T) {
	tests := []struct {
		name   string
		tool   string
		answer fsm.ToolAnswered
		again  bool
	}{
		{"it may be repeated", "write_note", fsm.ToolAnswered{Failed: true}, true},
		{"it changes nothing", "list_dir", fsm.ToolAnswered{Failed: true}, true},
		{"it may not", "send_mail", fsm.ToolAnswered{Failed: true}, false},
		{"it says that nothing happened", "send_mail", fsm.ToolAnswered{Failed: true, Nothing: true}, true},
		{"the call is wrong", "list_dir", fsm.ToolAnswered{Failed: true, Nothing: true, Invalid: true}, false},
		{"it has not failed", "list_dir", fsm.ToolAnswered{Nothing: true}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, _ := bare(t, func(c *fsm.Config) { c.Limits.MaxToolAttempts, c.Limits.RetryDelay = 2, 3*fsm.Second })
			d.calls(tt.tool)
			first := one[fsm.RunTool](d)
			tt.answer.Call, tt.answer.Text = first.Call, "no"
			d.step(fsm.Input{At: d.now(), Fact: tt.answer})
			if !tt.again {
				one[fsm.AskBrain](d)
				return
			}
			no[fsm.AskBrain](d)
			if set := one[fsm.SetTimer](d); set.Purpose != fsm.TimerRetry || set.After != 3*fsm.Second {
				t.Errorf("timer %+v", set)
			}
			d.waitUp()
			second := one[fsm.RunTool](d)
			if second.Attempt != 2 || second.Key != first.Key || second.Call == first.Call {
				t.Errorf("%+v is started again as %+v", first, second)
			}
			tt.answer.Call = second.Call
			d.step(fsm.Input{At: d.now(), Fact: tt.answer})
			if got := d.lastMessage().Text; got != "error: no" {
				t.Errorf("the result is %q", got)
			}
			if a := one[fsm.Audit](d); a.Attempts != 2 || !a.Failed {
				t.Errorf("audit %+v", a)
			}
		})
	}
}

// If a tool has become unsafe by its second attempt, and that fails without saying that
// nothing happened, there is no third.
func TestINF16AnotherAttemptIsOfTheToolAsItIsNow(t *testing.T) {
	d, _ := bare(t, func(c *fsm.Config) { c.Limits.MaxToolAttempts = 3 })
	d.calls("write_note")
	d.step(fsm.Input{At: d.now(), Fact: fsm.ToolAnswered{Answered: fsm.To(one[fsm.RunTool](d).Call), Failed: true, Nothing: true, Text: "busy"}})
	d.config.Tools = slices.Clone(d.config.Tools)
	for i := range d.config.Tools {
		d.config.Tools[i].Effects = fsm.EffectsUnsafe
	}
	d.step(fsm.Input{At: d.now(), Fact: fsm.Configured{Config: d.config}})
	d.waitUp()
	if again := one[fsm.RunTool](d); again.Attempt != 2 || again.Effects != fsm.EffectsUnsafe {
		t.Errorf("it is started again as %+v", again)
	}
	d.toolFails("broken pipe")
	no[fsm.SetTimer](d)
	if got := d.lastMessage().Text; got != "error: broken pipe" {
		t.Errorf("the result is %q", got)
	}
}

// The calls of an answer are forgotten once they have their results.
func TestINF4TheCallsOfAnAnswerAreGoneWithItsResults(t *testing.T) {
	d, _ := bare(t, func(*fsm.Config) {})
	d.calls("list_dir", "list_dir")
	d.toolSays("a")
	if inf := d.active().Inf; len(inf.Calls) != 2 || inf.Next != 1 {
		t.Errorf("after one result: %d calls, next %d", len(inf.Calls), inf.Next)
	}
	d.toolSays("b")
	if inf := d.active().Inf; len(inf.Calls) != 0 || inf.Next != 0 {
		t.Errorf("after both: %d calls, next %d", len(inf.Calls), inf.Next)
	}
}

func TestINF17EachCapEndsAnInference(t *testing.T) {
	tests := []struct {
		name   string
		limits func(*fsm.Limits)
		n      int // the cap
		said   int // the answers before it was reached
		reason string
	}{
		{"iterations", func(l *fsm.Limits) { l.MaxIterations = 2 }, 2, 2, "the model was not done after 2 iterations (max_iterations)"},
		{"calls", func(l *fsm.Limits) { l.MaxToolCalls = 3 }, 3, 2, "the model was not done after 3 tool calls (max_tool_calls)"},
		{"rounds", func(l *fsm.Limits) { l.MaxToolRounds = 2 }, 2, 3, "the model still asked for tools after 2 rounds (max_tool_rounds)"},
		{"repeats", func(l *fsm.Limits) { l.MaxRepeats = 2 }, 2, 1, "the model repeats the same calls with the same results (max_repeats)"},
	}
	ends := []struct {
		mode fsm.EndMode
		text bool // the text so far comes before the notice
	}{
		{fsm.EndError, false},
		{fsm.EndNotice, true},
		{fsm.EndState, false},
	}
	for _, tt := range tests {
		for _, end := range ends {
			t.Run(tt.name+" "+string(end.mode), func(t *testing.T) {
				d, key := bare(t, func(c *fsm.Config) {
					c.Limits.MaxToolRounds = 1000
					tt.limits(&c.Limits)
					c.Switches.AtLimit, c.Prompts.AtLimit = end.mode, "[stopped at {n}]"
				})
				for len(of[fsm.Reply](d.effects)) == 0 {
					call := fsm.ToolCall{ID: "a", Name: "list_dir", Args: "{}"}
					d.step(fsm.Input{At: d.now(), Fact: fsm.BrainAnswered{Answered: fsm.To(d.call(fsm.CallBrain)), Text: "I look", Calls: []fsm.ToolCall{call, call}}})
					for len(d.m.View().Handles) > 0 && d.active().Await.Kind == fsm.CallTool {
						d.toolSays("a.txt")
					}
				}
				if end.mode == fsm.EndError {
					d.refused(key, "error: "+tt.reason)
					return
				}
				r, want := one[fsm.Reply](d), "[stopped at "+strconv.Itoa(tt.n)+"]"
				if end.text {
					want = strings.Repeat("I look\n", tt.said) + "\n" + want
				}
				if r.Text != want || r.IsError || r.Outcome != fsm.OutcomeExhausted {
					t.Errorf("reply %+v, want %q", r, want)
				}
			})
		}
	}
}

func TestINF17TheToolsOfTheLastAnswerAreRun(t *testing.T) {
	d, _ := bare(t, func(c *fsm.Config) { c.Limits.MaxIterations = 1 })
	d.calls("list_dir", "list_dir")
	one[fsm.RunTool](d)
	d.toolSays("a.txt")
	one[fsm.RunTool](d)
	d.toolSays("a.txt")
	one[fsm.Reply](d)
}

func TestINF18CallsBeyondMaxToolCallsAreNotRun(t *testing.T) {
	d, _ := inTurn(t, "omniemployee", func(c *fsm.Config) { c.Limits.MaxToolCalls = 1 })
	d.calls("list_dir", "list_dir", "fly")
	d.toolSays("a.txt")
	no[fsm.RunTool](d)
	history := one[fsm.SaveSession](d).State.History
	var results []string
	for _, m := range history {
		if m.Role == fsm.RoleTool {
			results = append(results, m.Text)
		}
	}
	want := []string{"a.txt", "not run: limit of 1 calls (max_tool_calls)", "not run: limit of 1 calls (max_tool_calls)"}
	same(t, want, results, unsourced())
}

func TestINF19WhatACutAnswerBecomes(t *testing.T) {
	tests := []struct {
		mode fsm.EndMode
		said string
		want string // empty: an error
	}{
		{fsm.EndError, "good d", ""},
		{fsm.EndError, " ", ""},
		{fsm.EndNotice, "good d", "good d\n\n[cut]"},
		{fsm.EndNotice, " good d \n", "good d\n\n[cut]"},
		{fsm.EndNotice, " ", "[cut]"},
		{fsm.EndNotice, "NEED: good d", "[cut]"},
		{fsm.EndState, "good d", "[cut]"},
	}
	for _, tt := range tests {
		t.Run(string(tt.mode)+" "+tt.said, func(t *testing.T) {
			d, key := bare(t, func(c *fsm.Config) { c.Switches.AtLength, c.Prompts.AtLength = tt.mode, "[cut]" })
			d.stopsAtTokens(tt.said)
			if tt.want == "" {
				d.refused(key, "error: the model's answer was cut at its token limit (max_tokens)")
				return
			}
			d.replied(key, tt.want)
			if r := one[fsm.Reply](d); r.Outcome != fsm.OutcomeCut {
				t.Errorf("reply %+v", r)
			}
		})
	}
}

// INF-5: what was cut has no calls, for one may have lost its end; the history has none, either.
func TestINF5ACutAnswerHasNoCalls(t *testing.T) {
	d, key := inTurn(t, "default", func(c *fsm.Config) { c.Switches.AtLength, c.Prompts.AtLength = fsm.EndNotice, "[cut]" })
	d.step(fsm.Input{At: d.now(), Fact: fsm.BrainAnswered{
		Answered: fsm.To(d.call(fsm.CallBrain)), Stop: fsm.StopMaxTokens, Text: "good d", Calls: []fsm.ToolCall{{ID: "1", Name: "list_dir", Args: "{}"}},
	}})
	d.replied(key, "good d\n\n[cut]")
	no[fsm.RunTool](d)
	for _, m := range one[fsm.SaveSession](d).State.History {
		if len(m.Calls) > 0 || m.Role == fsm.RoleTool {
			t.Errorf("the history has %+v", m)
		}
	}
}

func TestINF20AnEmptyAnswerIsAskedAgain(t *testing.T) {
	d, key := bare(t, func(c *fsm.Config) { c.Limits.MaxAnswerAttempts, c.Prompts.Empty = 3, "Say something." })
	for range 2 {
		d.saysNothing("")
		want := fsm.Message{Role: fsm.RoleUser, Text: "Say something.", Aside: true}
		same(t, want, d.lastMessage(), unsourced())
	}
	d.calls("list_dir") // no longer in a row
	d.toolSays("a.txt")
	d.saysNothing("")
	d.saysNothing("")
	d.inStates(state.Execution)
	d.saysNothing("")
	d.refused(key, "error: the model gave an empty answer")
}

// saysNothing answers without text and calls.
func (d *driver) saysNothing(thinking string) {
	d.t.Helper()
	d.step(fsm.Input{At: d.now(), Fact: fsm.BrainAnswered{Answered: fsm.To(d.call(fsm.CallBrain)), Stop: fsm.StopEndTurn, Text: " \n", Thinking: thinking}})
}

func TestINF20AfterThinkingAloneTheModelIsAskedNotToThink(t *testing.T) {
	for edition, want := range map[int]bool{fsm.EleventhEdition: true, fsm.TenthEdition: false} { // order-free: each has its own world
		d, key := bare(t, func(c *fsm.Config) {
			c.Edition, c.Limits.MaxAnswerAttempts, c.Prompts.Empty = edition, 3, "Say something."
		})
		for range 2 {
			d.saysNothing("first I look, then")
			if ask := one[fsm.AskBrain](d); ask.NoThinking != want || d.lastMessage().Text != "Say something." {
				t.Errorf("edition %d: asked without thinking %t after %q; want %t after the hint", edition, ask.NoThinking, d.lastMessage().Text, want)
			}
		}
		d.saysNothing("")
		d.refused(key, "error: the model gave an empty answer")
	}
}

func TestINF21RepetitionEndsAnInference(t *testing.T) {
	type pair struct{ args, result string }
	tests := []struct {
		name  string
		pairs []pair
		ends  bool
	}{
		{"the same three times", []pair{{"a", "1"}, {"a", "1"}, {"a", "1"}}, true},
		{"the same twice", []pair{{"a", "1"}, {"a", "1"}, {"b", "1"}}, false},
		{"another result", []pair{{"a", "1"}, {"a", "1"}, {"a", "2"}}, false},
		{"a cycle of two", []pair{{"a", "1"}, {"b", "1"}, {"a", "1"}, {"b", "1"}, {"a", "1"}, {"b", "1"}}, true},
		{"a cycle of two, not yet", []pair{{"a", "1"}, {"b", "1"}, {"a", "1"}, {"b", "1"}, {"a", "1"}}, false},
		{"a cycle of four", []pair{
			{"a", "1"}, {"b", "1"}, {"c", "1"}, {"d", "1"}, {"a", "1"}, {"b", "1"}, {"c", "1"}, {"d", "1"}, {"a", "1"}, {"b", "1"}, {"c", "1"}, {"d", "1"},
		}, true},
		{"after something else", []pair{{"x", "1"}, {"y", "2"}, {"a", "1"}, {"a", "1"}, {"a", "1"}}, true},
		{"polling that changes", []pair{{"a", "1"}, {"a", "2"}, {"a", "3"}, {"a", "4"}, {"a", "5"}}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, key := bare(t, func(c *fsm.Config) { c.Limits.MaxRepeats, c.Limits.MaxToolRounds = 3, 1000 })
			for i, p := range tt.pairs {
				d.asksFor("list_dir", `{"path":"`+p.args+`"}`)
				d.toolSays(p.result)
				if ended := len(d.m.View().Handles) == 0; ended != (tt.ends && i == len(tt.pairs)-1) {
					t.Fatalf("after pair %d it has ended: %t", i, ended)
				}
			}
			if tt.ends {
				d.refused(key, "error: the model repeats the same calls with the same results (max_repeats)")
			}
		})
	}
}

// INF-42: equal calls of one answer repeat nothing, whichever of them had the same result. In the
// boots of older builds only the first one's counted.
func TestINF42EqualCallsOfOneAnswerAreNoRepetition(t *testing.T) {
	for edition, ends := range map[int]bool{fsm.SixthEdition: false, fsm.FifthEdition: true} { // order-free
		d, _ := bare(t, func(c *fsm.Config) {
			c.Switches.Reading, c.Limits.MaxRepeats, c.Edition = fsm.ReadingCareful, 2, edition
		})
		var calls []fsm.ToolCall
		for _, id := range []string{"1", "2", "3"} {
			calls = append(calls, fsm.ToolCall{ID: id, Name: "send_mail", Args: "{}"})
		}
		d.step(fsm.Input{At: d.now(), Fact: fsm.BrainAnswered{Answered: fsm.To(d.call(fsm.CallBrain)), Stop: fsm.StopToolUse, Calls: calls}})
		for _, result := range []string{"queued", "sent", "sent"} {
			d.toolSays(result)
		}
		if ended := len(d.m.View().Handles) == 0; ended != ends {
			t.Errorf("edition %d: it has ended: %t", edition, ended)
		}
	}
}

// INF-42: an equal call of the same answer that had another result does not make it new.
func TestINF42ACallIsARepetitionOfEarlierAnswersAllTheSame(t *testing.T) {
	d, key := bare(t, func(c *fsm.Config) { c.Switches.Reading, c.Limits.MaxRepeats = fsm.ReadingCareful, 2 })
	answers := func(results ...string) {
		var calls []fsm.ToolCall
		for i := range results {
			calls = append(calls, fsm.ToolCall{ID: strconv.Itoa(i), Name: "send_mail", Args: "{}"})
		}
		d.step(fsm.Input{At: d.now(), Fact: fsm.BrainAnswered{Answered: fsm.To(d.call(fsm.CallBrain)), Stop: fsm.StopToolUse, Calls: calls}})
		for _, result := range results {
			d.toolSays(result)
		}
	}
	answers("queued")
	answers("sent")
	answers("queued", "sent")
	d.refused(key, "error: the model repeats the same calls with the same results (max_repeats)")
}

// Only as many calls are remembered as the longest cycle takes.
func TestINF21WhatIsRememberedOfTheCallsIsBounded(t *testing.T) {
	d, _ := bare(t, func(c *fsm.Config) { c.Limits.MaxRepeats, c.Limits.MaxToolRounds = 3, 1000 })
	for i := range 20 {
		if got, want := len(d.m.View().Handles[0].Inf.Seen), min(i, 4*3); got != want {
			t.Fatalf("after %d calls %d are remembered, want %d", i, got, want)
		}
		d.asksFor("list_dir", `{"path":"`+strconv.Itoa(i)+`"}`)
		d.toolSays("a")
	}
}

func TestINF22TheReflectionFollowsEachRoundOfResults(t *testing.T) {
	d, _ := bare(t, func(c *fsm.Config) { c.Prompts.Reflection = "Reflect." })
	d.calls("list_dir", "list_dir")
	d.toolSays("a.txt")
	no[fsm.AskBrain](d)
	d.toolSays("b.txt")
	c := d.conversation()
	if got := c[len(c)-1]; got.Text != "Reflect." || got.Role != fsm.RoleUser || !got.Aside || c[len(c)-2].Role != fsm.RoleTool {
		t.Errorf("the conversation ends with %+v", c[len(c)-2:])
	}
}

func TestINF23TheOptionsTravelWithEveryModelCall(t *testing.T) {
	want := fsm.Options{Temperature: 700, MaxTokens: 4096}
	d := newDriver(t)
	d.config.Options = want
	d.boot()
	d.ask("hello")
	d.calls("list_dir")
	d.toolSays("a.txt")
	d.answer("one file")
	asks := of[fsm.AskBrain](d.all)
	if len(asks) != 3 { // the last is for the summary
		t.Fatalf("%d model calls", len(asks))
	}
	for _, ask := range asks {
		want := want
		if ask.Purpose == fsm.PurposeSummary {
			want.MaxTokens = 1620 // CTX-14
		}
		if ask.Options != want {
			t.Errorf("asked for %s with %+v", ask.Purpose, ask.Options)
		}
	}
}

func TestINF24AToolCallCarriesItsSessionAndOrigin(t *testing.T) {
	d := newDriver(t)
	d.boot()
	origin := fsm.Origin{Channel: "telegram", Chat: "42"}
	d.step(fsm.Input{At: d.now(), Fact: fsm.Requested{Request: fsm.RequestKey{ID: "r1"}, Origin: origin, Text: "hello"}})
	d.calls("list_dir")
	if run := one[fsm.RunTool](d); run.Origin != origin || run.Session != "telegram:42" {
		t.Errorf("runs %+v", run)
	}
}

func TestINF25ATextThatIsACallIsTaken(t *testing.T) {
	for _, on := range []bool{true, false} {
		d, key := bare(t, func(c *fsm.Config) { c.Switches.TextCalls = on })
		const text = `{"name":"list_dir","arguments":{"path":"."}}`
		d.answer(text)
		if !on {
			d.replied(key, text)
			continue
		}
		if run := one[fsm.RunTool](d); run.Name != "list_dir" || run.Args != `{"path":"."}` {
			t.Errorf("runs %+v", run)
		}
		d.toolSays("a.txt")
		c := d.conversation()
		if call := c[len(c)-2].Calls[0]; !call.Text || call.ID != "text_1_0" || c[len(c)-1].ToolCall != call.ID || c[len(c)-2].Text != "" {
			t.Errorf("the conversation ends with %+v", c[len(c)-2:])
		}
	}
}

func TestINF26ANamespaceIsNotPartOfAToolsName(t *testing.T) {
	tests := []struct{ name, runs string }{
		{"functions.list_dir", "list_dir"},
		{"default_api:list_dir", "list_dir"},
		{"functions.default_api:list_dir", ""},
		{"tools.list_dir", ""},
		{"functions.", ""},
		{"functions.odd", "functions.odd"}, // if one is declared by that name
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, _ := bare(t, func(c *fsm.Config) {
				c.Tools = append(c.Tools, fsm.ToolDecl{Name: "functions.odd"}, fsm.ToolDecl{Name: "odd"})
			})
			d.calls(tt.name)
			if tt.runs == "" {
				no[fsm.RunTool](d)
				return
			}
			if run := one[fsm.RunTool](d); run.Name != tt.runs {
				t.Errorf("runs %+v", run)
			}
			d.toolSays("a.txt")
			if got := d.lastMessage().Tool; got != tt.name {
				t.Errorf("the result is for %q", got)
			}
		})
	}
}

func TestHND28TheReplyGoesOutFirst(t *testing.T) {
	d, key := inTurn(t, "default", func(c *fsm.Config) { c.Switches.Remember = fsm.RememberEach })
	d.answer("good day")
	d.replied(key, "good day")
	d.inStates(state.Saving)
	for range d.config.Limits.MaxStoreAttempts {
		d.saveFails("no disk")
	}
	d.inStates(state.Summarizing)
	d.timeUp()
	d.inStates()
	if n := len(of[fsm.Reply](d.all)); n != 1 {
		t.Errorf("%d replies", n)
	}
}

func TestHND45TheInitialInferenceOfTheFirstStart(t *testing.T) {
	d := newDriver(t)
	d.config.Init = fsm.InitFirstStart
	d.boot()
	d.inLifecycle(state.Initializing)
	d.boot() // it was interrupted, so it has not ended
	d.inLifecycle(state.Initializing)
	d.brainFails(fsm.BrainMissingModel, "gone") // it has, although without a report
	d.inLifecycle(state.Serving)
	d.boot()
	d.inLifecycle(state.Serving)
	no[fsm.AskBrain](d)
}

// A request that has ended is none: the initial inference is still to come.
func TestHND45ARequestIsNotAnInitialInference(t *testing.T) {
	d, key := bare(t, nil)
	d.answer("good day")
	d.replied(key, "good day")
	d.config.Init = fsm.InitFirstStart
	d.boot()
	d.inLifecycle(state.Initializing)
}

// TOL-63: a failure ends with the schema that the model has not been shown only if the arguments
// were wrong; and a tool that there never was is not one that is no longer offered.
func TestTOL63WhatACallOfAToolThatIsNotShownIsTold(t *testing.T) {
	const schema = `{"type":"object","required":["city"]}`
	tests := []struct {
		name, tool string
		answer     fsm.ToolAnswered
		want       string
	}{
		{"wrong arguments", "weather", fsm.ToolAnswered{Text: "city is missing", Failed: true, Invalid: true}, "error: city is missing\nThe arguments of weather, as a JSON schema: " + schema},
		{"another failure", "weather", fsm.ToolAnswered{Text: "no network", Failed: true}, "error: no network"},
		{"no failure", "weather", fsm.ToolAnswered{Text: "sunny"}, "sunny"},
		{"no tool", "fly", fsm.ToolAnswered{}, `error: there is no tool "fly"; the tools are: tool_help`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, _ := bare(t, func(c *fsm.Config) {
				c.Tools = []fsm.ToolDecl{{Name: "weather", Effects: fsm.EffectsUnsafe, Parameters: schema}}
				c.Limits.OfferTokens = 1
			})
			d.calls(tt.tool)
			if tt.tool == "weather" {
				tt.answer.Answered = fsm.To(d.call(fsm.CallTool))
				d.step(fsm.Input{At: d.now(), Fact: tt.answer})
			}
			if got := d.lastMessage().Text; got != tt.want {
				t.Errorf("the result is %q, want %q", got, tt.want)
			}
		})
	}
}

func TestCFG10ConfiguredHoldsFromTheNextDecisionOn(t *testing.T) {
	d, key := bare(t, nil)
	d.config.Tools, d.config.Options.Temperature = nil, 300
	d.step(fsm.Input{At: d.now(), Fact: fsm.Configured{Config: d.config}})
	if len(d.effects) > 0 || d.m.View().Epoch != 1 {
		t.Errorf("epoch %d, effects %+v", d.m.View().Epoch, d.effects)
	}
	d.step(fsm.Input{At: d.now(), Fact: fsm.BrainAnswered{Answered: fsm.To(d.call(fsm.CallBrain)), Text: "good day", Calls: []fsm.ToolCall{{Name: "list_dir"}}}})
	d.replied(key, "good day") // nothing was offered by then
	d.ask("again")
	if ask := one[fsm.AskBrain](d); ask.Options.Temperature != 300 || ask.Tools != fsm.NoTools {
		t.Errorf("asked %+v", ask)
	}
}

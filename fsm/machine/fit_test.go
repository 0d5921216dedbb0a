package machine_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/fsm/state"
)

// The server refuses a prompt that should have fitted: it has more tokens than estimated,
// so the conversation is sent again, shorter.
func TestCTX12ARefusedPromptIsSentAgainShorter(t *testing.T) {
	d := driverOf(t, "nanobot")
	d.boot()
	key := d.ask("hello")
	d.loads(fsm.Session{})
	d.calls("list_dir")
	d.toolSays(strings.Repeat("aGVsbG8gd29ybGQh", 1000))
	before := one[fsm.AskBrain](d)
	for times := 1; ; times++ {
		d.brainFails(fsm.BrainContextTruncated, "too long")
		asks := of[fsm.AskBrain](d.effects)
		if len(asks) == 0 {
			if times < 3 {
				t.Errorf("it was given up after %d refusals", times)
			}
			break
		}
		again := asks[0]
		if again.Conversation.Tokens >= before.Conversation.Tokens {
			t.Fatalf("sent again with %d tokens after %d", again.Conversation.Tokens, before.Conversation.Tokens)
		}
		if c := again.Conversation.Messages; c[0].Text != "hello" || !strings.Contains(c[2].Text, "bytes are left out here") {
			t.Errorf("the question is %q, the result %q", c[0].Text, c[2].Text)
		}
		if times > 8 {
			t.Fatal("it is sent again without end")
		}
		before = again
	}
	d.refused(key, "error: context_truncated: too long")
}

// A window that was made smaller while the model read a prompt does not teach that prompts are
// shorter than estimated, not even if it is just as large as expected of the prompt. In the boots of
// older builds it did.
func TestCTX12ARefusalAfterASmallerWindowTeachesNoShorterPrompts(t *testing.T) {
	for _, tt := range []struct {
		edition, smaller int
		keeps            bool
	}{{fsm.SixthEdition, 100, true}, {fsm.PresentEdition, 0, true}, {fsm.FifthEdition, 100, false}} {
		d := driverOf(t, "nanobot")
		d.config.Edition = tt.edition
		d.boot()
		d.ask("hello")
		d.loads(fsm.Session{Ratio: 1100})
		d.calls("list_dir")
		d.toolSays(strings.Repeat("aGVsbG8gd29ybGQh", 1000))
		d.config.Limits.ContextTokens = one[fsm.AskBrain](d).Tokens - tt.smaller
		d.step(fsm.Input{At: d.now(), Fact: fsm.Configured{Config: d.config}})
		d.brainFails(fsm.BrainContextTruncated, "too long")
		one[fsm.AskBrain](d)
		if got := d.active().Sess.Ratio; got >= 1100 != tt.keeps {
			t.Errorf("edition %d, %d tokens fewer: %d tokens for each 1,024 estimated", tt.edition, tt.smaller, got)
		}
	}
}

// So is a consolidation, which then shows fewer messages and the rest in a further call; as it was
// it is not sent again.
func TestCTX12ARefusedConsolidationIsSentAgainShorter(t *testing.T) {
	for edition, want := range map[int]bool{fsm.FifthEdition: true, fsm.FourthEdition: false} { // the boots of older builds sent it as it was, eight times
		d := driverOf(t, "countbot")
		d.config.Edition = edition
		d.boot()
		key := d.ask("hello")
		history := talk(4)
		for i := range history {
			history[i].Text = strings.Repeat("word ", 1200)
		}
		d.loads(fsm.Session{Version: 1, History: history})
		before, portion := one[fsm.AskBrain](d), d.active().Portion
		times := 0
		for ; len(of[fsm.AskBrain](d.effects)) > 0 && one[fsm.AskBrain](d).Purpose == fsm.PurposeCompact; times++ {
			if again := one[fsm.AskBrain](d); times > 0 && again.Conversation.Tokens < before.Conversation.Tokens != want {
				t.Errorf("edition %d: sent with %d tokens, then with %d", edition, before.Conversation.Tokens, again.Conversation.Tokens)
			}
			before = one[fsm.AskBrain](d)
			if want && times == 2 {
				break
			}
			d.brainFails(fsm.BrainContextTruncated, "too long")
		}
		if fewer := d.active().Portion < portion; fewer != want || !want && times != 9 {
			t.Errorf("edition %d: %d of %d messages are shown after %d calls", edition, d.active().Portion, portion, times)
		}
		for len(of[fsm.AskBrain](d.effects)) > 0 && one[fsm.AskBrain](d).Purpose == fsm.PurposeCompact {
			d.answer("a line that is remembered")
		}
		d.answer("good day")
		d.replied(key, "good day")
	}
}

// One that shows as little as it can is not sent again.
func TestCTX12ARefusedConsolidationThatCannotBeShorter(t *testing.T) {
	d, s := overflowing(t, "countbot", 0)
	d.config.Prompts.Identity = strings.Repeat("word", d.config.PromptRoom()*2/3)
	d.boot()
	key := d.ask("hello")
	s.History = append([]fsm.Message{
		{Role: fsm.RoleAssistant, Text: "I look", Calls: []fsm.ToolCall{{ID: "a", Name: "list_dir", Args: "{}"}}},
		{Role: fsm.RoleTool, Text: "a.txt", Tool: "list_dir", ToolCall: "a"},
	}, s.History...)
	d.loads(s)
	if ask, portion := one[fsm.AskBrain](d), d.active().Portion; ask.Purpose != fsm.PurposeCompact || portion != 2 {
		t.Fatalf("asked for %s, of %d messages", ask.Purpose, portion)
	}
	d.brainFails(fsm.BrainContextTruncated, "too long")
	d.inStates(state.Execution)
	if ask := one[fsm.AskBrain](d); ask.Purpose != fsm.PurposeAnswer || d.m.View().Upkeep.Failed != 1 {
		t.Errorf("asked for %s, failed: %+v", ask.Purpose, d.m.View().Upkeep)
	}
	d.answer("good day")
	d.replied(key, "good day")
}

// A history of answers keeps in full what was sent shortened.
func TestCTX10TheHistoryOfAnswersStaysWhole(t *testing.T) {
	d := driverOf(t, "countbot")
	long := strings.Repeat("of old ", 4500)
	d.boot()
	d.ask("hello")
	d.loads(fsm.Session{Version: 1, History: []fsm.Message{{Role: fsm.RoleUser, Text: "q"}, {Role: fsm.RoleAssistant, Text: long}}})
	d.answer("a line that is remembered") // the consolidation
	d.calls("list_dir")
	d.toolSays(strings.Repeat("new ", 9000))
	if got := one[fsm.AskBrain](d).Tokens; got > 6572 {
		t.Errorf("the prompt has %d tokens", got)
	}
	d.answer("good day")
	saved := one[fsm.SaveSession](d)
	if n := len(saved.Archive); n != 4 || len(saved.Archive[2].Text) != 36_000 {
		t.Errorf("the archive has %d messages", n)
	}
	if saved.State.Memory != "a line that is remembered" {
		t.Errorf("MEMORY.md is %q", saved.State.Memory)
	}
}

// Failed summaries are counted until one is useful again, so that status and doctor show
// them.
func TestCTX14FailedSummariesAreCounted(t *testing.T) {
	d := driverOf(t, "shelly")
	d.boot()
	for _, want := range []int{1, 2} {
		d.ask("hello")
		d.answer("good day")
		d.brainFails(fsm.BrainError, "out of memory")
		if u := d.m.View().Upkeep; u.Failed != want || !strings.Contains(u.Last, "no summary was made: out of memory") {
			t.Errorf("after %d failures: %+v", want, u)
		}
		d.embeds()
		d.stores()
	}
	d.ask("hello")
	d.answer("good day")
	d.answer("they greeted")
	if u := d.m.View().Upkeep; u.Failed != 0 || u.Last != "" {
		t.Errorf("after a summary: %+v", u)
	}
}

// A summary that is asked for after the conversation leaves it as it is, although that
// takes a little more room than an ordinary prompt: the model's server has cached all of it
// (CTX-20).
func TestCTX14WhatTheServerHoldsIsNotShortened(t *testing.T) {
	d := driverOf(t, "default")
	d.config.Init = fsm.InitOff
	var history []fsm.Message
	for range 12 {
		history = append(history, fsm.Message{Role: fsm.RoleUser, Text: strings.Repeat("why ", 250)}, fsm.Message{Role: fsm.RoleAssistant, Text: strings.Repeat("so. ", 250)})
	}
	d.boot()
	d.ask("hello")
	d.loads(fsm.Session{Version: 1, History: history})
	ask := one[fsm.AskBrain](d)
	if ask.Purpose != fsm.PurposeCompact || ask.Tokens <= 6572 {
		t.Fatalf("asked for %s with %d tokens", ask.Purpose, ask.Tokens)
	}
	for i, msg := range history {
		if got := ask.Conversation.Messages[i].Text; got != msg.Text {
			t.Fatalf("message %d is shortened to %d bytes", i, len(got))
		}
	}
}

// CTX-11: a subagent's task or the text of an initial inference may be too long, as a request
// may; then the model is not asked.
func TestCTX11WhatNobodyAskedForIsTooLongByItselfToo(t *testing.T) {
	long := strings.Repeat("look at all of the files ", 2000)
	fits := func(c *fsm.Config) { c.Limits.AnswerPercent, c.Limits.ContextTokens = 20, 8192 }
	d := inChat(t, fits, "find out")
	d.asksFor(fsm.ToolSpawn, `{"task":"`+long+`"}`)
	for _, ask := range of[fsm.AskBrain](d.effects) {
		if h := d.m.View().Handles[0]; ask.Handle != h.ID {
			t.Errorf("the model is asked for the subagent, with %d tokens", ask.Tokens)
		}
	}
	told := false
	for i := range d.m.View().Handles {
		h := &d.m.View().Handles[i]
		told = told || h.Kind == fsm.KindSystem && strings.Contains(h.Input, "too long for the model's window")
	}
	if !told {
		t.Errorf("the parent does not learn why: %+v", d.effects)
	}

	d = driverOf(t, "nanobot")
	fits(&d.config)
	d.config.Init, d.config.Prompts.Init = fsm.InitEveryStart, long
	d.boot()
	if asks := of[fsm.AskBrain](d.effects); len(asks) > 0 {
		t.Errorf("the model is asked for the initial inference, with %d tokens", asks[0].Tokens)
	}
	if r := one[fsm.Report](d); !strings.Contains(r.Text, "too long for the model's window") {
		t.Errorf("the report says %q", r.Text)
	}
}

// A summary that is asked for after the conversation, and is cut, is not asked for again: the
// prompt would be the same.
func TestCTX12APromptThatStaysTheSameIsNotSentAgain(t *testing.T) {
	for edition, want := range map[int]int{fsm.PresentEdition: 1, fsm.SecondEdition: 1, fsm.FirstEdition: 9} { // the boots of older builds sent it eight times more
		d := driverOf(t, "default")
		d.config.Edition = edition
		d.boot()
		d.ask("hello")
		d.loads(fsm.Session{Version: 1, History: []fsm.Message{{Role: fsm.RoleUser, Text: strings.Repeat("word ", 3800)}, {Role: fsm.RoleAssistant, Text: "ok"}}})
		d.answer(strings.Repeat("answer ", 700))
		d.saves()
		asked := 0
		for len(of[fsm.AskBrain](d.effects)) > 0 {
			ask := one[fsm.AskBrain](d)
			if asked++; ask.Purpose != fsm.PurposeSummary || ask.Tokens <= 6572 {
				t.Fatalf("asked for %s with %d tokens", ask.Purpose, ask.Tokens)
			}
			d.step(fsm.Input{At: d.now(), Fact: fsm.BrainAnswered{Answered: fsm.To(d.call(fsm.CallBrain)), Stop: fsm.StopMaxTokens, Text: "They spoke of", Tokens: fsm.Tokens{Prompt: ask.Tokens, Answer: 1000}}})
		}
		if asked != want {
			t.Errorf("edition %d: it is asked for %d times, not %d", edition, asked, want)
		}
	}
}

// fitting returns a driver as bare does, whose prompts leave a fifth of a window to the answer.
func fitting(t *testing.T, question string) (*driver, fsm.RequestKey) {
	t.Helper()
	d := newDriver(t)
	d.config.Switches = fsm.Switches{NoCognition: true, Remember: fsm.RememberOff}
	d.config.Limits.ContextTokens, d.config.Limits.AnswerPercent = 8200, 20
	d.boot()
	return d, d.ask(question)
}

// CTX-11: a request that takes the room to the last token is sent; with one more it is refused, and
// the reply has both numbers.
func TestCTX11TheLongestRequestThatFits(t *testing.T) {
	d, _ := fitting(t, "")
	room := d.config.PromptRoom()
	most := strings.Repeat("word", room-one[fsm.AskBrain](d).Tokens)
	d, _ = fitting(t, most)
	if ask := one[fsm.AskBrain](d); ask.Tokens != room || ask.Conversation.Messages[0].Text != most {
		t.Errorf("asked with %d tokens, of a room of %d", ask.Tokens, room)
	}
	d, key := fitting(t, most+"word")
	no[fsm.AskBrain](d)
	d.refused(key, "error: "+d.config.Words.Text(fsm.WordRequestTooLong, "tokens", strconv.Itoa(room+1), "room", strconv.Itoa(room), "window", "8200"))
}

// CTX-11: so is one whose prompt the server has refused, if it is too long by what that has taught
// (CTX-12).
func TestCTX11ARequestThatIsFoundToBeTooLong(t *testing.T) {
	d, key := fitting(t, strings.Repeat("word", 3000))
	one[fsm.AskBrain](d)
	d.brainFails(fsm.BrainContextTruncated, "too long")
	no[fsm.AskBrain](d)
	if r := one[fsm.Reply](d); r.Request != key || !strings.Contains(r.Text, "too long for the model's window") {
		t.Errorf("reply %+v", r)
	}
}

// CTX-12: an answer that was cut because its prompt took the answer's room is asked for again, after
// a shorter prompt. What is learnt is of the prompt that was sent, whatever the window is by now.
func TestCTX12AnAnswerThatItsPromptHasCutIsAskedForAgain(t *testing.T) {
	for _, window := range []int{8200, 2000} {
		d, key := fitting(t, "hello")
		d.calls("list_dir")
		d.toolSays(strings.Repeat("word", 3000))
		before := one[fsm.AskBrain](d)
		d.config.Limits.ContextTokens = window
		d.step(fsm.Input{At: d.now(), Fact: fsm.Configured{Config: d.config}})
		d.step(fsm.Input{At: d.now(), Fact: fsm.BrainAnswered{
			Answered: fsm.To(d.call(fsm.CallBrain)), Stop: fsm.StopMaxTokens, Text: "good d", Tokens: fsm.Tokens{Prompt: 5 * before.Tokens / 2},
		}})
		if again := one[fsm.AskBrain](d); again.Conversation.Tokens >= before.Conversation.Tokens || again.Tokens > d.config.PromptRoom() {
			t.Errorf("a window of %d: asked with %d tokens, then with %d", window, before.Tokens, again.Tokens)
		}
		if got, want := d.active().Sess.Ratio, 5*before.Tokens/2*1024/before.Tokens; got != want {
			t.Errorf("a window of %d: the ratio is %d, want %d", window, got, want)
		}
		d.answer("good day")
		d.replied(key, "good day")
	}
}

// CTX-12: a prompt that just leaves the answer its room has not cut it.
func TestCTX12APromptThatLeavesTheAnswersRoomIsNotSentAgain(t *testing.T) {
	for over, again := range []bool{false, true} {
		d := driverOf(t, "countbot")
		d.boot()
		key := d.ask("hello")
		history := talk(4)
		for i := range history {
			history[i].Text = strings.Repeat("word ", 1200)
		}
		d.loads(fsm.Session{Version: 1, History: history})
		if ask := one[fsm.AskBrain](d); ask.Purpose != fsm.PurposeCompact {
			t.Fatalf("asked for %s", ask.Purpose)
		}
		d.step(fsm.Input{At: d.now(), Fact: fsm.BrainAnswered{
			Answered: fsm.To(d.call(fsm.CallBrain)), Stop: fsm.StopMaxTokens, Text: "They", Tokens: fsm.Tokens{Prompt: d.config.PromptRoom() + over},
		}})
		if ask := one[fsm.AskBrain](d); (ask.Purpose == fsm.PurposeCompact) != again {
			t.Errorf("%d tokens over: asked for %s", over, ask.Purpose)
		}
		for one[fsm.AskBrain](d).Purpose == fsm.PurposeCompact {
			d.answer("a line that is remembered")
		}
		d.answer("good day")
		d.replied(key, "good day")
	}
}

// CTX-11: neither is the model asked for a summary of the conversation before a request that
// is too long by itself.
func TestCTX11NothingIsSummedUpForARequestThatIsTooLong(t *testing.T) {
	for _, profile := range []string{"default", "countbot", "nanobot", "omniemployee"} {
		for edition, asked := range map[int]bool{fsm.PresentEdition: false, fsm.SecondEdition: false, fsm.FirstEdition: true} { // the boots of older builds had it asked
			d := driverOf(t, profile)
			d.config.Edition, d.config.Limits.ContextTokens = edition, 8192
			d.boot()
			key := d.ask(strings.Repeat("word ", 6000))
			d.loads(fsm.Session{Version: 1, History: talk(20)})
			if got := len(of[fsm.AskBrain](d.effects)) > 0; got != asked {
				t.Errorf("%s, edition %d: the model is asked: %t", profile, edition, got)
			}
			if asked {
				continue
			}
			if r := one[fsm.Reply](d); r.Request != key || !strings.Contains(r.Text, "too long for the model's window") {
				t.Errorf("%s: reply %+v", profile, r)
			}
		}
	}
}

// CTX-11: what was not sent because it is too long is not sent with the next question either; it is in the
// archive.
func TestCTX11LittleIsKeptOfARequestThatIsTooLong(t *testing.T) {
	for edition, whole := range map[int]bool{fsm.NinthEdition: false, fsm.EighthEdition: true} { // the boots of older builds kept it
		d := driverOf(t, "default")
		d.config.Edition, d.config.Limits.ContextTokens = edition, 8192
		d.boot()
		long := strings.Repeat("word ", 6000)
		d.ask(long)
		d.loads(fsm.Session{Version: 1, History: talk(2)})
		save := one[fsm.SaveSession](d)
		last := len(save.State.History) - 1
		if got := strings.Contains(save.State.History[last-1].Text, long); got != whole {
			t.Errorf("edition %d: the session keeps all of it: %t", edition, got)
		}
		if len(save.Archive) != 2 || save.Archive[0].Text != long {
			t.Errorf("edition %d: the archive has %d messages", edition, len(save.Archive))
		}
	}
}

// CTX-11, INV-13: this holds too if the model was asked before a start with a smaller window.
func TestCTX11LittleIsKeptOfARequestThatAStartFindsTooLong(t *testing.T) {
	d := driverOf(t, "default")
	d.config.Limits.ContextTokens = 32768
	d.boot()
	long := strings.Repeat("word ", 6000)
	key := d.ask(long)
	d.loads(fsm.Session{Version: 1, History: talk(2)})
	if ask := one[fsm.AskBrain](d); !strings.Contains(ask.Conversation.Messages[len(ask.Conversation.Messages)-1].Text, long) {
		t.Fatal("the request is not sent whole")
	}
	d.calls("list_dir")
	d.config.Limits.ContextTokens = 8192
	d.boot()
	d.toolSays("notes.txt")
	if r := one[fsm.Reply](d); r.Request != key || !strings.Contains(r.Text, "too long for the model's window") {
		t.Errorf("reply %+v", r)
	}
	if save := one[fsm.SaveSession](d); strings.Contains(fmt.Sprint(save.State.History), long) {
		t.Error("the session keeps all of it")
	}
}

// CTX-10: a conversation that takes the room to the last token is sent as it is.
func TestCTX10TheLongestConversationThatFits(t *testing.T) {
	asked := func(result string) fsm.AskBrain {
		d, _ := fitting(t, "hello")
		d.calls("list_dir")
		d.toolSays(result)
		return one[fsm.AskBrain](d)
	}
	d, _ := fitting(t, "hello")
	room := d.config.PromptRoom()
	most := strings.Repeat("word", room-asked("").Tokens)
	if ask := asked(most); ask.Tokens != room || ask.Conversation.Messages[2].Text != most {
		t.Errorf("asked with %d tokens of a room of %d, after a result of %d bytes of %d", ask.Tokens, room, len(ask.Conversation.Messages[2].Text), len(most))
	}
	if ask := asked(most + "word"); ask.Tokens >= room {
		t.Errorf("with one token more: asked with %d tokens of a room of %d", ask.Tokens, room)
	}
}

// CTX-12: an answer that was cut is not asked for again if its prompt, by what was learnt of it, would
// be the same.
func TestCTX12APromptThatFitsByWhatWasLearntIsNotSentAgain(t *testing.T) {
	d, _ := fitting(t, "hello")
	d.calls("list_dir")
	room := d.config.PromptRoom()
	text := strings.Repeat("word", room/2)
	d.toolSays(text)
	for estimate := one[fsm.AskBrain](d).Tokens; ; estimate++ { // one that the correction, which is rounded, fits into the room exactly
		var s fsm.Session
		if s.Learn(estimate, room+1); s.Uncorrected(room) == estimate {
			text += strings.Repeat("word", estimate-one[fsm.AskBrain](d).Tokens)
			break
		}
	}
	d, key := fitting(t, "hello")
	d.calls("list_dir")
	d.toolSays(text)
	d.step(fsm.Input{At: d.now(), Fact: fsm.BrainAnswered{
		Answered: fsm.To(d.call(fsm.CallBrain)), Stop: fsm.StopMaxTokens, Text: "good d", Tokens: fsm.Tokens{Prompt: room + 1},
	}})
	no[fsm.AskBrain](d)
	if r := one[fsm.Reply](d); r.Request != key {
		t.Errorf("reply %+v", r)
	}
}

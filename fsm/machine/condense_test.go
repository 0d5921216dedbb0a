package machine_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"shelly/fsm"
	"shelly/fsm/check"
	"shelly/fsm/machine"
	"shelly/fsm/profile"
	"shelly/fsm/state"
)

const summaryTitle = "[Earlier conversation summary]\n"

// long returns a history of n messages of some tokens each.
func long(n int) []fsm.Message {
	msgs := talk(n)
	for i := range msgs {
		msgs[i].Text += strings.Repeat(" and so on", 20)
	}
	return msgs
}

// shortening returns a driver whose conversation of ten messages and a question is
// just being shortened to the newest four.
func shortening(t testing.TB) (*driver, fsm.RequestKey) {
	t.Helper()
	d := driverOf(t, "omniemployee")
	d.config.Limits.ContextTokens, d.config.Limits.KeepMessages = 1000, 4
	d.config.Limits.AnswerPercent = 0
	d.boot()
	key := d.ask("hello")
	d.loads(fsm.Session{Version: 1, History: long(10)})
	if got := d.active().Inf.State; got != state.Condensing {
		t.Fatalf("the inference is in %s", got)
	}
	return d, key
}

func TestCTX3TheThresholdIsExact(t *testing.T) {
	ask := func(tokens, percent int) *driver {
		d := driverOf(t, "omniemployee")
		d.config.Limits.ContextTokens, d.config.Limits.CompressPercent, d.config.Limits.KeepMessages = tokens, percent, 2
		d.boot()
		d.ask("hello")
		d.loads(fsm.Session{History: long(10)})
		return d
	}
	whole := one[fsm.AskBrain](ask(1_000_000, 80)).Tokens
	if whole < 100 {
		t.Fatalf("the conversation is estimated at %d tokens", whole)
	}
	tests := []struct {
		tokens, percent int
		want            fsm.State
	}{
		{whole, 100, state.Thinking},
		{whole - 1, 100, state.Condensing},
		{2 * whole, 50, state.Thinking},
		{2*whole - 1, 50, state.Condensing}, // half a token too many
		{whole, 99, state.Condensing},
		{whole, 1000, state.Thinking},
	}
	for _, tt := range tests {
		if got := ask(tt.tokens, tt.percent).active().Inf.State; got != tt.want {
			t.Errorf("with %d %% of %d tokens, %d are %s, want %s", tt.percent, tt.tokens, whole, got, tt.want)
		}
	}
}

func TestCTX2TheRatioIsKeptWithTheSession(t *testing.T) {
	d := driverOf(t, "omniemployee")
	d.boot()
	d.ask("hello")
	d.loads(fsm.Session{Ratio: 2048})
	ask := one[fsm.AskBrain](d)
	d.step(fsm.Input{At: d.now(), Fact: fsm.BrainAnswered{
		Answered: fsm.To(ask.Call), Stop: fsm.StopEndTurn, Text: "good day", Tokens: fsm.Tokens{Prompt: ask.Tokens * 3 / 2}, // of the doubled estimate
	}})
	if got := one[fsm.SaveSession](d).State.Ratio; got != 3*1024 {
		t.Errorf("the ratio is %d", got)
	}
}

func TestCTX3WithoutCompressNothingIsShortened(t *testing.T) {
	d := driverOf(t, "omniemployee")
	d.config.Limits.ContextTokens, d.config.Switches.Compress, d.config.Limits.AnswerPercent = 1, false, 0
	d.boot()
	d.ask("hello")
	d.loads(fsm.Session{History: long(40)})
	if ask := one[fsm.AskBrain](d); len(ask.Conversation.Messages) != 41 || ask.Tokens != 0 {
		t.Errorf("asked with %d messages, %d tokens", len(ask.Conversation.Messages), ask.Tokens)
	}
}

func TestCTX3WhatHasNothingOldIsSentAsItIs(t *testing.T) {
	summary := fsm.Message{Role: fsm.RoleSystem, Text: summaryTitle + strings.Repeat("it was so ", 50)}
	tests := []struct {
		name    string
		history []fsm.Message
	}{
		{"a question alone", nil},
		{"as many messages as stay", long(3)},
		{"an earlier summary", append([]fsm.Message{summary}, long(3)...)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := driverOf(t, "omniemployee")
			d.config.Limits.ContextTokens, d.config.Limits.KeepMessages = 1, 4
			d.config.Limits.AnswerPercent = 0
			d.boot()
			d.ask("hello")
			d.loads(fsm.Session{History: tt.history})
			if got := d.active().Inf.State; got != state.Thinking {
				t.Errorf("the inference is in %s", got)
			}
		})
	}
}

func TestCTX4OldResultsAreShortExtracts(t *testing.T) {
	d := driverOf(t, "omniemployee")
	d.config.Limits.ContextTokens, d.config.Limits.KeepMessages = 1000, 2
	d.config.Limits.AnswerPercent = 0
	d.boot()
	d.ask("hello")
	d.loads(fsm.Session{})
	bound := strings.Repeat("a", 120) // an extract of it would be longer
	d.calls("list_dir", "list_dir", "list_dir", "list_dir")
	d.toolSays(strings.Repeat("é", 1000))
	d.toolSays("short")
	d.toolSays(bound)
	d.toolSays(bound + "b")
	d.calls("list_dir")
	d.toolSays(strings.Repeat("new ", 500))
	ask := one[fsm.AskBrain](d)
	if ask.Purpose != fsm.PurposeCompact {
		t.Fatalf("asked for %s", ask.Purpose)
	}
	want := "[old result of 2000 bytes] " + strings.Repeat("é", 60) + " …"
	if got := ask.Conversation.Messages[1].Text; got != want {
		t.Errorf("the old result is %q", got)
	}
	if got := ask.Conversation.Messages[2].Text; got != "short" {
		t.Errorf("the short one is %q", got)
	}
	if got := ask.Conversation.Messages[3].Text; got != bound {
		t.Errorf("one that is as long as an extract is %q", got)
	}
	if got, want := ask.Conversation.Messages[4].Text, "[old result of 121 bytes] "+bound+" …"; got != want {
		t.Errorf("one that is longer is %q, want %q", got, want)
	}
	d.answer("they looked")
	c := one[fsm.AskBrain](d).Conversation.Messages
	if got := c[len(c)-1].Text; got != strings.Repeat("new ", 500) {
		t.Errorf("the newest result is %q", got)
	}
}

func TestCTX5ASummaryStandsForWhatIsOlder(t *testing.T) {
	d, key := shortening(t)
	ask := one[fsm.AskBrain](d)
	if ask.Purpose != fsm.PurposeCompact || ask.Tools != fsm.NoTools || ask.System != d.config.Prompts.Identity {
		t.Errorf("asked for %s with tools %q and system prompt %q", ask.Purpose, ask.Tools, ask.System)
	}
	want := append(long(10)[:7], fsm.Message{Role: fsm.RoleUser, Text: d.config.Prompts.Compress})
	same(t, want, ask.Conversation.Messages, unsourced())
	d.answer(" NEED: they spoke \n")
	ask = one[fsm.AskBrain](d)
	if ask.Purpose != fsm.PurposeAnswer || !strings.HasPrefix(ask.System, d.config.Prompts.Identity) || len(ask.System) == len(d.config.Prompts.Identity) {
		t.Errorf("asked for %s with system prompt %q", ask.Purpose, ask.System)
	}
	kept := append([]fsm.Message{{Role: fsm.RoleSystem, Text: summaryTitle + "they spoke"}}, long(10)[7:]...)
	want = append(slices.Clone(kept), fsm.Message{Role: fsm.RoleUser, Text: "hello"})
	same(t, want, ask.Conversation.Messages, unsourced())
	one[fsm.ClearTimer](d)
	d.answer("good day")
	d.replied(key, "good day")
	save := one[fsm.SaveSession](d)
	want = append(want, fsm.Message{Role: fsm.RoleAssistant, Text: "good day"})
	if diff := cmp.Diff(want, save.State.History, unsourced()); diff != "" {
		t.Errorf("the history keeps: %s", diff)
	}
}

// CTX-5: it is written without tools, so what looks like a call is its text (INF-12).
func TestCTX5ASummaryIsNotACall(t *testing.T) {
	d, _ := shortening(t)
	const text = `{"name":"list_dir","arguments":{}}`
	d.step(fsm.Input{At: d.now(), Fact: fsm.BrainAnswered{Answered: fsm.To(d.call(fsm.CallBrain)), Stop: fsm.StopEndTurn, Text: text, AsText: true}})
	no[fsm.RunTool](d)
	if got := one[fsm.AskBrain](d).Conversation.Messages[0].Text; got != summaryTitle+text {
		t.Errorf("the conversation begins with %q", got)
	}
}

func TestCTX5ThePresentQuestionStays(t *testing.T) {
	d := driverOf(t, "omniemployee")
	d.config.Limits.ContextTokens, d.config.Limits.KeepMessages = 600, 2
	d.config.Limits.AnswerPercent = 0
	d.boot()
	d.ask("what is all this?")
	d.loads(fsm.Session{})
	for n := range 3 {
		d.calls("list_dir")
		d.toolSays(strings.Repeat("a.txt ", 100))
		if one[fsm.AskBrain](d).Purpose == fsm.PurposeCompact {
			d.answer("summary " + strconv.Itoa(n))
		}
		c := one[fsm.AskBrain](d).Conversation.Messages
		questions := 0
		for _, m := range c {
			if m.Text == "what is all this?" {
				questions++
			}
		}
		if questions != 1 {
			t.Fatalf("in round %d the question is there %d times: %+v", n, questions, c)
		}
	}
	if n := d.active().Inf.Compactions; n < 2 {
		t.Fatalf("%d compactions", n)
	}
	d.answer("three files")
	save := one[fsm.SaveSession](d)
	if got := save.Archive; len(got) != 8 || got[0].Text != "what is all this?" || got[7].Text != "three files" {
		t.Errorf("the archive has %+v", got)
	}
}

func TestCTX6SkillsThatNobodyMentionsAreUnloaded(t *testing.T) {
	tests := []struct {
		name     string
		question string
		want     int
	}{
		{"mentioned", "are there flights?", 1},
		{"not mentioned", "hello", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := driverOf(t, "omniemployee")
			d.config.Limits.ContextTokens, d.config.Limits.KeepMessages = 1000, 4
			d.config.Limits.AnswerPercent = 0
			d.boot()
			d.ask(tt.question)
			d.loads(fsm.Session{History: long(10), Skills: []fsm.LoadedSkill{{Name: "flights", Text: "book them"}}})
			d.answer("they spoke")
			if got := strings.Contains(one[fsm.AskBrain](d).System, "book them"); got != (tt.want == 1) {
				t.Errorf("the instructions are in the system prompt: %t", got)
			}
			d.answer("good day")
			if got := len(one[fsm.SaveSession](d).State.Skills); got != tt.want {
				t.Errorf("%d skills stay loaded", got)
			}
		})
	}
}

func TestCTX7WithoutASummaryWholeTurnsAreDropped(t *testing.T) {
	ends := []struct {
		name string
		end  func(*driver)
	}{
		{"failed", func(d *driver) { d.brainFails(fsm.BrainMissingModel, "gone") }},
		{"busy", func(d *driver) { d.brainFails(fsm.BrainBusy, "queue full") }},
		{"too long", func(d *driver) { d.brainFails(fsm.BrainContextTruncated, "too long") }},
		{"empty", func(d *driver) { d.answer(" ") }},
		{"a marker alone", func(d *driver) { d.answer("NEED:") }},
		{"out of time", func(d *driver) { d.waitUp(); one[fsm.AbortCall](d) }},
	}
	for _, tt := range ends {
		t.Run(tt.name, func(t *testing.T) {
			d, key := shortening(t)
			if set := only[fsm.SetTimer](d, func(s fsm.SetTimer) bool { return s.Purpose == fsm.TimerCompact }); set.After < d.config.Limits.CompactTimeout { // INF-50: or longer, if reading all of it takes longer
				t.Errorf("timer %+v", set)
			}
			tt.end(d)
			// The cut is between a question and its answer, so the answer goes, too.
			want := append(long(10)[8:], fsm.Message{Role: fsm.RoleUser, Text: "hello"})
			same(t, want, one[fsm.AskBrain](d).Conversation.Messages, unsourced())
			d.answer("good day")
			d.replied(key, "good day")
		})
	}
}

// only returns the one effect of a type in the last step for which meant is true.
func only[E fsm.Effect](d *driver, meant func(E) bool) E {
	d.t.Helper()
	found := slices.DeleteFunc(of[E](d.effects), func(e E) bool { return !meant(e) })
	if len(found) != 1 {
		d.t.Fatalf("%d effects match, not one: %+v", len(found), d.effects)
	}
	return found[0]
}

func TestCTX8AConversationThatDoesNotFitIsShortenedAndAskedAgain(t *testing.T) {
	d := driverOf(t, "omniemployee")
	d.config.Limits.KeepMessages = 4
	d.boot()
	key := d.ask("hello")
	d.loads(fsm.Session{History: talk(10)})
	d.brainFails(fsm.BrainContextTruncated, "too long")
	if ask := one[fsm.AskBrain](d); ask.Purpose != fsm.PurposeCompact {
		t.Fatalf("asked for %s", ask.Purpose)
	}
	d.answer("they spoke")
	if n := len(one[fsm.AskBrain](d).Conversation.Messages); n != 5 {
		t.Errorf("asked with %d messages", n)
	}
	d.answer("good day")
	d.replied(key, "good day")
}

// CTX-12: a summary whose prompt is refused is asked for again: by itself, if it was asked for
// after the conversation, and of less.
func TestCTX12ARefusedCompressionIsAskedForAgainOfLess(t *testing.T) {
	for name, words := range map[string]int{"by itself": 1600, "after the conversation": 300} {
		d := driverOf(t, "default")
		d.boot()
		key := d.ask("hello")
		history := talk(16)
		for i := range history {
			history[i].Text = strings.Repeat("word ", words)
		}
		calls := []fsm.ToolCall{{ID: "1", Name: "list_dir", Args: "{}"}}
		history = slices.Insert(history, 1, fsm.Message{Role: fsm.RoleAssistant, Calls: calls}, fsm.Message{Role: fsm.RoleTool, ToolCall: "1", Text: strings.Repeat("old ", 50)})
		d.loads(fsm.Session{Version: 1, History: history})
		before := one[fsm.AskBrain](d)
		if appended := before.Tools != fsm.NoTools; before.Purpose != fsm.PurposeCompact || appended != (words == 300) {
			t.Fatalf("%s: asked for %s with the tools %q", name, before.Purpose, before.Tools)
		}
		for range 2 {
			d.brainFails(fsm.BrainContextTruncated, "too long")
			again := one[fsm.AskBrain](d)
			if again.Purpose != fsm.PurposeCompact || again.Tools != fsm.NoTools || again.Conversation.Tokens >= before.Conversation.Tokens {
				t.Fatalf("%s: asked with %d tokens, then for %s with %d", name, before.Conversation.Tokens, again.Purpose, again.Conversation.Tokens)
			}
			if words == 300 && len(again.Conversation.Messages) >= len(before.Conversation.Messages) { // CTX-13: long texts are cut instead
				t.Errorf("%s: %d messages are shown, then %d", name, len(before.Conversation.Messages), len(again.Conversation.Messages))
			}
			one[fsm.ClearTimer](d) // each call has its own time (CTX-7)
			one[fsm.SetTimer](d)
			if got, want := again.Conversation.Messages[2].Text, "[old result of 200 bytes] "+strings.Repeat("old ", 30)+" …"; got != want { // CTX-4
				t.Errorf("%s: the old result is %q", name, got)
			}
			before = again
		}
		for one[fsm.AskBrain](d).Purpose == fsm.PurposeCompact {
			d.answer("they spoke")
		}
		if first := one[fsm.AskBrain](d).Conversation.Messages[0]; !strings.Contains(first.Text, "they spoke") {
			t.Errorf("%s: the answer is asked for after %q", name, first.Text)
		}
		d.answer("good day")
		d.replied(key, "good day")
	}
}

// CTX-12: what a refusal has taught counts for the compression after it; where the prompt should have
// fitted all the same, nothing was learnt.
func TestCTX12ARefusalThatIsCompressedTeaches(t *testing.T) {
	asked := func(words, more int) (*driver, int) {
		d := driverOf(t, "default")
		d.config.Limits.ContextTokens, d.config.Switches.TellTime = 8192, false
		d.boot()
		d.ask("hello")
		history := talk(16)
		for i := range history {
			history[i].Text = strings.Repeat("word ", words)
		}
		history[15].Text += strings.Repeat("and ", more)
		d.loads(fsm.Session{Version: 1, History: history})
		ask := one[fsm.AskBrain](d)
		if ask.Purpose != fsm.PurposeAnswer {
			t.Fatalf("asked for %s", ask.Purpose)
		}
		return d, ask.Tokens
	}
	d, least := asked(20, 0)
	quarter := d.config.PromptRoom() / 4 // four times that, the most that a model counts of it (CTX-2), fits
	for _, tt := range []struct {
		words, tokens int
		learns        bool
	}{{200, 0, true}, {20, least, false}, {20, quarter, false}, {20, quarter + 1, true}} {
		d, tokens := asked(tt.words, max(tt.tokens-least, 0))
		if tt.tokens > 0 && tokens != tt.tokens {
			t.Fatalf("asked with %d tokens, not %d", tokens, tt.tokens)
		}
		d.brainFails(fsm.BrainContextTruncated, "too long")
		if ask := one[fsm.AskBrain](d); ask.Purpose != fsm.PurposeCompact || d.active().Sess.Ratio > 0 != tt.learns {
			t.Errorf("%d tokens: asked for %s at a ratio of %d", tokens, ask.Purpose, d.active().Sess.Ratio)
		}
	}
}

// The boots of older builds went on without a summary, and what cannot become shorter still does.
// The next prompt is as short as was learnt.
func TestCTX12ARefusedCompressionThatCannotBeShorter(t *testing.T) {
	for edition, again := range map[int]bool{fsm.FourthEdition: false, fsm.FifthEdition: true, fsm.PresentEdition: true} {
		d := driverOf(t, "default")
		d.config.Edition = edition
		d.boot()
		d.ask("hello")
		history := talk(16)
		for i := range history {
			history[i].Text = strings.Repeat("word ", 2500)
		}
		d.loads(fsm.Session{Version: 1, Ratio: 256, History: history})
		asked := 0
		for ; one[fsm.AskBrain](d).Purpose == fsm.PurposeCompact; asked++ {
			d.brainFails(fsm.BrainContextTruncated, "too long")
		}
		if h, most := d.active(), 8+d.config.Limits.MaxCompactions; h.Sess.Ratio > 256 != again || asked > most || !again && asked > most-8 {
			t.Errorf("edition %d: asked %d times, the ratio is %d", edition, asked, h.Sess.Ratio)
		}
	}
}

// condensing returns a driver whose conversation of sixteen messages and a question is just being
// shortened, with a window of 8192 tokens, and the prompt for the summary. Its first answer is
// longer by as many tokens as are given.
func condensing(t *testing.T, longer int, change func(*fsm.Config)) (*driver, fsm.AskBrain) {
	t.Helper()
	d := driverOf(t, "default")
	d.config.Limits.ContextTokens, d.config.Limits.CompressPercent, d.config.Limits.MaxCompactions, d.config.Switches.TellTime = 8192, 1, 1, false
	change(&d.config)
	d.boot()
	d.ask("hello")
	history := talk(16)
	history[1].Text = strings.Repeat("word", 1+longer)
	d.loads(fsm.Session{Version: 1, History: history, Skills: []fsm.LoadedSkill{{Name: "flights", Text: "book them"}}})
	ask := one[fsm.AskBrain](d)
	if ask.Purpose != fsm.PurposeCompact {
		t.Fatalf("asked for %s", ask.Purpose)
	}
	return d, ask
}

// byItself has summaries asked for as CTX-5 says, not after the conversation.
func byItself(c *fsm.Config) { c.Switches.SideCalls = "" }

func afterAll(*fsm.Config) {}

// CTX-12: if the prompt for a summary should have fitted even if the model counts four times what was
// estimated, the most that is believed (CTX-2), there is no summary, and nothing was learnt.
func TestCTX12ARefusedCompressionThatShouldHaveFitted(t *testing.T) {
	d, least := condensing(t, 0, byItself)
	quarter := d.config.PromptRoom() / 4
	for _, tt := range []struct {
		tokens int
		again  bool
	}{{least.Tokens, false}, {quarter, false}, {quarter + 1, true}} {
		d, ask := condensing(t, tt.tokens-least.Tokens, byItself)
		if ask.Tokens != tt.tokens {
			t.Fatalf("asked with %d tokens, not %d", ask.Tokens, tt.tokens)
		}
		d.brainFails(fsm.BrainContextTruncated, "too long")
		again := one[fsm.AskBrain](d).Purpose == fsm.PurposeCompact
		if ratio := d.active().Sess.Ratio; again != tt.again || ratio > 0 != tt.again {
			t.Errorf("%d tokens: it is asked for again: %t, the ratio is %d", tt.tokens, again, ratio)
		}
	}
}

// CTX-12: it is asked for again only as long as that makes its prompt shorter, and what was learnt of
// the last one counts for the answer's.
func TestCTX12ARefusedCompressionOfNothingMoreEnds(t *testing.T) {
	d, ask := condensing(t, 0, func(c *fsm.Config) {
		byItself(c)
		c.Prompts.Compress = strings.Repeat("word", 4000)
	})
	for _, left := range []int{8, 1} { // the second time the request alone
		if n := len(ask.Conversation.Messages); n != left {
			t.Errorf("asked after %d messages, not %d", n, left)
		}
		d.brainFails(fsm.BrainContextTruncated, "too long")
		last := ask
		if ask = one[fsm.AskBrain](d); left == 1 {
			if want := d.config.Limits.ContextTokens * 1024 / d.config.Estimate(last); d.active().Sess.Ratio != want || ask.Purpose != fsm.PurposeAnswer {
				t.Errorf("then asked for %s, with a ratio of %d, not %d", ask.Purpose, d.active().Sess.Ratio, want)
			}
		}
	}
}

// CTX-12: one that was asked for after the conversation is asked for by itself, even if that would leave
// the conversation enough room by what was learnt (CTX-20). The skills are unloaded then (CTX-6).
func TestCTX12ARefusedCompressionAfterTheConversationIsAskedForByItself(t *testing.T) {
	few := func(c *fsm.Config) { c.Tools = tools() }
	room := 8192 * 85 / 100 / 4 // between the shares of CTX-10 and CTX-20, if the model counts four times as much
	_, least := condensing(t, 0, few)
	d, ask := condensing(t, room-least.Tokens, few)
	if ask.Tools == fsm.NoTools || ask.Tokens != room || len(d.active().Sess.Skills) != 1 {
		t.Fatalf("asked with %d tokens, not %d, with the tools %q; loaded are %v", ask.Tokens, room, ask.Tools, d.active().Sess.Skills)
	}
	d.brainFails(fsm.BrainContextTruncated, "too long")
	again := one[fsm.AskBrain](d)
	if again.Purpose != fsm.PurposeCompact || again.Tools != fsm.NoTools || again.Conversation.Tokens >= ask.Conversation.Tokens {
		t.Errorf("asked with %d tokens, then for %s with %d, with the tools %q", ask.Tokens, again.Purpose, again.Tokens, again.Tools)
	}
	d.answer("they spoke")
	if next := one[fsm.AskBrain](d); next.Purpose != fsm.PurposeAnswer || len(d.active().Sess.Skills) > 0 {
		t.Errorf("then asked for %s; loaded are %v", next.Purpose, d.active().Sess.Skills)
	}
}

// CTX-20: what the model has not been sent is read once, after the summary, unless it leaves; the
// boots of older builds asked after it.
func TestCTX20ASummaryIsAskedForAfterWhatTheModelKnows(t *testing.T) {
	much := strings.Repeat("word", 3500)
	looks := func(d *driver) { d.calls("list_dir"); d.toolSays(much) }
	for _, tt := range []struct {
		name     string
		edition  int
		keep     int
		question string
		comes    func(*driver)
		unknown  int // of the messages of the conversation
	}{
		{"a long question", fsm.PresentEdition, 4, much, func(*driver) {}, 1},
		{"results of a call", fsm.EighthEdition, 4, "hello", looks, 2},
		{"an answer, and what was found for it", fsm.EighthEdition, 4, "hello", func(d *driver) { d.answer("NEED: tea"); d.recalls(much) }, 1},
		{"results that leave", fsm.EighthEdition, 1, "hello", looks, 1}, // what is said after them stays
		{"up to the seventh edition", fsm.SeventhEdition, 4, "hello", looks, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := driverOf(t, "default")
			l := &d.config.Limits
			l.ContextTokens, l.CompressPercent, l.KeepMessages, d.config.Switches.TellTime, d.config.Edition = 8192, 45, tt.keep, false, tt.edition
			if tt.keep == 1 {
				d.config.Prompts.Reflection = "Is it done?"
			}
			d.boot()
			d.ask(tt.question)
			d.loads(fsm.Session{Version: 1, History: talk(16)})
			tt.comes(d)
			ask, all := one[fsm.AskBrain](d), d.active().Inf.Talk.Messages
			if ask.Purpose != fsm.PurposeCompact {
				t.Fatalf("asked for %s", ask.Purpose)
			}
			want := append(slices.Clone(all[:len(all)-tt.unknown]), fsm.Message{Role: fsm.RoleUser, Text: d.config.Prompts.Compress})
			same(t, want, ask.Conversation.Messages)
			d.answer("they spoke")
			if next := one[fsm.AskBrain](d).Conversation.Messages; len(next) >= len(all) || !cmp.Equal(next[len(next)-1], all[len(all)-1]) {
				t.Errorf("then asked after %+v", next)
			}
		})
	}
}

// CTX-20: skills are unloaded after the summary, because its prompt begins as the one before.
func TestCTX20SkillsAreUnloadedAfterTheSummary(t *testing.T) {
	d, ask := condensing(t, 0, afterAll)
	if ask.Tools == fsm.NoTools || len(d.active().Sess.Skills) != 1 {
		t.Errorf("asked with the tools %q; loaded are %v", ask.Tools, d.active().Sess.Skills)
	}
	d.answer("they spoke")
	one[fsm.AskBrain](d)
	if len(d.active().Sess.Skills) > 0 {
		t.Errorf("loaded are %v", d.active().Sess.Skills)
	}
}

// CTX-14: the operator is told of a summary that does not come, and it is counted.
// The boots of older builds said of each that it had taken too long.
func TestCTX14WhyThereIsNoSummaryOfACompression(t *testing.T) {
	late, useless := fsm.PresentWords().Text(fsm.WordUpkeepLate), fsm.PresentWords().Text(fsm.WordUpkeepUseless)
	for _, tt := range []struct {
		name    string
		edition int
		comes   func(*driver)
		why     string
	}{
		{"nothing in time", fsm.SixthEdition, (*driver).waitUp, late},
		{"an empty answer", fsm.SixthEdition, func(d *driver) { d.answer(" ") }, useless},
		{"a failure", fsm.SixthEdition, func(d *driver) { d.brainFails(fsm.BrainMissingModel, "gone") }, "missing_model: gone"},
		{"an empty answer, before", fsm.FifthEdition, func(d *driver) { d.answer(" ") }, late},
		{"a failure, before", fsm.FifthEdition, func(d *driver) { d.brainFails(fsm.BrainMissingModel, "gone") }, late},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, _ := condensing(t, 0, afterAll)
			d.config.Edition = tt.edition
			d.step(fsm.Input{At: d.now(), Fact: fsm.Configured{Config: d.config}})
			tt.comes(d)
			want := d.config.Words.Text(fsm.WordNotSummedUp, "reason", tt.why)
			if u := d.m.View().Upkeep; u.Failed != 1 || u.Last != want {
				t.Errorf("counted %+v, want %q", u, want)
			}
			if r := one[fsm.Report](d); r.Text != want {
				t.Errorf("the report is %q", r.Text)
			}
		})
	}
}

// CTX-14: the prompt for a summary by itself may take all of the room, to the last token, but not that
// of the answer. What is too long loses its thinking first.
func TestCTX14ThePromptForASummaryMayFillTheRoom(t *testing.T) {
	thought := func(tokens int) (*driver, fsm.AskBrain) {
		d := driverOf(t, "default")
		byItself(&d.config)
		d.config.Limits.ContextTokens, d.config.Limits.CompressPercent, d.config.Limits.KeepMessages = 8192, 1, 2
		d.config.Prompts.Compress = strings.Repeat("word", 3500) // so that less is left for what leaves than in an answer's prompt
		d.boot()
		d.ask("hello")
		d.loads(fsm.Session{})
		for _, thinking := range []string{strings.Repeat("hmm ", tokens), ""} {
			calls := []fsm.ToolCall{{ID: "1", Name: "list_dir", Args: "{}"}}
			d.step(fsm.Input{At: d.now(), Fact: fsm.BrainAnswered{Answered: fsm.To(d.call(fsm.CallBrain)), Stop: fsm.StopToolUse, Calls: calls, Thinking: thinking}})
			d.toolSays("a.txt")
		}
		ask := one[fsm.AskBrain](d)
		if ask.Purpose != fsm.PurposeCompact {
			t.Fatalf("asked for %s", ask.Purpose)
		}
		return d, ask
	}
	d, least := thought(0)
	room := d.config.PromptRoom()
	for over, whole := range []bool{true, false} {
		_, ask := thought(room - least.Tokens + over)
		if got := ask.Conversation.Messages[0].Thinking != ""; got != whole || ask.Tokens == room != whole || ask.Tokens > room {
			t.Errorf("%d tokens over: asked with %d tokens of a room of %d, with its thinking: %t", over, ask.Tokens, room, got)
		}
	}
}

func TestCTX8WhatCannotBeShortenedFails(t *testing.T) {
	tests := []struct {
		name    string
		profile string
		history int
	}{
		{"without compress", "nanobot", 10},
		{"with nothing old", "omniemployee", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := driverOf(t, tt.profile)
			d.config.Limits.KeepMessages = 4
			d.boot()
			key := d.ask("hello")
			d.loads(fsm.Session{History: talk(tt.history)})
			d.brainFails(fsm.BrainContextTruncated, "too long")
			d.refused(key, "error: context_truncated: too long")
		})
	}
}

func TestCTX9AnInferenceIsCompactedAtMostMaxCompactionsTimes(t *testing.T) {
	d := driverOf(t, "omniemployee")
	d.config.Limits.ContextTokens, d.config.Limits.KeepMessages, d.config.Limits.MaxCompactions = 1, 2, 3
	d.config.Limits.AnswerPercent = 0
	d.boot()
	key := d.ask("hello")
	d.loads(fsm.Session{})
	compactions := 0
	for range 6 {
		d.calls("list_dir", "list_dir", "list_dir")
		for range 3 {
			d.toolSays("a.txt")
		}
		if one[fsm.AskBrain](d).Purpose == fsm.PurposeCompact {
			compactions++
			d.answer("they looked")
		}
	}
	if compactions != 3 {
		t.Errorf("%d compactions, want 3", compactions)
	}
	d.brainFails(fsm.BrainContextTruncated, "too long")
	d.refused(key, "error: context_truncated: too long")
}

// However any conversation is shortened, what is sent has each call paired with its result and,
// if it is to be answered, the present question.
func TestCTX7NoCompactionSplitsACallOrDropsTheQuestion(t *testing.T) {
	compactions := 0
	rapid.Check(t, func(t *rapid.T) {
		c := profile.Omniemployee()
		c.Limits.ContextTokens = rapid.IntRange(1, 600).Draw(t, "context_tokens")
		c.Limits.KeepMessages = rapid.IntRange(1, 6).Draw(t, "keep_messages")
		c.Tools = tools()
		m, w := machine.New(), check.NewMonitor()
		step := func(in fsm.Input) []fsm.Effect {
			effects := m.Step(in)
			checkStep(t, w, m, in, effects)
			for _, ask := range of[fsm.AskBrain](effects) {
				msgs := ask.Conversation.Messages
				unsplit(t, msgs)
				asked := slices.ContainsFunc(msgs, func(m fsm.Message) bool { return m.Role == fsm.RoleUser && m.Text == "the question" })
				if asked == (ask.Purpose == fsm.PurposeCompact) {
					t.Fatalf("asked for %s, with the question: %t", ask.Purpose, asked)
				}
			}
			return effects
		}
		step(fsm.Input{Fact: fsm.Boot{Config: c}})
		step(fsm.Input{Fact: fsm.Requested{Text: "the question"}})
		step(fsm.Input{Fact: fsm.SessionLoaded{Answered: fsm.To(m.View().Handles[0].Await.Call), Session: fsm.Session{History: genMessages(t, 12)}}})
		for range rapid.IntRange(1, 20).Draw(t, "steps") {
			h := &m.View().Handles[0]
			switch {
			case h.Await.Kind == fsm.CallTool:
				step(fsm.Input{Fact: fsm.ToolAnswered{Answered: fsm.To(h.Await.Call), Text: strings.Repeat("a.txt ", rapid.IntRange(1, 60).Draw(t, "result"))}})
			case h.Inf.State == state.Condensing:
				compactions++
				step(fsm.Input{Fact: fsm.BrainAnswered{Answered: fsm.To(h.Await.Call), Text: rapid.SampledFrom([]string{"", "a summary"}).Draw(t, "summary")}})
			case rapid.IntRange(0, 5).Draw(t, "truncated") == 0 && h.Inf.Compactions < c.Limits.MaxCompactions && len(h.Inf.Talk.Messages) > c.Limits.KeepMessages+2:
				step(fsm.Input{Fact: fsm.BrainFailed{Answered: fsm.To(h.Await.Call), Class: fsm.BrainContextTruncated}})
			default:
				calls := []fsm.ToolCall{{Name: "list_dir"}, {Name: "list_dir"}, {Name: "fly"}}
				step(fsm.Input{Fact: fsm.BrainAnswered{Answered: fsm.To(h.Await.Call), Calls: calls[:rapid.IntRange(1, 3).Draw(t, "calls")]}})
			}
			if len(m.View().Handles) == 0 || m.View().Handles[0].State != state.Execution {
				return
			}
		}
	})
	if compactions == 0 {
		t.Error("no conversation was shortened")
	}
}

// unsplit fails the property unless each call has its result after it.
func unsplit(t *rapid.T, msgs []fsm.Message) {
	for i := 0; i < len(msgs); i++ {
		if msgs[i].Role == fsm.RoleTool {
			t.Fatalf("message %d is a result without its call: %+v", i, msgs)
		}
		for n, c := range msgs[i].Calls {
			if at := i + 1 + n; at >= len(msgs) || msgs[at].Role != fsm.RoleTool || msgs[at].Tool != c.Name || msgs[at].ToolCall != c.ID {
				t.Fatalf("call %d of message %d has no result: %+v", n, i, msgs)
			}
		}
		i += len(msgs[i].Calls)
	}
}

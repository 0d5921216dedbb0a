package fit

import (
	"slices"
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/fsm/profile"
	"shelly/fsm/prompt"
	"shelly/fsm/state"
)

// The transcript that is summarised shows the calls and the tools of each message.
func TestCTX13ATranscriptHasCallsAndTools(t *testing.T) {
	var b strings.Builder
	Transcript(fsm.PresentWords(), &b, []fsm.Message{
		{Role: fsm.RoleUser, Text: "look"},
		{Role: fsm.RoleAssistant, Text: "I look.", Calls: []fsm.ToolCall{{Name: "list_dir", Args: "{}"}}},
		{Role: fsm.RoleAssistant, Text: "There are two.", Used: []string{"list_dir", "read_file"}},
	})
	if want := "\n[user] look\n[assistant] I look.\n[assistant] calls list_dir {}\n[assistant] There are two. (tools: list_dir, read_file)"; b.String() != want {
		t.Errorf("got %q; want %q", b.String(), want)
	}
}

// The present question is never cut, however little room there is.
func TestCTX13ThePresentQuestionIsNotCut(t *testing.T) {
	c := profile.Default()
	talk := []fsm.Message{
		{Role: fsm.RoleUser, Text: "first"}, {Role: fsm.RoleAssistant, Text: "one"},
		{Role: fsm.RoleUser, Text: strings.Repeat("a question ", 10*c.Limits.ContextTokens)},
		{Role: fsm.RoleAssistant, Text: "I look.", Calls: []fsm.ToolCall{{ID: "1", Name: "list_dir", Args: "{}"}}}, {Role: fsm.RoleTool, ToolCall: "1", Text: "two files"},
	}
	h := &state.Handle{}
	h.TurnAt = 2
	for range 2 {
		h.Inf.Talk = fsm.Conversation{}.Add(talk...)
		for _, cut := range []int{1, 2} {
			if got := Condensable(&c, h, cut); got != h.TurnAt {
				t.Errorf("with a question of %d bytes: from %d the cut goes to %d", len(talk[2].Text), cut, got)
			}
		}
		talk[2].Text, talk[4].Text = talk[4].Text, talk[2].Text // now the turn's result is long
	}
}

// A cut moves no further than until the rest takes half of the room.
func TestCTX13TheCutMovesNoFurtherThanItMust(t *testing.T) {
	c, h := profile.Default(), &state.Handle{}
	room := Room(&c, h, prompt.System(&c, h), prompt.Tools(&c, h))
	long := strings.Repeat("word", room*2/5)
	h.Inf.Talk = fsm.Conversation{}.Add(
		fsm.Message{Role: fsm.RoleUser, Text: "first"}, fsm.Message{Role: fsm.RoleAssistant, Text: "one"},
		fsm.Message{Role: fsm.RoleUser, Text: long}, fsm.Message{Role: fsm.RoleAssistant, Text: "two"},
		fsm.Message{Role: fsm.RoleUser, Text: long}, fsm.Message{Role: fsm.RoleAssistant, Text: "three"},
		fsm.Message{Role: fsm.RoleUser, Text: "question"},
	)
	h.TurnAt = 6
	if got := Condensable(&c, h, 2); got != 4 {
		t.Errorf("the cut is at %d", got)
	}
}

// Whether a session's history is too long is judged by what is known of that session.
func TestCTX13AHistoryIsCountedAsItsOwnSessionHasLearnt(t *testing.T) {
	c, h := profile.Default(), &state.Handle{}
	s := fsm.Session{History: []fsm.Message{{Role: fsm.RoleUser, Text: strings.Repeat("word", c.Limits.ContextTokens/3)}}}
	for ratio, want := range map[int]bool{0: false, 1024: false, 4096: true} { // order-free: each alone
		if s.Ratio = ratio; Outgrows(&c, h, &s) != want {
			t.Errorf("with a ratio of %d it outgrows the window: %t", ratio, !want)
		}
	}
}

// A portion has all that fits, exactly to the token.
func TestCTX13APortionFillsTheRoom(t *testing.T) {
	c, h := profile.Default(), &state.Handle{}
	const ask, each = "Sum it up.", 30
	ofTokens := func(n int) fsm.Message {
		for m := (fsm.Message{Role: fsm.RoleUser}); ; m.Text += "a" {
			var b strings.Builder
			if Transcript(c.Words, &b, []fsm.Message{m}); fsm.TextTokens(b.String()) == n {
				return m
			}
		}
	}
	room := Room(&c, h, prompt.System(&c, h), fsm.NoTools) - fsm.TextTokens(ask) - c.MemoryRoom() - markTokensMax
	var msgs []fsm.Message
	for ; room >= 2*each; room -= each {
		msgs = append(msgs, ofTokens(each))
	}
	for over := range 2 {
		all := append(slices.Clone(msgs), ofTokens(room+over))
		got, shown := Portion(&c, h, all, ask)
		var b strings.Builder
		Transcript(c.Words, &b, all[:got])
		if got != len(all)-over || shown != b.String() {
			t.Errorf("%d tokens over: %d messages of %d", over, got, len(all))
		}
	}
}

// Half of the room is half of the whole room: what was shown before leaves less of it, not
// less of a text. In the boots of older builds it did.
func TestCTX13ATextIsCutToHalfOfTheWholeRoom(t *testing.T) {
	c, h := profile.Default(), &state.Handle{}
	room := Room(&c, h, prompt.System(&c, h), fsm.NoTools) - c.MemoryRoom() - markTokensMax
	msgs := make([]fsm.Message, 3)
	for i, percent := range []int{40, 40, 60} {
		for fsm.MessageTokens(msgs[i]) < room*percent/100 {
			msgs[i].Text += "word "
		}
	}
	for edition, want := range map[int]int{fsm.SixthEdition: 2, fsm.FifthEdition: 3} { // order-free
		c.Edition = edition
		got, shown := Portion(&c, h, msgs, "")
		var whole strings.Builder
		Transcript(c.Words, &whole, msgs[:2])
		if got != want || strings.HasPrefix(shown, whole.String()) != (want == 2) {
			t.Errorf("edition %d: %d of 3 messages are shown, the first two in full: %t", edition, got, strings.HasPrefix(shown, whole.String()))
		}
	}
	c.Edition = fsm.SixthEdition
	if got, shown := Portion(&c, h, msgs[2:], ""); got != 1 || fsm.TextTokens(shown) > room/2 || !strings.Contains(shown, "left out") {
		t.Errorf("%d messages of one that is too long, with %d tokens of %d", got, fsm.TextTokens(shown), room)
	}
}

// As much is cut at once as the model can be shown, exactly to the token.
func TestCTX13AsMuchLeavesAsCanBeShown(t *testing.T) {
	c, h := profile.Default(), &state.Handle{}
	shown := Room(&c, h, c.Prompts.Identity, fsm.NoTools) - fsm.TextTokens(c.Prompts.Compress)
	talk := []fsm.Message{
		{Role: fsm.RoleUser}, {Role: fsm.RoleAssistant, Text: "one"}, {Role: fsm.RoleUser, Text: "second"}, {Role: fsm.RoleAssistant, Text: "two"},
		{Role: fsm.RoleUser, Text: "question"},
	}
	h.TurnAt = 4
	for over, want := range []int{4, 2} {
		for talk[0].Text = ""; tokensOf(talk[:4]) < shown+over; {
			talk[0].Text += "word"
		}
		h.Inf.Talk = fsm.Conversation{}.Add(talk...)
		if got := Condensable(&c, h, 4); got != want {
			t.Errorf("%d tokens too many: the cut is at %d", over, got)
		}
	}
}

func TestCTX13WhatTakesHalfOfTheRoomStays(t *testing.T) {
	c, h := profile.Default(), &state.Handle{}
	half := Room(&c, h, prompt.System(&c, h), prompt.Tools(&c, h)) / 2
	talk := []fsm.Message{
		{Role: fsm.RoleUser, Text: "first"}, {Role: fsm.RoleAssistant, Text: "one"}, {Role: fsm.RoleUser}, {Role: fsm.RoleAssistant, Text: "two"},
		{Role: fsm.RoleUser, Text: "question"},
	}
	h.TurnAt = 4
	for over, want := range []int{2, 4} {
		for tokensOf(talk[2:]) < half+over {
			talk[2].Text += "word"
		}
		h.Inf.Talk = fsm.Conversation{}.Add(talk...)
		if got := Condensable(&c, h, 2); got != want {
			t.Errorf("%d tokens too many: the cut is at %d", over, got)
		}
	}
}

// A cut moves back past an earlier summary as past anything else, but never so far that only
// the summary would leave: to sum that up makes nothing shorter.
func TestCTX13ASummaryDoesNotLeaveAlone(t *testing.T) {
	c := profile.Default()
	shown := Room(&c, &state.Handle{}, c.Prompts.Identity, fsm.NoTools) - fsm.TextTokens(c.Prompts.Compress)
	long := strings.Repeat("word", shown*3/5)
	summary := fsm.Message{Role: fsm.RoleSystem, Text: "earlier"}
	first := []fsm.Message{{Role: fsm.RoleUser, Text: long}, {Role: fsm.RoleAssistant, Text: "one"}}
	for _, tt := range []struct {
		name      string
		talk      []fsm.Message
		cut, want int
	}{
		{"two turns after a summary", slices.Concat([]fsm.Message{summary}, first, first), 5, 3},
		{"a turn after a summary", []fsm.Message{summary, {Role: fsm.RoleUser, Text: long + long}, first[1]}, 3, 3},
	} {
		h := &state.Handle{}
		h.TurnAt = len(tt.talk)
		h.Inf.Talk = fsm.Conversation{}.Add(append(tt.talk, fsm.Message{Role: fsm.RoleUser, Text: "question"})...)
		if got := Condensable(&c, h, tt.cut); got != tt.want {
			t.Errorf("%s: the cut is at %d, want %d", tt.name, got, tt.want)
		}
	}
}

// A portion has a message at least, however little room there is: else the rest would never leave.
func TestCTX13APortionIsNeverEmpty(t *testing.T) {
	c, h := profile.Default(), &state.Handle{}
	left := Room(&c, h, prompt.System(&c, h), fsm.NoTools) - c.MemoryRoom() - markTokensMax
	first := fsm.Message{Role: fsm.RoleUser, Text: "It rains."}
	got, shown := Portion(&c, h, []fsm.Message{first, {Role: fsm.RoleAssistant, Text: "It does."}}, strings.Repeat("word", left))
	if got != 1 || !strings.Contains(shown, first.Text) {
		t.Errorf("%d messages are shown: %q", got, shown)
	}
}

// Without a window the model is shown all at once, and each message once.
func TestCTX13WithoutAWindowThereIsOnePortion(t *testing.T) {
	c, h := profile.Shelly(), &state.Handle{}
	c.Limits.ContextTokens, c.Limits.AnswerPercent = 0, 0
	msgs := []fsm.Message{{Role: fsm.RoleUser, Text: strings.Repeat("rain ", 4000)}, {Role: fsm.RoleAssistant, Text: "It does."}}
	var all strings.Builder
	Transcript(c.Words, &all, msgs)
	if got, shown := Portion(&c, h, msgs, "Sum it up."); got != len(msgs) || shown != all.String() {
		t.Errorf("%d messages are shown in %d bytes of %d", got, len(shown), all.Len())
	}
}

// A question is too long by itself only if it takes more than there is without loaded skills, by
// what is known of its session.
func TestCTX11WhichQuestionIsTooLongByItself(t *testing.T) {
	c, h := profile.Default(), &state.Handle{}
	c.Prompts.Sections = []fsm.Section{{Title: "Loaded skills", Of: fsm.OfLoadedSkills}}
	room := Room(&c, h, prompt.System(&c, h), h.Toolset())
	with := *h
	with.Sess.Skills = []fsm.LoadedSkill{{Name: "look", Text: "Look around."}}
	if less := Room(&c, &with, prompt.System(&c, &with), h.Toolset()); less >= room {
		t.Fatalf("a loaded skill takes nothing of %d tokens", room)
	}
	frame := fsm.MessageTokens(fsm.Message{})
	for _, tt := range []struct {
		name   string
		tokens int
		sess   fsm.Session
		want   bool
	}{
		{"what just fits", room, fsm.Session{}, false},
		{"a token more", room + 1, fsm.Session{}, true},
		{"what just fits without the skills", room, with.Sess, false},
		{"half, in a session that counts three times as many", room / 2, fsm.Session{Ratio: 3 * 1024}, true},
	} {
		m := fsm.Message{Role: fsm.RoleUser, Text: strings.Repeat("word", tt.tokens-frame)}
		if got := Alone(&c, h, &tt.sess, m, h.Toolset()); fsm.MessageTokens(m) != tt.tokens || got != tt.want {
			t.Errorf("%s, with %d tokens: too long by itself: %t", tt.name, fsm.MessageTokens(m), got)
		}
	}
}

// A conversation that leaves exactly an eighth of the window for the answer is sent as it is.
func TestCTX14AnEighthOfTheWindowIsLeftForTheAnswer(t *testing.T) {
	c, h := profile.Default(), &state.Handle{}
	c.Limits.ContextTokens = 8000
	for over, want := range []bool{true, false} {
		system := strings.Repeat("word", 7000+over-c.EstimateOf("", fsm.Conversation{}, fsm.NoTools, &fsm.Offer{}))
		if got := Appendable(&c, h, system, fsm.Conversation{}, fsm.NoTools); got != want {
			t.Errorf("%d tokens over: it is sent as it is: %t", over, got)
		}
	}
}

// What is too much for a part leaves turn by turn, and no more than that.
func TestCTX13NoMoreStaysForTheNextPartThanMust(t *testing.T) {
	c, h := profile.Default(), &state.Handle{}
	shown := Room(&c, h, c.Prompts.Identity, fsm.NoTools) - fsm.TextTokens(c.Prompts.Compress)
	var talk []fsm.Message
	for len(talk) < 8 { // four turns, of which three may be shown at once
		question := ""
		for fsm.MessageTokens(fsm.Message{Text: question}) < shown*3/10 {
			question += "word "
		}
		talk = append(talk, fsm.Message{Role: fsm.RoleUser, Text: question}, fsm.Message{Role: fsm.RoleAssistant, Text: "one"})
	}
	h.TurnAt = len(talk)
	h.Inf.Talk = fsm.Conversation{}.Add(append(talk, fsm.Message{Role: fsm.RoleUser, Text: "question"})...)
	if got := Condensable(&c, h, 8); got != 6 {
		t.Errorf("the cut is at %d", got)
	}
}

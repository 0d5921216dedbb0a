package fit

import (
	"slices"
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/fsm/profile"
	"shelly/fsm/state"
)

// A text of just the length to which all are cut stays as it is; else nothing would be left of a
// call.
func TestCTX10WhatIsShortEnoughStays(t *testing.T) {
	args := `{"path":"` + strings.Repeat("a", 4*floorEarlier-11) + `"}`
	talk := fsm.Conversation{}.Add(
		fsm.Message{Role: fsm.RoleUser, Text: "question"},
		fsm.Message{Role: fsm.RoleAssistant, Calls: []fsm.ToolCall{{ID: "1", Name: "look", Args: args}}},
		fsm.Message{Role: fsm.RoleTool, Text: strings.Repeat("b", 4000), ToolCall: "1"},
	)
	if n := fsm.TextTokens(args); n != floorEarlier {
		t.Fatalf("the arguments have %d tokens", n)
	}
	d := newDraft(fsm.PresentWords(), nil, talk, 0)
	d.shorten(d.parts(0, len(d.msgs), false), 0, floorEarlier)
	if got := d.msgs[1].Calls[0].Args; got != args || len(d.msgs[2].Text) >= 4000 {
		t.Errorf("arguments %q, result of %d bytes", got, len(d.msgs[2].Text))
	}
}

func TestCTX10WhatJustFitsLosesNoTurn(t *testing.T) {
	talk := fsm.Conversation{}.Add(
		fsm.Message{Role: fsm.RoleUser, Text: "first"}, fsm.Message{Role: fsm.RoleAssistant, Text: "one"},
		fsm.Message{Role: fsm.RoleUser, Text: "second"}, fsm.Message{Role: fsm.RoleAssistant, Text: "two"},
		fsm.Message{Role: fsm.RoleUser, Text: "question"},
	)
	for over, want := range map[int]int{0: 5, 1: 1} {
		d := newDraft(fsm.PresentWords(), nil, talk, 4)
		d.fit(d.size-over, 0)
		if len(d.msgs) != want {
			t.Errorf("%d tokens over: %d messages, want %d", over, len(d.msgs), want)
		}
	}
}

// If two turns are over by one token, only the first leaves.
func TestCTX10NoMoreTurnsAreLostThanMustBe(t *testing.T) {
	talk := fsm.Conversation{}.Add(
		fsm.Message{Role: fsm.RoleUser, Text: "first"}, fsm.Message{Role: fsm.RoleAssistant, Text: "one"},
		fsm.Message{Role: fsm.RoleUser, Text: "second"}, fsm.Message{Role: fsm.RoleAssistant, Text: "two"},
		fsm.Message{Role: fsm.RoleUser, Text: "question"},
	)
	d := newDraft(fsm.PresentWords(), nil, talk, 4)
	d.fit(d.size-1, d.size-1)
	if len(d.msgs) != 3 || d.at != 2 || d.conversation().Tokens != d.size {
		t.Errorf("%d messages of %d tokens, the question at %d; the draft counts %d", len(d.msgs), d.conversation().Tokens, d.at, d.size)
	}
}

// Without a window nothing is too long; with one, a third of the room is filled to the last
// token.
func TestCTX13AThirdOfTheRoomIsFilled(t *testing.T) {
	long := fsm.Message{Role: fsm.RoleUser, Text: strings.Repeat("word ", 4000)}
	h := &state.Handle{}
	h.Session, h.Input = "s", "question"
	h.Sess.History = []fsm.Message{long, long}
	open := profile.Shelly()
	open.Limits.ContextTokens, open.Limits.AnswerPercent = 0, 0
	if open.Fits() || Outgrows(&open, h, &h.Sess) || StaysWithin(&open, h, 7) != 7 {
		t.Errorf("fits %v, outgrows %v, %d stay", open.Fits(), Outgrows(&open, h, &h.Sess), StaysWithin(&open, h, 7))
	}
	c := profile.Default()
	if !c.Fits() || !Outgrows(&c, h, &h.Sess) {
		t.Errorf("fits %v, outgrows %v", c.Fits(), Outgrows(&c, h, &h.Sess))
	}
	third := h.Sess.Uncorrected(c.PromptRoom()) / 3
	one := fsm.Message{Role: fsm.RoleUser}
	for fsm.MessageTokens(one) < third {
		one.Text += "a"
	}
	for over, want := range []int{1, 0} {
		tokens := third + over
		for fsm.MessageTokens(one) < tokens {
			one.Text += "a"
		}
		h.Sess.History = []fsm.Message{one}
		if got := StaysWithin(&c, h, 7); fsm.MessageTokens(one) != tokens || got != want {
			t.Errorf("one message with %d tokens: %d stay, want %d; a third of the room is %d", fsm.MessageTokens(one), got, want, third)
		}
	}
}

// From what is too long although its texts are short, the oldest turns leave, and no more of them
// than must (CTX-14).
func TestCTX14TheOldestTurnsOfAnAsideLeave(t *testing.T) {
	turn := func(n string) []fsm.Message {
		return []fsm.Message{{Role: fsm.RoleUser, Text: "question " + n}, {Role: fsm.RoleAssistant, Text: "answer " + n}}
	}
	ask := fsm.Message{Role: fsm.RoleUser, Text: "Sum it up.", Aside: true}
	talk := fsm.Conversation{}.Add(slices.Concat(turn("1"), turn("2"), turn("3"), []fsm.Message{ask})...)
	two := fsm.Conversation{}.Add(talk.Messages[2:]...).Tokens
	for over, want := range map[int]int{0: 5, 1: 3, two: 1} { // order-free: each alone
		got := Aside(fsm.PresentWords(), nil, talk, two-over)
		if len(got.Messages) != want || !slices.EqualFunc(got.Messages, talk.Messages[len(talk.Messages)-len(got.Messages):], func(a, b fsm.Message) bool { return a.Text == b.Text }) {
			t.Errorf("%d tokens over: %d messages, want the last %d", over, len(got.Messages), want)
		}
	}
}

// Results are cut before what people and the model have said, even if that is longer.
func TestCTX14AnAsidesResultsAreCutFirst(t *testing.T) {
	said := strings.Repeat("word ", 1000)
	talk := fsm.Conversation{}.Add(
		fsm.Message{Role: fsm.RoleUser, Text: said},
		fsm.Message{Role: fsm.RoleAssistant, Calls: []fsm.ToolCall{{ID: "1", Name: "look", Args: "{}"}}},
		fsm.Message{Role: fsm.RoleTool, Text: strings.Repeat("line ", 400), ToolCall: "1"},
		fsm.Message{Role: fsm.RoleUser, Text: "Sum it up."},
	)
	got := Aside(fsm.PresentWords(), nil, talk, talk.Tokens-200)
	if len(got.Messages) != 4 || got.Messages[0].Text != said || len(got.Messages[2].Text) >= len(talk.Messages[2].Text) {
		t.Errorf("%d messages, the first with %d bytes of %d", len(got.Messages), len(got.Messages[0].Text), len(said))
	}
}

// What fits without its thinking loses nothing else (CTX-10).
func TestCTX10WithoutThinkingNothingElseNeedBeCut(t *testing.T) {
	talk := talkOf(300, 300, 300, 100, 300)
	without := talk.Tokens
	msgs := slices.Clone(talk.Messages)
	msgs[4].Thinking = strings.Repeat("hm ", 2*without)
	got, at := Answer(fsm.PresentWords(), nil, fsm.Conversation{}.Add(msgs...), 3, without*4/3+1)
	if at != 3 || got.Hash != talk.Hash {
		t.Errorf("of %d tokens without thinking %d are left, the question at %d", without, got.Tokens, at)
	}
}

// What is asked about a conversation is asked without its thinking, and the conversation itself
// stays as it is (CTX-14).
func TestCTX14AnAsideIsACopyWithoutThinking(t *testing.T) {
	args := `{"content":"` + strings.Repeat("a", 8000) + `"}`
	talk := fsm.Conversation{}.Add(
		fsm.Message{Role: fsm.RoleUser, Text: "question"},
		fsm.Message{Role: fsm.RoleAssistant, Thinking: strings.Repeat("hm ", 400), Calls: []fsm.ToolCall{{ID: "1", Name: "write", Args: args}}},
		fsm.Message{Role: fsm.RoleTool, Text: "done", ToolCall: "1"},
		fsm.Message{Role: fsm.RoleUser, Text: "Sum it up."},
	)
	got := Aside(fsm.PresentWords(), nil, talk, 500)
	if m := got.Messages[1]; m.Thinking != "" || !strings.HasPrefix(m.Calls[0].Args, `{"left_out":`) || got.Tokens > 500 {
		t.Errorf("%d tokens: %+v", got.Tokens, m)
	}
	if m := talk.Messages[1]; m.Thinking == "" || m.Calls[0].Args != args {
		t.Error("the conversation itself has changed")
	}
}

// The texts are cut no further than they must be, and the question not at all (CTX-10).
func TestCTX10TheQuestionIsNotCut(t *testing.T) {
	question := strings.Repeat("why ", 400)
	talk := fsm.Conversation{}.Add(
		fsm.Message{Role: fsm.RoleUser, Text: question},
		fsm.Message{Role: fsm.RoleAssistant, Text: strings.Repeat("so ", 400), Calls: []fsm.ToolCall{{ID: "1", Name: "look", Args: "{}"}}},
		fsm.Message{Role: fsm.RoleTool, Text: strings.Repeat("there ", 400), ToolCall: "1"},
	)
	d := newDraft(fsm.PresentWords(), nil, talk, 0)
	d.shorten(d.parts(0, len(d.msgs), false), d.size-300, floorLast)
	if d.msgs[0].Text != question || d.msgs[2].Text == talk.Messages[2].Text {
		t.Errorf("the question has %d bytes, the result %d", len(d.msgs[0].Text), len(d.msgs[2].Text))
	}
	list := []part{{tokens: 300}, {tokens: 200}}
	if at, further := saved(list, 250), saved(list, 249); at != 50 || further != 51 {
		t.Errorf("cut to 250 tokens %d are saved, to 249 %d", at, further)
	}
}

// What a turn has done leaves in whole rounds, the oldest first: an answer with all results of its
// calls (CTX-10).
func TestCTX10RoundsLeaveWhole(t *testing.T) {
	call := func(ids ...string) fsm.Message {
		m := fsm.Message{Role: fsm.RoleAssistant}
		for _, id := range ids {
			m.Calls = append(m.Calls, fsm.ToolCall{ID: id, Name: "look", Args: "{}"})
		}
		return m
	}
	result := func(id string) fsm.Message { return fsm.Message{Role: fsm.RoleTool, Text: "there", ToolCall: id} }
	talk := fsm.Conversation{}.Add(fsm.Message{Role: fsm.RoleUser, Text: "question"}, call("1", "2"), result("1"), result("2"), call("3"), result("3"))
	for over, want := range map[int]int{0: 6, 1: 3, 1000: 1} {
		d := newDraft(fsm.PresentWords(), nil, talk, 0)
		if d.dropRounds(d.size - over); len(d.msgs) != want || d.msgs[0].Text != "question" {
			t.Errorf("%d tokens over: %d messages, want %d", over, len(d.msgs), want)
		}
	}
}

// talkOf returns a conversation of an earlier turn with a call and its result, and a question with
// a call and a result. Texts are of the given tokens.
func talkOf(earlier, result, question, args, last int) fsm.Conversation {
	text := func(tokens int) string { return strings.Repeat("word", tokens) }
	return fsm.Conversation{}.Add(
		fsm.Message{Role: fsm.RoleUser, Text: text(earlier)},
		fsm.Message{Role: fsm.RoleAssistant, Calls: []fsm.ToolCall{{ID: "1", Name: "look", Args: "{}"}}},
		fsm.Message{Role: fsm.RoleTool, Text: text(result), ToolCall: "1"},
		fsm.Message{Role: fsm.RoleUser, Text: text(question)},
		fsm.Message{Role: fsm.RoleAssistant, Text: text(args), Calls: []fsm.ToolCall{{ID: "2", Name: "look", Args: `{"path":"` + text(args) + `"}`}}},
		fsm.Message{Role: fsm.RoleTool, Text: text(last), ToolCall: "2"},
	)
}

// First the results of earlier turns are cut, then those of this one, and only then anything else;
// a turn's work is dropped only if that is not enough (CTX-10).
func TestCTX10EarlierResultsAreCutFirst(t *testing.T) {
	for _, tt := range []struct {
		name      string
		talk      fsm.Conversation
		at, room  int
		cut, left []int // messages that are cut, and those that are left, by their number
	}{
		{"a result of an earlier turn", talkOf(1600, 1500, 300, 100, 700), 3, 4200, []int{2}, []int{0, 1, 2, 3, 4, 5}},
		{"a result of this turn, too", talkOf(900, 200, 300, 100, 1500), 3, 2800, []int{2, 5}, []int{0, 1, 2, 3, 4, 5}},
		{"an earlier turn", talkOf(900, 200, 300, 100, 300), 3, 1000, []int{5}, []int{3, 4, 5}},
		{"what this turn has said", talkOf(50, 50, 300, 500, 300), 3, 700, []int{4, 5}, []int{3, 4, 5}},
		{"what this turn has done", talkOf(50, 50, 300, 500, 300), 3, 340, nil, []int{3}},
	} {
		got, at := Answer(fsm.PresentWords(), nil, tt.talk, tt.at, tt.room)
		if got.Tokens > tt.room || len(got.Messages) != len(tt.left) || at < 0 || tt.left[at] != tt.at {
			t.Errorf("%s: %d tokens of %d, %d messages, the question at %d", tt.name, got.Tokens, tt.room, len(got.Messages), at)
			continue
		}
		for i, n := range tt.left {
			was, is := tt.talk.Messages[n], got.Messages[i]
			cut := is.Text != was.Text || len(is.Calls) > 0 && is.Calls[0].Args != was.Calls[0].Args
			if cut != slices.Contains(tt.cut, n) || is.Role != was.Role {
				t.Errorf("%s: message %d is cut: %t", tt.name, n, cut)
			}
		}
	}
}

// Texts are cut to the greatest length with which the conversation fits.
func TestCTX10NoTextIsCutFurtherThanItMust(t *testing.T) {
	words, text := fsm.PresentWords(), strings.Repeat("word", 1000)
	for over := 100; over < 104; over++ {
		talk := fsm.Conversation{}.Add(fsm.Message{Role: fsm.RoleUser, Text: "question"}, fsm.Message{Role: fsm.RoleTool, Text: text})
		d := newDraft(words, nil, talk, 0)
		d.shorten(d.parts(0, len(d.msgs), true), d.size-over, floorEarlier)
		if want := words.Shorten(text, 1000-over); d.msgs[1].Text != want {
			t.Errorf("%d tokens over: %d bytes are left, want %d", over, len(d.msgs[1].Text), len(want))
		}
	}
}

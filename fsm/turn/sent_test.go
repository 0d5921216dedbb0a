package turn

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/fsm/state"
)

// A compaction puts a mark in the place of each earlier image, and keeps the images of the
// present question. It does not change its argument.
func TestSES21ACompactionLeavesMarksOfEarlierImages(t *testing.T) {
	c := fsm.Config{Words: fsm.PresentWords()}
	picture := []byte("a picture")
	msgs := []fsm.Message{
		{Role: fsm.RoleUser, Text: "two", Images: [][]byte{picture, picture}}, {Role: fsm.RoleAssistant, Text: "seen"},
		{Role: fsm.RoleUser, Text: "one", Images: [][]byte{picture}},
	}
	marked := func(text string) string { return c.Words.Text(fsm.WordImageInput, "text", text) }
	want := []fsm.Message{{Role: fsm.RoleUser, Text: marked(marked("two"))}, msgs[1], msgs[2]}
	if diff := cmp.Diff(want, ImagesLeft(&c, msgs, 2)); diff != "" {
		t.Error(diff)
	}
	if len(msgs[0].Images) != 2 || msgs[0].Text != "two" {
		t.Errorf("its argument is now %+v", msgs[0])
	}
}

// CTX-11: of a question that is too long its ends stay, in a session that keeps what is sent, without its
// images; in another it stays as it is.
func TestCTX11LittleIsLeftOfAQuestionThatIsTooLong(t *testing.T) {
	c := fsm.Config{Words: fsm.PresentWords()}
	talk := fsm.Conversation{}.Add(
		fsm.Message{Role: fsm.RoleUser, Text: "one", Images: [][]byte{[]byte("a picture")}},
		fsm.Message{Role: fsm.RoleUser, Text: "begin" + strings.Repeat(" word", 1000) + " end", Images: [][]byte{[]byte("a picture")}},
	)
	if diff := cmp.Diff(talk, Refused(&c, talk, 1)); diff != "" {
		t.Errorf("in a session that keeps the answers: %s", diff)
	}
	c.Switches.History = fsm.HistorySent
	left := Refused(&c, talk, 1)
	if diff := cmp.Diff(talk.Messages[0], left.Messages[0]); diff != "" {
		t.Errorf("another message: %s", diff)
	}
	question := left.Messages[1]
	if n := fsm.MessageTokens(question); n > fsm.ShortText+8 || len(question.Images) > 0 || !strings.HasSuffix(question.Text, " end") {
		t.Errorf("%d tokens: %+v", n, question)
	}
	again := fsm.Conversation{}.Add(left.Messages...)
	if again.Tokens != left.Tokens || again.Hash != left.Hash {
		t.Errorf("%d tokens and hash %d; want %d and %d", left.Tokens, left.Hash, again.Tokens, again.Hash)
	}
	if len(talk.Messages[1].Images) != 1 || len(talk.Messages[1].Text) < 5000 {
		t.Errorf("its argument is now %+v", talk.Messages[1])
	}
}

// SES-18: what is within the bound is kept whole, also what belongs to no turn; beyond it the
// oldest turn leaves, and the summary at the head stays.
func TestSES18OnlyWhatIsOverTheBoundLeaves(t *testing.T) {
	c := fsm.Config{Words: fsm.PresentWords()}
	c.Switches.Overflow, c.Limits.MaxHistory, c.Limits.MaxPending = fsm.OverflowKeep, 3, 2
	history := []fsm.Message{
		{Role: fsm.RoleSystem, Text: "before"}, {Role: fsm.RoleAssistant, Text: "a report"},
		{Role: fsm.RoleUser, Text: "one"}, {Role: fsm.RoleAssistant, Text: "first"}, {Role: fsm.RoleUser, Text: "two"},
	}
	if diff := cmp.Diff(history, Newest(&c, history)); diff != "" {
		t.Errorf("at the bound: %s", diff)
	}
	c.Limits.MaxPending = 1
	if diff := cmp.Diff([]fsm.Message{history[0], history[2], history[3], history[4]}, Newest(&c, history)); diff != "" {
		t.Errorf("beyond it: %s", diff)
	}
}

// The newest turn alone may be longer than the bound: then it loses its beginning, a call together
// with its results.
func TestSES18ATurnBeyondTheBoundLosesItsBeginning(t *testing.T) {
	c := fsm.Config{Words: fsm.PresentWords()}
	c.Switches.Overflow, c.Limits.MaxHistory, c.Limits.MaxPending = fsm.OverflowKeep, 2, 2
	looks := func(id string) []fsm.Message {
		return []fsm.Message{
			{Role: fsm.RoleAssistant, Calls: []fsm.ToolCall{{ID: id, Name: "list_dir", Args: "{}"}}},
			{Role: fsm.RoleTool, Text: "a.txt", Tool: "list_dir", ToolCall: id},
		}
	}
	history := slices.Concat([]fsm.Message{{Role: fsm.RoleUser, Text: "look"}}, looks("1"), looks("2"), []fsm.Message{{Role: fsm.RoleAssistant, Text: "one file"}})
	if diff := cmp.Diff(history[3:], Newest(&c, history)); diff != "" {
		t.Error(diff)
	}
}

// SES-5: a turn that ended before the model was asked for its answer is kept and archived as its
// question and a note.
func TestSES5ATurnThatTheModelWasNotAskedAboutIsKept(t *testing.T) {
	for _, mode := range []fsm.HistoryMode{fsm.HistorySent, fsm.HistoryAll, fsm.HistoryAnswers} {
		c := fsm.Config{Words: fsm.PresentWords()}
		c.Switches.History = mode
		h := state.Handle{Accepted: state.Accepted{Kind: fsm.KindUser, Input: "hello"}}
		h.Loaded, h.Outcome, h.Failure = true, fsm.OutcomeTimeout, "timed out"
		h.Sess.History = []fsm.Message{{Role: fsm.RoleUser, Text: "before"}, {Role: fsm.RoleAssistant, Text: "well"}}
		h.Inf.Purpose = fsm.PurposeCompact // its history was being shortened
		Close(&c, &h)
		want := []fsm.Message{{Role: fsm.RoleUser, Text: "hello"}, {Role: fsm.RoleAssistant, Text: "[no answer: timed out]", Source: fsm.FromOperator}}
		if diff := cmp.Diff(want, Own(&c, &h)); diff != "" {
			t.Errorf("%s, the archive: %s", mode, diff)
		}
		if diff := cmp.Diff(append(h.Sess.History[:2:2], want...), Kept(&c, &h)); diff != "" {
			t.Errorf("%s, the history: %s", mode, diff)
		}
	}
}

// CTX-5: a history of all messages keeps the summary in place of what it sums up. What was shortened
// only for sending (CTX-10), without compress, is kept whole.
func TestSES4AHistoryOfAllKeepsWhatWasCompressed(t *testing.T) {
	own := []fsm.Message{{Role: fsm.RoleUser, Text: "hello"}, {Role: fsm.RoleAssistant, Text: "good day"}}
	summary := fsm.Message{Role: fsm.RoleSystem, Text: "they spoke"}
	before := []fsm.Message{{Role: fsm.RoleUser, Text: "before"}, {Role: fsm.RoleAssistant, Text: "well"}}
	for _, tt := range []struct {
		compress bool
		percent  fsm.Share
		want     []fsm.Message
	}{{true, 0, []fsm.Message{summary}}, {true, 20, []fsm.Message{summary}}, {false, 20, before}} {
		c := fsm.Config{Words: fsm.PresentWords()}
		c.Switches.History, c.Switches.Compress, c.Limits.AnswerPercent = fsm.HistoryAll, tt.compress, tt.percent
		h := state.Handle{Accepted: state.Accepted{Kind: fsm.KindUser, Input: "hello"}}
		h.Loaded, h.Condensed, h.TurnAt, h.Turn, h.Answer, h.Outcome = true, true, 1, own, "good day", fsm.OutcomeAnswered
		h.Sess.History = before
		h.Inf.Purpose, h.Inf.Talk = h.Purpose(), fsm.Conversation{}.Add(summary).Add(own...)
		if diff := cmp.Diff(append(tt.want[:len(tt.want):len(tt.want)], own...), Kept(&c, &h)); diff != "" {
			t.Errorf("compress %t, answer_percent %d: %s", tt.compress, tt.percent, diff)
		}
	}
}

// Only an answer that is a notice after the text so far loses that text, which the turn has already;
// an answer that begins like it is kept whole (SES-4), and so is the note that there is none (SES-5).
func TestSES5WhatWasSaidAlongTheWayIsTakenOffANoticeAlone(t *testing.T) {
	for _, tt := range []struct {
		name, said, answer string
		outcome            fsm.Outcome
		want               string
	}{
		{"a notice", "I look", "I look\n\n[stopped]", fsm.OutcomeExhausted, "[stopped]"},
		{"an answer", "I look", "I look, and see one file", fsm.OutcomeAnswered, "I look, and see one file"},
		{"a note", "[no answer:", "", fsm.OutcomeTimeout, "[no answer: timed out]"},
	} {
		c, h := fsm.Config{Words: fsm.PresentWords()}, state.Handle{Accepted: state.Accepted{Kind: fsm.KindUser, Input: "hello"}}
		h.Loaded, h.Answer, h.Outcome, h.Failure, h.Inf.Said = true, tt.answer, tt.outcome, "timed out", tt.said
		Close(&c, &h)
		if len(h.Closing) != 1 || h.Closing[0].Text != tt.want {
			t.Errorf("%s: the turn ends with %+v, want %q", tt.name, h.Closing, tt.want)
		}
	}
}

// A turn has one beginning, whatever came of it, and what a summary stands for counts as there.
func TestHasCountsTurnsAndNotMessages(t *testing.T) {
	talk := []fsm.Message{
		{Role: fsm.RoleUser, Text: "one"}, {Role: fsm.RoleAssistant}, {Role: fsm.RoleTool}, {Role: fsm.RoleUser, Aside: true}, {Role: fsm.RoleAssistant, Text: "done"},
		{Role: fsm.RoleUser, Text: "two"}, {Role: fsm.RoleAssistant, Text: "done"},
	}
	for n, want := range []bool{true, true, true, false} {
		if Has(&fsm.Config{}, talk, n) != want {
			t.Errorf("at least %d turns of two: %t", n, !want)
		}
	}
	if !Has(&fsm.Config{}, append([]fsm.Message{{Role: fsm.RoleSystem}}, talk...), 9) {
		t.Error("a summary stands for no turn")
	}
}

// HND-47: since the fourteenth edition a schedule's run says in its own words which schedule it is from.
func TestHND47ARunSaysWhichScheduleItIsFrom(t *testing.T) {
	h := &state.Handle{Accepted: state.Accepted{Kind: fsm.KindSchedule, Schedule: "s1", Input: "water"}}
	c := fsm.Config{Words: fsm.PresentWords(), Switches: fsm.Switches{History: fsm.HistorySent}, Edition: fsm.FourteenthEdition}
	want := c.Words.Text(fsm.WordScheduledInput, "schedule", scheduleOf(h), "text", "water")
	if got := Opening(&c, h, 0); got != want {
		t.Errorf("it begins with %q, not %q", got, want)
	}
	c.Edition = fsm.ThirteenthEdition
	if got := Opening(&c, h, 0); got == want {
		t.Errorf("in an earlier edition it begins with %q", got)
	}
}

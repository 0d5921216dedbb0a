package fsm

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// The messages of the histories below.
func asking(text string) Message { return Message{Role: RoleUser, Text: text} }
func saying(text string) Message { return Message{Role: RoleAssistant, Text: text} }

// calling returns an answer with a call of the tool t for each id.
func calling(ids ...string) Message {
	m := Message{Role: RoleAssistant}
	for _, id := range ids {
		m.Calls = append(m.Calls, ToolCall{ID: id, Name: "t", Args: "{}"})
	}
	return m
}

// result returns a result of the tool t.
func result(id, text string) Message {
	return Message{Role: RoleTool, Text: text, Tool: "t", ToolCall: id}
}

func TestSES7ABrokenHistoryIsMended(t *testing.T) {
	lost := func(id string) Message { return result(id, Words(nil).Text(WordUnknownOutcome)) }
	image := Message{Role: RoleUser, Images: [][]byte{{1}}}
	tests := []struct {
		name     string
		in, want []Message
	}{
		{"nothing", nil, nil},
		{"nothing is broken", []Message{asking("q"), calling("a", "b"), result("a", "1"), result("b", "2"), saying("x")},
			[]Message{asking("q"), calling("a", "b"), result("a", "1"), result("b", "2"), saying("x")}},

		{"a result at the beginning", []Message{result("a", "1"), asking("q")}, []Message{asking("q")}},
		{"a result after a question", []Message{asking("q"), result("a", "1"), saying("x")}, []Message{asking("q"), saying("x")}},
		{"a result after an answer", []Message{saying("x"), result("a", "1")}, []Message{saying("x")}},
		{"a result of another call", []Message{calling("a"), result("b", "1")}, []Message{calling("a"), lost("a")}},
		{"a result twice", []Message{calling("a"), result("a", "1"), result("a", "2")}, []Message{calling("a"), result("a", "1")}},
		{"a result too late", []Message{calling("a"), asking("q"), result("a", "1")}, []Message{calling("a"), lost("a"), asking("q")}},

		{"a call at the end", []Message{asking("q"), calling("a")}, []Message{asking("q"), calling("a"), lost("a")}},
		{"a call before an answer", []Message{calling("a"), saying("x")}, []Message{calling("a"), lost("a"), saying("x")}},
		{"the first of two results is missing", []Message{calling("a", "b"), result("b", "2")},
			[]Message{calling("a", "b"), lost("a"), result("b", "2")}},
		{"the last of two results is missing", []Message{calling("a", "b"), result("a", "1"), saying("x")},
			[]Message{calling("a", "b"), result("a", "1"), lost("b"), saying("x")}},
		{"results in another order", []Message{calling("a", "b"), result("b", "2"), result("a", "1")},
			[]Message{calling("a", "b"), result("a", "1"), result("b", "2")}},

		{"calls without ids", []Message{calling("", ""), result("", "1"), result("", "2")},
			[]Message{calling("", ""), result("", "1"), result("", "2")}},
		{"calls without ids before an empty answer", []Message{calling("", ""), result("", "1"), result("", "2"), saying("")},
			[]Message{calling("", ""), result("", "1"), result("", "2")}},
		{"a result without an id of another tool", []Message{calling(""), {Role: RoleTool, Text: "1", Tool: "u"}}, []Message{calling(""), lost("")}},
		{"a result by its id, whatever it calls its tool", []Message{calling("a"), {Role: RoleTool, Text: "1", Tool: "u", ToolCall: "a"}},
			[]Message{calling("a"), result("a", "1")}},

		{"empty messages", []Message{asking(""), saying(""), {Role: RoleSystem}, {Role: RoleAssistant, Thinking: "hm"}}, nil},
		{"an image without a text", []Message{image}, []Message{image}},
		{"an unknown role", []Message{{Role: "developer", Text: "x"}, {Text: "x"}, asking("q")}, []Message{asking("q")}},
		{"a call of the wrong role", []Message{{Role: RoleUser, Text: "q", Calls: calling("a").Calls}, result("a", "1")}, []Message{asking("q")}},
		{"nothing but a call of the wrong role", []Message{{Role: RoleUser, Calls: calling("a").Calls}, asking("q")}, []Message{asking("q")}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := slices.Clone(tt.in)
			if diff := cmp.Diff(tt.want, Words(nil).Mend(tt.in)); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(before, tt.in); diff != "" {
				t.Errorf("mending has changed what it was given: %s", diff)
			}
		})
	}
}

func TestSES4WhatIsNotPartOfAHistoryIsLeftOut(t *testing.T) {
	withCalls := calling("a")
	withCalls.Text = "NEED: NEED: I look"
	cleaned := calling("a")
	cleaned.Text = "I look"
	tests := []struct {
		name     string
		in, want []Message
	}{
		{"what the machine said", []Message{asking("q"), {Role: RoleUser, Text: "Reflect.", Aside: true}, saying("x")}, []Message{asking("q"), saying("x")}},
		{"thinking", []Message{{Role: RoleAssistant, Text: "x", Thinking: "hm"}}, []Message{saying("x")}},
		{"thinking alone", []Message{{Role: RoleAssistant, Thinking: "hm"}}, nil},
		{"images", []Message{{Role: RoleUser, Text: "[image]\nq", Images: [][]byte{{1}}}}, []Message{asking("[image]\nq")}},
		{"an answer that describes a need", []Message{asking("q"), saying(" NEED: a name"), saying("x")}, []Message{asking("q"), saying("x")}},
		{"what the machine said between a call and its result", []Message{calling("a"), {Role: RoleUser, Text: "Reflect.", Aside: true}, result("a", "1")}, []Message{calling("a"), result("a", "1")}},
		{"a need beside a call", []Message{withCalls, result("a", "1")}, []Message{cleaned, result("a", "1")}},
		{"a marker that a person wrote", []Message{asking("NEED: a name")}, []Message{asking("NEED: a name")}},
		{"a marker that a tool wrote", []Message{calling("a"), result("a", "NEED: a name")}, []Message{calling("a"), result("a", "NEED: a name")}},
		{"and what is left is mended", []Message{saying("NEED: a name"), result("a", "1")}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Words(nil).Stripped(tt.in)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// anyHistory draws messages in any order.
func anyHistory(t *rapid.T) []Message {
	var msgs []Message
	id := rapid.SampledFrom([]string{"", "a", "b", "c"})
	for range rapid.IntRange(0, 24).Draw(t, "messages") {
		text := rapid.SampledFrom([]string{"", "x", "NEED: x"}).Draw(t, "text")
		switch rapid.IntRange(0, 6).Draw(t, "kind") {
		case 0, 1:
			msgs = append(msgs, result(id.Draw(t, "id"), text))
		case 2, 3:
			m := calling(rapid.SliceOfN(id, 0, 3).Draw(t, "calls")...)
			m.Text = text
			if rapid.IntRange(0, 9).Draw(t, "wrong role") == 0 {
				m.Role = RoleUser
			}
			msgs = append(msgs, m)
		case 4:
			msgs = append(msgs, Message{Role: rapid.SampledFrom([]Role{RoleSystem, "odd"}).Draw(t, "role"), Text: text})
		default:
			msgs = append(msgs, Message{Role: RoleUser, Text: text, Aside: rapid.IntRange(0, 3).Draw(t, "aside") == 0})
		}
	}
	return msgs
}

// paired fails the property unless each call has its result after it, in order,
// and each result its call.
func paired(t *rapid.T, msgs []Message) {
	for i := 0; i < len(msgs); i++ {
		if msgs[i].Role == RoleTool {
			t.Fatalf("message %d is a result without its call: %+v", i, msgs)
		}
		for n, c := range msgs[i].Calls {
			if at := i + 1 + n; at >= len(msgs) || msgs[at].Role != RoleTool || msgs[at].Tool != c.Name || msgs[at].ToolCall != c.ID {
				t.Fatalf("call %d of message %d has no result: %+v", n, i, msgs)
			}
		}
		i += len(msgs[i].Calls)
	}
}

func TestSES7AMendedHistoryIsPairedAndStaysAsItIs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		msgs := anyHistory(t)
		mended := Words(nil).Mend(msgs)
		paired(t, mended)
		if again := Words(nil).Mend(mended); !cmp.Equal(mended, again) {
			t.Fatalf("mending again changes a mended history: %s", cmp.Diff(mended, again))
		}
		kept := Words(nil).Stripped(msgs)
		paired(t, kept)
		if again := Words(nil).Stripped(kept); !cmp.Equal(kept, again) {
			t.Fatalf("stripping again changes a stripped history: %s", cmp.Diff(kept, again))
		}
	})
}

// Wherever a history is cut, about as much stays as was asked for, and no call is split
// from its results.
func TestSES10ACutSplitsNoCallFromItsResults(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		msgs := Words(nil).Mend(anyHistory(t))
		keep := rapid.IntRange(0, 30).Draw(t, "keep")
		cut := CutAt(msgs, keep)
		paired(t, msgs[:cut])
		paired(t, msgs[cut:])
		if stay := len(msgs) - cut; stay < min(keep, len(msgs)) || stay > keep+3 {
			t.Fatalf("%d of %d messages stay, but %d were asked for", stay, len(msgs), keep)
		}
	})
}

func TestSES11WhatIsTakenOffIsWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		msgs := Words(nil).Mend(anyHistory(t))
		n := rapid.IntRange(0, 30).Draw(t, "n")
		taken := Whole(msgs, n)
		paired(t, msgs[:taken])
		paired(t, msgs[taken:])
		if taken < min(n, len(msgs)) || taken > n+3 {
			t.Fatalf("%d of %d messages are taken, but %d were asked for", taken, len(msgs), n)
		}
	})
}

func TestINF51APrefixIsKnownByItsRunningHash(t *testing.T) {
	msgs := []Message{asking("q"), calling("a"), result("a", "1"), saying("x")}
	grown := Conversation{}.Add(msgs[:2]...).Fork().Add(msgs[2:]...)
	for _, c := range []Conversation{grown, {Messages: msgs, Hash: grown.Hash, Tokens: grown.Tokens}} {
		for n := range len(msgs) + 1 {
			if got, want := c.HashAt(n), (Conversation{}).Add(msgs[:n]...).Hash; got != want {
				t.Errorf("the hash of the first %d is %x, not %x", n, got, want)
			}
		}
		if next := c.Add(asking("q")); next.HashAt(5) != next.Hash || next.HashAt(4) != grown.Hash || c.Equal(next) || !c.Equal(grown) {
			t.Errorf("after one more the hashes are %x", next.hashes)
		}
	}
}

// A whole history is not copied: the same list is returned, without room to append in
// place.
func TestSES7WhatIsWholeIsNotCopied(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		msgs := Words(nil).Mend(anyHistory(t))
		if len(msgs) == 0 {
			return
		}
		again := Words(nil).Sent(msgs)
		if &again[0] != &msgs[0] || len(again) != len(msgs) || cap(again) != len(msgs) {
			t.Fatalf("a whole history was copied, or has room for %d more", cap(again)-len(msgs))
		}
		broken := append(slices.Clone(msgs), Message{Role: RoleTool, Text: "of no call", Tool: "a"})
		if got := Words(nil).Mend(broken); !cmp.Equal(got, msgs) {
			t.Fatalf("it is not mended: %s", cmp.Diff(msgs, got))
		}
	})
}

// SES-10: a history that begins with a result is not cut before its beginning.
func TestSES10ACutIsWithinTheHistory(t *testing.T) {
	msgs := []Message{{Role: RoleTool, Text: "there"}, {Role: RoleUser, Text: "q"}}
	if got := CutAt(msgs, 2); got != 0 {
		t.Errorf("cut at %d", got)
	}
}

// SES-21: what is sent has no thinking, and the history itself keeps it; an input may be empty, an
// answer may not.
func TestSES21WhatIsSentIsACopy(t *testing.T) {
	msgs := []Message{{Role: RoleUser}, {Role: RoleAssistant, Text: "a", Thinking: "hm"}, {Role: RoleAssistant}, {Role: RoleAssistant, Text: "b", Thinking: "so"}}
	got := PresentWords().Sent(msgs)
	if len(got) != 3 || got[0].Role != RoleUser || got[1].Thinking != "" || got[2].Text != "b" || got[2].Thinking != "" {
		t.Errorf("sent %+v", got)
	}
	if msgs[1].Thinking != "hm" || msgs[3].Thinking != "so" {
		t.Errorf("the history is now %+v", msgs)
	}
}

// SES-21: of what is empty only an input is sent, in a history that needs nothing else mended.
func TestSES21AnEmptyInputAloneIsSent(t *testing.T) {
	for role, want := range map[Role]int{RoleUser: 3, RoleAssistant: 2, RoleSystem: 2} {
		if got := PresentWords().Sent([]Message{asking("q"), {Role: role}, saying("x")}); len(got) != want {
			t.Errorf("with nothing said by %s %d are sent: %+v", role, len(got), got)
		}
	}
}

// Two conversations are the same only if their hashes and sizes are.
func TestConversationsAreTheSameByHashAndSize(t *testing.T) {
	a := Conversation{}.Add(asking("q"))
	for _, change := range []func(*Conversation){
		func(c *Conversation) { c.Hash++ },
		func(c *Conversation) { c.Tokens++ },
		func(c *Conversation) { c.Messages = []Message{asking("p")} },
	} {
		b := a
		if change(&b); a.Equal(b) {
			t.Errorf("%+v equals %+v", a, b)
		}
	}
}

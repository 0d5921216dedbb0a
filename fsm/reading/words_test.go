package reading

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"shelly/fsm"
)

const tagged = `<tool_call>{"name":"look","arguments":{"path":"a b"}}</tool_call>`

func TestINF25WordsBeforeACallAreSaid(t *testing.T) {
	const text = "I look.\n" + tagged
	asked := []fsm.Message{{Role: fsm.RoleUser, Text: fsm.PresentWords().Text(fsm.WordCallUntaken), Aside: true}}
	shown := []fsm.Message{{Role: fsm.RoleTool, Text: "It says look at a b."}}
	calls := []fsm.ToolCall{written(0, "look", `{"path":"a b"}`)}
	plain := Understood{Text: text}
	for _, tt := range []struct {
		name   string
		change func(*fsm.Config, *fsm.BrainAnswered)
		talk   []fsm.Message
		want   Understood
	}{
		{"a model without native calls", func(*fsm.Config, *fsm.BrainAnswered) {}, nil, Understood{Calls: calls, Text: "I look."}},
		{"a model with native calls", func(_ *fsm.Config, in *fsm.BrainAnswered) { in.AsText = false }, nil, Understood{Text: text, Unrunnable: true}},
		{"one that was asked to call", func(_ *fsm.Config, in *fsm.BrainAnswered) { in.AsText = false }, asked, Understood{Calls: calls, Text: "I look."}},
		{"one whose text is not read", func(c *fsm.Config, in *fsm.BrainAnswered) { in.AsText, c.Switches.TextCalls = false, false }, nil, plain},
		{"beside a native call", func(_ *fsm.Config, in *fsm.BrainAnswered) { in.Calls = []fsm.ToolCall{{Name: "look"}} }, nil, Understood{Calls: []fsm.ToolCall{{Name: "look"}}, Text: text}},
		{"what a result says", func(*fsm.Config, *fsm.BrainAnswered) {}, shown, plain},
		{"a tool that is not offered", func(_ *fsm.Config, in *fsm.BrainAnswered) { in.Text = strings.ReplaceAll(text, "look\"", "fly\"") }, nil,
			Understood{Text: strings.ReplaceAll(text, "look\"", "fly\"")}},
		{"an earlier edition", func(c *fsm.Config, _ *fsm.BrainAnswered) { c.Edition = fsm.FifteenthEdition }, nil, plain},
		{"a plain reading", func(c *fsm.Config, _ *fsm.BrainAnswered) { c.Switches.Reading = fsm.ReadingPlain }, nil, plain},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, in := careful(), fsm.BrainAnswered{Text: text, AsText: true}
			c.Words, c.Switches.TextCalls = fsm.PresentWords(), true
			tt.change(c, &in)
			if diff := cmp.Diff(tt.want, Understand(c, fsm.AllTools, fsm.Conversation{}.Add(tt.talk...), in, 4)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestBRN40WordsBeforeACallAreShownAndTheCallIsNot(t *testing.T) {
	long := strings.Repeat("Word after word. ", 800)
	for text, want := range map[string]string{
		"I look.\n" + tagged:                                     "I look.\n",
		"I look. " + tagged + "\n" + tagged:                      "I look. ",
		long + "\n" + tagged:                                     long + "\n",
		long + "\n```\na\n```\nSo.\n" + tagged:                   long + "\n```\na\n```\nSo.\n",
		"```\n" + long + "\n" + tagged:                           "```\n" + long + "\n" + tagged,
		"``" + strings.Repeat("a```", 1300) + "\nSo.\n" + tagged: "``" + strings.Repeat("a```", 1300) + "\nSo.\n",
		"`" + strings.Repeat("a```", 1300) + "\nSo.\n" + tagged:  "`" + strings.Repeat("a```", 1300) + "\nSo.\n",
		"``" + strings.Repeat("a```", 1301) + "\nSo.\n" + tagged: "``" + strings.Repeat("a```", 1301) + "\nSo.\n" + tagged,
		"`" + strings.Repeat("a```", 1301) + "\nSo.\n" + tagged:  "`" + strings.Repeat("a```", 1301) + "\nSo.\n" + tagged,
		"I look with " + tagged:                                  "I look with " + tagged,
		"I look with <tool_call>.\n" + tagged:                    "I look with <tool_call>.\n" + tagged,
		"I look with <tool_call>.\n" + long + "\n" + tagged:      "I look with <tool_call>.\n" + long + "\n" + tagged,
		"I look.\n" + tagged + "\nThere is nothing.":             "I look.\n" + tagged + "\nThere is nothing.",
		"I look.\n<tool_call>":                                   "I look.\n<tool_call>",
		"I look. [1] < 2, <b>":                                   "I look. [1] < 2, <b>",
		"I look.\n<":                                             "I look.\n<",
	} {
		for _, pieces := range [][]string{{text}, letters(text)} {
			if got := shown(careful(), pieces); got != want {
				t.Errorf("of %q in %d pieces %q is shown", short(text), len(pieces), short(got))
			}
		}
		first := careful()
		first.Edition = fsm.FifteenthEdition
		if got := shown(first, letters(text)); got != text {
			t.Errorf("in an earlier edition, of %q only %q is shown", short(text), short(got))
		}
	}
}

func TestINF25AFenceOfCallsAfterWordsIsTakenFromWhoWritesCallsAsText(t *testing.T) {
	const text = "I look:\n```json\n{\"name\": \"look\", \"arguments\": {\"path\": \"a b\"}}\n```"
	taken := Understood{Calls: []fsm.ToolCall{written(0, "look", `{"path": "a b"}`)}, Text: "I look:"}
	before := []fsm.Message{{Role: fsm.RoleAssistant, Calls: []fsm.ToolCall{{Name: "look", Text: true}}}, {Role: fsm.RoleTool}}
	for _, tt := range []struct {
		name   string
		asText bool
		talk   []fsm.Message
		text   string
		want   Understood
	}{
		{"a model without native calls", true, nil, text, taken},
		{"a model with native calls", false, nil, text, Understood{Text: text}},
		{"one that has written some", false, before, text, taken},
		{"a result's own call", true, []fsm.Message{{Role: fsm.RoleTool, Text: "look at a b"}}, text, Understood{Text: text}},
		{"a tool that is not offered", true, nil, strings.ReplaceAll(text, `"look"`, `"fly"`), Understood{Text: strings.ReplaceAll(text, `"look"`, `"fly"`)}},
	} {
		c := careful()
		got := Understand(c, fsm.AllTools, fsm.Conversation{}.Add(tt.talk...), fsm.BrainAnswered{Text: tt.text, AsText: tt.asText}, 4)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
		v, all := NewVeil(c, fsm.AllTools), ""
		for _, piece := range letters(tt.text) {
			all += v.Put(piece)
		}
		if all += v.End(tt.asText); tt.name != "one that has written some" && tt.name != "a result's own call" && strings.TrimSpace(all) != got.Text {
			t.Errorf("%s: %q is shown, and %q is said", tt.name, all, got.Text)
		}
	}
}

// What begins as a call does is held back to the end, and may be words before one.
func TestBRN40WordsThatBeginAsACallAreShown(t *testing.T) {
	for text, want := range map[string]string{ // order-free: each alone
		"Thought: I look.\n" + tagged:                                                                   "Thought: I look.",
		"{a} is there.\nNEED: b\n" + tagged:                                                             "{a} is there.",
		"{a} is there.\n" + strings.ReplaceAll(tagged, "look", "fly"):                                   "{a} is there.\n" + strings.ReplaceAll(tagged, "look", "fly"),
		"Thought: I look.\nAction: look\nAction Input: a\n" + strings.ReplaceAll(tagged, "look", "fly"): "",
	} {
		if got := shown(careful(), letters(text)); got != want {
			t.Errorf("of %q %q is shown", text, got)
		}
	}
}

// An answer may come byte by byte, and be full of what a mark begins with.
func TestBRN40WhatAPieceCosts(t *testing.T) {
	pieces := letters("I look.\n" + strings.Repeat("</b> ", 400))
	if got := testing.AllocsPerRun(3, func() { shown(careful(), pieces) }); got > float64(3*len(pieces)) {
		t.Errorf("%d pieces need %.0f allocations", len(pieces), got)
	}
	text := strings.Repeat("</b></s>", 2000)
	if got := testing.AllocsPerRun(3, func() { forms(careful()).Read(text) }); got > 2000 {
		t.Errorf("marks that end a turn need %.0f allocations", got)
	}
}

// Where calls are not read from texts, they are said, and shown.
func TestBRN40ACallThatIsNotReadIsShown(t *testing.T) {
	for _, asText := range []bool{false, true} {
		c := careful()
		c.Switches.TextCalls = false
		text := "I look.\n" + tagged
		v := NewVeil(c, fsm.AllTools)
		got := v.Put(text) + v.End(asText)
		if want := Understand(c, fsm.AllTools, fsm.Conversation{}, fsm.BrainAnswered{Text: text, AsText: asText}, 1).Text; strings.TrimSpace(got) != want {
			t.Errorf("as text %t: %q is shown, and %q is said", asText, got, want)
		}
	}
}

func short(text string) string { return text[max(len(text)-120, 0):] }

// Words are shown at once, and from where a mark may begin nothing until it is known.
func TestBRN40WordsAreNotHeldBack(t *testing.T) {
	c := careful()
	c.Switches.NoCognition = true // or blanks are held back, too, because a need may follow them
	v := NewVeil(c, fsm.AllTools)
	for _, tt := range []struct{ put, want string }{
		{"I look. ", "I look. "}, {"<", ""}, {"b> ", "<b> "}, {"It is.\n", "It is.\n"}, {"<tool", ""}, {"_call>", ""}, {"{", ""}, {"} or not", ""},
	} {
		if got := v.Put(tt.put); got != tt.want {
			t.Errorf("of %q got %q; want %q", tt.put, got, tt.want)
		}
	}
	if got, want := v.End(true), "<tool_call>{} or not"; got != want {
		t.Errorf("at the end got %q; want %q", got, want)
	}
	v = NewVeil(c, fsm.AllTools)
	for _, put := range []string{"With ", "<tool", "_call> a call begins.\n", "<tool_call>", "{}\n"} { // a mark where none begins: nothing is held from there on
		if got := v.Put(put); got != put {
			t.Errorf("of %q got %q at once", put, got)
		}
	}
}

// What is hidden of an answer is what is not said by it: its calls.
// What comes after a mark that begins no call is shown as it comes, also what looks like another; and so is
// what was held back, as soon as it is no mark.
func TestBRN40TextIsShownAsSoonAsItIsNoCall(t *testing.T) {
	for _, pieces := range [][]string{
		{"I look with <tool_call>", ".\n", "<tool_call>", "{"},
		{"I look.\n", "<|tool_calls_section_begi", "x", "y"},
	} {
		v := NewVeil(careful(), fsm.AllTools)
		got := ""
		for _, piece := range pieces {
			got += v.Put(piece)
		}
		if want := strings.Join(pieces, ""); got != want {
			t.Errorf("of %q %q is shown", want, got)
		}
	}
}

// A fence after words with a mark among them is no call since the seventeenth edition.
func TestINF25AFenceAfterAMarkIsNoCall(t *testing.T) {
	const text = "It is so. " + tagged + "\n```json\n" + tagged + "\n```"
	for edition, calls := range map[int]int{fsm.SixteenthEdition: 1, fsm.SeventeenthEdition: 0} { // order-free: each alone
		c := careful()
		c.Edition = edition
		if got := Understand(c, fsm.AllTools, fsm.Conversation{}, fsm.BrainAnswered{Text: text, AsText: true}, 1); len(got.Calls) != calls {
			t.Errorf("edition %d: %+v", edition+1, got)
		}
	}
	if got := shown(careful(), letters(text)); got != text {
		t.Errorf("%q is shown", got)
	}
}

func TestBRN40WhatIsShownIsWhatIsSaid(t *testing.T) {
	piece := rapid.SampledFrom([]string{"I look.", " ", "\n", "```", tagged, "<tool_call>", "`", "\n```json\n", "\n```\n", `{"name":"look","arguments":{"path":"a b"}}`, "Is it?", "。", "a", "<", "functools[", "</tool_call>"})
	rapid.Check(t, func(t *rapid.T) {
		pieces := append([]string{"It is so. "}, rapid.SliceOfN(piece, 0, 10).Draw(t, "pieces")...)
		text := strings.Join(pieces, "")
		read := Understand(careful(), fsm.AllTools, fsm.Conversation{}, fsm.BrainAnswered{Text: text, AsText: true}, 1)
		if got := shown(careful(), letters(text)); strings.TrimSpace(got) != strings.TrimSpace(read.Text) {
			t.Fatalf("%q: %q is shown, and %q is said", text, got, read.Text)
		}
	})
}

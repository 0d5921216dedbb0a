package reading

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"shelly/fsm"
)

func TestHND60TheFormsOfANeed(t *testing.T) {
	tests := []struct{ text, before, need string }{
		{"NEED: the port", "", "the port"},
		{"  \n NEED: the port \n", "", "the port"},
		{"NEED：打印机的端口", "", "打印机的端口"},
		{"NEED：\u3000**端口**", "", "端口"},
		{"Need: the port", "", "the port"},
		{"need : the port", "", "the port"},
		{"**NEED:** the port", "", "the port"},
		{"**NEED**: the port", "", "the port"},
		{"**NEED: the port**", "", "the port"},
		{"*Need:* the port", "", "the port"},
		{"# NEED: the port", "", "the port"},
		{"> NEED: the port", "", "the port"},
		{"- NEED: the port", "", "the port"},
		{"`NEED: the port`", "", "the port"},
		{`"NEED: the port"`, "", "the port"},
		{"“NEED: the port”", "", "the port"},
		{"[NEED]: the port", "", "the port"},
		{"```\nNEED: the port\n```", "", "the port"},
		{"```text\nNEED: the port\n```", "", "the port"},
		{" \n```text\nNEED: the port\n```\n", "", "the port"},
		{"I do not know that. NEED: the port", "I do not know that.", "the port"},
		{"I do not know that.\n\nNEED: the port", "I do not know that.", "the port"},
		{"I do not know that.\n**NEED:** the port", "I do not know that.", "the port"},
		{"Let me see\nNEED: the port", "Let me see", "the port"},
		{"我不知道。NEED：端口", "我不知道。", "端口"},
		{"NEED:", "", ""},
		{"NEED: a\nb", "", "a\nb"},
		{`NEED: what is "it"`, "", `what is "it"`},
		{"NEEDLES first.\nNEED: the port", "NEEDLES first.", "the port"},
	}
	for _, tt := range tests {
		before, need, ok := NeedIn(tt.text)
		if !ok || before != tt.before || need != tt.need {
			t.Errorf("%q: got %q, %q, %t; want ok true, %q, %q", tt.text, before, need, ok, tt.before, tt.need)
		}
	}
	for _, text := range []string{
		"", "NEED", "Needs: milk", "I NEED: milk", "You need: milk", "The marker NEED: asks.", "All I said. Need: milk", "NEEDED: milk", "In NEED:", "I say. NEEDLE: x", "See example.NEED: more",
		"```This is all:\nNeed: milk\n```",
	} {
		if before, need, ok := NeedIn(text); ok {
			t.Errorf("%q is taken as %q, %q", text, before, need)
		}
	}
}

func TestHND60WhatANeedIsOutsideCognition(t *testing.T) {
	c := &fsm.Config{Switches: fsm.Switches{Reading: fsm.ReadingCareful}}
	for text, want := range map[string]string{
		"**NEED:** the port":            "the port",
		"NEED: NEED: the port":          "the port",
		"I do not know. NEED: the port": "I do not know.",
		"Need: a. NEED: b":              "a.",
		"It is 42.":                     "It is 42.",
	} {
		if got := NeedText(c, text, false); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := NeedText(c, "So. **NEED:** the port", true); got != "NEED: the port" {
		t.Errorf("in cognition %q", got)
	}
	for _, plain := range []*fsm.Config{{}, {Switches: fsm.Switches{Reading: fsm.ReadingCareful, NoCognition: true}}} {
		if got := NeedText(plain, "Need: milk", true); got != "Need: milk" {
			t.Errorf("%+v: got %q; want %q", plain.Switches, got, "Need: milk")
		}
	}
}

// shown returns what is shown of a text that arrives in pieces.
func shown(c *fsm.Config, pieces []string) string {
	v := NewVeil(c, fsm.AllTools)
	var b strings.Builder
	for _, p := range pieces {
		b.WriteString(v.Put(p))
	}
	b.WriteString(v.End(true))
	return b.String()
}

func letters(text string) []string { return strings.Split(text, "") }

func TestBRN40WhatIsShownOfAnAnswerOnTheWay(t *testing.T) {
	for text, want := range map[string]string{
		"It is 42.":                            "It is 42.",
		" It is 42.\n":                         " It is 42.\n",
		"NEED: the port":                       "",
		"**NEED:** the port":                   "",
		"Need: the port":                       "",
		"```\nNEED: the port\n```":             "",
		"```text\nNEED: the port\n```":         "",
		"```text\nneed: the port\n```":         "",
		"I do not know. NEED: the port":        "I do not know.",
		"I do not know.\n\n**NEED:** the port": "I do not know.",
		"NEEDLES and NEED are words.":          "NEEDLES and NEED are words.",
		"I NEED: it":                           "I NEED: it",
		`{"name":"look","arguments":{}}`:       "",
		`{"name":"fly","arguments":{}}`:        "",
		`{"path":"notes.txt"}`:                 `{"path":"notes.txt"}`,
		`<tool_call>{"name":"look"`:            "",
		`<tool_response>none</tool_response>`:  `<tool_response>none</tool_response>`,
		`look(path=".")`:                       "",
		`look at this`:                         "look at this",
		`Hello`:                                "Hello",
		`fly(to="Rome")`:                       `fly(to="Rome")`,
		"```json\n{\"a\": 1}\n```":             "```json\n{\"a\": 1}\n```",
		"```go\nfunc f() {}\n```":              "```go\nfunc f() {}\n```",
		"[a link](https://example.org)":        "[a link](https://example.org)",
		"[TOOL_CALLS]look{}":                   "",
		"Action: look\nAction Input: .":        "",
		"Action: is what counts.":              "Action: is what counts.",
		"Action: is what. NEED: the port":      "Action: is what.",
		"<|channel|>final<|message|>It is 42.": "It is 42.",
	} {
		for _, pieces := range [][]string{{text}, letters(text)} {
			if got := shown(careful(), pieces); got != want {
				t.Errorf("%q in %d pieces: %q, want %q", text, len(pieces), got, want)
			}
		}
	}
}

// Text that can be neither a call nor a need is shown as soon as it arrives.
func TestBRN40WhatIsShownAtOnce(t *testing.T) {
	for _, text := range []string{"It is", "`abc", "[a link", "It is. N NEED"} {
		if got := NewVeil(careful(), fsm.AllTools).Put(text); got != text {
			t.Errorf("of %q only %q is shown", text, got)
		}
	}
	most := "```" + strings.Repeat("a", fenceLanguageMax)
	for text, want := range map[string]string{most: "", most + "a": most + "a", "```text": "", "```text\nIt is": "```text\nIt is"} {
		if got := NewVeil(careful(), fsm.NoTools).Put(text); got != want {
			t.Errorf("without tools, of %q only %q is shown", text, got)
		}
	}
}

// What is shown does not depend on how the text is cut, except for the characters around a
// marker; it is a beginning of the text, and has no marker.
func TestBRN40WhatIsShownOfAnyText(t *testing.T) {
	word := rapid.SampledFrom([]string{"NEED", "Need", ":", "：", " ", "\n", ".", "**", "```", "look", "(", ")", "{", "[", "<tool_call>", "a", "é", "。", `"name"`})
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOfN(word, 0, 14).Draw(t, "pieces")
		text := strings.Join(pieces, "")
		got := shown(careful(), pieces)
		if one := shown(careful(), []string{text}); strings.TrimRight(one, needDress) != strings.TrimRight(got, needDress) {
			t.Fatalf("%q: %q in one piece, %q in %d", text, one, got, len(pieces))
		}
		if !strings.HasPrefix(text, got) {
			t.Fatalf("%q: got %q; want one beginning with %q", text, got, got)
		}
		if _, _, ok := NeedIn(got); ok {
			t.Fatalf("%q: %q has a marker", text, got)
		}
	})
}

func TestBRN40ALongAnswerIsShownWhole(t *testing.T) {
	for _, tt := range []struct{ end, want string }{{"The end.", "The end."}, {"I see. NEED: more", "I see."}} {
		text := strings.Repeat("Grüße, 世界, and so on. ", 1000)
		if got := shown(careful(), letters(text+tt.end)); got != text+tt.want {
			t.Errorf("%d bytes of %d, at the end %q", len(got), len(text+tt.want), got[max(0, len(got)-40):])
		}
	}
}

func TestBRN40TheMarkerIsShownWhereItIsNone(t *testing.T) {
	none, first := careful(), careful()
	none.Switches.NoCognition, first.Switches.Reading = true, fsm.ReadingPlain
	for _, c := range []*fsm.Config{none, first} {
		for _, pieces := range [][]string{{"NEED: milk"}, letters("I see. NEED: milk"), {"Action: is what. NEED: milk"}} {
			if want, got := strings.Join(pieces, ""), shown(c, pieces); got != want {
				t.Errorf("%+v: of %q only %q is shown", c.Switches, want, got)
			}
			v := NewVeil(c, fsm.NoTools)
			for _, p := range pieces {
				if got := v.Put(p); got != p {
					t.Errorf("%+v: of %q only %q is shown at once", c.Switches, p, got)
				}
			}
		}
	}
}

// At the beginning a marker may be in any letters, later only in capitals.
func TestBRN40WhatMayBecomeAMarkerIsHeld(t *testing.T) {
	for _, tt := range []struct{ before, text, want string }{
		{"", "NE", ""}, {"", "ne", ""}, {"", "no", "no"}, {"I see. ", "NE", ""}, {"I see. ", "ne", "ne"},
	} {
		v := NewVeil(careful(), fsm.NoTools)
		if tt.before != "" {
			v.Put(tt.before)
		}
		if got := v.Put(tt.text); strings.TrimSpace(got) != tt.want {
			t.Errorf("after %q, %q is shown of %q, want %q", tt.before, got, tt.text, tt.want)
		}
	}
}

// Blanks that were shown are not taken back when a marker follows them.
func TestBRN40WhatWasShownBeforeAMarkerStays(t *testing.T) {
	if got := shown(careful(), []string{"It is ", "\nNEED: the port"}); got != "It is " {
		t.Errorf("%q is shown", got)
	}
}

// A bounded part of a text that was passed on is kept, and a short text whole, so that the end of
// a sentence before a row of dashes can be seen.
func TestBRN40HowMuchIsKeptOfWhatWasShown(t *testing.T) {
	v := NewVeil(careful(), fsm.NoTools)
	for range 100 {
		if v.Put(strings.Repeat("Well. ", 100)); len(v.all) > veilKeeps+600 {
			t.Fatalf("%d bytes are kept", len(v.all))
		}
	}
	dashes := strings.Repeat("-", 2*veilContext)
	v = NewVeil(careful(), fsm.NoTools)
	said := v.Put(strings.Repeat("a", veilKeeps-len(dashes)) + dashes)
	if more := v.Put("NEED: more"); len(said) != veilKeeps || more != "NEED: more" {
		t.Errorf("%d bytes are shown, then %q", len(said), more)
	}
}

// A long text that may still become something else is not read again for each byte of it, and
// nothing of it is lost.
func TestBRN40WhatIsHeldBackIsLookedAtSeldom(t *testing.T) {
	const most = 64 << 10
	for _, part := range []string{"[", "*", "`", "```\n", "a", " ", "{\"a\":", "<tool_call>", "a.\n**"} {
		text := strings.Repeat(part, most/len(part))
		v, got, looks := NewVeil(careful(), fsm.AllTools), "", 0
		for i := range text {
			got += v.Put(text[i : i+1])
			if held := len(v.all) - v.shown + len(v.more); len(v.more) == 0 && held > 1<<10 {
				if looks++; looks > 100 {
					t.Fatalf("%d bytes of %q are looked at %d times", i+1, part, looks)
				}
			}
		}
		got += v.End(true)
		if want := shown(careful(), []string{text}); got != want {
			t.Errorf("of %q, %d bytes are shown, want %d", part, len(got), len(want))
		}
	}
}

func TestEscapesAreReadAsWhatTheyStandFor(t *testing.T) {
	for text, want := range map[string]string{
		`a\nb\tc`: "a b c", `say \"hi\"`: `say "hi"`, `\u0041\u00e9`: "Aé", `\u4F60`: "你", `C:\\dir`: `C:\dir`, `ends in \`: `ends in \`, `cut \u00`: "cut \x00", "plain": "plain",
	} {
		if got := unescaped(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

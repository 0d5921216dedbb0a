package fsm

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestHND5TheMarkerOfANeedIsRead(t *testing.T) {
	tests := []struct {
		text string
		need string
		ok   bool
	}{
		{"NEED: a name", "a name", true},
		{"NEED:a name", "a name", true},
		{"NEED:   a name  ", "a name", true},
		{"  NEED: a name", "a name", true},
		{"\n\n\t NEED: a name", "a name", true},
		{"\u00a0NEED: a name", "a name", true},
		{"NEED: a name\nand a place\n", "a name\nand a place", true},
		{"NEED:", "", true},
		{"NEED: \n ", "", true},
		{"NEED: NEED: a name", "NEED: a name", true},
		{"", "", false},
		{" \n", "", false},
		{"NEED", "", false},
		{"NEED a name", "", false},
		{"NEED : a name", "", false},
		{"need: a name", "", false},
		{"Need: a name", "", false},
		{"UNNEED: a name", "", false},
		{"I NEED: a name", "", false},
		{"**NEED: a name**", "", false},
		{"well\nNEED: a name", "", false},
	}
	for _, tt := range tests {
		got, ok := Need(tt.text)
		if ok != tt.ok || ok && got != tt.need {
			t.Errorf("Need(%q) is %q, %t; want %q, %t", tt.text, got, ok, tt.need, tt.ok)
		}
	}
}

func TestHND11NoMarkerIsLeft(t *testing.T) {
	tests := []struct{ text, want string }{
		{"an answer", "an answer"},
		{"NEED: an answer", "an answer"},
		{"NEED: NEED:NEED: an answer", "an answer"},
		{"NEED: an answer, not a NEED: marker", "an answer, not a NEED: marker"},
		{"NEED: NEED:", ""},
		{"I NEED: it", "I NEED: it"},
	}
	for _, tt := range tests {
		if got := WithoutNeed(tt.text); got != tt.want {
			t.Errorf("withoutMarker(%q) is %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestHND21ClipCutsAtACharacter(t *testing.T) {
	tests := []struct {
		text string
		n    int
		want string
	}{
		{"", 0, ""},
		{"abc", 3, "abc"},
		{"abcd", 3, "abc …"},
		{"aé", 2, "a …"},
		{"日本語", 5, "日 …"},
		{"日本語", 2, " …"},
		{"日本語", 9, "日本語"},
		{"\x80\x80\x80", 1, " …"}, // not valid text
	}
	for _, tt := range tests {
		got := Clip(tt.text, tt.n)
		if got != tt.want || !utf8.ValidString(got) {
			t.Errorf("clip(%q, %d) is %q, want %q", tt.text, tt.n, got, tt.want)
		}
	}
}

func TestTheMarkerIsExplainedInTheQuestion(t *testing.T) {
	if p := DefaultPrompts(); !strings.Contains(p.Question, NeedMarker) {
		t.Errorf("the question %q does not name %s", p.Question, NeedMarker)
	}
}

func TestMillisAreWrittenAsTheLimitsAre(t *testing.T) {
	tests := []struct {
		d    Millis
		want string
	}{{0, "0s"}, {1, "1ms"}, {1500, "1500ms"}, {300 * Second, "300s"}, {-5, "-5ms"}}
	for _, tt := range tests {
		if got := tt.d.String(); got != tt.want {
			t.Errorf("%d is written %q, want %q", int64(tt.d), got, tt.want)
		}
	}
}

func TestASectionMayTellOfTheMarker(t *testing.T) {
	p := Prompts{Question: "q", Sections: []Section{{Text: "Say " + NeedMarker + " if you lack something."}}}
	if !p.TellsNeed() || (Prompts{Question: "q"}).TellsNeed() {
		t.Error("it is not seen there, or seen elsewhere")
	}
}

func TestPromptsWithoutSectionsHaveNone(t *testing.T) {
	if p := (Prompts{Identity: "{name}"}).Fill(About{Name: "Ann"}); p.Sections != nil || p.Identity != "Ann" {
		t.Errorf("filled in: %+v", p)
	}
}

func TestCheckPromptRejectsWhatNoModelShouldBeSent(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"a plain text", "Answer briefly.", ""},
		{"none", "", ""},
		{"lines and tabs", "a\n\tb\r\n", ""},
		{"as long as can be", strings.Repeat("a", PromptBytesMax), ""},
		{"a byte longer", strings.Repeat("a", PromptBytesMax+1), "is 65537 bytes long; the most is 65536"},
		{"not UTF-8", "a\xff", "is not UTF-8 text"},
		{"a character that was lost before", "a\uFFFDb", "holds U+FFFD, which stands for a character that could not be read"},
		{"an escape", "a\x1b[0m", "holds a control character"},
		{"a control character of Latin-1", "a\u0085", "holds a control character"},
	} {
		got := ""
		if err := CheckPrompt(tt.text); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s: %q, not %q", tt.name, got, tt.want)
		}
	}
}

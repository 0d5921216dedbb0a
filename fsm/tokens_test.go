package fsm

import (
	"strings"
	"testing"

	"shelly/runtime/yardstick"

	"pgregory.net/rapid"
)

func TestCTX1ATextIsCountedInTokens(t *testing.T) {
	tests := []struct {
		text string
		want int
	}{
		{"", 0},
		{"a", 1},
		{"abcd", 1},
		{"abcde", 2},
		{strings.Repeat("x", 400), 100},
		{"日本語", 3},
		{"日本語 abc", 4},
		{"é", 1},
		{"ééééé", 5},
		{"🦊", 1},
		{"\xff\xfe", 2}, // not UTF-8: each byte that could begin a character counts
		{"\x80\x80", 0}, // and a byte that could not does not
	}
	for _, tt := range tests {
		if got := TextTokens(tt.text); got != tt.want {
			t.Errorf("%q is %d tokens, want %d", tt.text, got, tt.want)
		}
	}
}

func TestCTX1AMessageIsCountedInTokens(t *testing.T) {
	tests := []struct {
		name string
		msg  Message
		want int
	}{
		{"empty", Message{Role: RoleUser}, 4},
		{"a text", asking("abcd"), 5},
		{"thinking", Message{Role: RoleAssistant, Text: "abcd", Thinking: "abcdefgh"}, 7},
		{"two images", Message{Role: RoleUser, Text: "abcd", Images: [][]byte{{1}, make([]byte, 1<<20)}}, 5 + 2*768},
		{"two calls", Message{Role: RoleAssistant, Calls: []ToolCall{{Name: "abcd", Args: "{}"}, {Name: "abcd", Args: "{}"}}}, 4 + 2*(4+1+1)},
		{"a result", Message{Role: RoleTool, Text: "abcdefgh", Tool: "exec", ToolCall: "call_0"}, 6},
	}
	for _, tt := range tests {
		if got := MessageTokens(tt.msg); got != tt.want {
			t.Errorf("%s: %d tokens, want %d", tt.name, got, tt.want)
		}
	}
}

func TestCTX1AConversationIsTheSumOfItsMessages(t *testing.T) {
	msgs := []Message{asking("what is here?"), calling("a"), result("a", "a.txt"), saying("一つ")}
	want := 0
	for _, m := range msgs {
		want += MessageTokens(m)
	}
	if got := (Conversation{}.Add(msgs[:2]...).Add(msgs[2:]...)).Tokens; got != want {
		t.Errorf("%d tokens, want %d", got, want)
	}
}

func TestCTX1TheToolsThatAreOfferedCount(t *testing.T) {
	c := Config{Tools: []ToolDecl{
		{Name: "exec", Description: "runs a command", Parameters: `{"type":"object"}`}, // 1 + 4 + 5
		{Name: ToolSpawn, Builtin: true},                                               // 2
	}}
	talk := Conversation{}.Add(asking("abcd"))
	tests := []struct {
		set  Toolset
		want int
	}{
		{NoTools, 4 + 2 + 5},
		{SubagentTools, 4 + 2 + 5 + 4 + 10},
		{AllTools, 4 + 2 + 5 + 4 + 10 + 4 + 2},
	}
	for _, tt := range tests {
		if got := c.EstimateOf("a system", talk, tt.set, &Offer{}); got != tt.want {
			t.Errorf("with the tools %q: %d tokens, want %d", tt.set, got, tt.want)
		}
	}
}

// plainTokens counts tokens by the definition of CTX-1, byte by byte.
func plainTokens(s string) int {
	ascii, others := 0, 0
	for i := range len(s) {
		switch {
		case s[i] < 0x80:
			ascii++
		case s[i]&0xC0 != 0x80:
			others++
		}
	}
	return (ascii+3)/4 + others
}

func TestCTX1TokensAreCountedManyBytesAtATime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Repeat("a", rapid.IntRange(0, 70).Draw(t, "before"))
		text += rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "text")
		text += strings.Repeat("b", rapid.IntRange(0, 70).Draw(t, "after"))
		if got, want := TextTokens(text), plainTokens(text); got != want {
			t.Fatalf("%q has %d tokens, not %d", text, got, want)
		}
	})
}

// BenchmarkTextTokens counts the tokens of 9 KB. Its yardstick is the count by definition.
func BenchmarkTextTokens(b *testing.B) {
	for name, text := range map[string]string{"ascii": strings.Repeat("The water is warm. ", 500), "han": strings.Repeat("水是温的。", 700)} { // order-free: each by itself
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				TextTokens(text)
			}
			n := TextTokens(text)
			yardstick.Of(b, "plain", func() {
				if plainTokens(text) != n {
					b.Fatal("the counts differ")
				}
			})
		})
	}
}

func TestCTX2NothingIsLearntFromAnEmptyEstimate(t *testing.T) {
	s := Session{Ratio: 1100}
	if s.Learn(0, 5); s.Ratio != 1100 {
		t.Errorf("the ratio is %d", s.Ratio)
	}
}

// CTX-15: a text of every prompt keeps its length while the correction is within a quarter.
func TestCTX15AShareMovesByQuarters(t *testing.T) {
	for ratio, want := range map[int]int{0: 1000, 900: 1000, 1024: 1000, 1025: 800, 1280: 800, 1281: 666} {
		if got := (&Session{Ratio: ratio}).Share(1000); got != want {
			t.Errorf("at a ratio of %d: %d, want %d", ratio, got, want)
		}
	}
}

// CTX-16: the least window has room for the turn beside the shares of what the prompts show.
func TestCTX16TheLeastWindowHasRoomForTheShares(t *testing.T) {
	for _, tt := range []struct {
		of   []Content
		want int
	}{
		{nil, 1900}, {[]Content{OfMemory}, 2400}, {[]Content{OfLoadedSkills}, 2800}, {[]Content{OfMemory, OfLoadedSkills}, 3800},
	} {
		var c Config
		c.Limits.AnswerPercent = 20
		for _, of := range tt.of {
			c.Prompts.Sections = append(c.Prompts.Sections, Section{Of: of})
		}
		if got := c.WindowMin(1000); got != tt.want {
			t.Errorf("%v: %d, want %d", tt.of, got, tt.want)
		}
	}
}

// A call of which nothing is counted is not one whose reading is not timed.
func TestUntimedIsAPromptWithoutItsTime(t *testing.T) {
	for tokens, want := range map[Tokens]bool{{}: false, {Prompt: 1}: true, {Prompt: 1, Reading: 1}: false, {Answer: 1}: false} { // order-free
		if got := tokens.Untimed(); got != want {
			t.Errorf("%+v: %t", tokens, got)
		}
	}
}

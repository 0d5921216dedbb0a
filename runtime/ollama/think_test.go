package ollama

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"shelly/fsm"
)

const (
	thinkOpen  = "<think>"
	thinkClose = "</think>"
)

func collect(pieces ...string) fsm.BrainAnswered {
	var all collector
	for _, p := range pieces {
		c := &chunk{}
		c.Message.Content = p
		all.add(c)
	}
	return all.answer(fsm.Conversation{}, &chunk{})
}

func TestBRN6ThinkingIsTakenOutOfTheText(t *testing.T) {
	tests := []struct{ content, text, thinking string }{
		{"plain", "plain", ""},
		{"<think>a</think>\n\nb", "b", "a"},
		{"x <think>a</think> y", "x y", "a"},
		{"<think>a</think>b<think>c</think>d", "bd", "ac"},
		{"<think>never closed", "", "never closed"},
		{"a < b, <thin", "a < b, <thin", ""},
		{"<think></think>", "", ""},
		{"opened by the prompt</think>\nb", "b", "opened by the prompt"},
		{"<think>a</think>b</think>c", "b</think>c", "a"},
	}
	for _, tt := range tests {
		if got := collect(tt.content); got.Text != tt.text || got.Thinking != tt.thinking {
			t.Errorf("%q: text %q, thinking %q; want %q, %q", tt.content, got.Text, got.Thinking, tt.text, tt.thinking)
		}
	}
}

// parted splits a whole text into what is outside and what is between an opening tag and the next
// closing one. The remaining text may form a tag that the model did not write.
func parted(content string) (text, thinking string) {
	before, rest, opened := strings.Cut(content, thinkOpen)
	text = before
	for opened {
		inside, after, _ := strings.Cut(rest, thinkClose)
		thinking += inside
		before, rest, opened = strings.Cut(strings.TrimLeft(after, " \t\r\n"), thinkOpen)
		text += before
	}
	return text, thinking
}

func TestBRN6TagsAreFoundHoweverTheTextIsCut(t *testing.T) {
	part := rapid.SampledFrom([]string{"<think>", "</think>", "<", "th", "ink>", "/", "a", " ", "\n", "é"})
	rapid.Check(t, func(t *rapid.T) {
		content := strings.Join(rapid.SliceOfN(part, 0, 12).Draw(t, "content"), "")
		var pieces []string
		for rest := content; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "cut")
			pieces = append(pieces, rest[:n])
			rest = rest[n:]
		}
		whole, cut := collect(content), collect(pieces...)
		if whole.Text != cut.Text || whole.Thinking != cut.Thinking {
			t.Fatalf("%q: whole %q/%q, cut %q/%q", content, whole.Text, whole.Thinking, cut.Text, cut.Thinking)
		}
		if !strings.Contains(content, thinkOpen) {
			return // a closing tag alone has another meaning
		}
		if text, thinking := parted(content); whole.Text != text || whole.Thinking != thinking {
			t.Fatalf("%q: text %q, thinking %q; want %q, %q", content, whole.Text, whole.Thinking, text, thinking)
		}
	})
}

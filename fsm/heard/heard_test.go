package heard_test

import (
	"strings"
	"testing"

	"shelly/fsm/heard"
)

const (
	thinkOpen  = "<think>"
	thinkClose = "</think>"
)

// What stays of a text that was heard once is heard again as it is, if it is said plainly.
func TestBRN6WhatWasHeardCanBeSaidAgain(t *testing.T) {
	tests := []struct{ said, text, thinking string }{
		{"plain", "plain", ""},
		{"<think>a</think>\n\nb", "b", "a"},
		{"a</think>b</think>c", "b</think>c", "a"},
		{"<think>a</think>b</think>c", "b</think>c", "a"},
		{"a < b, <thin", "a < b, <thin", ""},
	}
	for _, tt := range tests {
		text, thinking := heard.Text(tt.said)
		if text != tt.text || thinking != tt.thinking {
			t.Errorf("%q is heard as %q and %q, want %q and %q", tt.said, text, thinking, tt.text, tt.thinking)
		}
		if again, more := heard.Text(heard.Plain(text)); again != text || more != "" {
			t.Errorf("%q, said as %q, is heard as %q and %q", text, heard.Plain(text), again, more)
		}
	}
}

func TestBRN5ArgumentsAreTakenOutOfStrings(t *testing.T) {
	tests := []struct{ said, want string }{
		{`{"a": 1}`, `{"a": 1}`},
		{``, `{}`},
		{`null`, `{}`},
		{`"{\"a\": 1}"`, `{"a": 1}`},
		{`"\"{\\\"a\\\": 1}\""`, `{"a": 1}`},
		{`{"a": [1,],}`, `{"a": [1 ] }`},
		{`"df"`, `df`},
		{`[1]`, `[1]`},
		{`{"a`, `{"a`},
	}
	for _, tt := range tests {
		if got := heard.Arguments(tt.said); got != tt.want {
			t.Errorf("%s is heard as %s, want %s", tt.said, got, tt.want)
		}
	}
}

// A line has room for a million tags: what stands between them is put together once.
func TestBRN6ManyTagsInOnePiece(t *testing.T) {
	const tags = 10_000
	piece := strings.Repeat("a<think>b</think>", tags)
	allocations := testing.AllocsPerRun(1, func() {
		var p heard.Splitter
		if text, thinking := p.Put(piece); len(text) != tags || len(thinking) != tags {
			t.Fatalf("%d bytes of text and %d of thinking, want %d of each", len(text), len(thinking), tags)
		}
	})
	if allocations > 100 {
		t.Errorf("%.0f allocations for %d tags", allocations, tags)
	}
}

// Wherever content is split, the same part of it is thinking, and nothing is lost except the tags
// and the blanks after them (BRN-6).
func FuzzThinkingIsSplit(f *testing.F) {
	for _, text := range []string{"<think>so</think> yes", "<think><think></think>", "</think>x", "a<think>b</think> \n c<think>d", "<thi<think>nk>", "<think></think> <think></think> x"} {
		f.Add(text, 3)
	}
	split := func(parts ...string) (text, thinking string) {
		var p heard.Splitter
		for _, part := range parts {
			t, th := p.Put(part)
			text, thinking = text+t, thinking+th
		}
		t, th := p.End()
		return text + t, thinking + th
	}
	f.Fuzz(func(t *testing.T, content string, at int) {
		text, thinking := split(content)
		cut := min(max(at, 0), len(content))
		if a, b := split(content[:cut], content[cut:]); a != text || b != thinking {
			t.Errorf("whole %q and %q, split at %d %q and %q", text, thinking, cut, a, b)
		}
		if strings.Contains(text, thinkOpen) && !strings.Contains(content, thinkOpen+thinkOpen) && strings.Count(content, thinkOpen) == strings.Count(text, thinkOpen) {
			t.Errorf("a tag stays in %q", text)
		}
		tags := strings.Count(content, thinkOpen)*len(thinkOpen) + strings.Count(content, thinkClose)*len(thinkClose)
		if kept := len(text) + len(thinking); kept > len(content) || !strings.Contains(content, thinkOpen) && text != content || kept+tags < len(strings.Join(strings.Fields(content), "")) {
			t.Errorf("%q has become %q and %q", content, text, thinking)
		}
	})
}

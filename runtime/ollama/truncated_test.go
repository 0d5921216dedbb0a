package ollama_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/runtime/ollama"
)

// counting returns a client of a server that counts each prompt as *counted tokens.
func counting(t *testing.T, counted *int) *ollama.Client {
	t.Helper()
	h, s := newHost(t)
	h.chat = func(w http.ResponseWriter, _ string) {
		_, _ = fmt.Fprintf(w, `{"message":{"content":"a"},"done":true,"done_reason":"stop","prompt_eval_count":%d}`, *counted)
	}
	return client(t, s, func(o *ollama.Options) { o.NumCtx = 4096 })
}

// An old server drops messages of a prompt that cannot have fitted (BRN-3).
func TestBRN3ACountBelowTheLeastMeansTruncation(t *testing.T) {
	words := func(n int) string { return strings.Repeat("word ", n) }
	tests := []struct {
		name      string
		text      string
		counted   int
		truncated bool
	}{
		{"a word is missing", words(5000), 4000, true},
		{"the window is full", words(100), 4096, true},
		{"it may have fitted", words(4000), 1000, false},
		{"digits, three to a token", strings.Repeat("123456 ", 3000), 4000, true},
		{"a script of its own", strings.Repeat("水泵运行", 4200), 4000, true},
		{"no count", words(5000), 0, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := counting(t, &tt.counted)
			_, err := c.Chat(testContext(t), ask(tt.text), nil, nil)
			if tt.truncated {
				wantClass(t, err, fsm.BrainContextTruncated, "raise num_ctx")
			} else if err != nil {
				t.Error(err)
			}
		})
	}
}

// Texts that take few tokens, after texts that take many: no good answer is suspected (BRN-3),
// whatever was counted before.
func TestBRN3NoGoodAnswerIsAccused(t *testing.T) {
	counted := 0
	c := counting(t, &counted)
	odd := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("\x00\xffshelly", 400)))
	for _, call := range []struct {
		name    string
		text    string
		counted int
	}{
		{"base64", odd, len(odd) / 2}, {"base64 again", odd, len(odd) / 2}, {"and again", odd, len(odd) / 2},
		{"prose after it", strings.Repeat("The pump ran all day. ", 600), 3900},
		{"Chinese at two characters a token", strings.Repeat("水泵运行了一整天。", 800), 3600},
		{"rows of dots", strings.Repeat(".", 60000), 950},
		{"indented code", strings.Repeat("                        x\n", 900), 2700},
		{"of a cached prefix only the rest is counted", strings.Repeat("The pump ran all day. ", 600), 20},
	} {
		counted = call.counted
		if _, err := c.Chat(testContext(t), ask(call.text), nil, nil); err != nil {
			t.Errorf("%s: got %v; want no error", call.name, err)
		}
	}
}

package ollama_test

import (
	"fmt"
	"net/http"
	"testing"

	"shelly/fsm"
	"shelly/runtime/ollama"
)

// Prompts of 1,000 tokens, as estimated, are counted as 1,100 each; then one of 5,000
// comes into a window of 4,096, and an old server drops messages (BRN-3).
func TestBRN3ACountFarBelowTheEstimateMeansTruncation(t *testing.T) {
	long := func(tokens int) fsm.AskBrain {
		a := ask("x")
		a.Conversation.Tokens = tokens
		return a
	}
	tests := []struct {
		name      string
		calls     int // that are learnt from
		tokens    int // of the prompt, as estimated
		counted   int
		truncated bool
	}{
		{"a quarter is missing", 3, 5000, 4000, true},
		{"less is missing", 3, 4800, 4000, false},
		{"too few calls to know", 2, 5000, 4000, false},
		{"it may have fitted", 3, 3700, 1000, false},
		{"no count", 3, 5000, 0, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h, s := newHost(t)
			counted := 1100
			h.chat = func(w http.ResponseWriter, _ string) {
				_, _ = fmt.Fprintf(w, `{"message":{"content":"a"},"done":true,"done_reason":"stop","prompt_eval_count":%d}`, counted)
			}
			c := client(t, s, func(o *ollama.Options) { o.NumCtx = 4096 })
			for range tt.calls {
				if _, err := c.Chat(testContext(t), long(996), nil, nil); err != nil {
					t.Fatal(err)
				}
			}
			counted = tt.counted
			_, err := c.Chat(testContext(t), long(tt.tokens-4), nil, nil)
			if tt.truncated {
				wantClass(t, err, fsm.BrainContextTruncated, "4000 tokens where about", "raise num_ctx")
			} else if err != nil {
				t.Error(err)
			}
		})
	}
}

package ollama_test

import (
	"net/http"
	"testing"
	"time"

	"shelly/fsm"
	"shelly/runtime/ollama"
)

func TestCLI10MeasureReadsTheServersClock(t *testing.T) {
	var asked string
	s := server(t, func(w http.ResponseWriter, _ *http.Request, body string) {
		asked = body
		recorded(t, w, "chat-text-whole")
	})
	got, err := client(t, s, func(o *ollama.Options) { o.NumCtx = 4096 }).Measure(testContext(t), 64, "hello", "good day", "and?")
	if err != nil || got.PromptTokens != 15 || got.AnswerTokens != 7 || got.Text == "" || got.Prompt <= 0 || got.Answer <= 0 {
		t.Errorf("got %+v, %v; want PromptTokens 15, AnswerTokens 7, some Text, Prompt more than 0, Answer more than 0", got, err)
	}
	const want = `{"model":"m","messages":[{"role":"user","content":"hello"},{"role":"assistant","content":"good day"},{"role":"user","content":"and?"}],"stream":false,"keep_alive":"5m0s",` +
		`"options":{"num_ctx":4096,"num_predict":64},"think":false,"shift":false}`
	if asked != want {
		t.Errorf("asked %s\nwant  %s", asked, want)
	}
	_, err = client(t, playing(t, "chat-unknown-model"), nil).Measure(testContext(t), 64, "hello")
	wantClass(t, err, fsm.BrainMissingModel)
}

// BRN-47: a speed is that of what was read.
func TestBRN47WhatWasReadIsMeasured(t *testing.T) {
	s := server(t, func(w http.ResponseWriter, _ *http.Request, _ string) {
		_, _ = w.Write([]byte(`{"message":{"content":"so"},"done":true,"prompt_eval_count":110,"prompt_eval_cached_count":10,"prompt_eval_duration":2000000000}`))
	})
	got, err := client(t, s, nil).Measure(testContext(t), 64, "hello")
	if err != nil || got.PromptTokens != 110 || got.Read != 100 || got.PromptSpeed() != 50 {
		t.Errorf("got %+v (%d tokens/s), %v; want 100 of 110 tokens read at 50/s", got, got.PromptSpeed(), err)
	}
}

func TestCLI10SpeedIsRoundedUp(t *testing.T) {
	m := ollama.Measured{PromptTokens: 100, Prompt: time.Second, AnswerTokens: 1, Answer: 3 * time.Second}
	if m.PromptSpeed() != 100 || m.AnswerSpeed() != 1 || (ollama.Measured{}).AnswerSpeed() != 0 {
		t.Errorf("%d, %d tokens/s", m.PromptSpeed(), m.AnswerSpeed())
	}
}

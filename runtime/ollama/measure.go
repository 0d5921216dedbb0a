package ollama

import (
	"cmp"
	"context"
	"time"

	"github.com/ollama/ollama/api"

	"shelly/fsm"
)

// Measured is what the server reports about one answer.
type Measured struct {
	Text         string
	Load         time.Duration // time to load the model
	PromptTokens int
	Read         int           // of PromptTokens: what its cache did not hold; 0: it does not say (BRN-47)
	Prompt       time.Duration // time to read that
	AnswerTokens int
	Answer       time.Duration // time to write them
}

// PromptSpeed returns how fast the model reads, in tokens per second; 0: unknown.
func (m Measured) PromptSpeed() int { return perSecond(cmp.Or(m.Read, m.PromptTokens), m.Prompt) }

// AnswerSpeed returns how fast the model writes, in tokens per second; 0: unknown.
func (m Measured) AnswerSpeed() int { return perSecond(m.AnswerTokens, m.Answer) }

// perSecond rounds up, so that a model that takes more than a second per token counts as slow
// rather than unknown.
func perSecond(n int, d time.Duration) int {
	if n <= 0 || d <= 0 {
		return 0
	}
	return int((int64(n)*int64(time.Second) + int64(d) - 1) / int64(d))
}

// Measure makes the chat model continue a conversation, whose texts are the user's and the model's
// in turn, with at most tokensMax tokens, without thinking, and with the window of the chats. The
// error is an [*Error].
func (c *Client) Measure(ctx context.Context, tokensMax int, talk ...string) (Measured, error) {
	ctx, cancel := c.within(ctx, c.opt.Timeouts.Load+c.opt.Timeouts.Total, "a question, loading included,")
	defer cancel()
	var m Measured
	done, no := false, false
	messages := make([]api.Message, len(talk))
	for i, text := range talk {
		role := fsm.RoleUser
		if i%2 == 1 {
			role = fsm.RoleAssistant
		}
		messages[i] = api.Message{Role: string(role), Content: text}
	}
	err := c.api.Chat(ctx, &api.ChatRequest{
		Model:     c.opt.Model,
		Messages:  messages,
		Stream:    &no,
		Shift:     &no,
		Think:     &api.ThinkValue{Value: false},
		KeepAlive: &api.Duration{Duration: c.opt.KeepAlive},
		Options:   map[string]any{"num_ctx": c.opt.NumCtx, "num_predict": tokensMax},
	}, func(r api.ChatResponse) error {
		done = r.Done
		m = Measured{
			Text: r.Message.Content, Load: r.LoadDuration, PromptTokens: counted(number(r.PromptEvalCount)), Prompt: r.PromptEvalDuration,
			AnswerTokens: counted(number(r.EvalCount)), Answer: r.EvalDuration,
		}
		if r.PromptEvalCachedCount != nil {
			m.Read = read(m.PromptTokens, float64(*r.PromptEvalCachedCount))
		}
		return nil
	})
	switch {
	case err != nil:
		return Measured{}, c.sort(ctx, c.opt.Model, err)
	case !done:
		return Measured{}, failure(fsm.BrainCutStream, "the Ollama server at %s dropped the connection before it had answered", c.base)
	}
	return m, nil
}

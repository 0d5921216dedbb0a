package doctor

import (
	"context"
	"fmt"
	"time"

	"shelly/cmd/shelly/internal/brain"
	"shelly/cmd/shelly/internal/quantity"
	"shelly/cmd/shelly/internal/sizing"
	"shelly/runtime/comm"
	"shelly/runtime/ollama"
)

// What is measured: a prompt that is long enough to tell reading from starting, a short answer,
// and a second question.
const (
	measuredLines  = 40
	measuredTokens = 64
	secondQuestion = "And which shelf holds the most?"
)

// measure has the model answer twice. The time at the beginning of the prompt keeps the server
// from finding the last measurement's prompt in its cache.
func (e *examined) measure(ctx context.Context) sizing.Speed {
	prompt := time.Now().Format(time.RFC3339Nano) + "\n"
	for i := range measuredLines {
		prompt += fmt.Sprintf("Line %d says that shelf %d holds %d boxes.\n", i+1, i%7+1, 3*i+2)
	}
	prompt += "Write these lines once more."
	got, err := e.client.Measure(ctx, measuredTokens, prompt)
	if err != nil {
		e.fail("speed", err.Error(), "")
		return sizing.Speed{}
	}
	speed := sizing.Speed{Prompt: got.PromptSpeed(), Answer: got.AnswerSpeed()}
	e.add("ok", "speed", fmt.Sprintf("reads %d tokens/s (%d in %v), writes %d tokens/s (%d in %v), loaded in %v; a turn with one tool call takes about %s",
		speed.Prompt, got.PromptTokens, short(got.Prompt), speed.Answer, got.AnswerTokens, short(got.Answer), short(got.Load), quantity.Time(sizing.Turn(speed))), e.begin(speed))
	second, err := e.client.Measure(ctx, 1, prompt, got.Text, secondQuestion)
	if err != nil {
		e.fail("prompt cache", err.Error(), "")
		return speed
	}
	e.cache(got, second)
	return speed
}

// disturbed reports what the measurement and a running daemon have done to each other.
func (e *examined) disturbed(running *comm.Status) {
	switch {
	case running == nil || running.Brain == brain.AboutDemo:
	case len(running.Active) > 0:
		e.warn("measurement", "shelly was at work meanwhile: the speeds may be too low, its work has waited, and its next turn may be read from the beginning", "measure while shelly is idle")
	default:
		e.ok("measurement", "has taken the place of shelly's last conversation in the server's cache, unless the server has several slots: its next turn is read from the beginning")
	}
}

// begin returns what to put into the configuration so that the first deadlines suit this
// machine (INF-50), if it is not there yet.
func (e *examined) begin(s sizing.Speed) string {
	if s.Prompt <= 0 || s.Answer <= 0 || near(e.cfg.Brain.Reads, s.Prompt) && near(e.cfg.Brain.Writes, s.Answer) {
		return ""
	}
	return fmt.Sprintf("put into the configuration, to have the right deadlines from the start (otherwise shelly learns the speed): brain: {reads: %d, writes: %d}", s.Prompt, s.Answer)
}

// near reports whether a configured speed is within a quarter of a measured one.
func near(set, measured int) bool { return 4*set >= 3*measured && 4*set <= 5*measured }

// cache reports how much of a conversation's second prompt the server has read again. An older
// server reports only how long that took; the first prompt, of which it had nothing in its
// cache, gives the tokens for that time.
func (e *examined) cache(first, second ollama.Measured) {
	var anew int
	about := ""
	switch {
	case second.Read > 0:
		anew = second.Read
	case first.Prompt <= 0 || second.PromptTokens <= 0:
		return
	default:
		about = "about "
		anew = min(int(int64(first.PromptTokens)*int64(second.Prompt)/int64(first.Prompt)), second.PromptTokens)
	}
	found := fmt.Sprintf("of the %d tokens of a second question %s%d were read again (%v)", second.PromptTokens, about, anew, short(second.Prompt))
	if anew > second.PromptTokens/2 {
		e.warn("prompt cache", found+": the server keeps little of a conversation in its cache, and each turn waits until all of it is read",
			"let no other program use this server at the same time, or give each a slot with OLLAMA_NUM_PARALLEL; some templates reword what came before")
		return
	}
	e.ok("prompt cache", found)
}

func short(d time.Duration) time.Duration { return d.Round(time.Millisecond) }

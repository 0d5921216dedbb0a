package regression

import "shelly/fsm"

// Pace is how fast a model has answered so far. Its zero value knows nothing.
type Pace struct {
	answers               int
	prompt, thought       int        // tokens of the prompts, as counted and as estimated
	answer                int        // tokens of the answers
	reading, writing, all fsm.Millis // of answers that streamed until their first piece, and after it; of all
	split                 Spent      // tokens of the answers that streamed
}

// Take counts an answer. Thought is the estimate of its prompt in tokens; first is how
// long it took to its first piece, 0 where nothing streamed before its end.
func (p *Pace) Take(thought int, s Spent, first fsm.Millis) {
	p.answers++
	p.prompt += s.Prompt
	p.thought += thought
	p.answer += s.Answer
	p.all += s.Took
	if first > 0 {
		p.reading += first
		p.writing += max(s.Took-first, 0)
		p.split.Prompt += s.Prompt
		p.split.Answer += s.Answer
	}
}

// Answers is how many were counted.
func (p *Pace) Answers() int { return p.answers }

// TokensPerSecond is how fast answers are written; 0 where it is not known.
func (p *Pace) TokensPerSecond() int {
	switch {
	case p.writing > 0:
		return int(fsm.Millis(p.split.Answer) * fsm.Second / p.writing)
	case p.all > 0:
		return int(fsm.Millis(p.answer) * fsm.Second / p.all)
	default:
		return 0
	}
}

// Left is how long a number of questions will take whose prompts are thought to be so
// many tokens in all. Prompts are as much longer than they are thought to be as those so
// far, answers are as long as those so far, and both are weighed by what a token took
// where the answer streamed. What the answers so far took in all, for their weight, is
// what the others will: so a call, which does not stream, and a model that has to be
// loaded count too.
func (p *Pace) Left(questions, thought int) fsm.Millis {
	if p.answers == 0 || questions <= 0 {
		return 0
	}
	prompt := int64(thought)
	if p.thought > 0 && p.prompt > 0 {
		prompt = prompt * int64(p.prompt) / int64(p.thought)
	}
	answer := int64(p.answer) * int64(questions) / int64(p.answers)
	if done := p.weight(int64(p.prompt), int64(p.answer)); done > 0 {
		return fsm.Millis(p.weight(prompt, answer) * int64(p.all) / done)
	}
	return p.all * fsm.Millis(questions) / fsm.Millis(p.answers)
}

// weight is what tokens take, in milliseconds; where no answer has streamed, in tokens.
func (p *Pace) weight(prompt, answer int64) int64 {
	if p.split.Prompt == 0 || p.split.Answer == 0 {
		return prompt + answer
	}
	return prompt*int64(p.reading)/int64(p.split.Prompt) + answer*int64(p.writing)/int64(p.split.Answer)
}

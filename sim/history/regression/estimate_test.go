package regression

import (
	"testing"

	"shelly/fsm"
)

// What is left is estimated from the time of each token so far (CLI-18).
func TestCLI18WhatIsLeftIsEstimatedFromWhatWasMeasured(t *testing.T) {
	for _, test := range []struct {
		name      string
		took      []Spent
		first     fsm.Millis
		thought   int // the estimate of each prompt so far
		questions int
		prompts   int // the estimate of what is left
		want      fsm.Millis
		speed     int
	}{
		{name: "nothing is known", questions: 5, prompts: 500},
		// 10 ms a token of a prompt, 100 ms a token of an answer: 3·(100·10 + 20·100)
		{name: "streamed", took: []Spent{{100, 20, 3000}, {100, 20, 3000}}, first: 1000, thought: 100, questions: 3, prompts: 300, want: 9000, speed: 10},
		// as before, but prompts are thought to be half of what they are
		{name: "estimates are corrected", took: []Spent{{100, 20, 3000}, {100, 20, 3000}}, first: 1000, thought: 50, questions: 3, prompts: 150, want: 9000, speed: 10},
		{name: "calls do not stream", took: []Spent{{100, 20, 3000}}, thought: 100, questions: 2, prompts: 200, want: 6000, speed: 6},
		{name: "a longer prompt takes longer", took: []Spent{{100, 20, 3000}}, first: 1000, thought: 100, questions: 1, prompts: 1000, want: 12000, speed: 10},
		{name: "no count", took: []Spent{{0, 0, 3000}}, thought: 100, questions: 2, prompts: 200, want: 6000},
		{name: "nothing is left", took: []Spent{{100, 20, 3000}}, thought: 100},
	} {
		p := Pace{}
		for _, s := range test.took {
			p.Take(test.thought, s, test.first)
		}
		if got := p.Left(test.questions, test.prompts); got != test.want {
			t.Errorf("%s: %s left; want %s", test.name, got, test.want)
		}
		if got := p.TokensPerSecond(); got != test.speed && test.want > 0 {
			t.Errorf("%s: %d tokens/s; want %d", test.name, got, test.speed)
		}
	}
}

// A text that streams at once does not hide that calls, which do not stream, take long.
func TestCLI18WhatDoesNotStreamCountsToo(t *testing.T) {
	p := Pace{}
	p.Take(100, Spent{100, 20, 1000}, 1000)
	p.Take(100, Spent{100, 20, 3000}, 0)
	if got := p.Left(4, 400); got != 8000 {
		t.Errorf("%s left; want 8s", got)
	}
}

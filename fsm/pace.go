package fsm

// Pace is what the deadlines of a model call are made of where they go by progress
// (INF-50). The zero value: a call has no deadline of its own.
type Pace struct {
	Load   Millis `json:"load,omitempty"`   // what loading the model may take
	Idle   Millis `json:"idle,omitempty"`   // between two tokens
	Reads  int    `json:"reads,omitempty"`  // tokens of a prompt that are read in a second; 0: to be learnt
	Writes int    `json:"writes,omitempty"` // tokens of an answer that are written in a second; 0: to be learnt
}

// What is assumed where nothing is known: the slowest machine that is still of use.
const (
	slowestReads  = 10
	slowestWrites = 2
)

// slack is how many times as long as it should take reading or writing may take.
const slack = 3

// FirstToken is how long a call may take to its first token: the load, and the reading of
// what should not be cached with slack, or of all of it where the cache is lost.
func (p Pace) FirstToken(anew, prompt int) Millis {
	speed := p.Reads
	if speed <= 0 {
		speed = slowestReads
	}
	return p.Load + max(slack*taking(anew, speed), taking(prompt, speed))
}

// Rest is how long an answer may take from its first token to its last.
func (p Pace) Rest(tokens int) Millis {
	speed := p.Writes
	if speed <= 0 {
		speed = slowestWrites
	}
	return p.Idle + slack*taking(tokens, speed)
}

// Reading is how long reading n tokens should take; 0 if unknown.
func (p Pace) Reading(tokens int) Millis {
	if p.Reads <= 0 {
		return 0
	}
	return taking(tokens, p.Reads)
}

// taking is how long n tokens take, in whole seconds.
func taking(tokens, speed int) Millis {
	return (Millis(tokens) + Millis(speed) - 1) / Millis(speed) * Second
}

// A count of tokens and a time say something of a speed from here on.
const (
	learntTokens = 128
	learntMillis = 100
)

// Learn corrects a speed by a count of tokens and the time that they took. Single counts
// swing, so the past counts three times.
func Learn(speed, tokens int, took Millis) int {
	if tokens < learntTokens || took < learntMillis {
		return speed
	}
	now := int(Millis(tokens) * Second / took)
	if speed > 0 {
		now = (3*speed + now) / 4
	}
	return max(now, 1)
}

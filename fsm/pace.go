package fsm

// Pace is what the deadlines of a model call are computed from if they follow its progress
// (INF-50). With the zero value a call has no deadline of its own.
type Pace struct {
	Load   Millis `json:"load,omitempty"`   // what loading the model may take
	Idle   Millis `json:"idle,omitempty"`   // between two tokens
	Reads  int    `json:"reads,omitempty"`  // tokens of a prompt read per second; 0: not learnt yet
	Writes int    `json:"writes,omitempty"` // tokens of an answer written per second; 0: not learnt yet
}

// What is assumed if nothing is known: the slowest machine that is still useful.
const (
	slowestReads  = 10
	slowestWrites = 2
)

// slack is the factor by which reading or writing may take longer than expected.
const slack = 3

// FirstToken returns how long a call may take to its first token: the load, then reading
// the tokens that are not cached, with slack, or the whole prompt without, because the
// cache may be lost; the longer of the two.
func (p Pace) FirstToken(anew, prompt int) Millis {
	speed := p.Reads
	if speed <= 0 {
		speed = slowestReads
	}
	return p.Load + max(slack*taking(anew, speed), taking(prompt, speed))
}

// Rest returns how long an answer of the given tokens may take from its first token to its
// last.
func (p Pace) Rest(tokens int) Millis {
	speed := p.Writes
	if speed <= 0 {
		speed = slowestWrites
	}
	return p.Idle + slack*taking(tokens, speed)
}

// Doubt returns the pace after a call has not reached its next stage in time. The model may
// be slower than the one that the speed was learnt from; if the speed were kept, no call of
// that length would ever have enough time to correct it. A third makes up for slack.
func (p Pace) Doubt(stage Stage) Pace {
	switch stage {
	case StageAccepted:
		p.Reads = slower(p.Reads, slowestReads)
	case StageWriting:
		p.Writes = slower(p.Writes, slowestWrites)
	}
	return p
}

func slower(speed, slowest int) int { return min(speed, max(speed/slack, slowest)) }

// Reading returns how long reading the given tokens should take, or 0 if unknown.
func (p Pace) Reading(tokens int) Millis {
	if p.Reads <= 0 {
		return 0
	}
	return taking(tokens, p.Reads)
}

// taking returns how long tokens take at a speed per second, rounded up to whole seconds.
func taking(tokens, speed int) Millis {
	return (Millis(tokens) + Millis(speed) - 1) / Millis(speed) * Second
}

// Smaller measurements say nothing about a speed.
const (
	learntTokens = 128
	learntMillis = 100
)

// Learn returns a speed, in tokens per second, corrected by how long tokens took. Single
// measurements vary, so the past has three times the weight. The mean is that of the time
// per token, because times are what is computed from it; so a prompt that the server
// unexpectedly held is soon outweighed. Up to the sixth edition it was the mean of the
// speeds.
func Learn(edition, speed, tokens int, took Millis) int {
	if tokens < learntTokens || took < learntMillis {
		return speed
	}
	now := max(int(Millis(tokens)*Second/took), 1)
	switch {
	case speed <= 0:
		return now
	case edition < SeventhEdition:
		return max((3*speed+now)/4, 1)
	case now > speed: // rounded towards it, or a low speed would never rise
		return (4*speed*now + 3*now + speed - 1) / (3*now + speed)
	default:
		return 4 * speed * now / (3*now + speed)
	}
}

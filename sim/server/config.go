package server

import "shelly/fsm"

// Config says what a server can do. The zero value is a server that takes no time
// and refuses nothing.
type Config struct {
	Reads  int        // tokens of a prompt a second; 0: at once
	Writes int        // tokens of an answer a second; 0: at once
	Slots  int        // calls of one model that are served at a time; 0: 1
	Window int        // tokens of prompt and answer together; 0: unbounded
	Loads  fsm.Millis // until a model that is not loaded can be asked
	Models int        // how many stay loaded; 0: all
	Counts int        // tokens that it counts for each hundred of the estimate; 0: as many
	Keeps  fsm.Millis // how long a model stays loaded after its last call; 0: for ever
}

// IdleKept is how long a real server keeps a model that nobody asks (keep_alive).
const IdleKept = 5 * 60 * fsm.Second

// Laptop is the machine that the defaults are made for: a model of four thousand
// million weights on a laptop's processor.
func Laptop() Config {
	return Config{Reads: 25, Writes: 8, Slots: 1, Window: 8192, Loads: 8 * fsm.Second, Models: 1, Keeps: IdleKept}
}

func (c Config) slots() int { return max(c.Slots, 1) }

// counts is how many tokens the server counts for n estimated ones: a tokenizer
// makes more or less of a text than the estimate does.
func (c Config) counts(estimated int) int {
	if c.Counts == 0 {
		return estimated
	}
	return (estimated*c.Counts + 99) / 100
}

// Estimated is how many tokens are estimated for so many that the server counts.
func (c Config) Estimated(counted int) int {
	if c.Counts == 0 {
		return counted
	}
	return counted * 100 / c.Counts
}

// takes is how long n tokens take at a speed.
func takes(tokens, speed int) fsm.Millis {
	if speed <= 0 {
		return 0
	}
	return (fsm.Millis(tokens)*fsm.Second + fsm.Millis(speed) - 1) / fsm.Millis(speed)
}

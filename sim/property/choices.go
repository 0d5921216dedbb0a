package property

import "shelly/sim"

// choices passes choices on and keeps them, with the spans of those that made one thing
// together: leaving a span out leaves the thing out.
type choices struct {
	from  sim.Chooser
	list  []int
	spans []span
}

// span is choices from one to before another.
type span struct{ from, to int }

// Choose implements [sim.Chooser].
func (c *choices) Choose(label string, n int) int {
	chosen := c.from.Choose(label, n)
	c.list = append(c.list, chosen)
	return chosen
}

// within notes the choices that fn makes as one span.
func (c *choices) within(fn func()) {
	from := len(c.list)
	fn()
	if to := len(c.list); to > from {
		c.spans = append(c.spans, span{from, to})
	}
}

// several calls fn for each of a number of things from low to high. Before each there
// is a choice whether there is one more, such that every number is as likely; 0 is
// none.
func (c *choices) several(low, high int, fn func()) {
	for n := 0; n < high; n++ {
		more := true
		c.within(func() {
			if more = n < low || c.Choose("more", high-n+1) > 0; more {
				fn()
			}
		})
		if !more {
			return
		}
	}
}

// million is what rare things are drawn from.
const million = 1_000_000

// strikes draws which of at most this many calls something strikes, each with a
// probability in thousandths, from 1. Choosing 0 is none.
func (c *choices) strikes(label string, p, calls int) []int {
	var list []int
	for at := 0; p > 0 && len(list) < strikesMax; {
		gap := 0
		c.within(func() { gap = c.gap(label, p, calls-at) })
		if gap == 0 {
			break
		}
		at += gap
		list = append(list, at)
	}
	return list
}

// gap draws how many calls it is until one is struck, or 0 for none of them: one
// choice in place of one for each call.
func (c *choices) gap(label string, p, calls int) int {
	drawn := c.Choose(label, million)
	for n, spared := 1, million; n <= calls; n++ {
		if spared = spared * (thousand - p) / thousand; p < thousand {
			spared = max(spared, 1) // what is not certain is not at the first choice
		}
		if drawn >= spared {
			return n
		}
	}
	return 0
}

const (
	thousand   = 1000
	strikesMax = 4 // strikes of one kind in a case
)

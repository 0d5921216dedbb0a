package sim

import (
	"slices"

	"shelly/fsm"
)

// repeats tells a call that is repeated after a crash from one more call that asks for the same:
// only a call without an answer is repeated. K is what a call asks for, and which handle asks.
type repeats[K comparable] struct {
	open     []openCall[K] // calls of the journal that have no answer yet
	answered map[K]int     // how many have one
}

type openCall[K comparable] struct {
	call fsm.CallID
	of   K
}

// nthCall is a call that asks this for the nth time, not counting calls without an answer.
type nthCall[K comparable] struct {
	of  K
	nth int
}

func newRepeats[K comparable]() repeats[K] { return repeats[K]{answered: map[K]int{}} }

// replay forgets which calls have answers; replaying the journal's steps restores it.
func (r *repeats[K]) replay() {
	r.open = nil
	clear(r.answered)
}

// boots gives up all calls if the input is a boot.
func (r *repeats[K]) boots(in fsm.Input) {
	if _, ok := in.Fact.(fsm.Boot); ok {
		r.open = r.open[:0]
	}
}

// made records that the journal has a call.
func (r *repeats[K]) made(call fsm.CallID, of K) { r.open = append(r.open, openCall[K]{call, of}) }

// close records that a call has its answer or is given up.
func (r *repeats[K]) close(call fsm.CallID) {
	i := slices.IndexFunc(r.open, func(o openCall[K]) bool { return o.call == call })
	if i >= 0 {
		r.answered[r.open[i].of]++
		r.open = slices.Delete(r.open, i, i+1)
	}
}

// next returns the call that asks for this now.
func (r *repeats[K]) next(of K) nthCall[K] { return nthCall[K]{of, r.answered[of]} }

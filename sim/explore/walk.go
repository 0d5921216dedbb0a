package explore

// A block is the states that are visited between two looks at what ends a walk from without.
// The steps that they need are taken together. Workers wait for each other a few times in each
// block, so a block grows with the walk: from blockMin states to blockMax, as long as it is less
// than one in blockShare of those that were reached, since each keeps what it leads to.
const (
	blockMin   = 256
	blockMax   = 4096
	blockShare = 32
)

// block returns the end of the block of states that begins at x.next.
func (x *explorer) block() (end int) {
	reached := x.states.len()
	n := min(max(reached/blockShare, blockMin), blockMax, reached-x.next)
	if n > len(x.scouts) {
		x.scouts = append(x.scouts, make([]scout, n-len(x.scouts))...)
	}
	return x.next + n
}

// walk visits every state and all that they lead to, unless it is enough. The steps of the
// machine that the states of a block need are taken first, and where each state leads is
// looked up before any is visited: both are the workers'.
func (x *explorer) walk(enough func() bool) {
	for x.next < x.states.len() && (x.bounds.Enough == nil || !x.bounds.Enough()) {
		begin, end := x.next, x.block()
		x.prepare(int32(begin), int32(end))
		x.together(end-begin, func(i, w int) {
			x.scouts[i].x, x.scouts[i].firm = x, true
			x.scouts[i].look(&x.states.at(int32(begin + i)).world)
		})
		for ; x.next < end; x.next++ {
			if enough() {
				return
			}
			x.expand(int32(x.next), &x.scouts[x.next-begin])
		}
		x.release(int32(begin), int32(end))
	}
}

// together does work for each of n, shared out to the workers by number, back and forth:
// what is next to each other is often much and little in turn.
func (x *explorer) together(n int, work func(i, worker int)) {
	workers := len(x.workers)
	share := func(w int) {
		place := w
		for first := 0; first < n; first += workers {
			if i := first + place; i < n {
				work(i, w)
			}
			place = workers - 1 - place
		}
	}
	if workers == 1 || n < workers {
		for w := range workers {
			share(w)
		}
		return
	}
	x.bounds.Together(workers, share)
}

// expand visits what a state leads to.
func (x *explorer) expand(i int32, s *scout) {
	if s.deepest {
		x.out.Cut++
		return
	}
	if s.unsure {
		s.firm = false
		s.look(&x.states.at(i).world)
	}
	x.out.Transitions += s.known + len(s.reached)
	x.out.States += s.known
	on := s.on
	for k := range s.reached {
		r := &s.reached[k]
		if r.wrong != nil {
			x.found(i, r.by, *r.wrong)
			continue
		}
		to := x.visit(i, r)
		if r.by.answers() {
			on = max(on, to)
		}
	}
	if i != none {
		x.states.at(i).on = on
	}
}

// visit keeps a state that was not seen before, and returns its index.
func (x *explorer) visit(from int32, r *reach) int32 {
	x.out.States++
	index, at, tag := x.find(&r.key)
	if index != none {
		return index
	}
	if x.positions.list[r.at].resting {
		x.out.Resting++
	}
	x.out.Depth = max(x.out.Depth, int(r.depth))
	return x.add(record{world: r.world, from: from, by: r.by, on: none}, at, tag)
}

// enter is visit for a state that nothing has led to.
func (x *explorer) enter(n world) int32 { return x.visit(none, &reach{world: n, key: x.hashed(&n)}) }

// gaveUp reports whether something was found, or as many states as may be.
func (x *explorer) gaveUp() bool {
	return x.out.Found != nil || x.bounds.StatesMax > 0 && x.states.len() >= x.bounds.StatesMax
}

// prepare has the steps taken that some states need, and then those of the crashes that
// follow them at once.
func (x *explorer) prepare(from, to int32) {
	for i := from; i < to; i++ {
		if n := &x.states.at(i).world; !x.deepest(n) {
			x.choices = x.may(n, x.choices)
			for _, c := range x.choices {
				x.want(n.at, c.group, n.left.number())
			}
		}
	}
	x.compute()
	for i := from; i < to; i++ {
		if n := &x.states.at(i).world; n.left.crashes > 0 && !x.deepest(n) {
			x.prepareCrashes(n)
		}
	}
	x.compute()
}

func (x *explorer) prepareCrashes(n *world) {
	boot := func(at int32) {
		if at >= 0 {
			x.want(at, booting, n.left.number())
		}
	}
	if !x.positions.list[n.at].stopped {
		boot(n.at)
		boot(n.durable)
	}
	x.choices = x.may(n, x.choices)
	for _, c := range x.choices {
		for _, e := range x.steps(n.at, c.group, n.left.number()) {
			if !e.dies {
				continue
			}
			boot(e.to)
			if next := e.after(n); e.to >= 0 {
				boot(next.durable)
			}
		}
	}
}

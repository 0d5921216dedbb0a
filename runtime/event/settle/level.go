package settle

// Level turns a number into one of two states (EVT-2). It has hysteresis: a number that has
// crossed Enter stays crossed until it reaches Clear. Units are the caller's.
type Level struct {
	Below bool // low numbers cross; otherwise high ones
	Enter int64
	Clear int64 // at least Enter if Below is set, otherwise at most Enter
}

// Crossed reports whether a number counts as crossed, given whether the last one did.
func (l Level) Crossed(was bool, value int64) bool {
	enter, clear := l.Enter, l.Clear
	if l.Below {
		enter, clear, value = -enter, -clear, -value
	}
	if was {
		return value > clear
	}
	return value > enter
}

// Example returns a number that has crossed plainly: it is a fifth beyond Enter.
func (l Level) Example() int64 {
	if l.Below {
		return l.Enter - l.Enter/5
	}
	return l.Enter + l.Enter/5
}

package settle

// Level makes one of two states of a number (EVT-2). It has hysteresis: what has crossed Enter
// stays so until it is at Clear or beyond. Units are the caller's.
type Level struct {
	Below bool // low numbers cross; else high ones
	Enter int64
	Clear int64 // not below Enter where Below is set, else not above it
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

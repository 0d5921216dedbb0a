package sizing

// Model is what a model's need follows from.
type Model struct {
	Weights  int64 // bytes of its file
	PerToken int64 // numbers that the cache holds for a token; 0: unknown
	Window   int   // the most tokens that it can be given; 0: unknown
	Thinks   bool  // it thinks before it answers, as it is asked
}

// Bytes of one number of the cache, as the server has it by default and with
// OLLAMA_KV_CACHE_TYPE=q8_0.
const (
	NumberBytes     = 2
	NumberBytesQ8_0 = 1
)

// RoomBytes is for what is neither weights nor cache: the buffers of computing.
const RoomBytes = 512 << 20

// Need is what a model takes, in bytes.
type Need struct{ Weights, Cache, Room int64 }

// Bytes is the whole.
func (n Need) Bytes() int64 { return n.Weights + n.Cache + n.Room }

// Need is what the model takes with a window, for the given number of requests at a time.
func (m Model) Need(numCtx, parallel, numberBytes int) Need {
	return Need{m.Weights, int64(numCtx) * m.PerToken * int64(numberBytes) * int64(parallel), RoomBytes}
}

// windowMin is the least window that is worth a recommendation: tools and a few turns
// fit into it.
const windowMin = 2048

// Largest is the largest window that fits, the model's own or windowMin doubled and
// doubled again; 0 where none does.
func (m Model) Largest(free int64, numberBytes int) int {
	fits := func(numCtx int) bool { return m.Need(numCtx, 1, numberBytes).Bytes() <= free }
	if m.Window > 0 && fits(m.Window) {
		return m.Window
	}
	largest := 0
	for w := windowMin; (m.Window == 0 || w <= m.Window) && w <= 1<<24 && fits(w) && m.PerToken > 0; w *= 2 {
		largest = w
	}
	return largest
}

// Parallel is how many requests at a time fit with a window, up to wanted; at least 1.
// Each has a cache of its own, so that a session finds what it has said before.
func (m Model) Parallel(free int64, numCtx, wanted int) int {
	n := 1
	for n < wanted && m.Need(numCtx, n+1, NumberBytes).Bytes() <= free {
		n++
	}
	return n
}

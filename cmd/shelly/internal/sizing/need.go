package sizing

// Model is what determines a model's need.
type Model struct {
	Weights  int64 // bytes of its file
	PerToken int64 // numbers in the cache for each token; 0: unknown
	Window   int   // its largest window in tokens; 0: unknown
	Thinks   bool  // it thinks before it answers, with the configured settings
}

// Bytes of one number in the cache: by default, and with OLLAMA_KV_CACHE_TYPE=q8_0.
const (
	NumberBytes     = 2
	NumberBytesQ8_0 = 1
)

// RoomBytes is the memory for neither weights nor cache: the buffers of the computation.
const RoomBytes = 512 << 20

// Need is what a model takes, in bytes.
type Need struct{ Weights, Cache, Room int64 }

// Bytes returns the sum.
func (n Need) Bytes() int64 { return n.Weights + n.Cache + n.Room }

// Need returns what the model takes with a window, for parallel requests at once.
func (m Model) Need(numCtx, parallel, numberBytes int) Need {
	return Need{m.Weights, int64(numCtx) * m.PerToken * int64(numberBytes) * int64(parallel), RoomBytes}
}

// windowMin is the smallest window worth recommending: tools and a few turns fit into it.
const windowMin = 2048

// Largest returns the largest window that fits: the model's own, or windowMin times a power of
// two; 0 if none fits.
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

// Parallel returns how many concurrent requests fit with a window: at least 1, at most wanted.
// Each has its own cache, so that a session finds its earlier turns there.
func (m Model) Parallel(free int64, numCtx, wanted int) int {
	n := 1
	for n < wanted && m.Need(numCtx, n+1, NumberBytes).Bytes() <= free {
		n++
	}
	return n
}

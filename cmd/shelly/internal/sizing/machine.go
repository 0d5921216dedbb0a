package sizing

// Machine is what a machine has to run a model. Sizes are in bytes; 0: unknown.
type Machine struct {
	Total     int64
	Available int64 // memory that can be taken without swapping
	Cores     int
}

// With returns the machine with more bytes available, such as would be freed by unloading a
// model.
func (m Machine) With(bytes int64) Machine {
	m.Available = min(m.Available+bytes, m.Total)
	return m
}

// Free returns how much a model may take: a tenth of the memory is left to everything else.
func (m Machine) Free() int64 { return max(0, m.Available-m.Total/10) }

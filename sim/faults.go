package sim

// FaultPoints returns the names of all faults that there are, in a fixed order: the
// crash points first. [Result.Struck] holds them. A crash after the n-th step is
// "step", whatever n is.
func FaultPoints() []string {
	var names []string
	for _, p := range Points() {
		names = append(names, string(p))
	}
	return names
}

package fsm

// State names a state of one of the machine's three tables.
type State string

// StateLabel is the name that a profile's document has for a state of an inference.
type StateLabel struct {
	State State `json:"state"`
	Label State `json:"label"`
}

// Label returns the profile's own name of an inference's state, or none where it
// has none (INF-28). It is for people: nothing is decided by it. A boot of long ago may
// have a former name of the state (INF-30).
func (c Config) Label(s State) State {
	for _, l := range c.Labels {
		if InferenceState(l.State) == s {
			return l.Label
		}
	}
	return ""
}

// InferenceState is a state of an inference by the name that it has today (INF-30).
func InferenceState(name State) State {
	switch name {
	case "compacting":
		return "condensing"
	case "failed":
		return "broken"
	default:
		return name
	}
}

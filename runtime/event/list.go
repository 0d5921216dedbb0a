package event

// SourcesRoute is the HTTP route that lists the sources, as a [ListBody].
const SourcesRoute = "/v1/events/sources"

// ListBody is the answer to SourcesRoute.
type ListBody struct {
	Sources []State `json:"sources"`
}

// State is the status of a source.
type State struct {
	Name    string `json:"name"`
	Kind    string `json:"kind"`
	Of      string `json:"of"`                // what it observes, with its thresholds
	Seen    string `json:"seen,omitempty"`    // what it saw last: "12 folders"
	Trouble string `json:"trouble,omitempty"` // why it does not work
	Waits   bool   `json:"waits,omitempty"`   // an event is on its way and not yet accepted

	Subjects []Subject `json:"subjects,omitempty"` // of levels and states
	Raised   int       `json:"raised"`             // events, since the start
	Unsaid   int       `json:"unsaid"`             // changes that were merged into another event, or that an event only counts
	Last     []Raised  `json:"last,omitempty"`     // the last events, the latest last
}

// Subject is something that a source observes.
type Subject struct {
	Name  string `json:"name"`
	State string `json:"state"`
	Told  string `json:"told"` // the state that the last event told
}

// States returns the sources' states, in the order of the configuration.
func (e *Engine) States() []State {
	var all []State
	for _, w := range e.watches() {
		all = append(all, w.state())
	}
	return all
}

func (w *watch) state() State {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := State{
		Name: w.spec.Name, Kind: w.spec.Kind, Of: w.spec.Of, Seen: w.health, Trouble: w.trouble, Waits: w.out != nil || w.tries > 0,
		Raised: w.raised, Unsaid: w.unsaid + w.states.Foreign(), Last: append([]Raised(nil), w.last...),
	}
	for _, name := range w.states.Subjects() {
		s.Subjects = append(s.Subjects, Subject{name, w.states.Now(name), w.states.Told(name)})
	}
	return s
}

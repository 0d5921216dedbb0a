package event

// SourcesRoute is where the sources are listed over HTTP, as a [ListBody].
const SourcesRoute = "/v1/events/sources"

// ListBody is the answer.
type ListBody struct {
	Sources []State `json:"sources"`
}

// State is a source as a person looks at it.
type State struct {
	Name    string `json:"name"`
	Kind    string `json:"kind"`
	Of      string `json:"of"`                // what it looks at, with its thresholds
	Seen    string `json:"seen,omitempty"`    // how it is: "12 folders"
	Trouble string `json:"trouble,omitempty"` // why it sees nothing
	Waits   bool   `json:"waits,omitempty"`   // an event is on its way, and not taken yet

	Subjects []Subject `json:"subjects,omitempty"` // of levels and states
	Raised   int       `json:"raised"`             // events, since the start
	Unsaid   int       `json:"unsaid"`             // changes that were put together with another into one event, or are only counted by it
	Last     []Raised  `json:"last,omitempty"`     // the last events, the latest last
}

// Subject is something that a source looks at.
type Subject struct {
	Name  string `json:"name"`
	State string `json:"state"`
	Told  string `json:"told"` // the state that an event told last
}

// States are the sources, in the order of the configuration.
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
		Name: w.spec.Name, Kind: w.spec.Kind, Of: w.spec.Of, Seen: w.health, Trouble: w.trouble, Waits: w.out != nil,
		Raised: w.raised, Unsaid: w.unsaid + w.states.Foreign(), Last: append([]Raised(nil), w.last...),
	}
	for _, name := range w.states.Subjects() {
		now, _ := w.states.Now(name)
		told, _ := w.states.Told(name)
		s.Subjects = append(s.Subjects, Subject{name, now, told})
	}
	return s
}

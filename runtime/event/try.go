package event

import (
	"context"
	"path/filepath"

	"shelly/fsm"
	"shelly/runtime/event/settle"
)

// Trial is the result of one reading of a source (CLI-199).
type Trial struct {
	Seen  string            // what the source sees
	Now   []fsm.EventRaised // the events that would be raised if the reading holds
	Other []fsm.EventRaised // examples of other events that could be raised
}

// Try reads a source once, and raises nothing. An error says why it cannot be read.
func Try(ctx context.Context, spec Spec) (Trial, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	t := &trial{spec: &spec, stop: cancel}
	if err := spec.Source.Watch(ctx, t); err != nil {
		return Trial{}, err
	}
	if other, ok := spec.Source.(Exemplar); ok && len(t.Now) == 0 { // the words of now would say that little is left of plenty
		example := &trial{spec: &spec}
		if err := other.Example(spec.Level.Example(), example); err != nil {
			return Trial{}, err
		}
		t.Other = append(example.Now, example.Other...)
	}
	if spec.Folder != "" {
		t.add(&t.Other, spec.ofFiles(&settle.Batch{
			Named: []string{filepath.Join(spec.Folder, "example.txt")}, Whats: []settle.What{settle.Created}, Count: map[settle.What]int{settle.Created: 1},
		}))
	}
	return t.Trial, nil
}

// trial is the sink of one reading.
type trial struct {
	Trial
	spec *Spec
	stop context.CancelFunc
}

func (t *trial) add(to *[]fsm.EventRaised, e fsm.EventRaised) {
	e.Do, e.To = t.spec.Do, t.spec.To
	*to = append(*to, e)
}

// Level implements [Sink].
func (t *trial) Level(subject string, value int64, crossed, clear string) {
	low := t.spec.ofState(settle.Change{Subject: subject, To: t.spec.Crossed, Text: crossed})
	if t.spec.Level.Crossed(false, value) {
		t.add(&t.Now, low)
		return
	}
	t.add(&t.Other, low)
}

// State implements [Sink].
func (t *trial) State(subject, state, text string) {
	t.add(&t.Other, t.spec.ofState(settle.Change{Subject: subject, To: state, Text: text}))
}

// File implements [Sink].
func (t *trial) File(string, settle.What) {}

// Lost implements [Sink].
func (t *trial) Lost() {}

// Touched implements [Sink].
func (t *trial) Touched(int64) {}

// Seen implements [Sink]. It ends the reading.
func (t *trial) Seen(text string) {
	t.Trial.Seen = text
	t.stop()
}

// Told implements [Sink]: everything that is there counts as told.
func (t *trial) Told() int64 { return 1 << 62 }

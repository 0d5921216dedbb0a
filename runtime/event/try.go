package event

import (
	"context"
	"path/filepath"

	"shelly/fsm"
	"shelly/runtime/event/settle"
)

// Trial is what one look of a source shows (CLI-199).
type Trial struct {
	Seen  string            // how the source is
	Now   []fsm.EventRaised // what would be raised, if it holds
	Other []fsm.EventRaised // what else could be raised, for instance
}

// Try has a source look once, and raises nothing. An error says why it sees nothing.
func Try(ctx context.Context, spec Spec) (Trial, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	t := &trial{spec: &spec, stop: cancel}
	if err := spec.Source.Watch(ctx, t); err != nil {
		return Trial{}, err
	}
	if spec.Folder != "" {
		t.add(&t.Other, spec.ofFiles(&settle.Batch{
			Named: []string{filepath.Join(spec.Folder, "example.txt")}, Whats: []settle.What{settle.Created}, Count: map[settle.What]int{settle.Created: 1},
		}))
	}
	return t.Trial, nil
}

// trial is the sink of one look.
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

// Seen implements [Sink]. It is the end of the look.
func (t *trial) Seen(text string) {
	t.Trial.Seen = text
	t.stop()
}

// Told implements [Sink]: all that is there has been told.
func (t *trial) Told() int64 { return 1 << 62 }

package source

import (
	"context"
	"time"

	"shelly/fsm/wording"
	"shelly/runtime/event"
)

const processEvery = 5 * time.Second

// Process watches whether processes with a name are running (EVT-11).
type Process struct {
	Name string
	Read func(name string) ([]uint64, error) // returns the memory of each with the name, own and shared, in bytes; nil: the system's
}

// Watch implements [event.Source].
func (p Process) Watch(ctx context.Context, to event.Sink) error {
	return poll(ctx, processEvery, to, p.look)
}

func (p Process) look(to event.Sink) error {
	all, err := p.read()
	if err != nil {
		return err
	}
	p.tell(len(all) > 0, to)
	if len(all) == 0 {
		to.Seen("none")
		return nil
	}
	to.Seen(count(len(all)))
	return nil
}

// tell reports whether there is such a process.
func (p Process) tell(runs bool, to event.Sink) {
	if !runs {
		to.State(p.Name, "gone", say(wordProcessGone, "name", p.Name))
		return
	}
	to.State(p.Name, "running", say(wordProcessRuns, "name", p.Name))
}

// Example implements [event.Exemplar].
func (p Process) Example(_ int64, to event.Sink) error {
	all, err := p.read()
	if err == nil {
		p.tell(len(all) == 0, to)
	}
	return err
}

func (p Process) read() ([]uint64, error) {
	if p.Read != nil {
		return p.Read(p.Name)
	}
	return running(p.Name)
}

// ProcessMemory measures the memory of all processes with a name together, in bytes (EVT-11).
type ProcessMemory struct {
	Process
	Most uint64 // that they may use
}

// Watch implements [event.Source].
func (p ProcessMemory) Watch(ctx context.Context, to event.Sink) error {
	return poll(ctx, processEvery, to, p.look)
}

func (p ProcessMemory) look(to event.Sink) error {
	all, err := p.read()
	if err != nil {
		return err
	}
	sum := uint64(0)
	for _, bytes := range all {
		sum += bytes
	}
	p.tell(sum, to)
	to.Seen(count(len(all)) + ", " + size(sum))
	return nil
}

// tell reports the memory of all.
func (p ProcessMemory) tell(sum uint64, to event.Sink) {
	args := []string{"name", p.Name, "size", size(sum), "most", size(p.Most)}
	to.Level(p.Name, int64(sum), say(wordProcessLarge, args...), say(wordProcessSmall, args...))
}

// Example implements [event.Exemplar].
func (p ProcessMemory) Example(bytes int64, to event.Sink) error {
	p.tell(uint64(bytes), to)
	return nil
}

func count(n int) string { return wording.Counted(n, "process", "processes") }

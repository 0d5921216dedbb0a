package source

import (
	"context"
	"strconv"
	"time"

	"shelly/runtime/event"
)

const processEvery = 5 * time.Second

// Running is a running process.
type Running struct {
	Name   string // of the program, as ps shows it
	Memory uint64 // its own and shared memory, in bytes
}

// Process watches whether processes with a name are running (EVT-11).
type Process struct {
	Name string
	Read func(name string) ([]Running, error) // returns those with the name; nil: the system's
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
	if len(all) == 0 {
		to.State(p.Name, "gone", say(wordProcessGone, "name", p.Name))
		to.Seen("none")
		return nil
	}
	to.State(p.Name, "running", say(wordProcessRuns, "name", p.Name))
	to.Seen(count(len(all)))
	return nil
}

func (p Process) read() ([]Running, error) {
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
	for _, r := range all {
		sum += r.Memory
	}
	args := []string{"name", p.Name, "size", size(sum), "most", size(p.Most)}
	to.Level(p.Name, int64(sum), say(wordProcessLarge, args...), say(wordProcessSmall, args...))
	to.Seen(count(len(all)) + ", " + size(sum))
	return nil
}

func count(n int) string {
	if n == 1 {
		return "1 process"
	}
	return strconv.Itoa(n) + " processes"
}

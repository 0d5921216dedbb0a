package journal

import (
	"fmt"
	"io"
	"sync"

	"shelly/cmd/shelly/internal/quantity"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm/engine"
)

// progress says on a terminal what a command does that reads a whole journal or backup, and how far
// it is, in one line that is removed at the end (CLI-219).
type progress struct {
	line *terminal.Line

	mu   sync.Mutex
	text func() string // what is shown
	seen uint64        // the last record, or how many bytes
}

// show shows the progress of a command from now on, until the returned function is called.
func show(t *terminal.Terminal, doing string) (p *progress, end func()) {
	p = &progress{line: terminal.NewLine(t.Err)}
	p.doing(doing)
	return p, p.line.Later(p.now)
}

// now returns what is shown now.
func (p *progress) now() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text()
}

// doing says what the command does now.
func (p *progress) doing(what string) { p.counts(func() string { return what + "…" }) }

// counts says what the command does now, with how far it is.
func (p *progress) counts(text func() string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text, p.seen = text, 0
}

func (p *progress) saw(update func(seen uint64) uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen = update(p.seen)
}

// checking returns a journal whose records are shown as they are checked.
func (p *progress) checking(j engine.Reader) engine.Reader {
	last := "?"
	if kept, err := j.Kept(); err == nil {
		last = fmt.Sprint(kept.Last)
	}
	p.counts(func() string { return fmt.Sprintf("checking record %d of %s", p.seen, last) })
	return checking{j, p}
}

type checking struct {
	engine.Reader
	p *progress
}

// Replay implements [engine.Reader].
func (c checking) Replay(after uint64, fn func(engine.Record) error) error {
	return c.Reader.Replay(after, func(r engine.Record) error {
		c.p.saw(func(uint64) uint64 { return r.Index })
		return fn(r)
	})
}

// writing counts the bytes that have been written. Until there are any, the line stays as it is.
func (p *progress) writing(w io.Writer) io.Writer {
	return writerFunc(func(data []byte) (int, error) {
		n, err := w.Write(data)
		p.saw(func(seen uint64) uint64 {
			p.text = func() string { return quantity.Bytes(int64(p.seen)) + " written" }
			return seen + uint64(n)
		})
		return n, err
	})
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(data []byte) (int, error) { return f(data) }

// reading counts the bytes that have been read of a backup, after whose end its journal is replayed.
func (p *progress) reading(r io.Reader) io.Reader {
	p.counts(func() string { return quantity.Bytes(int64(p.seen)) + " of the backup read" })
	return readerFunc(func(data []byte) (int, error) {
		n, err := r.Read(data)
		p.saw(func(seen uint64) uint64 { return seen + uint64(n) })
		if err == io.EOF {
			p.doing("replaying its journal")
		}
		return n, err
	})
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(data []byte) (int, error) { return f(data) }

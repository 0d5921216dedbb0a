package suite

import (
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// progress is a terminal's last line while cases run: how many are done, how many
// have failed, and the case that runs longest (SCN-38). What is written through it
// stands above that line. A nil progress shows nothing.
type progress struct {
	out     io.Writer
	columns int

	mu           sync.Mutex
	all          int
	done, failed int
	running      []running // in the order of their start
	drawn        string    // what the line shows
}

type running struct {
	nth  int // of the cases
	name string
}

// progressEvery is how often the line may change.
const progressEvery = 100 * time.Millisecond

// columnsOf is how wide the terminal is; 0 where w is none, or can do nothing but
// print.
func columnsOf(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok || os.Getenv("TERM") == "dumb" {
		return 0
	}
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0
	}
	if size.Col == 0 { // the terminal does not know
		return 80
	}
	return int(size.Col)
}

// keep draws the line until the returned function is called, which removes it.
func (p *progress) keep() (end func()) {
	if p == nil {
		return func() {}
	}
	p.draw()
	tick, stop, ended := time.NewTicker(progressEvery), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-tick.C:
				p.draw()
			case <-stop:
				return
			}
		}
	}()
	return func() {
		tick.Stop()
		close(stop)
		<-ended
		p.erase()
	}
}

func (p *progress) begin(nth int, name string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running = append(p.running, running{nth, name})
}

func (p *progress) end(nth int, failed bool) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running = slices.DeleteFunc(p.running, func(r running) bool { return r.nth == nth })
	p.done++
	if failed {
		p.failed++
	}
}

// Write implements [io.Writer]. What is written ends its last line.
func (p *progress) Write(text []byte) (int, error) {
	p.erase()
	return p.out.Write(text)
}

// draw shows the line where it has changed.
func (p *progress) draw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	line := fmt.Sprintf("%d of %d cases", p.done, p.all)
	if p.failed > 0 {
		line += fmt.Sprintf(", %d failed", p.failed)
	}
	if len(p.running) > 0 {
		line += ": " + p.running[0].name
	}
	if chars := []rune(line); len(chars) >= p.columns {
		line = string(chars[:max(0, p.columns-2)]) + "…"
	}
	if line != p.drawn {
		fmt.Fprintf(p.out, "\r%s\x1b[K", line) // EL of ECMA-48 clears the rest of the line
		p.drawn = line
	}
}

// erase removes the line.
func (p *progress) erase() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.drawn != "" {
		fmt.Fprint(p.out, "\r\x1b[K")
		p.drawn = ""
	}
}

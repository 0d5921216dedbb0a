package suite

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"shelly/cmd/shelly/internal/terminal"
)

// progress is a terminal's last line while cases run: how many are done, how many have failed,
// and the case that has been running longest (SCN-38). What is written through it appears above
// that line. A nil progress shows nothing.
type progress struct {
	columns int

	mu           sync.Mutex
	all          int
	done, failed int
	running      []running // in the order of their starts
	line         terminal.Line
}

type running struct {
	nth  int // of the cases
	name string
}

// progressEvery is how often the line may change.
const progressEvery = 100 * time.Millisecond

// keep draws the line until the returned function is called, which removes it.
func (p *progress) keep() (end func()) {
	if p == nil {
		return func() {}
	}
	p.draw()
	stop := terminal.Every(progressEvery, p.draw)
	return func() {
		stop()
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

// Write implements [io.Writer]. The text must end with a newline.
func (p *progress) Write(text []byte) (int, error) {
	p.erase()
	return p.line.Out.Write(text)
}

// draw shows the line if it has changed.
func (p *progress) draw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	text := fmt.Sprintf("%d of %d cases", p.done, p.all)
	if p.failed > 0 {
		text += fmt.Sprintf(", %d failed", p.failed)
	}
	if len(p.running) > 0 {
		text += ": " + p.running[0].name
	}
	if chars := []rune(text); len(chars) >= p.columns {
		text = string(chars[:max(0, p.columns-2)]) + "…"
	}
	p.line.Draw(text)
}

// erase removes the line.
func (p *progress) erase() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.line.Erase()
}

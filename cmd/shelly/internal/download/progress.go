// Package download shows the progress of a model's download.
//
//	p := &download.Progress{Line: terminal.NewLine(t.Err), Name: "qwen3:8b", Now: time.Now}
//	err := client.Pull(ctx, "qwen3:8b", p.Tell)
//	p.End()
//
// On a terminal it is one line, redrawn in place, with a bar, the percentage, the bytes, the rate
// and the time left; elsewhere it is one line for each step and each tenth of the bytes.
package download

import (
	"fmt"
	"strings"
	"time"

	"shelly/cmd/shelly/internal/quantity"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/runtime/ollama"
)

const (
	barWidth = 24
	nameMax  = 20 // runes of the name in the line, so that it fits 80 columns
	// rateOver is the period that the rate is averaged over: the server's progress comes in
	// bursts.
	rateOver = 10 * time.Second
	// rateAfter is how long a download must have run before there is a rate.
	rateAfter = time.Second
)

// Progress shows the progress of one download. A server names a layer when it begins it, the
// weights first, so the total is that of the layers named so far.
type Progress struct {
	*terminal.Line
	Name string
	Now  func() time.Time

	layers []ollama.Pulling
	had    int64 // bytes that existed before this download
	recent []sample
	step   string // shown last
	tenth  int64  // shown last
}

// sample is how many bytes had been downloaded at a time.
type sample struct {
	at    time.Time
	bytes int64
}

// Tell handles a progress line of the server.
func (p *Progress) Tell(l ollama.Pulling) {
	if l.Digest == "" || l.Total <= 0 {
		p.told(l.Status)
		return
	}
	p.take(l)
	done, total := p.sums()
	p.note(done)
	switch tenth := 10 * done / total; {
	case p.Terminal:
		p.Draw(p.line(done, total))
	case tenth > p.tenth:
		p.tenth = tenth
		fmt.Fprintf(p.Out, "%d %%, %s\n", 100*done/total, quantity.Of(done, total))
	}
}

// told shows a step that has no size.
func (p *Progress) told(step string) {
	if step == p.step || step == "" {
		return
	}
	p.step = step
	p.Print(step)
}

// take records the progress of a layer. Bytes in a layer's first report were there before the
// download.
func (p *Progress) take(l ollama.Pulling) {
	for i := range p.layers {
		if p.layers[i].Digest == l.Digest {
			p.layers[i] = l
			return
		}
	}
	p.layers = append(p.layers, l)
	p.had += l.Completed
}

func (p *Progress) sums() (done, total int64) {
	for _, l := range p.layers {
		done += min(l.Completed, l.Total)
		total += l.Total
	}
	return done, total
}

func (p *Progress) note(done int64) {
	now := p.Now()
	p.recent = append(p.recent, sample{now, done - p.had})
	for len(p.recent) > 2 && now.Sub(p.recent[1].at) >= rateOver {
		p.recent = p.recent[1:]
	}
}

// rate returns the recent bytes per second, or 0 while that is unknown.
func (p *Progress) rate() int64 {
	first, last := p.recent[0], p.recent[len(p.recent)-1]
	passed := last.at.Sub(first.at)
	if passed < rateAfter {
		return 0
	}
	return (last.bytes - first.bytes) * 1000 / passed.Milliseconds()
}

func (p *Progress) line(done, total int64) string {
	name := []rune(p.Name)
	if len(name) > nameMax {
		name = append(name[:nameMax-1], '…')
	}
	filled := int(barWidth * done / total)
	line := fmt.Sprintf("%s [%s%s] %3d %%  %s", string(name),
		strings.Repeat("#", filled), strings.Repeat("-", barWidth-filled), 100*done/total, quantity.Of(done, total))
	if rate := p.rate(); rate > 0 && done < total {
		left := time.Duration((total-done)/rate) * time.Second
		line += fmt.Sprintf("  %s/s  %s left", quantity.Bytes(rate), quantity.Time(left))
	}
	return line
}

package editor

import "strings"

// PastMax is how many earlier lines are remembered.
const PastMax = 500

// past has the lines that were written before, the newest last, and the position that up and
// down have reached.
type past struct {
	lines []string
	at    int    // how far back; 0: at the line being written
	draft string // that line, while another is shown
}

func (p *past) leave() { p.at, p.draft = 0, "" }

// Remember adds lines to those that up brings back. A line equal to the last one is not added.
func (e *Editor) Remember(lines ...string) {
	for _, line := range lines {
		n := len(e.past.lines)
		if strings.TrimSpace(line) == "" || n > 0 && e.past.lines[n-1] == line {
			continue
		}
		e.past.lines = append(e.past.lines, line)
	}
	if over := len(e.past.lines) - PastMax; over > 0 {
		e.past.lines = e.past.lines[over:]
	}
}

// earlier shows the line before the one shown.
func (e *Editor) earlier() {
	p := e.past
	if p.at == len(p.lines) {
		return
	}
	if p.at == 0 {
		p.draft = e.Text()
	}
	p.at++
	e.Set(p.lines[len(p.lines)-p.at])
	e.past = p
}

// later shows the line after the one shown, and at the end the line being written.
func (e *Editor) later() {
	p := e.past
	if p.at == 0 {
		return
	}
	p.at--
	text := p.draft
	if p.at > 0 {
		text = p.lines[len(p.lines)-p.at]
	}
	e.Set(text)
	e.past = p
}

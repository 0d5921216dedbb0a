package memory

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"shelly/fsm"
	"shelly/fsm/wording"
	"shelly/runtime/session"
	"shelly/runtime/tool"
)

const (
	linesDefault = 100
	linesMax     = 1000
)

// fileProperty is the argument that selects a file.
const fileProperty = `"file":{"type":"string","enum":["` + session.MemoryFile + `","` + session.HistoryFile + `"]}`

// readDecl declares memory_read (MEM-14).
func readDecl() fsm.ToolDecl {
	return fsm.ToolDecl{
		Name:        ReadName,
		Description: "Read MEMORY.md, your long-term memory, or HISTORY.md, the log of past events: from line offset, or without it the last lines of HISTORY.md.",
		Parameters: `{"type":"object","properties":{` + fileProperty + `,"offset":{"type":"integer","minimum":0},` +
			fmt.Sprintf(`"limit":{"type":"integer","minimum":0,"maximum":%d}},"additionalProperties":false}`, linesMax),
		Effects: fsm.EffectsNone,
	}
}

// read is the tool memory_read.
func (t *tools) read(ctx context.Context, _ fsm.RunTool, a tool.Arguments) tool.Result {
	files, err := t.Place.Files(ctx)
	if err != nil {
		return tool.Undone(err)
	}
	file := a.Text("file", session.MemoryFile)
	from := a.Number("offset", 0)
	p := page{from: max(from, 1), limit: cmp.Or(a.Number("limit", 0), linesDefault), last: file == session.HistoryFile && from == 0}
	if file == session.HistoryFile {
		err = files.History(ctx, p.add)
	} else {
		var text string
		text, err = files.Memory()
		for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
			if text != "" && !p.add(i+1, line) {
				break
			}
		}
	}
	switch {
	case err != nil:
		return tool.Undone(fmt.Errorf("%s cannot be read: %w", file, err))
	case p.total == 0:
		return tool.Result{Text: file + " is empty."}
	case len(p.lines) == 0:
		return tool.Invalid("%s has %s; offset is %d", file, wording.Count(p.total, "line"), p.from)
	}
	return tool.Result{Text: p.text(t.room())}
}

// page is a part of a file.
type page struct {
	from, limit int
	last        bool // show the last lines

	total int
	lines []string
	first int // the number of the first of lines
}

// add adds a line, and returns false if no more are wanted.
func (p *page) add(number int, line string) bool {
	p.total = number
	if number < p.from {
		return true
	}
	if len(p.lines) == 0 {
		p.first = number
	}
	p.lines = append(p.lines, line)
	switch {
	case !p.last:
		return len(p.lines) <= p.limit // one more, to know that there is one
	case len(p.lines) > p.limit:
		p.lines, p.first = p.lines[1:], p.first+1
	}
	return true
}

// headRoom is the room for the mark above the lines.
const headRoom = 32

// size is how many bytes the lines take.
func (p *page) size() (n int) {
	for _, line := range p.lines {
		n += len(line) + 1
	}
	return n
}

// text returns the page, with a note of what it leaves out.
func (p *page) text(room int) string {
	for size := p.size(); p.last && len(p.lines) > 1 && size > room-headRoom; p.lines, p.first = p.lines[1:], p.first+1 {
		size -= len(p.lines[0]) + 1
	}
	var b strings.Builder
	if p.first > 1 {
		fmt.Fprintf(&b, "[from line %d]\n", p.first)
	}
	for i, line := range p.lines {
		if i == p.limit || i > 0 && b.Len()+len(line) > room {
			b.WriteString("[more follows: offset " + strconv.Itoa(p.first+i) + "]\n")
			break
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

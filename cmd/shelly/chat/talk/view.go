package talk

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"shelly/cmd/shelly/internal/markdown"
	"shelly/cmd/shelly/internal/question"
	"shelly/fsm"
	"shelly/fsm/wording"
)

// Frame is what to show.
type Frame struct {
	Above []string // new lines to print once, above the live ones
	Live  []string // lines that are drawn again
	X, Y  int      // the cursor, in Live
}

const (
	prompt      = "› "
	editRows    = 8   // of the line being written
	columnsMax  = 120 // of text: longer lines are hard to read
	stateRows   = 3   // of what a turn waits for, which may say how to mend it
	thoughtRows = 4   // of an unfinished thought
	outputRows  = 5   // of a command's output, when calls are shown in full
)

// columns returns the width of text: one column less than the window, which some terminals need
// for the cursor.
func (m *Model) columns() int { return max(min(m.width-1, columnsMax), 4) }

func (m *Model) editColumns() int { return max(m.width-1-len([]rune(prompt)), 4) }

// print prints lines above, after a blank line if they begin something else.
func (m *Model) print(k kind, lines ...string) {
	if len(lines) == 0 {
		return
	}
	if m.apart(m.above, k) {
		m.printed = append(m.printed, "")
	}
	m.printed = append(m.printed, lines...)
	m.above = k
}

// apart reports whether a blank line separates two kinds: thoughts, calls and notes stand close
// together.
func (m *Model) apart(before, after kind) bool {
	close := func(k kind) bool { return k == thought || k == called || k == noted }
	return before != nothing && (!close(before) || !close(after))
}

// Frame returns what to show. It returns each line of Above once.
func (m *Model) Frame() Frame {
	m.settle()
	below, x, y := m.below()
	room := max(m.height-1-len(below), 1)
	live := m.live()
	for len(live) > room && m.rise() {
		live = m.live()
	}
	if len(live) > room {
		live = live[len(live)-room:]
	}
	f := Frame{Above: m.printed, Live: append(live, below...), X: x, Y: len(live) + y}
	m.printed = nil
	for i, l := range f.Live {
		f.Live[i] = ansi.Truncate(l, max(m.width-1, 0), "")
	}
	f.X = min(f.X, max(m.width-1, 0))
	if over := len(f.Live) - max(m.height-1, 1); over > 0 {
		f.Live, f.Y = f.Live[over:], max(f.Y-over, 0)
	}
	if m.quit {
		f.Live, f.X, f.Y = nil, 0, 0
	}
	return f
}

// settle prints what is finished: all of each finished turn, and the request of the first turn.
func (m *Model) settle() {
	var going []*turn
	for at, t := range m.turns {
		if at == 0 || t.ended {
			m.head(t)
		}
		if !t.ended && !m.quit {
			going = append(going, t)
			continue
		}
		for t.above < len(t.items) {
			m.put(t)
		}
		m.last = t
	}
	if first := m.first(); len(going) > 0 && going[0] != first {
		m.turns = going
		m.settle()
	}
	m.turns = going
}

// head prints the request of a turn.
func (m *Model) head(t *turn) {
	if t.headed {
		return
	}
	if t.headed = true; !t.underway {
		t.began = m.now // the wait for the turns before it does not count
	}
	text := clean(t.text)
	for range t.images {
		text = strings.TrimSpace(text + " [image]")
	}
	m.print(asked, m.asked(text)...)
}

// asked returns the lines of a request.
func (m *Model) asked(text string) []string {
	lines := markdown.Wrap(text, m.columns()-2)
	if most := 40; len(lines) > most {
		lines = append(lines[:most:most], "… "+wording.Count(len(lines)-most, "more line"))
	}
	for i, l := range lines {
		mark := "  "
		if i == 0 {
			mark = m.style.cyan(m.style.bold(prompt))
		}
		lines[i] = mark + m.style.bold(l)
	}
	return lines
}

// put prints the next item of a turn.
func (m *Model) put(t *turn) {
	i := t.items[t.above]
	t.above++
	m.print(i.kind, m.itemLines(i, m.unfolded)...)
	if i.kind == said {
		i.shown = len(i.text)
	}
}

// rise prints, of the running turn, the first part that will not change any more, and reports
// whether there was one.
func (m *Model) rise() bool {
	t := m.first()
	if t == nil || t.above == len(t.items) {
		return false
	}
	i := t.items[t.above]
	if i.done {
		m.put(t)
		return true
	}
	if i.kind != said || i.skip != "" {
		return false
	}
	parts := markdown.Split(clean(i.text[i.shown:]))
	raw := markdown.Split(i.text[i.shown:])
	if len(parts) < 2 || len(raw) != len(parts) {
		return false
	}
	m.print(said, markdown.Render(parts[0], m.columns(), m.style.markdown())...)
	i.shown += len(raw[0])
	return true
}

// live returns the live lines: the rest of the running turn, its state, and what waits after
// it.
func (m *Model) live() []string {
	var lines []string
	before := m.above
	add := func(k kind, more []string) {
		if len(more) == 0 {
			return
		}
		if m.apart(before, k) {
			lines = append(lines, "")
		}
		lines = append(lines, more...)
		before = k
	}
	for at, t := range m.turns {
		if at > 0 {
			add(noted, []string{m.style.dim(ansi.Truncate("⋯ "+line(t.text)+"  ("+t.course.Words(fsm.Millis(m.now.UnixMilli()))+")", m.columns(), "…"))})
			continue
		}
		for _, i := range t.items[t.above:] {
			add(i.kind, m.itemLines(i, m.unfolded))
		}
		if t.open != nil {
			add(asked, m.questionLines(t, max(m.height/2, 6)))
		}
		if t.open == nil || t.broken {
			add(noted, m.state(t))
		}
	}
	return lines
}

// state returns the lines that show the state of a turn.
func (m *Model) state(t *turn) []string {
	spinner := []rune("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")
	what := line(t.course.Words(fsm.Millis(m.now.UnixMilli())))
	hint := "esc cancels"
	switch {
	case t.broken:
		what = "no answer from shelly; trying again (if it has stopped, start it with shelly run)"
	case t.cancelling:
		what, hint = "cancelling; "+what, "esc again leaves"
	}
	text := fmt.Sprintf("%s · %s · %s", what, seconds(m.now.Sub(t.began)), hint)
	lines := markdown.Wrap(text, m.columns()-2)
	if len(lines) > stateRows {
		rest := strings.Join(lines[stateRows-1:], " ")
		lines = append(lines[:stateRows-1:stateRows-1], ansi.Truncate(rest, m.columns()-2, "…"))
	}
	mark := m.style.cyan(string(spinner[m.beat%len(spinner)]))
	for at, l := range lines {
		lines[at] = mark + " " + m.style.dim(l)
		mark = " "
	}
	return lines
}

func seconds(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%d s", int(d/time.Second))
	}
	return fmt.Sprintf("%d min %d s", int(d/time.Minute), int(d%time.Minute/time.Second))
}

// itemLines returns the lines of an item (CLI-151).
func (m *Model) itemLines(i *item, unfolded bool) []string {
	switch i.kind {
	case said:
		if i.skip != "" {
			return nil
		}
		var lines []string
		for _, part := range markdown.Split(clean(strings.TrimLeft(i.text[i.shown:], "\n"))) {
			if len(lines) > 0 {
				lines = append(lines, "")
			}
			lines = append(lines, markdown.Render(part, m.columns(), m.style.markdown())...)
		}
		return lines
	case thought:
		return m.thought(i, unfolded)
	case called:
		return m.call(i, unfolded)
	default:
		mark, colour := "· ", m.style.dim
		if i.failed {
			mark, colour = "✗ ", m.style.red
		}
		lines := markdown.Wrap(mark+line(i.text), m.columns())
		for at, l := range lines {
			lines[at] = colour(l)
		}
		return lines
	}
}

// dimmed returns the lines of a text of the chat's own.
func (m *Model) dimmed(text string) []string {
	lines := markdown.Wrap(text, m.columns())
	for at, l := range lines {
		lines[at] = m.style.dim(l)
	}
	return lines
}

// thought returns a thought: its last lines while it grows, then one line that says how long it
// took.
func (m *Model) thought(i *item, unfolded bool) []string {
	if i.done && !unfolded {
		text := "∴ thought"
		if d := i.over.Sub(i.began); d >= time.Second {
			text += " for " + seconds(d)
		}
		return []string{m.style.dim(text)}
	}
	lines := markdown.Wrap(strings.TrimSpace(clean(i.text)), m.columns()-2)
	if !unfolded && len(lines) > thoughtRows {
		lines = lines[len(lines)-thoughtRows:]
	}
	for at, l := range lines {
		lines[at] = m.style.dim("  " + m.style.italic(l))
	}
	head := "∴ thinking"
	if i.done {
		head = "∴ thought"
	}
	return append([]string{m.style.dim(head)}, lines...)
}

// call returns a tool call in one line, or with its arguments and its result.
func (m *Model) call(i *item, unfolded bool) []string {
	mark := m.style.yellow("→")
	switch {
	case i.past:
		mark = m.style.dim("•")
	case i.done && i.failed:
		mark = m.style.red("✗")
	case i.done:
		mark = m.style.green("✓")
	}
	args := question.Arguments(i.args)
	if !unfolded {
		text := line(i.tool)
		if len(args) > 0 && i.args != "" {
			text += " " + line(strings.Join(args, ", "))
		}
		came := summary(i)
		room := m.columns() - 2
		if w := ansi.StringWidth(came); came != "" && w < room*2/3 {
			text = ansi.Truncate(text, room-w-3, "…") + m.style.dim(" │ "+came)
		} else if came != "" {
			text = ansi.Truncate(text, room/3, "…") + m.style.dim(" │ "+came)
		}
		return []string{mark + " " + ansi.Truncate(text, room, "…")}
	}
	lines := []string{mark + " " + line(i.tool)}
	part := func(name, text string, most int) {
		all := hanging(clean(strings.Trim(text, "\n")), m.columns()-4)
		if most > 0 && len(all) > most {
			all = append([]string{"… " + wording.Count(len(all)-most, "line")}, all[len(all)-most:]...)
		}
		if name != "" {
			lines = append(lines, m.style.dim("  "+name))
		}
		for _, l := range all {
			lines = append(lines, m.style.dim("    "+l))
		}
	}
	if i.args != "" {
		part("", strings.Join(args, "\n"), 0)
	}
	if i.preview != "" {
		part("would do", i.preview, 0)
	}
	switch {
	case i.done && i.text != "":
		part("result", i.text, 0)
	case i.output != "":
		part("so far", i.output, outputRows)
	}
	return lines
}

// summary returns the outcome of a call in one line.
func summary(i *item) string {
	text := strings.TrimSpace(i.text)
	if !i.done {
		text = strings.TrimSpace(i.output)
		if at := strings.LastIndexByte(text, '\n'); at >= 0 {
			text = text[at+1:]
		}
		return line(text)
	}
	first, rest, more := strings.Cut(text, "\n")
	if !more {
		return line(first)
	}
	return fmt.Sprintf("%s (+%d)", line(first), strings.Count(rest, "\n")+1)
}

// questionLines returns a question; most bounds the lines of its subject, 0 for all.
func (m *Model) questionLines(t *turn, most int) []string {
	e := *t.open
	e.Tool = line(e.Tool)
	var parts [][]string
	for _, text := range question.Parts(e) {
		parts = append(parts, hanging(clean(text), m.columns()))
	}
	out := []string{m.style.yellow(m.style.bold(parts[0][0]))}
	parts[0] = parts[0][1:]
	if most > 0 {
		m.cut(parts, most)
	}
	out = append(out, slices.Concat(parts...)...)
	if m.now.Sub(t.opened) < restAfter { // keys do not answer it yet
		return append(out, m.style.dim("  …"))
	}
	choices := question.Choices
	if m.refusing() {
		choices = "no, because: (enter refuses it with the line below as the reason, esc goes back)"
	}
	for _, l := range hanging("  "+choices, m.columns()) {
		out = append(out, m.style.bold(l))
	}
	if !m.edit.Empty() && !m.refusing() {
		out = append(out, m.style.dim(ansi.Truncate("  once the line below is sent or empty", m.columns(), "…")))
	}
	return out
}

// cut leaves at most that many lines, or two for each part, and says how many are left out. It is the
// longest parts that are cut: a long text to write does not hide what the call would do.
func (m *Model) cut(parts [][]string, most int) {
	left := func(each int) (n int) {
		for _, lines := range parts {
			n += min(len(lines), each)
		}
		return n
	}
	each := most
	for each > 2 && left(each) > most {
		each--
	}
	for n, lines := range parts {
		if len(lines) > each {
			parts[n] = append(lines[:each-1:each-1], m.style.dim("  … "+wording.Count(len(lines)-each+1, "more line")+": ctrl-o shows all"))
		}
	}
}

// below returns the line being written, with its attachments, and its cursor.
func (m *Model) below() (lines []string, x, y int) {
	lines = append(lines, "")
	for _, i := range m.images {
		lines = append(lines, m.style.dim(ansi.Truncate(fmt.Sprintf("  [image %s, %d KiB] backspace removes it", line(i.name), (len(i.data)+1023)/1024), m.columns(), "…")))
	}
	v := m.edit.View(m.editColumns(), max(min(editRows, m.height-4), 1))
	if v.Above > 0 {
		lines = append(lines, m.style.dim(fmt.Sprintf("  … %d rows above", v.Above)))
	}
	y = len(lines) + v.Y
	for at, row := range v.Rows {
		mark := "  "
		if at == 0 && v.Above == 0 {
			mark = m.style.cyan(prompt)
		}
		lines = append(lines, mark+row)
	}
	if v.Below > 0 {
		lines = append(lines, m.style.dim(fmt.Sprintf("  … %d rows below", v.Below)))
	}
	menu := m.menuLines(m.columns(), min(menuRows, m.height-len(lines)-2))
	return append(lines, menu...), v.X + len([]rune(prompt)), y
}

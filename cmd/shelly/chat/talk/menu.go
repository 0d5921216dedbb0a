package talk

import (
	"path/filepath"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"shelly/cmd/shelly/internal/markdown"
)

// menu has the possible completions of the line.
type menu struct {
	hidden string   // the line for which the menu was closed
	names  []string // of files, in addition to the commands
	cycled []string // what tab cycles through, and the position in it
	at     int
}

func (u *menu) open() bool { return len(u.cycled) > 0 }

// menuRows is how many commands are shown below the line.
const menuRows = 14

// choices returns the completions of the line: a command's name, then its verbs, then files for
// /image.
func (m *Model) choices() (list []string, says []string) {
	text := m.edit.Text()
	if m.because != "" || !strings.HasPrefix(text, "/") || strings.Contains(text, "\n") || text == m.menu.hidden {
		return nil, nil
	}
	name, rest, more := strings.Cut(text, " ")
	for _, c := range commands() {
		switch {
		case !more && strings.HasPrefix(c.name, name):
			list = append(list, c.name)
			says = append(says, strings.TrimSpace(c.args+"  "+c.does))
		case more && c.name == name && !strings.Contains(rest, " "):
			for _, verb := range c.verbs {
				if strings.HasPrefix(verb, rest) && verb != rest {
					list = append(list, name+" "+verb)
					says = append(says, "")
				}
			}
		}
	}
	if len(list) == 1 && list[0] == text {
		return nil, nil
	}
	return list, says
}

// complete is tab: it inserts what all choices have in common, then each choice in turn.
func (m *Model) complete() []Effect {
	if m.menu.open() {
		m.menu.at = (m.menu.at + 1) % len(m.menu.cycled)
		m.edit.Set(m.menu.cycled[m.menu.at])
		return nil
	}
	if prefix, ok := strings.CutPrefix(m.edit.Text(), "/image "); ok && m.because == "" {
		return []Effect{Name{Prefix: prefix}}
	}
	list, _ := m.choices()
	switch common := commonPrefix(list); {
	case len(list) == 0:
	case len(list) == 1:
		m.edit.Set(list[0] + " ")
	case len(common) > len(m.edit.Text()):
		m.edit.Set(common)
	default:
		m.menu = menu{cycled: list}
		m.edit.Set(list[0])
	}
	return nil
}

// named handles the names of files.
func (m *Model) named(n Named) {
	if m.edit.Text() != "/image "+n.For {
		return
	}
	var list []string
	for _, name := range n.Files {
		list = append(list, "/image "+name)
	}
	switch common := commonPrefix(list); {
	case len(list) == 0:
	case len(common) > len(m.edit.Text()):
		m.edit.Set(common)
	case len(list) > 1:
		m.menu = menu{names: n.Files}
	}
}

func commonPrefix(list []string) string {
	if len(list) == 0 {
		return ""
	}
	common := list[0]
	for _, s := range list[1:] {
		for !strings.HasPrefix(s, common) {
			common = strings.ToValidUTF8(common[:len(common)-1], "")
		}
	}
	return common
}

// menuLines returns the choices as lines.
func (m *Model) menuLines(columns, most int) []string {
	if n := m.menu.names; len(n) > 0 {
		var names []string
		for _, name := range n[:min(len(n), menuRows)] {
			names = append(names, filepath.Base(name))
		}
		return []string{m.style.dim(ansi.Truncate("  "+line(strings.Join(names, "  ")), columns, "…"))}
	}
	list, says := m.choices()
	if m.menu.open() {
		list, says = m.menu.cycled, nil
	}
	widest := 0
	for _, c := range list {
		widest = max(widest, len(c))
	}
	var lines []string
	for i, c := range list {
		text := "  " + c
		if says != nil && says[i] != "" {
			text += strings.Repeat(" ", widest-len(c)+2) + says[i]
		}
		text = ansi.Truncate(text, columns, "…")
		if m.menu.open() && i == m.menu.at {
			text = m.style.bold(text)
		} else {
			text = m.style.dim(text)
		}
		lines = append(lines, text)
	}
	return lines[:min(len(lines), max(most, 0))]
}

// helpColumns is the width of the commands and keys in the help, and the least width of what they do.
const helpColumns = 20

// help is what /help shows.
func (m *Model) help() []string {
	var lines []string
	explain := func(what, does string) {
		head, room := "  "+pad(what, helpColumns), m.columns()-helpColumns-2
		if room < helpColumns { // below it instead
			lines = append(lines, ansi.Truncate("  "+what, m.columns(), "…"))
			head, room = "    ", m.columns()-4
		}
		for _, part := range markdown.Wrap(does, room) {
			lines = append(lines, head+part)
			head = strings.Repeat(" ", ansi.StringWidth(head))
		}
	}
	for _, c := range commands() {
		explain(c.name+" "+c.args, c.does)
	}
	for _, k := range [][2]string{
		{"enter", "send"}, {"alt-enter, ctrl-j", "new line"}, {"esc, ctrl-c", "cancel; again: leave, while shelly continues"},
		{"ctrl-o", "show thoughts and tool calls in full or in one line"}, {"up, down", "earlier lines"}, {"tab", "complete a command"}, {"ctrl-l", "empty the window"}, {"ctrl-d", "leave"},
	} {
		explain(k[0], k[1])
	}
	return lines
}

func pad(text string, columns int) string {
	return text + strings.Repeat(" ", max(1, columns-ansi.StringWidth(text)))
}

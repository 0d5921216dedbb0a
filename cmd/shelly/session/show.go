package session

import (
	"fmt"
	"io"
	"strings"

	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/moment"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm"
	"shelly/runtime/comm"
	"shelly/runtime/session"
)

type showCmd struct {
	ID string `arg:"" help:"Session to show."`

	flags.List `set:"json=Print as JSON, like GET /v1/sessions/ID."`
	flags.Place
}

// Help says what is kept.
func (showCmd) Help() string {
	return "Shows the turns as they were, even if the model is sent a shorter form. They are kept for retention.age. Of a tool's result one line is shown, and all that a person has said of its call; --json has it in full."
}

// Run implements the subcommand (CLI-145).
func (c *showCmd) Run(t *terminal.Terminal) error {
	return use(&c.Place, func(r reader) error {
		l, err := r.find(c.ID)
		if err != nil {
			return err
		}
		after := uint64(0)
		if n := uint64(max(c.Limit, 0)); n > 0 && l.Last > n {
			after = l.Last - n
		}
		list := []session.Archived{}
		err = r.each(l.ID, after, func(m session.Archived) bool {
			list = append(list, m)
			return true
		})
		if err != nil {
			return err
		}
		if c.JSON {
			return t.JSON(comm.ArchiveBody{Messages: list})
		}
		for _, m := range list {
			if err := printMessage(t.Out, "", m, body(m.Message)); err != nil {
				return err
			}
		}
		return nil
	})
}

// printMessage prints who said a text, and when.
func printMessage(out io.Writer, where string, m session.Archived, text string) error {
	_, err := fmt.Fprintf(out, "%s  %s%s\n%s", moment.Clock(m.At, "-"), where, terminal.Printable(speaker(m.Message)), indented(text))
	return err
}

// speaker names the author of a message.
func speaker(m fsm.Message) string {
	switch m.Role {
	case fsm.RoleAssistant:
		return "shelly"
	case fsm.RoleUser:
		if !m.ByPerson() {
			return string(fsm.RoleSystem)
		}
		return "you"
	case fsm.RoleTool:
		return "tool " + m.Tool
	default:
		return string(m.Role)
	}
}

// body returns what a message says: its text, the calls that it asks for, and one line of a
// tool's result, but all that a person has said in its place, such as why it may not run.
func body(m fsm.Message) string {
	if m.Role == fsm.RoleTool && m.Source&fsm.FromPerson == 0 {
		return terminal.Head(m.Text)
	}
	var lines []string
	if m.Text != "" {
		lines = append(lines, m.Text)
	}
	for _, c := range m.Calls {
		lines = append(lines, "→ "+c.Name+" "+terminal.Head(c.Args))
	}
	return strings.Join(lines, "\n")
}

// indented returns a text on lines of its own, each indented by two columns.
func indented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString("  " + terminal.Printable(strings.TrimRight(line, "\n")) + "\n")
	}
	return b.String()
}

package skill

import (
	"fmt"
	"io"
	"text/tabwriter"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/runtime/skill"
)

type listCmd struct {
	place
	flags.AsJSON
}

// row is one skill, or a folder that is left out.
type row struct {
	Name          string            `json:"name,omitempty"`
	Folder        string            `json:"folder"`
	Description   string            `json:"description,omitempty"`
	Always        bool              `json:"always,omitempty"`
	License       string            `json:"license,omitempty"`
	Compatibility string            `json:"compatibility,omitempty"`
	Metadata      map[string]string `json:"metadata,omitempty"`
	AllowedTools  []string          `json:"allowed_tools,omitempty"`
	Files         []string          `json:"files,omitempty"`
	Problem       string            `json:"problem,omitempty"` // why it is left out
}

func rowOf(s *skill.Skill) row {
	r := row{Name: s.Name, Folder: s.Folder, Description: s.Description, Always: s.Always, License: s.License,
		Compatibility: s.Compatibility, AllowedTools: s.AllowedTools, Files: s.Files}
	for _, e := range s.Metadata {
		if r.Metadata == nil {
			r.Metadata = map[string]string{}
		}
		r.Metadata[e.Key] = e.Value
	}
	return r
}

// Run implements the subcommand (CLI-90).
func (c *listCmd) Run(t *terminal.Terminal) error {
	cfg, l, problems, err := c.open()
	if err != nil {
		return err
	}
	defer l.Close()
	rows := []row{}
	for _, s := range l.Skills() {
		rows = append(rows, rowOf(&s))
	}
	for _, p := range problems {
		rows = append(rows, row{Folder: p.Folder, Problem: p.Err.Error()})
	}
	if c.JSON {
		err = t.JSON(rows)
	} else {
		err = printList(t.Out, rows)
	}
	if err == nil && len(rows) == 0 {
		return exit.Errorf(exit.NoMatch, "there are no skills in %s; create one with shelly skill new NAME", cfg.Workspace)
	}
	return err
}

func printList(out io.Writer, rows []row) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		switch {
		case r.Problem != "":
			fmt.Fprintf(table, "-\t%s\tleft out: %s\n", terminal.Printable(r.Folder), terminal.Printable(r.Problem))
		case r.Always:
			fmt.Fprintf(table, "%s\t%s\t(always on) %s\n", r.Name, terminal.Printable(r.Folder), terminal.Head(terminal.Printable(r.Description)))
		default:
			fmt.Fprintf(table, "%s\t%s\t%s\n", r.Name, terminal.Printable(r.Folder), terminal.Head(terminal.Printable(r.Description)))
		}
	}
	return table.Flush()
}

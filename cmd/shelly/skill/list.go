package skill

import (
	"fmt"
	"io"

	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/listing"
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
	c.tellElsewhere(t, cfg)
	rows := []row{}
	for _, s := range l.Skills() {
		rows = append(rows, rowOf(&s))
	}
	for _, p := range problems {
		rows = append(rows, row{Folder: p.Folder, Problem: p.Err.Error()})
	}
	return listing.Print(t, c.JSON, rows, rows, printList, fmt.Sprintf("there are no skills in %s; create one with shelly skill new NAME", cfg.Workspace))
}

func printList(out io.Writer, rows []row) error {
	return listing.Table(out, "", rows, func(r row) []string {
		switch {
		case r.Problem != "":
			return []string{"-", r.Folder, "left out: " + r.Problem}
		case r.Always:
			return []string{r.Name, r.Folder, "(always on) " + terminal.Head(r.Description)}
		default:
			return []string{r.Name, r.Folder, terminal.Head(r.Description)}
		}
	})
}

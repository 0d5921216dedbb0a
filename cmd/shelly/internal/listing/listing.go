// Package listing prints what a subcommand lists: as a text for a person, or as JSON.
package listing

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/terminal"
)

// Print prints body as JSON, or rows with text. Without a row it prints no text, and returns an
// error that says none (CLI-2).
func Print[R any](t *terminal.Terminal, asJSON bool, body any, rows []R, text func(io.Writer, []R) error, none string) (err error) {
	switch {
	case asJSON:
		err = t.JSON(body)
	case len(rows) > 0:
		err = text(t.Out, rows)
	}
	if err == nil && len(rows) == 0 {
		err = exit.Errorf(exit.NoMatch, "%s", none)
	}
	return err
}

// oneLine keeps a cell in its line and column.
var oneLine = strings.NewReplacer("\n", " ", "\t", " ")

// Table prints a table: its head, whose titles tabs separate, and a line with the cells of each row.
func Table[R any](out io.Writer, head string, rows []R, cells func(R) []string) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	if head != "" {
		fmt.Fprintln(table, head)
	}
	for _, r := range rows {
		line := cells(r)
		for i, cell := range line {
			line[i] = terminal.Printable(oneLine.Replace(cell))
		}
		fmt.Fprintln(table, strings.Join(line, "\t"))
	}
	return table.Flush()
}

// Package listing prints what a subcommand lists: as a text for a person, or as JSON.
package listing

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

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

// narrow is how many columns a terminal has at most, such as that of a telephone, on which a table
// that does not fit is not printed as one. On a wider one a line that is too long wraps once or
// twice and is still a line, which is found and copied more easily than a block.
const narrow = 59

// Table prints a table: its head, whose titles tabs separate, and a line with the cells of each row.
// On a narrow terminal that it does not fit, it prints a block for each row.
func Table[R any](out io.Writer, head string, rows []R, cells func(R) []string) error {
	lines := make([][]string, len(rows))
	for i, r := range rows {
		lines[i] = cells(r)
		for n, cell := range lines[i] {
			lines[i][n] = terminal.Printable(oneLine.Replace(cell))
		}
	}
	return tabulate(out, terminal.Width(out), head, lines)
}

// tabulate prints a table for a screen of that many columns; 0: as many as it needs.
func tabulate(out io.Writer, columns int, head string, rows [][]string) error {
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	if head != "" {
		fmt.Fprintln(table, head)
	}
	for _, r := range rows {
		fmt.Fprintln(table, strings.Join(r, "\t"))
	}
	_ = table.Flush() // no error: a Builder has none
	if head != "" && columns > 0 && columns <= narrow && !fits(text.String(), columns) {
		return blocks(out, strings.Split(head, "\t"), rows)
	}
	_, err := io.WriteString(out, text.String())
	return err
}

func fits(text string, columns int) bool {
	for line := range strings.Lines(text) {
		if utf8.RuneCountInString(strings.TrimRight(line, " \n")) > columns {
			return false
		}
	}
	return true
}

// blocks prints for each row a line with each title and its cell, unless that is empty.
func blocks(out io.Writer, titles []string, rows [][]string) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for i, r := range rows {
		if i > 0 {
			fmt.Fprintln(table)
		}
		for n, cell := range r {
			if cell != "" {
				fmt.Fprintf(table, "%s\t%s\n", titles[n], cell)
			}
		}
	}
	return table.Flush()
}

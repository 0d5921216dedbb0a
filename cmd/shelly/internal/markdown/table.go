package markdown

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// table parses a paragraph in which a line separates the head of a table, the line before it,
// from rows, as in GitHub's Markdown, and returns the text before the head; no rows if there is
// no table.
func (r renderer) table(n ast.Node) (before string, rows [][]string) {
	var lines []string
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		lines = append(lines, string(line.Value(r.source)))
	}
	for i := 1; i < len(lines); i++ {
		if !divides(lines[i]) || i > 1 && !strings.Contains(lines[i-1], "|") {
			continue
		}
		rows = append(rows, cells(lines[i-1]))
		for _, line := range lines[i+1:] {
			rows = append(rows, cells(line))
		}
		return strings.Join(lines[:i-1], ""), rows
	}
	return "", nil
}

// divides reports whether a line separates the head of a table from its rows.
func divides(line string) bool {
	return strings.Contains(line, "-") && strings.Contains(line, "|") && strings.Trim(line, " \t\n|:-") == ""
}

func cells(row string) []string {
	row = strings.TrimSpace(row)
	row = strings.TrimPrefix(strings.TrimSuffix(row, "|"), "|")
	var list []string
	for cell := range strings.SplitSeq(strings.ReplaceAll(row, `\|`, "\x00"), "|") {
		list = append(list, strings.ReplaceAll(strings.TrimSpace(cell), "\x00", "|"))
	}
	return list
}

// tabular renders the rows of a table in columns; if they do not fit, each cell is on a line of
// its own after the name of its column.
func (r renderer) tabular(rows [][]string, width int) []string {
	styled := make([][]string, len(rows))
	var widths []int
	for i, row := range rows {
		for j, cell := range row {
			cell = r.cell(cell)
			styled[i] = append(styled[i], cell)
			if j == len(widths) {
				widths = append(widths, 0)
			}
			widths[j] = max(widths[j], ansi.StringWidth(cell))
		}
	}
	total := 2 * (len(widths) - 1)
	for _, w := range widths {
		total += w
	}
	if total > width {
		return r.stacked(styled, width)
	}
	var lines []string
	for i, row := range styled {
		var b strings.Builder
		for j, cell := range row {
			gap := strings.Repeat(" ", widths[j]-ansi.StringWidth(cell)+2)
			if i == 0 {
				cell = r.style.with(r.style.Bold, cell)
			}
			b.WriteString(cell + gap)
		}
		lines = append(lines, strings.TrimRight(b.String(), " "))
		if i == 0 {
			lines = append(lines, r.style.with(r.style.Quote, strings.Repeat("─", total)))
		}
	}
	return lines
}

// stacked renders a table that is too wide.
func (r renderer) stacked(rows [][]string, width int) []string {
	var lines []string
	for i, row := range rows[1:] {
		if i > 0 {
			lines = append(lines, "")
		}
		for j, cell := range row {
			if j < len(rows[0]) {
				name := r.style.with(r.style.Bold, rows[0][j])
				cell = name + ": " + cell
			}
			lines = append(lines, Wrap(cell, width)...)
		}
	}
	return lines
}

// cell returns the text of a cell, styled.
func (r renderer) cell(source string) string {
	data := []byte(source)
	inside := renderer{source: data, style: r.style}
	root := parser().Parse(text.NewReader(data))
	if p, ok := root.FirstChild().(*ast.Paragraph); ok && root.ChildCount() == 1 {
		return strings.ReplaceAll(inside.inline(p), "\n", " ")
	}
	return source
}

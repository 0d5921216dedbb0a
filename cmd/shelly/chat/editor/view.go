package editor

import (
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"
	"github.com/clipperhouse/uax29/v2/graphemes"
)

// tab is what a tab is shown as.
const tab = "    "

// shown returns a character as it is shown. A character that changes the writing direction is
// made visible.
func shown(cluster string) string {
	switch {
	case cluster == "\t":
		return tab
	case strings.ContainsFunc(cluster, func(r rune) bool { return unicode.Is(unicode.Bidi_Control, r) }):
		return "\uFFFD"
	default:
		return cluster
	}
}

// View is an editor as it is shown.
type View struct {
	Rows         []string // at most as many as there is room for
	X, Y         int      // the cursor, in columns and rows of Rows
	Above, Below int      // rows that are not shown
}

// View wraps the text to columns, and returns at most most of its rows, those around the
// cursor.
func (e *Editor) View(columns, most int) View {
	rows, x, y := e.rows(max(columns, 2))
	first := 0
	if len(rows) > most {
		first = min(max(0, y-most+1), len(rows)-most)
	}
	last := min(len(rows), first+most)
	return View{Rows: rows[first:last], X: x, Y: y - first, Above: first, Below: len(rows) - last}
}

// rows returns all rows, and the position of the cursor.
func (e *Editor) rows(columns int) (rows []string, x, y int) {
	var row strings.Builder
	width := 0
	end := func() {
		rows = append(rows, row.String())
		row.Reset()
		width = 0
	}
	lay := func(text string) {
		for i, line := range strings.Split(text, "\n") {
			if i > 0 {
				end()
			}
			for clusters := graphemes.FromString(line); clusters.Next(); {
				cluster := shown(clusters.Value())
				w := ansi.StringWidth(cluster)
				if width+w > columns {
					end()
				}
				row.WriteString(cluster)
				width += w
			}
		}
	}
	lay(e.before)
	if width >= columns { // the cursor needs a column too
		end()
	}
	x, y = width, len(rows)
	lay(e.after)
	end()
	return rows, x, y
}

// Up moves the cursor up a row; from the first row it brings back the previous line.
func (e *Editor) Up(columns int) { e.vertical(columns, -1) }

// Down moves the cursor down a row; from the last row it moves on to the next line.
func (e *Editor) Down(columns int) { e.vertical(columns, 1) }

func (e *Editor) vertical(columns, by int) {
	columns = max(columns, 2)
	rows, x, y := e.rows(columns)
	switch to := y + by; {
	case to < 0:
		e.earlier()
	case to >= len(rows):
		e.later()
	default:
		goal := max(x, e.goal)
		e.place(columns, goal, to)
		e.goal = goal
	}
}

// place moves the cursor to a row, and in it to the last column up to x.
func (e *Editor) place(columns, x, y int) {
	text := e.Text()
	at, width, row := 0, 0, 0
	best := 0
	note := func() {
		if row == y && width <= x {
			best = at
		}
	}
	note()
	for clusters := graphemes.FromString(text); clusters.Next(); {
		cluster := clusters.Value()
		if cluster == "\n" {
			at, row, width = at+1, row+1, 0
			note()
			continue
		}
		cluster = shown(cluster)
		w := ansi.StringWidth(cluster)
		if width+w > columns {
			row, width = row+1, 0
			note()
		}
		at, width = at+len(clusters.Value()), width+w
		note()
	}
	e.before, e.after = text[:best], text[best:]
}

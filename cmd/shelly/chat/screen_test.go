package chat

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// paper is a terminal that understands what a screen writes, and scrolls.
type paper struct {
	columns, rows int
	lines         [][]rune // scrolled away and on the window
	top, x, y     int      // the window's first line, the cursor in the window
}

func newPaper(columns, rows int) *paper {
	p := &paper{columns: columns, rows: rows}
	for range rows {
		p.lines = append(p.lines, nil)
	}
	return p
}

func (p *paper) line() *[]rune { return &p.lines[p.top+p.y] }

func (p *paper) write(t *rapid.T, text string) {
	for text != "" {
		if rest, ok := strings.CutPrefix(text, "\x1b["); ok {
			end := strings.IndexAny(rest, "ABCDHJKhlm")
			n := 1
			_, _ = fmt.Sscanf(rest[:end], "%d", &n)
			switch rest[end] {
			case 'A':
				p.y = max(p.y-n, 0)
			case 'H':
				p.x, p.y = 0, 0
			case 'C':
				p.x = min(p.x+n, p.columns-1)
			case 'K', 'J':
				if len(*p.line()) > p.x {
					*p.line() = (*p.line())[:p.x]
				}
				for at := p.top + p.y + 1; rest[end] == 'J' && at < len(p.lines); at++ {
					p.lines[at] = nil
				}
			}
			text = rest[end+1:]
			continue
		}
		r := []rune(text)[0]
		text = text[len(string(r)):]
		switch r {
		case '\r':
			p.x = 0
		case '\n':
			if p.y++; p.y == p.rows {
				p.y--
				p.top++
				p.lines = append(p.lines, nil)
			}
		default:
			if p.x >= p.columns {
				t.Fatal("a line is wider than the window")
			}
			for len(*p.line()) <= p.x {
				*p.line() = append(*p.line(), ' ')
			}
			(*p.line())[p.x] = r
			p.x++
		}
	}
}

// Whatever frames are drawn one after another, lines that stay appear once and in order, and
// below them the live lines with the cursor.
func TestCLI150WhatStaysStandsOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		columns, rows := rapid.IntRange(8, 20).Draw(t, "columns"), rapid.IntRange(3, 10).Draw(t, "rows")
		p, out := newPaper(columns, rows), &bytes.Buffer{}
		s := screen{out: out, columns: columns}
		text := rapid.StringOfN(rapid.RuneFrom([]rune("abc")), 1, columns-1, -1)
		var stays, live []string
		for range rapid.IntRange(1, 12).Draw(t, "frames") {
			above := rapid.SliceOfN(text, 0, 2*rows).Draw(t, "above")
			live = rapid.SliceOfN(text, 1, rows-1).Draw(t, "live")
			y := rapid.IntRange(0, len(live)-1).Draw(t, "y")
			x := rapid.IntRange(0, columns-1).Draw(t, "x")
			stays = append(stays, above...)
			if err := s.draw(above, live, x, y); err != nil {
				t.Fatal(err)
			}
			p.write(t, out.String())
			out.Reset()
			if p.x != x || p.top+p.y != len(stays)+y {
				t.Fatalf("the cursor is at %d, %d", p.x, p.top+p.y)
			}
		}
		if rapid.Bool().Draw(t, "ends") {
			live = nil
			_ = s.draw(nil, nil, 0, 0)
			p.write(t, out.String())
		}
		var got []string
		for _, line := range p.lines {
			got = append(got, strings.TrimRight(string(line), " "))
		}
		want := append(append([]string{}, stays...), live...)
		if g := strings.TrimRight(strings.Join(got, "\n"), "\n"); g != strings.Join(want, "\n") {
			t.Fatalf("%q\nwant\n%q", g, strings.Join(want, "\n"))
		}
	})
}

// An emptied window has the next frame at its top, and nothing that was in it is lost.
func TestCLI150TheWindowIsEmptied(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const columns, rows = 20, 6
		p, out := newPaper(columns, rows), &bytes.Buffer{}
		s := screen{out: out, columns: columns}
		above := rapid.SliceOfN(rapid.SampledFrom([]string{"one", "two"}), 0, 2*rows).Draw(t, "above")
		_ = s.draw(above, []string{"answer", "> "}, 2, 1)
		if rapid.Bool().Draw(t, "noise") {
			_, _ = out.WriteString("\r\nnoise of others\r\n")
		}
		_ = s.clear(rows)
		_ = s.draw(nil, []string{"answer", "> "}, 2, 1)
		p.write(t, out.String())
		var window []string
		for _, line := range p.lines[p.top:] {
			window = append(window, strings.TrimRight(string(line), " "))
		}
		if got := strings.Join(window, "\n"); got != "answer\n>"+strings.Repeat("\n", rows-2) || p.y != 1 {
			t.Fatalf("the window has %q, the cursor in row %d", got, p.y)
		}
		for i, line := range above {
			if got := strings.TrimRight(string(p.lines[i]), " "); got != line {
				t.Fatalf("line %d is %q, not %q", i, got, line)
			}
		}
	})
}

// In a wider window a terminal joins the rows of a line that it has wrapped, unless they were
// cleared from the first column on: what is drawn after a resize must not rely on old rows.
func TestCLI150AfterANarrowerWindowEachRowIsClearedWhole(t *testing.T) {
	out := &bytes.Buffer{}
	s := screen{out: out, columns: 20}
	draws := func() string {
		out.Reset()
		_ = s.draw([]string{"above"}, []string{"one two three", "> "}, 2, 1)
		return out.String()
	}
	draws()
	s.resize(10)
	for _, clears := range []string{lineRight, ""} { // only once
		got := draws()
		for _, row := range []string{clears + "above", clears + "one two t", clears + "> "} {
			if cleared := strings.Contains(got, lineRight+strings.TrimPrefix(row, lineRight)); !strings.Contains(got, row) || cleared != (clears != "") {
				t.Errorf("%q does not begin a row of %q", row, got)
			}
		}
	}
}

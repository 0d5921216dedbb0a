// Package golden keeps what a case did beside its file (SCN-35): it names, reads and
// compares goldens, and finds those that nobody asks for (SCN-36).
package golden

import (
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"shelly/fsm/wording"
)

// BytesMax is the size of one golden.
const BytesMax = 1 << 20

const (
	diffLinesMax      = 40  // of a diff that a failure shows
	shownDiffLineByte = 240 // of one of its lines
)

// Golden is what a case did, as its golden should hold it (SCN-35).
type Golden struct {
	Path  string // of the file, beside the scenario
	Got   []byte // what it should hold; nil where that is more than GoldenBytesMax
	Found bool   // there is such a file
	Holds bool   // and it holds Got
}

// Kept is the golden of a case as it was read.
type Kept struct {
	Path  string // of the file, beside the scenario; "" where the case asks for none
	Found bool
	Text  string
}

// Compare holds what a case did against its golden. It returns what is wrong, and
// the difference.
func (k Kept) Compare(got string) (g *Golden, wrong, diff string) {
	g = &Golden{Path: k.Path, Found: k.Found}
	if len(got) > BytesMax {
		return g, fmt.Sprintf("%s would be %d KiB; the limit is %d KiB: ask for less", k.Path, len(got)>>10, BytesMax>>10), ""
	}
	g.Got, g.Holds = []byte(got), k.Found && k.Text == got
	switch {
	case g.Holds:
		return g, "", ""
	case g.Found:
		return g, "differs from " + k.Path, difference(k.Path, k.Text, got)
	default:
		return g, "has no file " + k.Path, difference(k.Path, "", got)
	}
}

// difference is a unified diff of bounded length that is safe to print.
func difference(path, want, got string) string {
	lines := strings.Split(strings.TrimSuffix(udiff.Unified(path, "this run", want, got), "\n"), "\n")
	rest := len(lines) - diffLinesMax
	lines = lines[:min(len(lines), diffLinesMax)]
	for i, line := range lines {
		lines[i] = wording.Clip(wording.Line(line), shownDiffLineByte)
	}
	if rest > 0 {
		lines = append(lines, "… and "+wording.Count(rest, "more line"))
	}
	return strings.Join(lines, "\n") + "\n"
}

package scenario

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"shelly/fsm/wording"
	"shelly/sim/strict"
)

// GoldenSuffix ends the name of every golden. PendingSuffix behind it makes the name
// of what a run got in its place (SCN-36).
const (
	GoldenSuffix  = ".golden.yaml"
	PendingSuffix = ".pending"
)

// GoldenBytesMax is the size of one golden.
const GoldenBytesMax = 1 << 20

const (
	diffLinesMax      = 40  // of a diff that a failure shows
	shownDiffLineByte = 240 // of one of its lines
	goldenHeader      = "# What the scenario beside this file did (expect.golden). Renew it with shelly test --update, and review the change.\n"
)

// Golden is what a case did, as its golden should hold it (SCN-35).
type Golden struct {
	Path  string // of the file, beside the scenario
	Got   []byte // what it should hold; nil where that is more than GoldenBytesMax
	Found bool   // there is such a file
	Holds bool   // and it holds Got
}

// kept is a golden as it was read.
type kept struct {
	found bool
	text  string
}

// GoldenPath returns the path of the case's golden, or "" where it asks for none. Each
// case of a matrix has its own: NAME.SLUG.golden.yaml, after its values.
func (f *File) GoldenPath() string {
	if f.Expect == nil || f.Expect.Golden == nil {
		return ""
	}
	stem := strings.TrimSuffix(f.Path(), Suffix)
	if f.slug != "" {
		stem += "." + f.slug
	}
	return stem + GoldenSuffix
}

// readGoldens reads the goldens that the cases of one file ask for. Without one
// the case fails; one that cannot be read is a problem of the file.
func readGoldens(fsys fs.FS, cases []*File) []strict.Problem {
	var problems []strict.Problem
	for _, f := range cases {
		path := f.GoldenPath()
		if path == "" {
			continue
		}
		text, found, err := readGolden(fsys, path)
		if other := sharesName(fsys, f); other != "" {
			err = fmt.Errorf("would be taken for one of %s; rename that file", other)
		}
		if err != nil {
			problems = append(problems, strict.Problem{Pos: f.Where("expect.golden"), Path: "expect.golden", Text: path + " " + err.Error()})
			continue
		}
		f.kept = kept{found, text}
	}
	return problems
}

// sharesName returns a scenario whose goldens a case's would be taken for by its
// name, or "".
func sharesName(fsys fs.FS, f *File) string {
	for i, c := range f.slug + "." {
		if c != '.' || f.slug == "" {
			continue
		}
		other := strings.TrimSuffix(f.Path(), Suffix) + "." + f.slug[:i] + Suffix
		if _, err := fs.Stat(fsys, other); err == nil {
			return other
		}
	}
	return ""
}

// readGolden reads a golden. A link is not followed, since a run that writes must
// not write elsewhere.
func readGolden(fsys fs.FS, path string) (text string, found bool, err error) {
	info, err := fs.Lstat(fsys, path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", false, nil
	case err != nil:
		return "", false, fmt.Errorf("cannot be read: %w", strict.WithoutPath(err))
	case info.Mode()&fs.ModeSymlink != 0:
		return "", false, fmt.Errorf("is a symbolic link; a golden is a regular file")
	case !info.Mode().IsRegular():
		return "", false, fmt.Errorf("is not a regular file")
	case info.Size() > 2*GoldenBytesMax: // twice, for line ends of two bytes
		return "", false, errGoldenSize
	}
	data, err := fs.ReadFile(fsys, path)
	if err != nil {
		return "", false, fmt.Errorf("cannot be read: %w", strict.WithoutPath(err))
	}
	// A checkout may have put \r\n for \n; what a case did has \r in escapes only.
	if text = strings.ReplaceAll(string(data), "\r\n", "\n"); len(text) > GoldenBytesMax {
		return "", false, errGoldenSize
	}
	return text, true, nil
}

var errGoldenSize = fmt.Errorf("is too large; the limit is %d KiB", GoldenBytesMax>>10)

// golden holds what the case did against its golden.
func (j *judge) golden(aspects []string) *Golden {
	g := &Golden{Path: j.file.GoldenPath(), Found: j.file.kept.found}
	pos := j.file.Where("expect.golden")
	got := j.goldenText(aspects)
	if len(got) > GoldenBytesMax {
		text := fmt.Sprintf("%s would be %d KiB; the limit is %d KiB: ask for less", g.Path, len(got)>>10, GoldenBytesMax>>10)
		j.fail(pos, "expect.golden", mismatch{text: text})
		return g
	}
	g.Got, g.Holds = []byte(got), g.Found && j.file.kept.text == got
	switch {
	case g.Holds:
	case g.Found:
		j.fail(pos, "expect.golden", mismatch{text: "differs from " + g.Path, diff: goldenDiff(g.Path, j.file.kept.text, got)})
	default:
		j.fail(pos, "expect.golden", mismatch{text: "has no file " + g.Path, diff: goldenDiff(g.Path, "", got)})
	}
	return g
}

// goldenDiff is a unified diff of bounded length that is safe to print.
func goldenDiff(path, want, got string) string {
	lines := strings.Split(strings.TrimSuffix(udiff.Unified(path, "this run", want, got), "\n"), "\n")
	rest := len(lines) - diffLinesMax
	lines = lines[:min(len(lines), diffLinesMax)]
	for i, line := range lines {
		lines[i] = wording.Clip(wording.Line(line), shownDiffLineByte)
	}
	if rest > 0 {
		lines = append(lines, fmt.Sprintf("… and %d more lines", rest))
	}
	return strings.Join(lines, "\n") + "\n"
}

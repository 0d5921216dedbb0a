package golden

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"shelly/sim/scenario/document"
	"shelly/sim/scenario/format"
	"shelly/sim/strict"
)

// Suffix ends the name of every golden. PendingSuffix after it makes the name
// of what a run got in its place (SCN-36).
const (
	Suffix        = ".golden.yaml"
	PendingSuffix = ".pending"
)

// Read reads the goldens that the cases of one file ask for. Without one
// the case fails; one that cannot be read is a problem of the file.
func Read(fsys fs.FS, cases []*format.File, goldens []Kept) []strict.Problem {
	var problems []strict.Problem
	for i, f := range cases {
		k := &goldens[i]
		if k.Path == "" {
			continue
		}
		var err error
		k.Text, k.Found, err = readGolden(fsys, k.Path)
		if other := sharesName(fsys, f.Path(), k.Path); other != "" {
			err = fmt.Errorf("would be taken for one of %s; rename that file", other)
		}
		if err != nil {
			problems = append(problems, strict.Problem{Pos: f.Where("expect.golden"), Path: "expect.golden", Text: k.Path + " " + err.Error()})
		}
	}
	return problems
}

// sharesName returns a scenario whose goldens a case's would be taken for by its
// name, or "".
func sharesName(fsys fs.FS, scenario, golden string) string {
	stem := strings.TrimSuffix(scenario, document.Suffix)
	slug := strings.TrimPrefix(strings.TrimSuffix(golden, Suffix), stem)
	for i, c := range slug + "." {
		if c != '.' || i == 0 {
			continue
		}
		other := stem + slug[:i] + document.Suffix
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
	case info.Size() > 2*BytesMax: // twice, for line ends of two bytes
		return "", false, errGoldenSize
	}
	data, err := fs.ReadFile(fsys, path)
	if err != nil {
		return "", false, fmt.Errorf("cannot be read: %w", strict.WithoutPath(err))
	}
	// A checkout may have put \r\n for \n, and an editor a mark before it; what a case did has both in escapes only.
	if text = strings.ReplaceAll(strings.TrimPrefix(string(data), "\uFEFF"), "\r\n", "\n"); len(text) > BytesMax {
		return "", false, errGoldenSize
	}
	return text, true, nil
}

var errGoldenSize = fmt.Errorf("is too large; the limit is %d KiB", BytesMax>>10)

package files

import (
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
)

// named finds the files that an error text of Pebble's is about, by their names or by their numbers
// as Pebble writes them.
var named = []struct {
	in     *regexp.Regexp
	suffix string
}{
	{regexp.MustCompile(`\b(MANIFEST-\d+|OPTIONS-\d+|\d{6,}\.(?:sst|log))\b`), ""},
	{regexp.MustCompile(`\b(?:L\d: |file |table )(\d{6,})\b`), ".sst"},
}

// replayed finds the log that an error is about, by its number.
var replayed = regexp.MustCompile(`replaying wal (\d+)`)

// Explain says in shelly's words what an error of opening a database is about.
func Explain(err error) string {
	if errors.Is(err, ErrManifest) || errors.Is(err, ErrLog) {
		return err.Error()
	}
	text := fmt.Sprintf("%+v", err) // with the details that the message leaves out
	var about []string
	if m := replayed.FindStringSubmatch(text); m != nil {
		about = append(about, fmt.Sprintf("%06s.log", m[1]))
	}
	text = err.Error()
	for _, n := range named {
		for _, m := range n.in.FindAllStringSubmatch(text, -1) {
			if name := m[1] + n.suffix; strings.Trim(m[1], "0") != "" && !slices.Contains(about, name) {
				about = append(about, name)
			}
		}
	}
	what := "its files are not as they were written"
	switch {
	case errors.Is(err, fs.ErrNotExist):
		what = "a file is missing"
	case strings.Contains(text, "size mismatch"):
		what = "a file does not have the size that it was written with"
	}
	if len(about) == 0 {
		return what
	}
	return fmt.Sprintf("%s: %s", what, strings.Join(about, ", "))
}

package file

import (
	"regexp"
	"strings"
)

var (
	escapedByte = regexp.MustCompile(`\\x[0-9a-f]{2}`)
	position    = regexp.MustCompile(`:[0-9]+(:[0-9]+)?$`)
)

// undressed returns a path without what models put around one: blanks, quotes, file:// and ~/; with / for \,
// unless that begins an escape, as in the names of systemd's units.
func undressed(path string) string {
	path = strings.TrimSpace(path)
	for _, quote := range []string{`"`, "'", "`"} {
		if inner, is := strings.CutPrefix(path, quote); is {
			path = strings.TrimSuffix(inner, quote)
		}
	}
	path = strings.TrimPrefix(path, "file://")
	if !escapedByte.MatchString(path) {
		path = strings.ReplaceAll(path, `\`, "/")
	}
	return strings.TrimPrefix(path, "~/")
}

// withoutPosition returns a path without the line, and the column, that compilers write after it.
func withoutPosition(path string) string { return path[:len(path)-len(position.FindString(path))] }

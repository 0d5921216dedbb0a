package file

import (
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"shelly/fsm/wording"
	"shelly/runtime/tool"
)

// Bounds of the diff in a result.
const (
	diffBytesMax   = 4 << 10
	diffContext    = 2
	diffPairMax    = diffBytesMax * 3 / 4 // of a line and the one that replaces it; longer ones are cut
	diffContentMax = 1 << 20              // larger texts get no diff, because it would take too long
)

// diffOf returns the diff between two texts, line by line; empty if they are the same.
func diffOf(before, after string) string {
	if len(before)+len(after) > diffContentMax {
		return ""
	}
	edits := udiff.Lines(before, after)
	unified, err := udiff.ToUnified("", "", before, edits, diffContext)
	if err != nil || unified == "" {
		return ""
	}
	// The two lines at the top name files.
	if _, rest, ok := strings.Cut(unified, "\n"); ok {
		if _, hunks, ok := strings.Cut(rest, "\n"); ok {
			unified = hunks
		}
	}
	unified = strings.ReplaceAll(unified, "\\ No newline at end of file\n", "")
	lines := strings.Split(tool.Mend(unified), "\n")
	for i, line := range lines {
		switch {
		case strings.HasPrefix(line, " "): // it must not take the room of what has changed
			lines[i] = wording.Clip(line, excerptBytes)
		case i+1 < len(lines) && len(line)+len(lines[i+1]) > diffPairMax:
			lines[i], lines[i+1] = excerpts(line, lines[i+1])
		}
	}
	return strings.Join(lines, "\n")
}

// excerpts returns a line that was replaced by another one, and that, cut to where they begin to
// differ. Any other two lines stay.
func excerpts(line, next string) (from, to string) {
	was, removed := strings.CutPrefix(line, "-")
	is, added := strings.CutPrefix(next, "+")
	if !removed || !added {
		return line, next
	}
	same := 0
	for same < min(len(was), len(is)) && was[same] == is[same] {
		same++
	}
	at := []int{same, same}
	return "-" + around(was, at), "+" + around(is, at)
}

// shortened returns a diff of at most room bytes, with a note of how much was left out.
func shortened(diff string, room int) string {
	room = min(room, diffBytesMax)
	if len(diff) <= room {
		return diff
	}
	head := wording.Edge(diff, room)
	head = head[:strings.LastIndexByte(head, '\n')+1]
	return head + "[" + wording.Count(strings.Count(diff[len(head):], "\n"), "more line") + " of the diff]\n"
}

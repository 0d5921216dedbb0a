package file

import (
	"fmt"
	"regexp"
	"strings"

	"shelly/fsm/wording"
	"shelly/runtime/tool"
)

// Bounds of the search for what an edit may have meant.
const (
	nearLinesMax  = 12      // lines that are shown
	nearLineBytes = 200     // of each
	nearLookMax   = 20_000  // lines that are looked at
	nearCompared  = 2000    // lines that are compared letter by letter
	nearPairsMax  = 1 << 20 // pairs of equal lines that are looked at: a text and old may have 20,000 times as many as lines
)

// numbered is a line with the number that read_file and grep show.
var numbered = regexp.MustCompile(`^\s*\d+(: ?|[-|→]\s?|\t)`)

// missing returns a message that a text does not contain old: what is wrong with old if that is plain, or
// the most similar lines.
func missing(text, old string) string {
	why := "old is not found"
	for _, slip := range []struct{ meant, what string }{
		{withoutNumbers(old), "without the line numbers it is: leave them out, of new too"},
		{unfenced(old), "without the fence (```) it is: leave it out, of new too"},
		{unescaped.Replace(old), `with line ends, tabs and quotes in place of \n, \t and \" it is: escape them once, in new too`},
		{undiffed(old), "it is as the old side of this diff: give what is there as old, what comes in its place as new, and no diff"},
		{strings.TrimSpace(old), "without the blanks or line ends around it it is: leave them out, of new too"},
	} {
		if slip.meant != "" && slip.meant != old && strings.Contains(text, slip.meant) {
			return why + ", but " + slip.what
		}
	}
	lines, wanted := strings.Split(text, "\n"), strings.Split(strings.Trim(old, "\n"), "\n")
	if len(lines) > nearLookMax {
		lines = lines[:nearLookMax]
	}
	at, same := aligned(lines, wanted, squeezed)
	only := "in blanks or indentation only"
	if same < len(wanted) {
		if alsoAt, also := aligned(lines, wanted, lookalike); also > same {
			at, same, only = alsoAt, also, "in characters that look alike only"
		}
	}
	switch {
	case at < 0:
		if at = similar(lines, wanted); at < 0 {
			return why + ", nor anything like it; read_file shows what the file holds"
		}
	case same == len(wanted):
		why += ": it differs " + only
		for i := range min(len(wanted), len(lines)-at) {
			if lines[at+i] != wanted[i] {
				why += " (" + difference(at+i+1, lines[at+i], wanted[i]) + ")"
				break
			}
		}
	}
	return why + "; the nearest is\n" + excerpt(lines, at, len(wanted)) + "give old exactly as it stands there, without the numbers"
}

// withoutNumbers removes the line numbers from a text, as far as its lines have some.
func withoutNumbers(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = line[len(numbered.FindString(line)):]
	}
	return strings.Join(lines, "\n")
}

// aligned finds where the most of the wanted lines occur in order, with what key makes of each: it
// returns the line that the first of them would be, and how many are the same; at is negative if none
// is.
func aligned(lines, wanted []string, key func(string) string) (at, same int) {
	places := map[string][]int{}
	for i, line := range wanted {
		if of := key(line); of != "" {
			places[of] = append(places[of], i)
		}
	}
	votes := map[int]int{}
	at = -1
	left := nearPairsMax
	for i, line := range lines {
		pairs := places[key(line)]
		if left -= len(pairs); left < 0 {
			break
		}
		for _, j := range pairs {
			first := i - j
			votes[first]++
			if n := votes[first]; n > same || n == same && first < at {
				at, same = first, n
			}
		}
	}
	for _, line := range wanted {
		if same > 0 && key(line) == "" {
			same++ // blank lines always match
		}
	}
	if same == 0 {
		return -1, 0
	}
	return max(at, 0), same
}

// squeezed returns a line without its blanks.
func squeezed(line string) string { return strings.Join(strings.Fields(line), "") }

// similar returns the index of the line that is most like the first wanted one, or -1.
func similar(lines, wanted []string) int {
	first := ""
	for _, line := range wanted {
		if first = strings.TrimSpace(line); first != "" {
			break
		}
	}
	first = wording.Edge(first, nearLineBytes)
	best, least, left := -1, len(first)/2+1, nearCompared
	for i, line := range lines {
		line = strings.TrimSpace(line)
		if line == "" || len(line) > 2*nearLineBytes {
			continue
		}
		if strings.Contains(line, first) {
			return i
		}
		if over := len(line) - len(first); over >= least || -over >= least || left == 0 {
			continue
		}
		left--
		if d := wording.Distance(line, first); d < least {
			best, least = i, d
		}
	}
	return best
}

// excerpt shows lines with their numbers.
func excerpt(lines []string, at, n int) string {
	var b strings.Builder
	for i := at; i < min(at+n, len(lines)); i++ {
		if i-at == nearLinesMax {
			fmt.Fprintf(&b, "[%s]\n", wording.Count(min(at+n, len(lines))-i, "more line"))
			break
		}
		fmt.Fprintf(&b, "%d: %s\n", i+1, wording.Edge(tool.Mend(lines[i]), nearLineBytes))
	}
	return b.String()
}

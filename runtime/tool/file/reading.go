package file

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"

	"shelly/fsm/wording"
	"shelly/runtime/tool"
	"shelly/runtime/tool/pattern"
)

// reading is one way to read a pattern for grep.
type reading struct {
	expression *regexp.Regexp
	note       string // for the result; empty: as it stands
}

// readingsOf returns the ways to read a pattern, the next one of which counts if nothing fits the ones
// before: as it stands; with \b where it has the backspace that JSON makes of it; escaped once less; as
// other programs write it ([elsewhere]); with its accents composed otherwise; as the plain text that many
// a model means; and in either case of letters. One that has nothing on one side of a | would fit every
// line: it is its plain text, or what it is without that. Wrong says what is wrong with it as it stands.
func readingsOf(text string, ignoreCase bool) (readings []reading, wrong error) {
	if text == "" {
		return nil, tool.Refuse("pattern is empty; give what to look for")
	}
	compile := func(text string) (*regexp.Regexp, error) {
		if ignoreCase {
			text = "(?i)" + text
		}
		return pattern.Compile(text)
	}
	given, err := compile(text)
	switch {
	case errors.Is(err, pattern.ErrTooLong):
		return nil, tool.Refuse("%v; repeat fewer things, or less often", err)
	case err != nil:
		hint := "put \\ before a character that is meant literally, such as \\( or \\."
		switch {
		case strings.HasPrefix(text, "*"):
			hint = "glob finds files by name"
		case lookaround.MatchString(text):
			hint = "RE2 cannot look ahead or behind: leave that out"
		}
		wrong = tool.Refuse("the pattern is not an RE2 regular expression: %s; %s", strings.TrimPrefix(err.Error(), "error parsing regexp: "), hint)
	case withoutEmpty(text) == text:
		readings = append(readings, reading{expression: given})
	}
	add := func(text, note string) {
		if e, err := compile(text); err == nil {
			readings = append(readings, reading{e, note})
		}
	}
	// In JSON \b alone is a backspace. No text that is searched has one, and no model means one.
	if edges := strings.ReplaceAll(text, "\b", `\b`); edges != text {
		add(edges, "[\\b is written as \\\\b in JSON: shown is what fits so]\n")
	}
	if once := strings.ReplaceAll(text, `\\`, `\`); once != text {
		add(once, "[nothing fits with \\\\: shown is what fits with \\]\n")
	}
	for _, other := range elsewhere(text) {
		add(other, fmt.Sprintf("[in RE2 this is %s: shown is what fits so]\n", wording.Clip(strconv.Quote(other), wording.ShownMax)))
	}
	for _, form := range []norm.Form{norm.NFC, norm.NFD} {
		if other := form.String(text); other != text {
			add(other, "[nothing fits with its accents as they are composed (NFC, NFD): shown is what looks the same]\n")
		}
	}
	// A pattern that fits itself has found its plain text already.
	plain := regexp.QuoteMeta(text)
	switch without := withoutEmpty(text); {
	case without != text:
		const empty = "[| with nothing on one side would fit every line: shown is "
		if add(plain, empty+"its plain text]\n"); without != "" {
			add(without, empty+"what fits without]\n")
		}
	case given == nil || !given.MatchString(text):
		add(plain, "[nothing fits the pattern as an expression: shown is its plain text]\n")
	}
	if !ignoreCase && strings.ToLower(text) != strings.ToUpper(text) {
		either := plain
		for _, other := range append(elsewhere(text), withoutEmpty(text)) {
			if _, err := compile(other); err == nil && other != "" {
				either += "|" + other
			}
		}
		add("(?i)"+either, "[nothing fits in this case of letters: shown is what fits in either]\n")
	}
	return readings, wrong
}

// lookaround is what RE2 leaves out of other programs' expressions.
var lookaround = regexp.MustCompile(`\(\?<?[=!]`)

// elsewhere returns what a pattern is in RE2 that is written for other programs: with the slashes and flags around
// the expressions of JavaScript, and with the \| of grep and sed, to which a bracket without \ is a
// character, and their \< and \> at the edges of a word.
func elsewhere(text string) (others []string) {
	given := text
	if found := slashed.FindStringSubmatch(text); found != nil {
		text = found[1]
	}
	if strings.Contains(text, `\|`) {
		others = append(others, basic.Replace(text))
	}
	if other := extended.Replace(text); other != given {
		others = append(others, other)
	}
	return others
}

var (
	slashed  = regexp.MustCompile(`^/(.+)/(?:i|g|gi|ig)?$`)
	basic    = strings.NewReplacer(`\\`, `\\`, `\|`, "|", `\<`, `\b`, `\>`, `\b`, `\(`, "(", `\)`, ")", "(", `\(`, ")", `\)`)
	extended = strings.NewReplacer(`\\`, `\\`, `\|`, "|", `\<`, `\b`, `\>`, `\b`)
)

// withoutEmpty returns a pattern without the alternatives in which there is nothing, such as those of a || b. A
// bar that is escaped or in a class is none.
func withoutEmpty(text string) string {
	if strings.ContainsAny(text, `\[(`) {
		return text
	}
	parts := slices.DeleteFunc(strings.Split(text, "|"), func(part string) bool { return strings.TrimSpace(part) == "" })
	if len(parts) == strings.Count(text, "|")+1 {
		return text
	}
	return strings.Join(parts, "|")
}

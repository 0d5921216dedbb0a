package file

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

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
// before: as it stands; with \b where it has the backspace that JSON makes of it; as other programs
// write it ([elsewhere]); as the plain text that many a model means; and in either case of letters.
// Wrong says what is wrong with it as it stands.
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
	default:
		readings = append(readings, reading{expression: given})
	}
	// In JSON \b alone is a backspace. No text that is searched has one, and no model means one.
	if edges := strings.ReplaceAll(text, "\b", `\b`); edges != text {
		if e, err := compile(edges); err == nil {
			readings = append(readings, reading{e, "[\\b is written as \\\\b in JSON: shown is what fits so]\n"})
		}
	}
	if other := elsewhere(text); other != text {
		if e, err := compile(other); err == nil {
			readings = append(readings, reading{e, fmt.Sprintf("[in RE2 this is %s: shown is what fits so]\n", wording.Clip(strconv.Quote(other), wording.ShownMax))})
		}
	}
	// A pattern that fits itself has found its plain text already.
	if given == nil || !given.MatchString(text) {
		if e, err := compile(regexp.QuoteMeta(text)); err == nil {
			readings = append(readings, reading{e, "[nothing fits the pattern as an expression: shown is its plain text]\n"})
		}
	}
	if given != nil && !ignoreCase && strings.ToLower(text) != strings.ToUpper(text) {
		if e, err := pattern.Compile("(?i)" + elsewhere(text)); err == nil {
			readings = append(readings, reading{e, "[nothing fits in this case of letters: shown is what fits in either]\n"})
		}
	}
	return readings, wrong
}

// lookaround is what RE2 leaves out of other programs' expressions.
var lookaround = regexp.MustCompile(`\(\?<?[=!]`)

// elsewhere returns a pattern that is written for other programs in the way of RE2: the \| of grep and
// sed, their \< and \> at the edges of a word, and the slashes around the expressions of JavaScript.
func elsewhere(text string) string {
	inner, opens := strings.CutPrefix(text, "/")
	if inner, closes := strings.CutSuffix(inner, "/"); opens && closes && inner != "" {
		text = inner
	}
	return strings.NewReplacer(`\\`, `\\`, `\|`, "|", `\<`, `\b`, `\>`, `\b`).Replace(text)
}

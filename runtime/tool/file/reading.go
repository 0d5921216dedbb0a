package file

import (
	"errors"
	"regexp"
	"strings"

	"shelly/runtime/tool"
	"shelly/runtime/tool/pattern"
)

// reading is one way to read a pattern for grep.
type reading struct {
	expression *regexp.Regexp
	note       string // for the result; empty: as it stands
}

// readingsOf returns the ways to read a pattern, the next one of which counts if nothing fits the ones
// before: as it stands; with \b where it has the backspace that JSON makes of it; with | where it has
// the \| of other programs; and as the plain text that many a model means. Wrong says what is wrong with it as it stands.
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
		if strings.HasPrefix(text, "*") {
			hint = "glob finds files by name"
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
	if either := strings.ReplaceAll(text, `\|`, "|"); either != text {
		if e, err := compile(either); err == nil {
			readings = append(readings, reading{e, "[in RE2 | is written without \\: shown is what fits so]\n"})
		}
	}
	// A pattern that fits itself has found its plain text already.
	if given == nil || !given.MatchString(text) {
		if e, err := compile(regexp.QuoteMeta(text)); err == nil {
			readings = append(readings, reading{e, "[nothing fits the pattern as an expression: shown is its plain text]\n"})
		}
	}
	return readings, wrong
}

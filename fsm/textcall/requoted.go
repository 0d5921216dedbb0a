package textcall

import (
	"slices"
	"strings"

	"shelly/fsm/textcall/mend"
)

// requotedMax is how long a text is, in bytes, in which the ends of texts are looked for. Small models write
// no calls that long.
const requotedMax = 64 << 10

// Requoted reads calls from a text in which one or several have texts that hold the quotes that
// enclose them, or are enclosed in another way than JSON encloses them. Where such a text ends is found out by
// what the calls would then be, which fits judges, and by which arguments the tools have ([mend.Quotes]). It returns false if that leaves several
// readings, or none.
func (f Forms) Requoted(text string, known func(argument string) bool, fits func([]Call, mend.Outcome) (mend.Fit, bool)) (Reading, bool) {
	at := f.callAt(text)
	if at < 0 || len(text) > requotedMax {
		return Reading{}, false
	}
	named := func(key string) bool { return known(key) || slices.Contains(argumentKeys(), key) }
	rest, ok := mend.Quotes(text[at:], named, func(rest mend.Outcome) (mend.Fit, bool) {
		calls := f.Read(text[:at] + rest.Text).Calls
		if len(calls) == 0 {
			return mend.Fit{}, false
		}
		return fits(calls, rest)
	})
	if !ok {
		return Reading{}, false
	}
	return f.Read(text[:at] + rest), true
}

// callAt returns where the first bracket of a call would be, if a text may be one or end with one; -1: it may
// not.
func (f Forms) callAt(text string) int {
	from := len(text) - len(strings.TrimLeft(text, jsonBlanks))
	marks := f.Marks()
	if at, whole := marks.First(text, from); whole && begins(text[:at]) {
		from = at
	} else if s := text[from:]; !strings.HasPrefix(s, "{") && !strings.HasPrefix(s, "[") && !strings.HasPrefix(s, fence) && !strings.HasPrefix(s, "<|") && pythonBegins(s) == "" {
		if from = strings.Index(text, fence); from < 0 {
			return -1
		}
	}
	at := strings.IndexAny(text[from:], "{(")
	if at < 0 {
		return -1
	}
	return from + at
}

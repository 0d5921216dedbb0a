package reading

import (
	"strings"
	"unicode/utf8"

	"shelly/fsm"
)

// A need is known by a marker (HND-5), which small models dress up or put after a sentence
// (HND-60).

// needDress has the characters that models put around the marker.
const needDress = " \t\r\n*_`#>-\"“”「」[]<("

// NeedIn finds a need in the forms that small models write: the marker with the colon of
// another script, in another case, emphasised, quoted or in a fence, at the beginning of
// the text; in capitals also at the beginning of a line or after a sentence. before is the
// text ahead of it.
func NeedIn(text string) (before, need string, ok bool) {
	if rest, ok := afterMarker(undressed(text), false); ok {
		return "", bare(rest), true
	}
	at, rest, ok := laterMarker(text, 0)
	return bare(text[:at]), bare(rest), ok
}

// laterMarker finds the first marker at or after from that begins a line or follows a
// sentence, and returns where it is and what comes after it.
func laterMarker(text string, from int) (at int, rest string, ok bool) {
	for at := from; ; at += len(needWord) {
		i := strings.Index(text[at:], needWord)
		if i < 0 {
			return 0, "", false
		}
		at += i
		if rest, ok := afterMarker(text[at:], true); ok && endsSentence(text[:at], false) {
			return at, rest, true
		}
	}
}

// needWord is the marker without its colon.
const needWord = "NEED"

// undressed returns a text without whatever precedes its first word, including a fence and
// its language.
func undressed(text string) string {
	text = strings.TrimSpace(text)
	if body, ok := strings.CutPrefix(text, "```"); ok {
		if language, rest, ok := strings.Cut(body, "\n"); ok && !strings.ContainsAny(language, " :：") && !strings.Contains(strings.ToUpper(language), needWord) {
			text = rest
		}
	}
	return strings.TrimLeft(text, needDress)
}

// afterMarker returns what comes after the marker that a text begins with.
func afterMarker(s string, capitals bool) (rest string, ok bool) {
	if len(s) < len(needWord) || !strings.EqualFold(s[:len(needWord)], needWord) || capitals && s[:len(needWord)] != needWord {
		return "", false
	}
	s = strings.TrimLeft(s[len(needWord):], needDress)
	for _, colon := range []string{":", "："} {
		if rest, ok := strings.CutPrefix(s, colon); ok {
			return rest, true
		}
	}
	return "", false
}

// endsSentence reports whether a line or a sentence ends before what comes next. blank: that comes
// after a blank.
func endsSentence(text string, blank bool) bool {
	said := strings.TrimRight(text, needDress)
	if said == "" || strings.Contains(text[len(said):], "\n") {
		return true
	}
	last, _ := utf8.DecodeLastRuneInString(said)
	return strings.ContainsRune("。！？", last) || strings.ContainsRune(".!?:;…)", last) && (blank || len(said) < len(text))
}

// bare returns a text without the characters around it.
func bare(s string) string {
	s = strings.TrimSpace(s)
	s = strings.Trim(s, " \t\r\n*_`")
	if strings.Count(s, `"`)%2 == 1 || strings.HasSuffix(s, "”") && !strings.Contains(s, "“") {
		s = strings.TrimRight(s, "\"”")
	}
	return strings.TrimSpace(s)
}

// ReadsNeeds reports whether needs are read in any form (HND-60), which is so if the model
// is told about the marker.
func ReadsNeeds(c *fsm.Config) bool {
	return c.Switches.Reading == fsm.ReadingCareful && !c.Switches.NoCognition
}

// NeedText returns an answer's need in the one form that the rest of shelly knows, without
// the text around it. Outside cognition, where the marker means nothing, it returns the
// text without it.
func NeedText(c *fsm.Config, text string, cognition bool) string {
	if !ReadsNeeds(c) {
		return text
	}
	for {
		before, need, ok := NeedIn(text)
		switch {
		case !ok:
			return text
		case cognition:
			return fsm.NeedMarker + " " + need
		case before != "":
			return before
		}
		text = need
	}
}

package reading

import (
	"strings"
	"unicode/utf8"

	"shelly/fsm"
)

// A need is known by a marker (HND-5), which small models dress up or put after a sentence
// (HND-60).

// needDress are the characters that models put around the marker.
const needDress = " \t\r\n*_`#>-\"“”「」[]<("

// NeedIn finds a need in the forms that small models write: the marker with the colon of
// other scripts, in other letters, emphasised, quoted or in a fence, at the beginning of
// the text; in capitals also at that of a line or after a sentence. Before is what is said
// until then.
func NeedIn(text string) (before, need string, ok bool) {
	if rest, ok := afterMarker(undressed(text), false); ok {
		return "", bare(rest), true
	}
	at, rest, ok := laterMarker(text, 0)
	return bare(text[:at]), bare(rest), ok
}

// laterMarker finds the marker at the beginning of a line or after a sentence, from a place
// on, and returns where it is and what comes after it.
func laterMarker(text string, from int) (at int, rest string, ok bool) {
	for at := from; ; at += len(needWord) {
		i := strings.Index(text[at:], needWord)
		if i < 0 {
			return 0, "", false
		}
		at += i
		if rest, ok := afterMarker(text[at:], true); ok && endsSentence(text[:at]) {
			return at, rest, true
		}
	}
}

// needWord is the marker without its colon.
const needWord = "NEED"

// undressed is a text without what stands before its first word, a fence and its language
// among them.
func undressed(text string) string {
	text = strings.TrimSpace(text)
	if body, ok := strings.CutPrefix(text, "```"); ok {
		if language, rest, ok := strings.Cut(body, "\n"); ok && !strings.ContainsAny(language, " :：") && !strings.Contains(strings.ToUpper(language), needWord) {
			text = rest
		}
	}
	return strings.TrimLeft(text, needDress)
}

// afterMarker is what comes after the marker that a text begins with.
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

// endsSentence reports whether a line or a sentence ends before what comes next.
func endsSentence(text string) bool {
	said := strings.TrimRight(text, needDress)
	if said == "" || strings.Contains(text[len(said):], "\n") {
		return true
	}
	last, _ := utf8.DecodeLastRuneInString(said)
	return strings.ContainsRune("。！？", last) || strings.ContainsRune(".!?:;…)", last) && len(said) < len(text)
}

// bare is a text without what dresses it.
func bare(s string) string {
	s = strings.TrimSpace(s)
	s = strings.TrimSuffix(s, "```")
	s = strings.Trim(s, " \t\r\n*_`")
	if strings.Count(s, `"`)%2 == 1 || strings.HasSuffix(s, "”") && !strings.Contains(s, "“") {
		s = strings.TrimRight(s, "\"”")
	}
	return strings.TrimSpace(s)
}

// ReadsNeeds reports whether needs are read in whatever form (HND-60): where the model is
// told of the marker.
func ReadsNeeds(c *fsm.Config) bool {
	return c.Switches.Reading == fsm.ReadingCareful && !c.Switches.NoCognition
}

// NeedText is an answer's text with its need in the one form that all else knows, and
// nothing else; outside cognition, where the marker means nothing, what is said
// without it.
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

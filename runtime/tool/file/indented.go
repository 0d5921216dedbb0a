package file

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Small models copy a text with the line numbers that they were shown, or with an indentation of their
// own. Asked again, they take a minute on a slow machine and often do the same. So an edit whose old is
// nowhere as it stands is made all the same if it can mean only one thing (TOL-23).

// meantLinesMax is how many lines a text may have in which this is looked for.
const meantLinesMax = 1 << 18

// meant returns the stretches that an edit means whose old is nowhere as it stands. How old differs from
// them becomes the edit's remark.
func (e *edit) meant(text string) (found []stretch) {
	if found = e.unnumbered(text); len(found) > 0 {
		e.remark = "; old was taken without its line numbers"
	} else if found = e.composed(text); len(found) > 0 {
		e.remark = "; old differed in how its accents are composed (NFC, NFD) only, so new is composed as the file is"
	} else if found = e.indented(text); len(found) > 0 {
		e.remark = "; old differed in blanks around its lines only, so new is indented as the file is"
	}
	return found
}

// composed returns the stretches that are old with its letters and their accents composed in one of the two
// forms. Most models cannot write the other.
func (e *edit) composed(text string) (found []stretch) {
	for _, form := range []norm.Form{norm.NFC, norm.NFD} {
		if old := form.String(e.old); old != e.old {
			for _, s := range (&edit{old: old, all: e.all}).exact(text) {
				found = append(found, stretch{s.from, s.to, e, form.String(e.new)})
			}
		}
	}
	return found
}

// unnumbered returns the stretches that are old without its line numbers, if each line has one. Each line
// of new has one as well, or none has.
func (e *edit) unnumbered(text string) (found []stretch) {
	bare, all := withoutEachNumber(e.old)
	if !all || withoutNumbers(bare) != bare { // what still looks like a number may be the text's own
		return nil
	}
	with, all := withoutEachNumber(e.new)
	if !all && withoutNumbers(e.new) != e.new {
		return nil
	}
	for at, left := 0, textMax; ; { // bytes that are compared
		i := strings.Index(text[at:], bare)
		if i < 0 || len(found) > placesMax {
			return found
		}
		if left -= len(bare); left < 0 {
			return nil
		}
		from, to := at+i, at+i+len(bare)
		at = from + 1
		begins, ends := from == 0 || text[from-1] == '\n', to == len(text) || text[to] == '\n' || text[to-1] == '\n'
		if begins && ends {
			if found = append(found, stretch{from, to, e, with}); e.all {
				at = to
			}
		}
	}
}

// withoutEachNumber removes the line numbers from a text if each of its lines has one, and reports whether
// that is so.
func withoutEachNumber(text string) (bare string, all bool) {
	for line := range strings.Lines(text) {
		if !numbered.MatchString(line) {
			return text, false
		}
	}
	return withoutNumbers(text), text != ""
}

// indented returns the stretches whose lines are those of old but for blanks at their ends, and for an
// indentation that differs from that of old by one rule in all of them. New is indented by this rule. If that is
// not certain for one of them, none is returned, since that one may be meant.
func (e *edit) indented(text string) (found []stretch) {
	old, through := strings.CutSuffix(e.old, "\n")
	wanted := strings.Split(old, "\n")
	first := slices.IndexFunc(wanted, func(line string) bool { return strings.TrimSpace(line) != "" })
	if first < 0 || strings.Contains(text, "\r") || strings.Count(text, "\n") > meantLinesMax {
		return nil
	}
	lines, left := strings.Split(text, "\n"), textMax // bytes that are compared and made
	from, next := 0, 0                                // where line i begins, and the first line that may be in another stretch
	for i := 0; i+len(wanted) <= len(lines); i++ {
		if i >= next && strings.TrimSpace(lines[i+first]) == strings.TrimSpace(wanted[first]) {
			if left -= len(e.old) + len(e.new); left < 0 {
				return nil
			}
			here := lines[i : i+len(wanted)]
			if with, fits, certain := reindented(here, wanted, e.new); fits && !certain {
				return nil
			} else if fits {
				left -= len(with) // each place has its own
				to := from + len(strings.Join(here, "\n"))
				switch {
				case through && to < len(text):
					to++
				case through:
					with = strings.TrimSuffix(with, "\n")
				}
				if found = append(found, stretch{from, to, e, with}); e.all {
					next = i + len(wanted)
				} else if len(found) > linesNamedMax {
					return found
				}
			}
		}
		from += len(lines[i]) + 1
	}
	return found
}

// reindented returns new as these lines are indented, and whether they fit: whether they are wanted but for blanks
// around them, by one rule. If it is not certain what new then becomes, it says so.
func reindented(lines, wanted []string, new string) (with string, fits, certain bool) {
	var leads [][2]string // of wanted, and of the lines
	same := true
	for i, line := range lines {
		lead, body := cutLead(line)
		wantedLead, wantedBody := cutLead(wanted[i])
		if body != wantedBody {
			return "", false, false
		}
		if body != "" {
			leads = append(leads, [2]string{wantedLead, lead})
			same = same && lead == wantedLead
		}
	}
	if same {
		return new, true, true
	}
	var found []string
	for _, rules := range [][]indentation{indentations(leads[0][0], leads[0][1]), shifted(leads[0][0], leads[0][1])} {
		for _, rule := range rules {
			if slices.ContainsFunc(leads, func(one [2]string) bool { to, ok := rule(one[0]); return !ok || to != one[1] }) {
				continue
			}
			fits = true
			if with, ok := rule.of(new, leads[0][0]); ok && !slices.Contains(found, with) {
				found = append(found, with)
			}
		}
		if fits {
			break
		}
	}
	if len(found) != 1 {
		return "", fits, false
	}
	return found[0], true, true
}

// cutLead splits a line into the blanks that it begins with and what follows, without blanks at its end.
func cutLead(line string) (lead, body string) {
	rest := strings.TrimLeftFunc(line, unicode.IsSpace)
	return line[:len(line)-len(rest)], strings.TrimRightFunc(rest, unicode.IsSpace)
}

// indentation returns what a line begins with that began with lead, or false.
type indentation func(lead string) (string, bool)

// of returns a text with this indentation. It must begin as old did, with first: otherwise its writer may
// have known better in it than in old.
func (rule indentation) of(text, first string) (string, bool) {
	lines := strings.Split(text, "\n")
	begun, size := false, len(text)
	for i, line := range lines {
		lead, body := cutLead(line)
		if body == "" {
			continue
		}
		to, ok := rule(lead)
		if size += len(to); !ok || !begun && lead != first || size > textMax {
			return "", false
		}
		lines[i], begun = to+line[len(lead):], true
	}
	return strings.Join(lines, "\n"), true
}

// indentations returns the rules by which one indentation may become another: more, less, or another unit.
func indentations(from, to string) []indentation {
	return append(moved(from, to), others()...)
}

// shifted returns the rules by which one may become another that has another unit and is more or less.
func shifted(from, to string) (rules []indentation) {
	for _, change := range others() {
		changed, ok := change(from)
		if !ok {
			continue
		}
		for _, move := range moved(changed, to) {
			rules = append(rules, func(lead string) (string, bool) {
				changed, ok := change(lead)
				if !ok {
					return "", false
				}
				return move(changed)
			})
		}
	}
	return rules
}

// moved returns the rules by which one indentation may become another that is more or less.
func moved(from, to string) (rules []indentation) {
	if more, ok := strings.CutSuffix(to, from); ok {
		rules = append(rules, func(lead string) (string, bool) { return more + lead, true })
	}
	if less, ok := strings.CutSuffix(from, to); ok {
		rules = append(rules, func(lead string) (string, bool) { return strings.CutPrefix(lead, less) })
	}
	return rules
}

// others returns the rules by which an indentation has another unit.
func others() (rules []indentation) {
	units := []string{"\t", "  ", "   ", "    ", "        "}
	for _, one := range units {
		for _, other := range units {
			if one != other {
				rules = append(rules, func(lead string) (string, bool) {
					n := len(lead) / len(one)
					return strings.Repeat(other, n), strings.Repeat(one, n) == lead
				})
			}
		}
	}
	return rules
}

package file

import (
	"path/filepath"
	"regexp"
	"strings"
)

// omission is a line that stands for others, as models write it to be brief: "# ... rest of the code ...",
// "// ..." or "# the rest remains the same".
var omission = func() *regexp.Regexp {
	const comment, dots = `(?:#|//|/\*|<!--|--|;|%)`, `(?:\.\.\.|…)`
	return regexp.MustCompile(`(?im)^[ \t]*(?:` +
		comment + `?[ \t(\[{]*` + dots + `[ \t(\[]*(?:(?:the|your|all) )*(?:rest|remaining|remainder|existing|unchanged|previous|same)\b.{0,60}|` +
		comment + ` ?` + dots + `[ \t]*(?:\*/|-->)?|` + // further in, it is an example in a comment
		comment + `[ \t(\[{]*(?:(?:the|your|all) )*(?:rest|remaining|remainder|existing)\b.{0,40}(?:` + dots + `|unchanged|(?:remains?|stays?) the same).{0,10}` +
		`)$`)
}()

// saysSo is what each such line has.
var saysSo = regexp.MustCompile(`\.\.\.|…|(?i:unchanged|the same)`)

// omitted returns a line of new that stands for lines of old, which would be lost (TOL-106): old is longer and has no such line.
// Empty: there is none.
func omitted(old, new string) string {
	if len(new) >= len(old) || !saysSo.MatchString(new) { // which takes less time than to look at each line
		return ""
	}
	for _, line := range omission.FindAllString(new, -1) {
		if line = strings.TrimSpace(line); !strings.Contains(old, line) {
			return line
		}
	}
	return ""
}

// indents reports whether the indentation of lines means something in a file, by its name.
func indents(name string) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".py", ".pyi", ".pyx", ".yaml", ".yml", ".mk", ".nim", ".coffee", ".pug", ".sass", ".haml", ".hs":
		return true
	}
	return strings.EqualFold(name, "makefile") || strings.EqualFold(name, "gnumakefile")
}

// outdented reports whether an edit begins after the indentation of a line, and new goes on at the margin where old
// does not (TOL-105): so writes a model that has left out the indentation of both.
func (s stretch) outdented(text string) bool {
	lead := text[strings.LastIndexByte(text[:s.from], '\n')+1 : s.from]
	return lead != "" && strings.TrimLeft(lead, " \t") == "" && atMargin(s.new) && !atMargin(s.of.old)
}

// atMargin reports whether a line of a text but its first begins without a blank. What comes after a blank line may
// well begin there.
func atMargin(text string) bool {
	_, rest, _ := strings.Cut(text, "\n")
	for line := range strings.Lines(rest) {
		lead, body := cutLead(line)
		if body == "" || lead == "" {
			return body != ""
		}
	}
	return false
}

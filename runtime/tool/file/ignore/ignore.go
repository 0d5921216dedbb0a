// Package ignore reads .gitignore files and decides what they leave out, as git does.
//
// Patterns are matched by doublestar, a small library without dependencies that knows ** as
// git does; git's other rules (anchors, negation, folders) are implemented here. The exclude
// files of .git and of the user are ignored, and it does not matter whether there is a
// repository.
package ignore

import (
	"path"
	"strings"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
)

// Bounds of one .gitignore.
const (
	BytesMax = 64 << 10
	rulesMax = 2000
)

// rule is one line.
type rule struct {
	start   string // how the path begins, before what the pattern is of; nearly always empty
	pattern string // of a path below the folder, for doublestar
	keeps   bool   // it begins with !
	folders bool   // it ends with /
}

// Rules are the rules of a folder's .gitignore and, through Above, those of the folders above
// it. Nil has no rules.
type Rules struct {
	Above *Rules
	Dir   string // the folder, absolute
	rules []rule
}

// Parse reads the text of a .gitignore in the folder dir. Invalid patterns are left out. Of a text
// longer than BytesMax only the whole lines before that count: a part of *.log could leave out everything.
func Parse(above *Rules, dir, text string) *Rules {
	r := &Rules{Above: above, Dir: dir}
	if len(text) > BytesMax {
		text = text[:strings.LastIndexByte(text[:BytesMax], '\n')+1]
	}
	text = strings.TrimPrefix(text, "\uFEFF")
	for line := range strings.SplitSeq(text, "\n") {
		if one, ok := parseLine(strings.TrimSuffix(line, "\r")); ok && len(r.rules) < rulesMax {
			r.rules = append(r.rules, one)
		}
	}
	return r
}

func parseLine(line string) (rule, bool) {
	var r rule
	if strings.HasPrefix(line, "#") {
		return r, false
	}
	for strings.HasSuffix(line, " ") && !escaped(line) {
		line = line[:len(line)-1]
	}
	if rest, ok := strings.CutPrefix(line, "!"); ok {
		r.keeps, line = true, rest
	}
	if rest, ok := strings.CutSuffix(line, "/"); ok {
		r.folders, line = true, rest
	}
	if line == "" || strings.HasSuffix(line, "/") { // no path ends with one
		return r, false
	}
	for strings.Contains(line, "***") { // to git, more than two are two
		line = strings.ReplaceAll(line, "***", "**")
	}
	line = octets(line)
	anchored := strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if n := literal(line); anchored && n > 0 {
		r.start, line = line[:n], line[n:]
	}
	if rest, ok := strings.CutSuffix(line, "/**"); ok {
		line = rest + "/**/*" // the folder's contents, not the folder itself
	}
	if !anchored {
		line = "**/" + line
	}
	pattern, ok := translated(line)
	r.pattern = pattern
	return r, ok && doublestar.ValidatePattern(r.pattern)
}

// literal returns how long the text before a ** is that git looks for by itself, so that to it the ** is at
// the beginning and crosses folders: a**/b leaves out a/x/b. Any other ** that does not stand alone is a *.
func literal(line string) int {
	n := strings.IndexAny(line, `*?[\`)
	if n < 1 || line[n-1] == '/' {
		return 0
	}
	if rest, is := strings.CutPrefix(line[n:], "**"); is && (rest == "" || rest[0] == '/') {
		return n
	}
	return 0
}

// fits reports whether a rule is about a path.
func (r rule) fits(below string) bool {
	rest, is := strings.CutPrefix(below, r.start)
	if !is {
		return false
	}
	if rest == "" { // ** and * stand for nothing, too
		return r.start != "" && strings.Trim(strings.ReplaceAll(r.pattern, "**/", ""), "*") == ""
	}
	fits, err := doublestar.Match(r.pattern, rest)
	return err == nil && fits
}

// translated returns a pattern of git's as one of doublestar's. To git, braces are ordinary
// characters. It reports false for a pattern that matches nothing.
func translated(line string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(line); i++ {
		switch c := line[i]; c {
		case '\\':
			if i+1 == len(line) {
				return "", false
			}
			i++
			b.WriteString(line[i-1 : i+1])
		case '{', '}':
			b.WriteString(`\` + string(c))
		case '[':
			n, ok := class(&b, line[i+1:])
			if !ok {
				return "", false
			}
			i += n
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), true
}

// class translates a class of characters, given without its first bracket, and returns its
// length. No class matches a slash.
func class(b *strings.Builder, text string) (n int, ok bool) {
	i, start := 0, b.Len()
	b.WriteByte('[')
	if strings.HasPrefix(text, "!") || strings.HasPrefix(text, "^") {
		b.WriteString("^/")
		i++
	}
	before := rune(0) // the character that a - makes a range of
	for first := i; i < len(text); {
		rest := text[i:]
		if rest[0] == ']' && i > first {
			b.WriteByte(']')
			return i + 1, b.Len()-start > len("[]")
		}
		if strings.HasPrefix(rest, "[:") && strings.Contains(rest, "]") {
			end := 2 + strings.IndexByte(rest[2:], ']')
			if name, named := strings.CutSuffix(rest[2:end], ":"); named {
				if posix[name] == "" {
					return 0, false
				}
				b.WriteString(posix[name])
				i, before = i+end+1, 0
				continue
			}
		}
		if rest[0] == '-' && before != 0 && len(rest) > 1 && rest[1] != ']' {
			last, n := character(rest[1:])
			span(b, before, min(last, '/'-1))
			span(b, max(before, '/'+1), last)
			i, before = i+1+n, 0
			continue
		}
		c, n := character(rest)
		if c != '/' {
			span(b, c, c)
		}
		i, before = i+n, c
	}
	return 0, false
}

// character returns the first character of a part of a class, and how long it is with a
// backslash before it.
func character(text string) (c rune, n int) {
	escape := 0
	if text[0] == '\\' && len(text) > 1 {
		escape = 1
	}
	c, n = utf8.DecodeRuneInString(text[escape:])
	return c, escape + n
}

// span adds the characters from first to last, if there are any, to a class of doublestar's.
func span(b *strings.Builder, first, last rune) {
	if first <= last {
		b.WriteString(`\` + string(first) + `-\` + string(last))
	}
}

// posix are the named classes of characters, without the slash, as they stand in a class of
// doublestar's.
var posix = map[string]string{
	"alnum": "0-9A-Za-z", "alpha": "A-Za-z", "blank": " \t", "cntrl": "\x00-\x1f\x7f", "digit": "0-9", "graph": `\!-.0-~`, "lower": "a-z",
	"print": " -.0-~", "punct": "\\!-.:-@\\[-`\\{-~", "space": " \t-\r", "upper": "A-Z", "xdigit": "0-9A-Fa-f",
}

// octets returns a text with a character for each of its bytes, because git matches bytes: to it, é is
// two characters, for ? as for a class.
func octets(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return text
	}
	var b strings.Builder
	for i := range len(text) {
		b.WriteRune(rune(text[i]))
	}
	return b.String()
}

// escaped reports whether the last character of a line has a backslash before it that is not
// itself escaped.
func escaped(line string) bool {
	before := line[:len(line)-1]
	return (len(before)-len(strings.TrimRight(before, `\`)))%2 == 1
}

// Ignored reports whether an absolute path is left out. The last rule that matches decides,
// and the rules of the nearest folder come first. It does not check the folders above the path:
// a walk does not enter ignored ones.
func (r *Rules) Ignored(abs string, folder bool) bool {
	for ; r != nil; r = r.Above {
		below, ok := strings.CutPrefix(abs, strings.TrimSuffix(r.Dir, "/")+"/")
		if !ok {
			continue
		}
		below = octets(path.Clean(below))
		for i := len(r.rules) - 1; i >= 0; i-- {
			one := r.rules[i]
			if one.folders && !folder {
				continue
			}
			if one.fits(below) {
				return !one.keeps
			}
		}
	}
	return false
}

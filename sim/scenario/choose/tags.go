package choose

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"shelly/fsm/wording"
	"shelly/sim/strict"
)

// TagExpr is a condition on the tags of a case (SCN-37): a tag, or such conditions
// joined by not, and, or, which bind in this order, and parentheses.
type TagExpr struct {
	op    string // not, and, or; empty for a tag
	tag   string
	parts []*TagExpr // 1 of not, 2 of and and or
}

// tagExprBytesMax bounds a condition, and so how deep it nests.
const tagExprBytesMax = 1000

// TagError is what is wrong with a condition on tags, and where.
type TagError struct {
	Expr string
	Col  int // from 1, in characters
	Text string
}

// Error is what is wrong on one line.
func (e *TagError) Error() string { return fmt.Sprintf("column %d: %s", e.Col, e.Text) }

// Detail is what is wrong, with a caret under the place.
func (e *TagError) Detail() string {
	text, blanks := strict.FrameLine(e.Expr, e.Col)
	return e.Text + "\n  " + text + "\n  " + blanks + "^"
}

// ParseTags reads a condition. An error is a [*TagError].
func ParseTags(text string) (*TagExpr, error) {
	if len(text) > tagExprBytesMax {
		return nil, &TagError{text, 1, fmt.Sprintf("has more than %d bytes", tagExprBytesMax)}
	}
	p := &tagParser{text: text}
	p.next()
	e, err := p.or()
	if err != nil {
		return nil, err
	}
	if p.token != "" {
		return nil, p.wants("and, or or the end")
	}
	return e, nil
}

// Match reports whether the condition holds of tags.
func (e *TagExpr) Match(tags []string) bool {
	switch e.op {
	case "not":
		return !e.parts[0].Match(tags)
	case "and":
		return e.parts[0].Match(tags) && e.parts[1].Match(tags)
	case "or":
		return e.parts[0].Match(tags) || e.parts[1].Match(tags)
	default:
		return slices.Contains(tags, e.tag)
	}
}

// Unknown says which tag of the condition is none of those known, and which of
// them was likely meant; it is empty where all are known.
func (e *TagExpr) Unknown(known []string) string {
	if e.op == "" && !slices.Contains(known, e.tag) {
		text := "no case has the tag " + wording.Word(e.tag)
		if near := wording.Nearest(e.tag, known); near != "" {
			text += "; did you mean " + near + "?"
		}
		return text
	}
	for _, part := range e.parts {
		if text := part.Unknown(known); text != "" {
			return text
		}
	}
	return ""
}

// tagParser reads a condition by recursive descent.
type tagParser struct {
	text  string
	at    int    // of token, in bytes
	token string // a parenthesis, a word, or another character; empty at the end
}

func (p *tagParser) or() (*TagExpr, error)  { return p.binary("or", p.and) }
func (p *tagParser) and() (*TagExpr, error) { return p.binary("and", p.not) }

func (p *tagParser) binary(op string, part func() (*TagExpr, error)) (*TagExpr, error) {
	left, err := part()
	for err == nil && p.token == op {
		p.next()
		var right *TagExpr
		right, err = part()
		left = &TagExpr{op: op, parts: []*TagExpr{left, right}}
	}
	return left, err
}

func (p *tagParser) not() (*TagExpr, error) {
	switch {
	case p.token == "not":
		p.next()
		part, err := p.not()
		return &TagExpr{op: "not", parts: []*TagExpr{part}}, err
	case p.token == "(":
		p.next()
		inner, err := p.or()
		if err == nil && p.token != ")" {
			return nil, p.wants(`"and", "or" or ")"`)
		}
		p.next()
		return inner, err
	case !ValidTag(p.token):
		return nil, p.wants(`a tag, "not" or "("`)
	}
	e := &TagExpr{tag: p.token}
	p.next()
	return e, nil
}

// next goes to the next token.
func (p *tagParser) next() {
	p.at += len(p.token)
	rest := strings.TrimLeft(p.text[p.at:], " \t")
	p.at = len(p.text) - len(rest)
	n := strings.IndexFunc(rest, func(r rune) bool { return !tagChar(r) })
	switch {
	case n < 0:
		n = len(rest)
	case n == 0:
		_, n = utf8.DecodeRuneInString(rest)
	}
	p.token = rest[:n]
}

func (p *tagParser) wants(what string) error {
	found := "found " + wording.Word(p.token)
	if p.token == "" {
		found = "the expression ends here"
	}
	return &TagError{p.text, utf8.RuneCountInString(p.text[:p.at]) + 1, "wants " + what + "; " + found}
}

// ValidTag reports whether a condition can name the tag.
func ValidTag(tag string) bool {
	return tag != "" && !slices.Contains([]string{"and", "or", "not"}, tag) &&
		strings.IndexFunc(tag, func(r rune) bool { return !tagChar(r) }) < 0
}

func tagChar(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_./:", r)
}

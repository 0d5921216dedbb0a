// Package pattern compiles regular expressions that a model or a tool's author has written.
package pattern

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
)

// stepsMax bounds what a pattern compiles to: a search takes up to that many operations for each
// byte, and cannot be given up.
const stepsMax = 2000

// ErrTooLong is that of a pattern whose repetitions make it too long.
var ErrTooLong = errors.New("its repetitions make it too long")

// Compile compiles a pattern unless repetitions make it long: a{0,999} has 8 bytes and 2,000 steps.
func Compile(text string) (*regexp.Regexp, error) {
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, err
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil, err
	}
	if n := len(program.Inst); n > stepsMax {
		return nil, fmt.Errorf("%w: %d steps; the most is %d", ErrTooLong, n, stepsMax)
	}
	return regexp.Compile(text)
}

// HasLineEnd reports whether a pattern has a line end as such, and not only a class that a line end and
// other characters are in, such as \s or [^"].
func HasLineEnd(text string) bool {
	parsed, err := syntax.Parse(text, syntax.Perl)
	return err == nil && hasLineEnd(parsed)
}

func hasLineEnd(p *syntax.Regexp) bool {
	switch p.Op {
	case syntax.OpLiteral:
		return slices.Contains(p.Rune, '\n')
	case syntax.OpCharClass: // pairs, in order
		n := len(p.Rune)
		return n > 0 && p.Rune[0] == '\n' && p.Rune[n-1] <= '\r'
	}
	return slices.ContainsFunc(p.Sub, hasLineEnd)
}

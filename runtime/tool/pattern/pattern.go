// Package pattern compiles regular expressions that a model or a tool's author has written.
package pattern

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
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

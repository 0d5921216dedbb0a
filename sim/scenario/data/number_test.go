package data

import (
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// SCN-8: scalars match exactly, numbers of many digits too.
func TestSCN8NumbersAreComparedExactly(t *testing.T) {
	order := []string{ // each line is of equal numbers, less than those of the next
		"-1e999999999999999999999", "-1e400", "-12345678901234567891 -12345678901234567891.0", "-12345678901234567890", "-9223372036854775809",
		"-9223372036854775808", "-1.5 -15e-1", "-0.1", "-1e-400", "-1e-999999999999999999999", "0 -0 0.0 0e5 -0.00", "1e-999999999999999999999", "1e-400", "0.1 1e-1 0.10 .1", "0.10000000000000000001",
		"1 1.0 10e-1 0.1e1 1e0 1E+0", "9007199254740992", "9007199254740992.5", "9007199254740993", "9223372036854775807",
		"9223372036854775808", "12345678901234567890 1234567890123456789e1", "12345678901234567891", "1e400", "1e500 10e499", "1e999999999999999999999",
	}
	for i, these := range order {
		for k, those := range order {
			for _, a := range strings.Fields(these) {
				for _, b := range strings.Fields(those) {
					if got, want := CompareNumbers(a, b), min(max(i-k, -1), 1); got != want {
						t.Errorf("%s with %s: got %d, want %d", a, b, got, want)
					}
				}
			}
		}
	}
}

func TestSCN8NumbersCompareAsTheirRationals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := rapid.StringMatching(`-?(0|[1-9][0-9]{0,22})(\.[0-9]{1,22})?([eE][+-]?[0-9]{1,2})?`)
		a, b := draw.Draw(t, "a"), draw.Draw(t, "b")
		x, _ := new(big.Rat).SetString(a)
		y, _ := new(big.Rat).SetString(b)
		if got, want := CompareNumbers(a, b), x.Cmp(y); got != want {
			t.Errorf("%s with %s: got %d, want %d", a, b, got, want)
		}
	})
}

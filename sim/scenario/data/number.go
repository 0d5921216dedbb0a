package data

import (
	"cmp"
	"strconv"
	"strings"
)

// CompareNumbers compares two numbers as they are written, however many digits they have: an id of
// twenty digits is another one where the last differs.
func CompareNumbers(a, b string) int {
	x, errX := strconv.ParseInt(a, 10, 64)
	y, errY := strconv.ParseInt(b, 10, 64)
	if errX == nil && errY == nil {
		return cmp.Compare(x, y)
	}
	n, m := decimalOf(a), decimalOf(b)
	if n.sign() != m.sign() || n.sign() == 0 {
		return cmp.Compare(n.sign(), m.sign())
	}
	return n.sign() * cmp.Or(cmp.Compare(n.point, m.point), strings.Compare(n.digits, m.digits))
}

// decimal is the number 0.DIGITS × 10^point. The digits neither begin nor end with 0; zero has none.
type decimal struct {
	negative bool
	digits   string
	point    int
}

// pointMax bounds the exponent of a number that is read: those beyond are alike.
const pointMax = 1 << 30

// decimalOf reads a number as JSON writes it.
func decimalOf(text string) decimal {
	digits, negative := strings.CutPrefix(text, "-")
	exponent := 0
	if i := strings.IndexAny(digits, "eE"); i >= 0 {
		exponent = exponentOf(digits[i+1:])
		digits = digits[:i]
	}
	whole, part, _ := strings.Cut(digits, ".")
	n := decimal{negative: negative, digits: strings.TrimLeft(whole+part, "0")}
	n.point = len(whole) - (len(whole+part) - len(n.digits)) + exponent
	if n.digits = strings.TrimRight(n.digits, "0"); n.digits == "" {
		return decimal{}
	}
	return n
}

func exponentOf(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil { // too many digits
		n = pointMax
		if strings.HasPrefix(text, "-") {
			n = -n
		}
	}
	return max(-pointMax, min(n, pointMax))
}

func (n *decimal) sign() int {
	switch {
	case n.digits == "":
		return 0
	case n.negative:
		return -1
	default:
		return 1
	}
}

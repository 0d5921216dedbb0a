package regression

import (
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"shelly/fsm/wording"
)

// Canonical returns arguments so that two texts of one JSON value are one text: keys
// sorted, the last of two members, no spaces, each number in one form. What is no JSON
// is returned as it is, without the spaces around it.
func Canonical(args string) string {
	value, ok := decoded(args)
	if !ok {
		return strings.Trim(args, " \t\r\n")
	}
	text, _ := wording.JSON(uniform(value)) // it was decoded from JSON, so it can be encoded
	return string(text)
}

func decoded(text string) (value any, ok bool) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if d.Decode(&value) != nil {
		return nil, false
	}
	_, err := d.Token()
	return value, err == io.EOF
}

// uniform returns a decoded value with each number in one form.
func uniform(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key, member := range v { // order-free: each is on its own
			v[key] = uniform(member)
		}
	case []any:
		for i, element := range v {
			v[i] = uniform(element)
		}
	case json.Number:
		return json.Number(number(v.String()))
	}
	return value
}

// exponentMax bounds the zeros that a number is written out with; one beyond it keeps an
// exponent.
const exponentMax = 20

// number is a JSON number in one form, exactly: 1, 1.0, 10e-1 and 1E0 are one number.
func number(text string) string {
	sign := ""
	if rest, ok := strings.CutPrefix(text, "-"); ok {
		sign, text = "-", rest
	}
	mantissa, exponent := text, 0
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		n, err := strconv.Atoi(text[i+1:])
		if err != nil || n > 1e6 || n < -1e6 {
			return sign + text // it is equal to nothing but itself
		}
		mantissa, exponent = text[:i], n
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	exponent -= len(fraction)
	for short := strings.TrimRight(digits, "0"); len(digits) > len(short); digits = digits[:len(digits)-1] {
		exponent++
	}
	switch {
	case digits == "":
		return "0"
	case exponent >= 0 && exponent <= exponentMax:
		return sign + digits + strings.Repeat("0", exponent)
	case exponent < 0 && -exponent < len(digits):
		return sign + digits[:len(digits)+exponent] + "." + digits[len(digits)+exponent:]
	default:
		return sign + digits + "e" + strconv.Itoa(exponent)
	}
}

// keys returns the members in which two objects differ, sorted. Where one is no object
// it is nil.
func keys(a, b string) []string {
	x, ok := object(a)
	y, also := object(b)
	if !ok || !also {
		return nil
	}
	all := map[string]bool{}
	for key := range x { // order-free: they are sorted below
		all[key] = true
	}
	for key := range y { // order-free: they are sorted below
		all[key] = true
	}
	var list []string
	for _, key := range slices.Sorted(maps.Keys(all)) {
		v, here := x[key]
		w, there := y[key]
		if here != there || Canonical(string(v)) != Canonical(string(w)) {
			list = append(list, key)
		}
	}
	return list
}

func object(text string) (map[string]json.RawMessage, bool) {
	var o map[string]json.RawMessage
	err := json.Unmarshal([]byte(text), &o)
	return o, err == nil && o != nil
}

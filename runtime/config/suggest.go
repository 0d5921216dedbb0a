package config

import (
	"reflect"
	"strings"
)

// unknownKey says what is wrong with a key that does not exist and what may be
// meant. The key is the whole path as far as it was given.
func (s schema) unknownKey(key string) string {
	section, name := "", key
	if i := strings.LastIndex(key, "."); i >= 0 {
		section, name = key[:i], key[i+1:]
	}
	if f, ok := s.withoutUnit(section, name); ok {
		return "unknown key; did you mean " + f.name() + " (a duration such as " + f.example() + ")?"
	}
	names := s.names(section)
	if near := nearest(name, names); near != "" {
		return "unknown key; did you mean " + near + "?"
	}
	for _, f := range s {
		if f.name() == strings.ToLower(name) {
			return "unknown key; did you mean " + f.key + "?"
		}
	}
	if len(names) == 0 {
		return "unknown key; the keys at the top are: " + strings.Join(s.names(""), ", ")
	}
	return "unknown key; the keys here are: " + strings.Join(names, ", ")
}

// withoutUnit finds the duration that a name with a unit in it stands for: a
// duration carries its unit in the value.
func (s schema) withoutUnit(section, name string) (field, bool) {
	for _, unit := range []string{"_secs", "_seconds", "_sec", "_s", "_ms", "_millis"} {
		base, ok := strings.CutSuffix(strings.ToLower(name), unit)
		if !ok {
			continue
		}
		for _, f := range s {
			inside := section == "" || strings.HasPrefix(f.key, section+".")
			if inside && f.name() == base && f.isDuration() {
				return f, true
			}
		}
	}
	return field{}, false
}

// example is a field's default, written as a source would.
func (f field) example() string {
	return f.format(reflect.ValueOf(defaults(Sources{}, builtinProfile)).FieldByIndex(f.index))
}

// nearest returns the candidate that word was most likely meant to be, or "".
// Of equals the first wins.
func nearest(word string, candidates []string) string {
	best, bound := "", max(1, len(word)/3)
	for _, c := range candidates {
		if d := distance(strings.ToLower(word), strings.ToLower(c)); d <= bound {
			best, bound = c, d-1
		}
	}
	return best
}

// distance counts the insertions, deletions, replacements and swaps of
// neighbours that turn a into b (optimal string alignment).
func distance(a, b string) int {
	var before, last []int
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last, row = last, row, make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(b)]
}

// Package layout lays out the text of scenario files (SCN-68): the file's keys in the order
// of the format, and nothing but what it means and its comments in it.
//
// It moves whole lines and removes blanks, and never rewrites YAML, so that what is
// within a key stays as its author has put it. What it makes is read again, and is taken
// only if it says the same as before.
package layout

import (
	"bytes"
	"reflect"
	"slices"
	"strings"

	"shelly/sim/scenario/format"
	"shelly/sim/strict"
)

// Text lays out a file, or returns a [*strict.Error] without the file's name where it is not one
// map in YAML. Laid out twice it is as laid out once.
func Text(source []byte) ([]byte, error) {
	text := source
	for range roundsMax { // less may be in the way once lines stand elsewhere
		next, err := round(text)
		if err != nil {
			return nil, err
		}
		if bytes.Equal(next, text) {
			return next, nil
		}
		text = next
	}
	return slices.Clone(source), nil
}

// roundsMax is how often a file is laid out until nothing changes; almost every one is
// after the first.
const roundsMax = 5

// round lays out a file as far as it says the same.
func round(source []byte) ([]byte, error) {
	root, problem := strict.Parse(source, "the file", "")
	switch {
	case problem != nil:
		return nil, strict.Failed("", strict.Sources{"": source}, []strict.Problem{*problem})
	case root == nil:
		return nil, strict.Failed("", nil, []strict.Problem{{Text: "is empty"}})
	}
	for i := 0; i+1 < len(root.Content); i += 2 { // no two keys may be taken for each other
		if key := root.Content[i]; !key.Scalar() || root.Index(key.Value) != i {
			return slices.Clone(source), nil
		}
	}
	lines := strings.Split(strings.TrimRight(unix(source), " \t\n"), "\n")
	ordered := blocks(lines, root)
	for _, try := range [][]string{squeezed(ordered), ordered, squeezed(lines), lines} {
		text := []byte(strings.Join(try, "\n") + "\n")
		if same(root, lines, text) {
			return text, nil
		}
	}
	return slices.Clone(source), nil
}

// unix is a text with one kind of line ends, all that YAML knows as such.
func unix(source []byte) string {
	return strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(source))
}

// order is the place of a key of the file: that of the format, or after all of it.
func order(key string) int {
	for _, of := range []reflect.Type{reflect.TypeFor[format.File](), reflect.TypeFor[format.Property]()} {
		keys := strict.Keys(of)
		if i := slices.Index(keys, key); i >= 0 {
			return i
		}
	}
	return len(strict.Keys(reflect.TypeFor[format.File]()))
}

// block is a key of the file with the comments that stand right above it.
type block struct {
	order int
	lines []string
}

// blocks puts the keys of a file in order. What stands before the first key stays there, and so do
// comments at the end that an empty line keeps apart from the last one.
// A file whose keys are not each on a line of its own stays as it is.
func blocks(lines []string, root *strict.Node) []string {
	var starts []int
	for i := 0; i+1 < len(root.Content); i += 2 {
		key := root.Content[i]
		if key.Col != 1 || key.Line > len(lines) || len(starts) > 0 && key.Line-1 <= starts[len(starts)-1] || root.Style == strict.Flow {
			return lines
		}
		starts = append(starts, key.Line-1)
	}
	if len(starts) == 0 {
		return lines
	}
	head, last := lines[:starts[0]], foot(lines, starts[len(starts)-1])
	var list []block
	for i, from := range starts {
		to := last
		if i+1 < len(starts) {
			to = above(lines, starts[i+1], from)
		}
		if i > 0 {
			from = above(lines, from, starts[i-1])
		}
		list = append(list, block{order(root.Content[2*i].Value), lines[from:to]})
	}
	slices.SortStableFunc(list, func(a, b block) int { return a.order - b.order })
	out := slices.Clone(head)
	for _, b := range list {
		out = append(out, b.lines...)
	}
	return append(out, lines[last:]...)
}

// foot is the empty line after a line from which on there are nothing but comments, at the
// margin, or the end.
func foot(lines []string, after int) int {
	at := len(lines)
	for i := at - 1; i > after; i-- {
		switch line := strings.TrimRight(lines[i], " \t"); {
		case line == "":
			at = i
		case !strings.HasPrefix(line, "#"):
			return at
		}
	}
	return at
}

// above is the first of the comments, at the margin, that stand right above a line and
// after another.
func above(lines []string, at, after int) int {
	for at-1 > after && strings.HasPrefix(lines[at-1], "#") {
		at--
	}
	return at
}

// squeezed is without blanks at the ends of lines, and with one empty line where there
// are several.
func squeezed(lines []string) []string {
	var out []string
	for _, line := range lines {
		line = strings.TrimRight(line, " \t")
		if line == "" && (len(out) == 0 || out[len(out)-1] == "") {
			continue
		}
		out = append(out, line)
	}
	for len(out) > 0 && out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	return out
}

// same reports whether a text says what a file says, with the same lines but for blanks.
func same(root *strict.Node, lines []string, text []byte) bool {
	again, problem := strict.Parse(text, "the file", "")
	if problem != nil || again == nil || len(again.Content) != len(root.Content) {
		return false
	}
	c := comparison{}
	for i := 0; i+1 < len(root.Content); i += 2 {
		at := again.Index(root.Content[i].Value)
		if at < 0 || !c.equal(root.Content[i+1], again.Content[at+1]) {
			return false
		}
	}
	return slices.Equal(sorted(lines), sorted(strings.Split(string(text), "\n")))
}

// comparison compares values of two readings of a file. It remembers which parts are the
// same, so that an alias is held against what it stands for without going through it.
type comparison map[*strict.Node]*strict.Node // only looked up

// equal reports whether two values are the same, however they are written.
func (c comparison) equal(a, b *strict.Node) bool {
	if a.Kind != b.Kind || a.Value != b.Value || a.Tag != b.Tag || len(a.Content) != len(b.Content) {
		return false
	}
	c[a] = b
	if a.Kind == strict.AliasKind {
		return a.Alias != nil && c[a.Alias] == b.Alias
	}
	return slices.EqualFunc(a.Content, b.Content, c.equal)
}

// sorted are the lines that are not empty, without blanks at their ends.
func sorted(lines []string) []string {
	var out []string
	for _, line := range lines {
		if line = strings.TrimRight(line, " \t"); line != "" {
			out = append(out, line)
		}
	}
	slices.Sort(out)
	return out
}

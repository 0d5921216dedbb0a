// Package layout lays out the text of scenario files (SCN-68): the file's keys in the order
// of the format, and nothing but what it means and its comments in it.
//
// It moves whole lines and removes blanks, and never writes YAML anew, so that what is
// within a key stays as its author has put it. What it makes is read again, and is taken
// only if it says the same as before.
package layout

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"shelly/sim/scenario/format"
	"shelly/sim/strict"
)

// Text lays out a file, or returns an error where it is not one map in YAML. Laid out
// twice it is as laid out once.
func Text(source []byte) ([]byte, error) {
	root, problem := strict.Parse(source, "the file", "")
	switch {
	case problem != nil && problem.Pos.Line > 0:
		return nil, fmt.Errorf("line %d: %s", problem.Pos.Line, problem.Text)
	case problem != nil:
		return nil, errors.New(problem.Text)
	case root == nil:
		return nil, errors.New("is empty")
	}
	unix := bytes.ReplaceAll(source, []byte("\r\n"), []byte("\n"))
	lines := strings.Split(strings.TrimRight(string(unix), " \t\n"), "\n")
	ordered := blocks(lines, root)
	for _, try := range [][]string{squeezed(ordered), ordered, squeezed(lines), lines} {
		text := []byte(strings.Join(try, "\n") + "\n")
		if same(root, lines, text) {
			return text, nil
		}
	}
	return slices.Clone(source), nil
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

// blocks puts the keys of a file in order. What stands before the first key stays there.
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
	head := lines[:starts[0]]
	var list []block
	for i, from := range starts {
		to := len(lines)
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
	return out
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
	for i := 0; i+1 < len(root.Content); i += 2 {
		at := again.Index(root.Content[i].Value)
		if at < 0 || !equal(root.Content[i+1], again.Content[at+1], 0) {
			return false
		}
	}
	return slices.Equal(sorted(lines), sorted(strings.Split(string(text), "\n")))
}

// equal reports whether two values are the same, however they are written.
func equal(a, b *strict.Node, depth int) bool {
	if a.Kind != b.Kind || a.Value != b.Value || a.Tag != b.Tag || len(a.Content) != len(b.Content) || depth > 2*strict.DepthMax {
		return false
	}
	if a.Kind == strict.AliasKind { // what it stands for may have another anchor of its name before it
		return a.Alias != nil && b.Alias != nil && equal(a.Alias, b.Alias, depth+1)
	}
	for i := range a.Content {
		if !equal(a.Content[i], b.Content[i], depth+1) {
			return false
		}
	}
	return true
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

package reference

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"shelly/fsm/wording"
	"shelly/sim/strict"
)

// Example shows a key as a scenario has it that is played in every test of the project.
type Example struct {
	Text string `json:"text"` // the key and its value
	File string `json:"file"` // the scenario
}

// Examples are an example for each key, by [Key.ID].
type Examples map[string]Example

// ReadExamples reads the examples that are kept beside the schema.
func ReadExamples(text []byte) (Examples, error) {
	var e Examples
	if err := json.Unmarshal(text, &e); err != nil {
		return nil, fmt.Errorf("the examples cannot be read: %w", err)
	}
	return e, nil
}

// ID names a key among all of the format: its map and its name.
func (k *Key) ID() string {
	if isMatcher(k.Name) {
		return k.Name
	}
	return k.Kind + "." + k.Name
}

// exampleBytesMax is how much of an example is shown.
const exampleBytesMax = 160

// In calls found for each key of a scenario, with an example of it as long as people can
// read it.
func (f *Format) In(root *strict.Node, found func(id, text string)) {
	f.inMap(root, []kind{{of: f.root}}, found, 0)
}

// inMap goes through a map that is of one of some kinds.
func (f *Format) inMap(n *strict.Node, kinds []kind, found func(id, text string), depth int) {
	for _, k := range kinds {
		if !hasAll(k, n) {
			continue
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i], n.Content[i+1].Follow()
			of := k.of.Parts.get(key.Value)
			name := Key{Kind: k.name, Name: key.Value}
			found(name.ID(), oneLine(key.Value, value))
			f.in(value, of, key.Value, found, depth+1)
		}
	}
}

// hasAll reports whether a kind has all keys of a map.
func hasAll(k kind, n *strict.Node) bool {
	if k.of.ByName == nil { // it takes further keys
		return slices.ContainsFunc(k.of.Parts, func(m member) bool { return n.Get(m.name) != nil })
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if k.of.Parts.get(n.Content[i].Value) == nil {
			return false
		}
	}
	return len(n.Content) > 0
}

// in goes through a value of a schema.
func (f *Format) in(n *strict.Node, s *schema, name string, found func(id, text string), depth int) {
	if s == nil || depth > strict.DepthMax {
		return
	}
	if ref, ok := strings.CutPrefix(s.Ref, "#/$defs/"); ok {
		f.in(n, f.root.Defs.get(ref), ref, found, depth+1)
		return
	}
	for _, o := range append([]*schema{s.Then, s.Else}, s.AnyOf...) {
		f.in(n, o, name, found, depth+1)
	}
	switch {
	case n.Kind == strict.MapKind && len(s.Parts) > 0 && hasAll(kind{of: s}, n):
		f.inMap(n, []kind{{name: name, of: s}}, found, depth+1)
	case n.Kind == strict.MapKind && s.ByName != nil && s.ByName.Not == nil:
		for i := 0; i+1 < len(n.Content); i += 2 {
			f.in(n.Content[i+1].Follow(), s.ByName, name, found, depth+1)
		}
	case n.Kind == strict.ListKind && s.Items != nil:
		for _, inner := range n.Content {
			f.in(inner.Follow(), s.Items, name, found, depth+1)
		}
	}
}

// oneLine writes a key and its value on one line, and no more of it than can be read.
func oneLine(key string, value *strict.Node) string {
	text, err := strict.Write(strict.Map(strict.Text(key), flow(value)), 0)
	if err != nil {
		return wording.Word(key) + ": …"
	}
	return wording.Clip(strings.TrimSuffix(string(text), "\n"), exampleBytesMax)
}

// flow is a copy of a value that is written on one line.
func flow(n *strict.Node) *strict.Node {
	n = n.Follow()
	out := &strict.Node{Kind: n.Kind, Style: n.Style, Value: n.Value}
	if n.Style == strict.Literal || n.Style == strict.Folded {
		out.Style = strict.DoubleQuoted
	}
	if n.Kind == strict.MapKind || n.Kind == strict.ListKind {
		out.Style = strict.Flow
	}
	for _, inner := range n.Content {
		out.Content = append(out.Content, flow(inner))
	}
	return out
}

package reference

import (
	"fmt"
	"slices"
	"strings"

	"shelly/fsm/wording"
	"shelly/sim/strict"
)

// page is the reference of all keys of scenarios and properties in Markdown.
func page(scenario, property *Format, e Examples) string {
	var b strings.Builder
	b.WriteString("# Every key of a scenario file\n\n" +
		"Generated from the types that files are read into, by `make schema`; `shelly scenario explain KEY` prints one. How the keys work\n" +
		"together is in [scenarios.md](scenarios.md), the rules are in [sim/scenario/RULES.md](../sim/scenario/RULES.md). Each example stands in a\n" +
		"scenario or property of the project that every `make test` plays. NAME is a name of the file's choice. The keys of property files are\n" +
		"[at the end](#every-key-of-a-property-file).\n")
	scenario.list(&b, e)
	b.WriteString("\n# Every key of a property file\n\n" +
		"A property has these, and the keys of a scenario that are named [under PRP](../sim/scenario/RULES.md#prp-properties). What is drawn in\n" +
		"`tools` and `pick` has the keys of a scenario's entry, moment or line, and `weight`.\n")
	property.list(&b, e)
	return b.String()
}

// list writes all keys, below a title for each map.
func (f *Format) list(b *strings.Builder, e Examples) {
	last := "?"
	for _, k := range f.Keys() {
		at := strings.TrimSuffix(strings.TrimSuffix(k.Path, k.Name), ".")
		if isMatcher(k.Name) {
			at = "matchers"
		}
		if at != last {
			fmt.Fprintf(b, "\n## %s\n\n", f.title(at))
			last = at
		}
		k.item(b, e)
	}
}

// title is that of the keys of a path.
func (f *Format) title(at string) string {
	switch {
	case at == "matchers" && f.file != "":
		return "Generators"
	case at == "matchers":
		return "Matchers"
	case at == "" && f.file != "":
		return "The property"
	case at == "":
		return "The file"
	default:
		return "`" + at + "`"
	}
}

// item writes a key as an item of a list.
func (k *Key) item(b *strings.Builder, e Examples) {
	fmt.Fprintf(b, "- `%s` (%s): %s", k.Name, k.takes(), cell(k.Meaning))
	if k.Default != "" && !strings.Contains(k.Meaning, "unless given") {
		fmt.Fprintf(b, "; default %s", code(k.Default))
	}
	switch {
	case len(k.Words) > 1:
		fmt.Fprintf(b, "; one of %s", code(strings.Join(k.Words, ", ")))
	case len(k.Words) == 1:
		fmt.Fprintf(b, "; only %s", code(k.Words[0]))
	}
	b.WriteString(".")
	if shown, ok := e[k.ID()]; ok {
		fmt.Fprintf(b, "\n  Example: %s ([%s](../%s))", code(shown.Text), base(shown.File), shown.File)
	}
	b.WriteString("\n")
}

func base(file string) string {
	name, _, _ := strings.Cut(file[strings.LastIndexByte(file, '/')+1:], ".")
	return name
}

// code is a text as code in Markdown, whatever it holds.
func code(text string) string {
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") {
		text = " " + text + " "
	}
	return fence + text + fence
}

// cell is prose in which Markdown finds no marks.
func cell(text string) string {
	return strings.NewReplacer("<", "&lt;", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`).Replace(text)
}

// exampleBytesMax is how much of an example is shown.
const exampleBytesMax = 160

// examplesIn calls found for each key of a scenario, with an example of it as long as people can
// read it.
func (f *Format) examplesIn(root *strict.Node, found func(id, text string)) {
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

package reference

import (
	"fmt"
	"strings"
)

// Text is a key as a person reads it on a terminal.
func (k *Key) Text(e Examples) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  (%s%s)\n  %s\n", k.Path, k.takes(), k.where(), k.Meaning)
	if k.Default != "" {
		fmt.Fprintf(&b, "  default: %s\n", k.Default)
	}
	if len(k.Words) > 0 {
		fmt.Fprintf(&b, "  words:   %s\n", strings.Join(k.Words, ", "))
	}
	if len(k.Inside) > 0 {
		fmt.Fprintf(&b, "  keys:    %s\n", strings.Join(k.Inside, ", "))
	}
	if len(k.Rules) > 0 {
		fmt.Fprintf(&b, "  rules:   %s\n", strings.Join(k.Rules, ", "))
	}
	if shown, ok := e[k.ID()]; ok {
		fmt.Fprintf(&b, "  example: %s\n           in %s\n", shown.Text, shown.File)
	}
	return b.String()
}

// takes is what a key takes, on a word or two.
func (k *Key) takes() string {
	if k.Required {
		return k.Type + ", required"
	}
	return k.Type
}

// where is the files that have the key, where they are no scenarios.
func (k *Key) where() string {
	if k.In == "" {
		return ""
	}
	return ", in " + k.In
}

// Page is the reference of all keys of scenarios and properties in Markdown.
func Page(scenario, property *Format, e Examples) string {
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

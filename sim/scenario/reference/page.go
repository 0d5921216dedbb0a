package reference

import (
	"fmt"
	"strings"
)

// Text is a key as a person reads it on a terminal.
func (k *Key) Text(e Examples) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  (%s)\n  %s\n", k.Path, k.takes(), k.Meaning)
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

// Page is the reference of all keys in Markdown.
func (f *Format) Page(e Examples) string {
	var b strings.Builder
	b.WriteString("# Every key of a scenario file\n\n" +
		"Generated from the types that files are read into, by `make schema`; `shelly scenario explain KEY` prints one. How the keys work\n" +
		"together is in [scenarios.md](scenarios.md), the rules are in [sim/scenario/RULES.md](../sim/scenario/RULES.md). Each example stands in a\n" +
		"scenario of the project that every `make test` plays. NAME is a name of the file's choice.\n")
	last := "?"
	for _, k := range f.Keys() {
		at := strings.TrimSuffix(strings.TrimSuffix(k.Path, k.Name), ".")
		if isMatcher(k.Name) {
			at = "matchers"
		}
		if at != last {
			title := "`" + at + "`"
			switch at {
			case "":
				title = "The file"
			case "matchers":
				title = "Matchers"
			}
			fmt.Fprintf(&b, "\n## %s\n\n", title)
			last = at
		}
		fmt.Fprintf(&b, "- `%s` (%s): %s", k.Name, k.takes(), cell(k.Meaning))
		if k.Default != "" && !strings.Contains(k.Meaning, "unless given") {
			fmt.Fprintf(&b, "; default %s", code(k.Default))
		}
		switch {
		case len(k.Words) > 1:
			fmt.Fprintf(&b, "; one of %s", code(strings.Join(k.Words, ", ")))
		case len(k.Words) == 1:
			fmt.Fprintf(&b, "; only %s", code(k.Words[0]))
		}
		b.WriteString(".")
		if shown, ok := e[k.ID()]; ok {
			fmt.Fprintf(&b, "\n  Example: %s ([%s](../%s))", code(shown.Text), base(shown.File), shown.File)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func base(file string) string {
	return strings.TrimSuffix(file[strings.LastIndexByte(file, '/')+1:], ".scenario.yaml")
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

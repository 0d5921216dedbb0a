package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"shelly/fsm"
	"shelly/sim/strict"
)

// Print returns everything that the configuration's profile decides, and everything that a source
// has set, as a configuration file with the same meaning (CFG-11). What only a profile can have,
// that is the sections of the system prompt, the builtin tools and the names of states, follows as
// comments.
func (c Config) Print() string {
	root := strict.Map()
	sections := map[string]*strict.Node{"": root}
	put(root, "profile", textNode(c.Profile), "")
	value := reflect.ValueOf(c)
	for _, f := range newSchema() {
		switch {
		case f.key == "profile", f.key == "prompts.identity_file": // prompts.identity is its text
			continue
		case !f.fromProfile && !slices.Contains(c.given, f.key):
			continue
		}
		path, name := cutLast(f.key)
		put(sectionAt(sections, path), name, f.node(value.FieldByIndex(f.index)), f.comment())
	}
	text, err := strict.Write(root, 0)
	if err != nil {
		panic(fmt.Sprintf("profile %s cannot be written: %v", c.Profile, err)) // each value was read from text
	}
	return string(text) + c.unsettable()
}

// sectionAt returns the map of a section, and makes it if there is none yet.
func sectionAt(sections map[string]*strict.Node, path string) *strict.Node {
	if sections[path] == nil {
		above, name := cutLast(path)
		sections[path] = strict.Map()
		put(sectionAt(sections, above), name, sections[path], "")
	}
	return sections[path]
}

// comment returns the comment beside a value: its meaning, and the allowed words.
func (f field) comment() string {
	if f.of == nil || f.says == "" {
		return f.says
	}
	return f.says + ": " + strings.Join(f.of, ", ")
}

// put adds a key with its comment to a map: beside a value of one line, above a longer text.
func put(m *strict.Node, key string, value *strict.Node, says string) {
	k := strict.Text(key)
	if value.Style == strict.Literal {
		k.Above = says
	} else {
		value.Beside = says
	}
	m.Content = append(m.Content, k, value)
}

func textNode(text string) *strict.Node {
	n := strict.Text(text)
	if len(text) > 80 {
		n.Style = strict.Literal
	}
	return n
}

// node returns a value as YAML.
func (f field) node(v reflect.Value) *strict.Node {
	if f.isNamed() {
		return namedNode(v)
	}
	if f.isList() {
		list := strict.List().OnOneLine()
		for i := range v.Len() {
			list.Content = append(list.Content, textNode(f.item().format(v.Index(i))))
		}
		return list
	}
	n := textNode(f.format(v))
	switch {
	case f.typ == reflect.TypeFor[bool](), f.key == "tools.exec.allow" && n.Value != Unsandboxed:
		n.Kind = strict.BoolKind
	case f.typ == reflect.TypeFor[int](), f.typ == reflect.TypeFor[fsm.Share](), f.typ == reflect.TypeFor[Bytes]() && strings.Trim(n.Value, "0123456789") == "":
		n.Kind = strict.IntKind
	case f.typ == reflect.TypeFor[Temperature]() && n.Value != ownTemperature:
		n.Kind = strict.FloatKind
		if !strings.Contains(n.Value, ".") {
			n.Kind = strict.IntKind
		}
	}
	return n
}

// unsettable returns what only a profile has, as comments.
func (c Config) unsettable() string {
	var b strings.Builder
	say := func(text string) {
		for line := range strings.Lines(text) {
			b.WriteString(strings.TrimRight("# "+strings.TrimRight(line, "\n"), " ") + "\n")
		}
	}
	if len(c.Prompts.Sections) > 0 {
		say("\nThe sections of the system prompt, after prompts.identity:\n")
	}
	for _, s := range c.Prompts.Sections {
		say("\n## " + s.Title + "\n")
		say(s.Text)
		if s.Of != fsm.OfText {
			say("<" + string(s.Of) + ">\n")
		}
	}
	say("\nThe builtin tools:\n\n")
	for _, t := range c.builtin {
		say(t.Name + " (" + string(t.Effects) + "): " + t.Description + "\n")
	}
	if len(c.builtin) == 0 {
		say("none\n")
	}
	if len(c.labels) > 0 {
		say("\nThe profile's names for the states of an inference:\n\n")
	}
	for _, l := range c.labels {
		say(string(l.State) + ": " + string(l.Label) + "\n")
	}
	return b.String()
}

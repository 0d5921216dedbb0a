package skill

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"shelly/sim/strict"
)

// Front is the front matter of a SKILL.md. Each text is one line.
type Front struct {
	Name          string   // the same as its folder's
	Description   string   // what it does and when to use it, at most 1,024 characters
	License       string   // of its files
	Compatibility string   // what it needs from the machine
	Metadata      []Entry  // the author's own entries, in order
	AllowedTools  []string // the tools that its author would allow; this has no effect (SKL-12)
	Always        bool     // the key always, or always in metadata (SKL-11)

	unknown []string // keys that the specification does not have
	mended  bool     // it was not YAML until a text was put in quotes
	unnamed bool     // it has no name, so its folder's is used
}

// Entry is one text of the metadata.
type Entry struct{ Key, Value string }

// fence matches the lines around the front matter.
var fence = regexp.MustCompile(`(?m)^---[ \t]*$`)

// parse splits a SKILL.md into front matter and body.
func parse(text string) (front Front, body string, err error) {
	fences := fence.FindAllStringIndex(text, 2)
	switch {
	case len(fences) == 0 || fences[0][0] > 0:
		return front, "", fmt.Errorf("%s does not begin with a line ---, as its front matter must", fileName)
	case len(fences) == 1:
		return front, "", fmt.Errorf("the front matter of %s does not end with a line ---", fileName)
	}
	head, body := text[fences[0][1]:fences[1][0]], text[fences[1][1]:]
	if front, err = readFront(head); err != nil {
		mended, mendErr := readFront(quoted(head))
		if mendErr != nil {
			return front, "", fmt.Errorf("the front matter of %s is not YAML with texts name and description and a truth value always: %s",
				fileName, strings.Join(strings.Fields(err.Error()), " "))
		}
		front, front.mended = mended, true
	}
	body = strings.TrimSpace(body)
	switch {
	case front.Description == "":
		err = errors.New("it has no description, from which the model could choose it")
	case len(front.Description) > summaryBytesMax || utf8.RuneCountInString(front.Description) > 1024:
		err = fmt.Errorf("its description is %d characters long and the most is 1024", utf8.RuneCountInString(front.Description))
	case body == "":
		err = fmt.Errorf("there are no instructions after the front matter of %s", fileName)
	default:
		err = nil
	}
	return front, body, err
}

// readFront reads the front matter. Any scalar is a text, and keys that the specification does
// not know are ignored, because skills are written for other programs too.
func readFront(text string) (front Front, err error) {
	root, problem := strict.Parse([]byte(text), "front matter", "")
	if problem != nil {
		return front, strict.Failed(fileName, nil, []strict.Problem{*problem})
	}
	if root == nil {
		return front, nil
	}
	var d strict.Decoder
	d.Members(root, "", func(key, value *strict.Node, at string) {
		switch value = value.Follow(); key.Value {
		case "name":
			front.Name = textOf(&d, value, at)
		case "description":
			front.Description = textOf(&d, value, at)
		case "license":
			front.License = textOf(&d, value, at)
		case "compatibility":
			front.Compatibility = textOf(&d, value, at)
		case "allowed-tools":
			front.AllowedTools = toolsOf(value)
		case "metadata":
			front.Metadata = front.readMetadata(&d, value)
		case "always":
			front.Always = truth(&d, value, at)
		default:
			front.unknown = append(front.unknown, key.Value)
		}
	})
	return front, strict.Failed(fileName, nil, d.Problems)
}

// readMetadata reads the texts of the metadata; other values are ignored.
func (f *Front) readMetadata(d *strict.Decoder, n *strict.Node) []Entry {
	var entries []Entry
	if n.Kind != strict.MapKind {
		return nil
	}
	d.Members(n, "metadata", func(key, value *strict.Node, at string) {
		value = value.Follow()
		if key.Value == "always" {
			f.Always = f.Always || truth(d, value, at)
		}
		if value.Scalar() {
			entries = append(entries, Entry{key.Value, strings.Join(strings.Fields(value.Value), " ")})
		}
	})
	return entries
}

// toolsOf reads a list of tools, as a text with blanks or commas or as a list.
func toolsOf(n *strict.Node) []string {
	if n.Scalar() {
		return strings.FieldsFunc(n.Value, func(r rune) bool { return r == ' ' || r == ',' || r == '\n' || r == '\t' })
	}
	var tools []string
	if n.Kind != strict.ListKind {
		return nil
	}
	for _, item := range n.Content {
		if item = item.Follow(); item.Scalar() {
			tools = append(tools, item.Value)
		}
	}
	return tools
}

func truth(d *strict.Decoder, n *strict.Node, at string) bool {
	switch word := textOf(d, n, at); strings.ToLower(word) {
	case "true", "yes", "on", "y":
		return true
	case "", "false", "no", "off", "n":
	default:
		d.Add(n, at, "wants true or false, not "+n.String())
	}
	return false
}

func textOf(d *strict.Decoder, n *strict.Node, path string) string {
	switch {
	case n.Kind == strict.NullKind:
		return ""
	case !n.Scalar():
		d.Add(n, path, "wants text, not "+n.String())
	}
	return strings.Join(strings.Fields(n.Value), " ")
}

// plain matches a line with an unquoted text that YAML may misread, such as one with a colon.
var plain = regexp.MustCompile(`(?m)^(name|description|license|compatibility|allowed-tools):[ \t]+([^'"|>\s].*)$`)

// quoted puts the texts on such lines in quotes, unless a line is good as it is.
func quoted(front string) string {
	return plain.ReplaceAllStringFunc(front, func(line string) string {
		if _, err := readFront(line); err == nil {
			return line
		}
		key, value, _ := strings.Cut(line, ":")
		return key + ": '" + strings.ReplaceAll(strings.TrimSpace(value), "'", "''") + "'"
	})
}

var usable = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\pL\pN][\pL\pN\pM_.-]*$`) })

func checkName(name string) error {
	if len(name) > nameBytesMax || utf8.RuneCountInString(name) > 64 || !usable().MatchString(name) {
		return fmt.Errorf("the name %q is not made of letters, digits, '-', '_' and '.', at most 64 characters", name)
	}
	return nil
}

package spec

import (
	"regexp"
	"strings"
)

// scanScenario reads what a scenario covers. Every word under covers is taken for a rule,
// so that a mistyped one is found. The file is read line by line; a file that is not YAML
// is for the scenario loader to report.
func scanScenario(name string, src []byte) []citation {
	title := name
	if found := regexp.MustCompile(`(?m)^name: *(.+?) *$`).FindSubmatch(src); found != nil {
		title = string(found[1])
	}
	var all []citation
	list := covers{}
	for i, line := range strings.Split(string(src), "\n") {
		for _, id := range list.words(line) {
			all = append(all, citation{id: id, kind: inScenario, Place: Place{File: name, Line: i + 1, Text: title}})
		}
	}
	return all
}

// covers follows the lists under the key covers, in either of YAML's two forms.
type covers struct {
	flow  bool // after an open bracket
	block bool // among items that begin with a dash
}

// words returns the words that a line adds to the list.
func (c *covers) words(line string) []string {
	line = uncommented(line)
	trimmed := strings.TrimSpace(line)
	rest, begins := strings.CutPrefix(strings.TrimPrefix(trimmed, "- "), "covers:")
	switch {
	case c.flow:
		return c.items(trimmed)
	case begins:
		rest = strings.TrimSpace(rest)
		c.block = rest == ""
		if rest, c.flow = strings.CutPrefix(rest, "["); c.flow {
			return c.items(rest)
		}
		return split(rest)
	case c.block && strings.HasPrefix(trimmed, "- "):
		return split(trimmed[2:])
	case trimmed != "":
		c.block = false
	}
	return nil
}

// items returns the words before the closing bracket, if it is there.
func (c *covers) items(text string) []string {
	text, _, closed := strings.Cut(text, "]")
	c.flow = !closed
	return split(text)
}

func split(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(", \t\r\"'", r) })
}

// uncommented returns a line without its comment.
func uncommented(line string) string {
	if strings.HasPrefix(line, "#") {
		return ""
	}
	text, _, _ := strings.Cut(line, " #")
	return text
}

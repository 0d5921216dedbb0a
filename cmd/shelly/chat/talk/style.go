package talk

import (
	"strings"

	"shelly/cmd/shelly/internal/markdown"
	"shelly/cmd/shelly/internal/terminal"
)

// style puts attributes and colours around texts (ECMA-48). Without colours the attributes
// stay.
type style struct{ colours bool }

func (s style) with(on, off, text string) string {
	if text == "" {
		return ""
	}
	return "\x1b[" + on + "m" + text + "\x1b[" + off + "m"
}

func (s style) colour(code, text string) string {
	if !s.colours {
		return text
	}
	return s.with(code, "39", text)
}

func (s style) bold(text string) string   { return s.with("1", "22", text) }
func (s style) dim(text string) string    { return s.with("2", "22", text) }
func (s style) italic(text string) string { return s.with("3", "23", text) }
func (s style) red(text string) string    { return s.colour("31", text) }
func (s style) green(text string) string  { return s.colour("32", text) }
func (s style) yellow(text string) string { return s.colour("33", text) }
func (s style) purple(text string) string { return s.colour("35", text) }
func (s style) cyan(text string) string   { return s.colour("36", text) }

// markdown returns the style of replies.
func (s style) markdown() markdown.Style {
	return markdown.Style{
		Bold: s.bold, Italic: s.italic, Code: s.cyan, Heading: s.bold, Quote: s.dim,
		Link: func(text string) string { return s.with("4", "24", text) },
	}
}

// clean returns a text from outside without anything that could act on a terminal. All that
// comes from a model, a tool, a file or a message goes through it.
func clean(text string) string {
	text = strings.NewReplacer("\r\n", "\n", "\t", "    ").Replace(strings.ToValidUTF8(text, "\uFFFD"))
	return terminal.Printable(text)
}

func line(text string) string { return strings.Join(strings.Fields(clean(text)), " ") }

// hanging wraps a text; continuation lines are indented like its beginning.
func hanging(text string, columns int) []string {
	var lines []string
	for l := range strings.SplitSeq(text, "\n") {
		rest := strings.TrimLeft(l, " ")
		indent := min(len(l)-len(rest), columns/2)
		for _, part := range markdown.Wrap(rest, columns-indent) {
			lines = append(lines, strings.Repeat(" ", indent)+part)
		}
	}
	return lines
}

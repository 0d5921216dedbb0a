// Package markdown renders the Markdown that a model writes for a terminal, wrapped to a width,
// with nothing in it that acts on the terminal but its own colours and attributes.
//
// The parser is goldmark's core, CommonMark without extensions; tables are parsed here. Both
// together cost each start of the program 0.6 ms, where glamour's highlighter costs 15 ms.
package markdown

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"sync"

	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"shelly/cmd/shelly/internal/terminal"
)

// Style is how the parts of a text are shown: each function puts a text between the codes that
// switch an attribute on and off. A nil function leaves the text as it is.
type Style struct {
	Bold, Italic, Code, Heading, Quote, Link func(string) string
}

func (s Style) with(f func(string) string, text string) string {
	if f == nil || text == "" {
		return text
	}
	return f(text)
}

// widthMin is the smallest width that text is wrapped to. What would be nested so deep that less is
// left is not indented any further.
const widthMin = 8

// Render returns a text as lines that fit a width in columns. The text must be free of control
// characters other than line ends. One that would take long is only wrapped.
func Render(source string, width int, s Style) []string {
	if heavy(source) {
		return Wrap(source, max(width, widthMin))
	}
	data := []byte(source)
	r := renderer{source: data, style: s}
	root := parser().Parse(text.NewReader(data))
	return r.blocks(root, max(width, widthMin))
}

// parser is created on first use: most starts of the program do not need it.
var parser = sync.OnceValue(goldmark.DefaultParser)

type renderer struct {
	source []byte
	style  Style
}

// blocks returns the lines of the blocks in a node, with a blank line between two of them.
func (r renderer) blocks(parent ast.Node, width int) []string {
	var lines []string
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		part := r.block(n, width)
		if len(lines) > 0 && len(part) > 0 && n.Kind() != ast.KindTextBlock && !tight(n) {
			lines = append(lines, "")
		}
		lines = append(lines, part...)
	}
	return lines
}

// tight reports whether a block follows the one before it without a blank line, as a list does
// in an item of a tight list.
func tight(n ast.Node) bool {
	before := n.PreviousSibling()
	return before != nil && before.Kind() == ast.KindTextBlock
}

func (r renderer) block(n ast.Node, width int) []string {
	switch n := n.(type) {
	case *ast.Heading:
		return r.wrapped(r.inline(n), width, func(line string) string { return r.style.with(r.style.Heading, line) })
	case *ast.Paragraph, *ast.TextBlock:
		if before, rows := r.table(n); rows != nil {
			lines := Render(before, width, r.style)
			if len(lines) > 0 {
				lines = append(lines, "")
			}
			return append(lines, r.tabular(rows, width)...)
		}
		return r.wrapped(r.inline(n), width, nil)
	case *ast.FencedCodeBlock, *ast.CodeBlock, *ast.HTMLBlock:
		return r.code(n, width)
	case *ast.Blockquote:
		if width-2 < widthMin {
			return r.blocks(n, width)
		}
		lines := r.blocks(n, width-2)
		for i, line := range lines {
			lines[i] = r.style.with(r.style.Quote, "│ ") + line
		}
		return lines
	case *ast.List:
		return r.list(n, width)
	case *ast.ThematicBreak:
		return []string{r.style.with(r.style.Quote, strings.Repeat("─", min(width, 40)))}
	default:
		return r.blocks(n, width)
	}
}

// list renders each item with its mark, and its content indented.
func (r renderer) list(l *ast.List, width int) []string {
	var lines []string
	number := l.Start
	for item := l.FirstChild(); item != nil; item = item.NextSibling() {
		mark := "• "
		if l.IsOrdered() {
			mark = fmt.Sprintf("%d. ", number)
			number++
		}
		if len(lines) > 0 && !l.IsTight {
			lines = append(lines, "")
		}
		left := width - len([]rune(mark))
		if left < widthMin {
			lines = append(lines, Wrap(strings.TrimSpace(mark), width)...)
			lines = append(lines, r.blocks(item, width)...)
			continue
		}
		inside := r.blocks(item, left)
		if len(inside) == 0 {
			inside = []string{""}
		}
		for i, line := range inside {
			switch {
			case i == 0:
				line = mark + line
			case line != "":
				line = strings.Repeat(" ", len([]rune(mark))) + line
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// code renders lines as they are, cut if they are too wide, so that a copied line stays one
// line.
func (r renderer) code(n ast.Node, width int) []string {
	var lines []string
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		text := strings.ReplaceAll(strings.TrimRight(string(line.Value(r.source)), "\n"), "\t", "    ")
		for _, part := range strings.Split(ansi.Hardwrap(text, width-2, true), "\n") {
			lines = append(lines, "  "+r.style.with(r.style.Code, part))
		}
	}
	return lines
}

// wrapped wraps a styled text. The style is switched off at the end of each line and on again
// in the next.
func (r renderer) wrapped(text string, width int, each func(string) string) []string {
	lines := Wrap(text, width)
	if each != nil {
		for i := range lines {
			lines[i] = each(lines[i])
		}
	}
	return lines
}

// inline returns the text of a block's inline nodes, styled.
func (r renderer) inline(parent ast.Node) string {
	var b strings.Builder
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Text:
			b.WriteString(resolved(n.Value(r.source)))
			if n.HardLineBreak() || n.SoftLineBreak() {
				b.WriteString("\n")
			}
		case *ast.String:
			b.Write(n.Value)
		case *ast.CodeSpan:
			b.WriteString(r.style.with(r.style.Code, r.plain(n)))
		case *ast.Emphasis:
			f := r.style.Italic
			if n.Level > 1 {
				f = r.style.Bold
			}
			b.WriteString(r.style.with(f, r.inline(n)))
		case *ast.Link:
			b.WriteString(r.link(r.inline(n), resolved(n.Destination)))
		case *ast.Image:
			b.WriteString(r.link(r.inline(n), resolved(n.Destination)))
		case *ast.AutoLink:
			b.WriteString(r.style.with(r.style.Link, string(n.URL(r.source))))
		case *ast.RawHTML:
			for i := range n.Segments.Len() {
				part := n.Segments.At(i)
				b.Write(part.Value(r.source))
			}
		default:
			b.WriteString(r.inline(n))
		}
	}
	return b.String()
}

// link shows the target of a link after its label, because a terminal would hide it.
func (r renderer) link(label, to string) string {
	if label == to || label == "" {
		return r.style.with(r.style.Link, to)
	}
	return label + " (" + r.style.with(r.style.Link, to) + ")"
}

// plain returns the text of a node without any style.
func (r renderer) plain(parent ast.Node) string {
	var b strings.Builder
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		if t, ok := n.(*ast.Text); ok {
			b.Write(t.Value(r.source))
			if t.SoftLineBreak() {
				b.WriteByte(' ')
			}
		}
	}
	return b.String()
}

// written matches a backslash before punctuation, or a character reference (CommonMark 2.4, 2.5).
var written = regexp.MustCompile("\\\\[!-/:-@[-`{-~]|&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")

// resolved returns what a text with backslashes and character references stands for. What names
// nothing, or would act on the terminal, stays as it is written.
func resolved(raw []byte) string {
	return written.ReplaceAllStringFunc(string(raw), func(part string) string {
		if part[0] == '\\' {
			return part[1:]
		}
		if name := part[1 : len(part)-1]; name[0] != '#' {
			if _, known := util.LookUpHTML5EntityByName(name); !known {
				return part
			}
		}
		text := html.UnescapeString(part)
		if strings.ContainsAny(text, "\n\t") || terminal.Printable(text) != text {
			return part
		}
		return text
	})
}

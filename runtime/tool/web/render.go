package web

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// rendering turns HTML into text: headings, paragraphs, lists, tables and code in Markdown,
// links as their words.
type rendering struct {
	out    strings.Builder
	breaks int  // ends of lines that are due before the next word
	blank  bool // a blank is due before the next word
	pre    bool // blanks are significant
	lists  []int
	sign   string // of a heading, due before its first word
	marked int    // the length of out after the last sign that begins a line
}

// String is the text without blanks at its ends.
func (r *rendering) String() string { return strings.TrimSpace(r.out.String()) }

func (r *rendering) children(n *html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		r.node(c)
	}
}

func (r *rendering) node(n *html.Node) {
	switch {
	case n.Type == html.TextNode:
		r.text(n.Data)
	case n.Type != html.ElementNode || unread(n):
	default:
		r.element(n)
	}
}

// unread reports whether an element holds nothing for a reader: a browser does not show it, or
// it surrounds the text of a page.
func unread(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Svg, atom.Math, atom.Iframe, atom.Object, atom.Canvas, atom.Head,
		atom.Nav, atom.Aside, atom.Button, atom.Select, atom.Input, atom.Textarea, atom.Dialog, atom.Audio, atom.Video:
		return true
	case atom.Header, atom.Footer:
		return n.Parent != nil && n.Parent.DataAtom == atom.Body
	}
	if slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "hidden" }) || attribute(n, "aria-hidden") == "true" {
		return true
	}
	style := strings.ReplaceAll(strings.ToLower(attribute(n, "style")), " ", "")
	return strings.Contains(style, "display:none") || strings.Contains(style, "visibility:hidden")
}

func (r *rendering) element(n *html.Node) {
	switch n.DataAtom {
	case atom.Br:
		r.breaks = max(r.breaks, 1)
	case atom.Hr:
		r.block(2, func() { r.word("---") })
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		r.block(2, func() {
			r.sign = strings.Repeat("#", int(n.Data[1]-'0')) + " "
			r.children(n)
			r.sign = "" // it had no words, such as a logo
		})
	case atom.Pre:
		r.block(2, func() { r.code(n) })
	case atom.Ul, atom.Ol, atom.Menu:
		r.list(n)
	case atom.Li:
		r.block(1, func() { r.item(n) })
	case atom.Tr, atom.Dt, atom.Dd, atom.Option, atom.Figcaption, atom.Caption:
		r.block(1, func() { r.children(n) })
	case atom.Td, atom.Th:
		if previous(n) {
			r.word("|")
			r.blank = true
		}
		r.children(inner(n))
		r.blank = true
	case atom.Img:
		if alt := strings.TrimSpace(attribute(n, "alt")); alt != "" {
			r.text(" [image: " + alt + "] ")
		}
	case atom.P, atom.Div, atom.Section, atom.Article, atom.Main, atom.Table, atom.Blockquote, atom.Dl, atom.Figure, atom.Header, atom.Footer,
		atom.Address, atom.Details, atom.Summary, atom.Fieldset, atom.Form:
		first := r.out.Len() == r.marked // in an item, on whose line it begins
		r.block(paragraph(n), func() {
			if first && r.sign == "" {
				r.breaks = 0
			}
			r.children(n)
		})
	default:
		r.children(n)
	}
}

// inner returns what holds the contents of a cell: the cell, or the paragraph that is all that is in it,
// which stays on the line of its row.
func inner(n *html.Node) *html.Node {
	for {
		var only *html.Node
		for c := range n.ChildNodes() {
			switch {
			case c.Type == html.CommentNode, c.Type == html.TextNode && strings.TrimSpace(c.Data) == "", c.Type == html.ElementNode && unread(c):
			case only != nil:
				return n
			default:
				only = c
			}
		}
		if only == nil || only.DataAtom != atom.P && only.DataAtom != atom.Div {
			return n
		}
		n = only
	}
}

// paragraph is how many line ends surround a block.
func paragraph(n *html.Node) int {
	if n.DataAtom == atom.Div {
		return 1
	}
	return 2
}

// previous reports whether a cell comes before this one.
func previous(n *html.Node) bool {
	for p := n.PrevSibling; p != nil; p = p.PrevSibling {
		if p.DataAtom == atom.Td || p.DataAtom == atom.Th {
			return true
		}
	}
	return false
}

// block renders something on lines of its own.
func (r *rendering) block(breaks int, fn func()) {
	if len(r.lists) > 0 {
		breaks = 1
	}
	r.breaks = max(r.breaks, breaks)
	fn()
	r.breaks = max(r.breaks, breaks)
}

func (r *rendering) list(n *html.Node) {
	start := -1 // not numbered
	if n.DataAtom == atom.Ol {
		start = 1
		if first, err := strconv.Atoi(attribute(n, "start")); err == nil {
			start = max(first, 0)
		}
	}
	r.block(2, func() {
		r.lists = append(r.lists, start)
		r.children(n)
		r.lists = r.lists[:len(r.lists)-1]
	})
}

func (r *rendering) item(n *html.Node) {
	depth := len(r.lists) - 1
	sign := "- "
	if depth >= 0 && r.lists[depth] >= 0 {
		sign = strconv.Itoa(r.lists[depth]) + ". "
		r.lists[depth]++
	}
	r.mark(strings.Repeat("  ", min(max(depth, 0), 8)) + sign)
	r.children(n)
}

func (r *rendering) code(n *html.Node) {
	r.mark("```\n")
	r.pre = true
	r.children(n)
	r.pre = false
	r.breaks = 0
	if !strings.HasSuffix(r.out.String(), "\n") {
		r.out.WriteByte('\n')
	}
	r.out.WriteString("```")
}

// text adds the words of a text; blanks are folded unless they are significant.
func (r *rendering) text(s string) {
	if r.pre {
		r.flush()
		r.out.WriteString(s)
		return
	}
	if s == "" {
		return
	}
	fields := strings.Fields(s)
	if first, _ := utf8.DecodeRuneInString(s); unicode.IsSpace(first) {
		r.blank = true
	}
	for i, w := range fields {
		r.blank = r.blank || i > 0
		r.word(w)
	}
	last, _ := utf8.DecodeLastRuneInString(s)
	r.blank = r.blank || unicode.IsSpace(last)
}

// word adds a word.
func (r *rendering) word(w string) {
	r.flush()
	r.out.WriteString(w)
}

// mark adds a sign that begins a line.
func (r *rendering) mark(s string) {
	r.flush()
	r.out.WriteString(s)
	r.blank, r.marked = false, r.out.Len()
}

// flush adds what is due before the next word.
func (r *rendering) flush() {
	switch {
	case r.out.Len() == 0:
	case r.breaks > 0:
		r.out.WriteString("\n\n"[:min(r.breaks, 2)])
	case r.blank:
		r.out.WriteByte(' ')
	}
	r.out.WriteString(r.sign)
	r.breaks, r.blank, r.sign = 0, false, ""
}

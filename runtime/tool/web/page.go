package web

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"shelly/fsm/wording"
)

// page returns the text of an HTML page in UTF-8: its links if asked for, its title and its main
// part. The links come first, because the end of the text may be cut (TOL-4). It is empty if ctx is
// done before the page has been parsed.
func page(ctx context.Context, b []byte, at *url.URL, links bool) string {
	doc, err := html.Parse(&source{ctx, bytes.NewReader(b)})
	switch {
	case ctx.Err() != nil:
		return ""
	case err != nil: // nested too deeply
		return visible(words(b))
	}
	main := mainPart(doc)
	r := rendering{}
	r.children(main)
	text := r.String()
	if title := titleOf(doc); title != "" && !headed(text, title) {
		text = "# " + title + "\n\n" + text
	}
	if links {
		text = linksOf(main, at, base(doc, at)) + "\n\n" + text
	}
	return visible(text)
}

// source is a page that can be parsed until ctx is done. There are pages for which the library takes
// the square of their length.
type source struct {
	ctx  context.Context
	from io.Reader
}

// sourceBytes is how much of a page is parsed before ctx is looked at again.
const sourceBytes = 4 << 10

// Read implements [io.Reader].
func (s *source) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.from.Read(p[:min(len(p), sourceBytes)])
}

// headed reports whether a text begins with its title, or with a part of it.
func headed(text, title string) bool {
	line, _, _ := strings.Cut(text, "\n")
	heading, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " ")
	return ok && strings.HasPrefix(line, "#") && strings.Contains(title, heading)
}

// words returns the text of HTML that cannot be parsed as a tree.
func words(b []byte) string {
	var out strings.Builder
	z := html.NewTokenizer(bytes.NewReader(b))
	skip := ""
	for {
		switch z.Next() {
		case html.ErrorToken:
			if z.Err() != io.EOF {
				out.WriteString("\n[the rest of the page cannot be read]")
			}
			return strings.Join(strings.Fields(out.String()), " ")
		case html.StartTagToken:
			name, _ := z.TagName()
			if skip == "" && slices.Contains([]string{"script", "style", "noscript", "template"}, string(name)) {
				skip = string(name)
			}
		case html.EndTagToken:
			if name, _ := z.TagName(); string(name) == skip {
				skip = ""
			}
		case html.TextToken:
			if skip == "" {
				out.Write(z.Text())
				out.WriteByte(' ')
			}
		}
	}
}

// A part that is marked as the main one counts as such if it has at least leastPart percent of
// the page's text and at least leastText bytes.
const (
	leastPart = 20
	leastText = 200
)

// mainPart returns the part of a page that is worth reading: the part marked as the main one, or
// the only article, unless it is a mere scrap of the page; else the body.
func mainPart(doc *html.Node) *html.Node {
	body := first(doc, func(n *html.Node) bool { return n.DataAtom == atom.Body })
	if body == nil {
		return doc
	}
	all := textLength(body)
	articles := count(body, atom.Article)
	for _, is := range []func(*html.Node) bool{
		func(n *html.Node) bool { return n.DataAtom == atom.Main || attribute(n, "role") == "main" },
		func(n *html.Node) bool { return n.DataAtom == atom.Article && articles == 1 },
	} {
		if n := first(body, is); n != nil {
			if l := textLength(n); l >= leastText && l*100 >= all*leastPart {
				return n
			}
		}
	}
	return body
}

// textLength is the length of a part's text, counting only what is rendered.
func textLength(n *html.Node) int {
	r := rendering{}
	r.children(n)
	return r.out.Len()
}

func titleOf(doc *html.Node) string {
	n := first(doc, func(n *html.Node) bool { return n.DataAtom == atom.Title && n.Namespace == "" }) // a picture may have one, too
	if n == nil || n.FirstChild == nil {
		return ""
	}
	return strings.Join(strings.Fields(n.FirstChild.Data), " ")
}

// Bounds of the list of links. It takes at most half of a result, unless tools.result_bytes_max
// is below its default.
const (
	linksMax      = 60
	linkBytesMax  = 300     // of an address
	linksBytesMax = 8 << 10 // of all
)

// base returns the address that the links of a page are relative to.
func base(doc *html.Node, at *url.URL) *url.URL {
	n := first(doc, func(n *html.Node) bool { return n.DataAtom == atom.Base && attribute(n, "href") != "" })
	if n == nil {
		return at
	}
	u, err := at.Parse(strings.TrimSpace(attribute(n, "href")))
	if err != nil {
		return at
	}
	return u
}

// linksOf lists the links of a part of the page at an address, each address once.
func linksOf(n *html.Node, at, base *url.URL) string {
	var out strings.Builder
	seen := map[string]bool{}
	left := 0
	for d := range n.Descendants() {
		if d.DataAtom != atom.A || d.Type != html.ElementNode {
			continue
		}
		u, err := base.Parse(strings.TrimSpace(attribute(d, "href")))
		if err != nil || checkAddress(u) != nil || len(u.String()) > linkBytesMax || seen[u.String()] || u.String() == at.String() {
			continue
		}
		seen[u.String()] = true
		if len(seen) > linksMax || left > 0 {
			left++
			continue
		}
		r := rendering{}
		r.children(d)
		name := cmp.Or(wording.Clip(strings.Join(strings.Fields(r.String()), " "), 80), "(no text)")
		line := fmt.Sprintf("- %s: %s\n", name, u)
		if out.Len()+len(line) > linksBytesMax {
			left++
			continue
		}
		out.WriteString(line)
	}
	if out.Len() == 0 {
		return "[no links]"
	}
	if left > 0 {
		fmt.Fprintf(&out, "[%d more]\n", left)
	}
	return "Links:\n" + strings.TrimSuffix(out.String(), "\n")
}

func first(n *html.Node, is func(*html.Node) bool) *html.Node {
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && is(d) {
			return d
		}
	}
	return nil
}

func count(n *html.Node, what atom.Atom) int {
	found := 0
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && d.DataAtom == what {
			found++
		}
	}
	return found
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Namespace == "" && a.Key == name {
			return a.Val
		}
	}
	return ""
}

package heard

import "strings"

const (
	thinkOpen  = "<think>"
	thinkClose = "</think>"
)

// Splitter moves <think>…</think> out of content that arrives in pieces (BRN-6). Some models
// leave the tags in, and thinking must not reach a reply.
type Splitter struct {
	held   string // what may be the beginning of a tag
	inside bool
	opened bool // a tag has been seen
	trim   bool // drop blanks before the text that follows a closing tag
}

// Put returns the text and the thinking that are certain once s has arrived.
func (p *Splitter) Put(s string) (text, thinking string) {
	s, p.held = p.held+s, ""
	var said, thought strings.Builder // one piece may have a million tags
	for {
		tag := thinkOpen
		if p.inside {
			tag = thinkClose
		}
		before, after, found := strings.Cut(s, tag)
		if !found {
			n := overlap(s, tag)
			before, p.held = s[:len(s)-n], s[len(s)-n:]
		}
		text, thinking = p.route(before)
		said.WriteString(text)
		thought.WriteString(thinking)
		if !found {
			return said.String(), thought.String()
		}
		p.trim = p.inside
		p.inside, p.opened = !p.inside, true
		s = after
	}
}

// End returns what was held back, at the end of the content.
func (p *Splitter) End() (text, thinking string) {
	held := p.held
	p.held = ""
	return p.route(held)
}

func (p *Splitter) route(s string) (text, thinking string) {
	if p.inside {
		return "", s
	}
	if p.trim {
		s = strings.TrimLeft(s, " \t\r\n")
		p.trim = s == ""
	}
	return s, ""
}

// overlap returns the length of the longest suffix of s that begins tag.
func overlap(s, tag string) int {
	for n := min(len(s), len(tag)-1); n > 0; n-- {
		if strings.HasSuffix(s, tag[:n]) {
			return n
		}
	}
	return 0
}

// Orphaned splits all the text that Put and End have returned if it has a closing tag although
// no opening one has come: with some models the prompt ends with the opening tag.
func (p *Splitter) Orphaned(all string) (text, thinking string) {
	thinking, text, found := strings.Cut(all, thinkClose)
	if p.opened || !found {
		return all, ""
	}
	return strings.TrimLeft(text, " \t\r\n"), thinking
}

// Text splits a whole text.
func Text(whole string) (text, thinking string) {
	if !strings.Contains(whole, "think>") {
		return whole, ""
	}
	var p Splitter
	text, thinking = p.Put(whole)
	held, thought := p.End()
	text, orphan := p.Orphaned(text + held)
	return text, thinking + thought + orphan
}

// Plain is what a model must say for text to be heard whole, tags and all. Only blanks before
// a closing tag, and an opening tag, cannot be said.
func Plain(text string) string {
	if heard, _ := Text(text); heard != text {
		return thinkOpen + thinkClose + text
	}
	return text
}

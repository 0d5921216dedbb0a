package ollama

import "strings"

const (
	thinkOpen  = "<think>"
	thinkClose = "</think>"
)

// splitter moves <think>…</think> out of streamed content (BRN-6). Some models leave the tags in,
// and thinking must not reach a reply.
type splitter struct {
	held   string // what may be the beginning of a tag
	inside bool
	opened bool // a tag has been seen
	trim   bool // drop blanks before the text that follows a closing tag
}

// feed returns the text and the thinking that are certain once s has arrived.
func (p *splitter) feed(s string) (text, thinking string) {
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

// flush returns what was held back, at the end of the stream.
func (p *splitter) flush() (text, thinking string) {
	held := p.held
	p.held = ""
	return p.route(held)
}

func (p *splitter) route(s string) (text, thinking string) {
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

// orphaned splits a whole text that has a closing tag but no opening one: with some models the
// prompt ends with the opening tag.
func orphaned(whole string) (text, thinking string) {
	thinking, text, found := strings.Cut(whole, thinkClose)
	if !found {
		return whole, ""
	}
	return strings.TrimLeft(text, " \t\r\n"), thinking
}

package export

import (
	"bytes"
	"slices"
	"strings"

	"shelly/fsm"
)

// unseen stands for each byte of a kept result that the request has not seen; unseenVar is the
// variable that stands for unseenRun of them.
const (
	unseen    = '.'
	unseenVar = "unseen"
	unseenRun = 4096
)

// shortened is a scenario in which long runs of unseen bytes are variables: a result that is
// kept has up to a megabyte of them, and a file may have four (SCN-19).
func shortened(text string) (string, error) {
	run := strings.Repeat(string(unseen), unseenRun)
	short := strings.ReplaceAll(text, string(unseen)+run, string(unseen)+"${"+unseenVar+"}") // what follows a $ would be no variable
	if short == text {
		return text, nil
	}
	vars, err := object{{"vars", object{{unseenVar, run}}}}.render()
	return vars + short, err
}

// whole is a result of which a request has seen the beginning and the end, and what it
// has read on in (TXT-9).
func (s *story) whole(head string, kept fsm.Kept) string {
	if len(head)+len(kept.Tail) >= kept.Bytes {
		return head
	}
	text := s.seen(kept.Ref, kept.Bytes)
	copy(text, head)
	copy(text[kept.Bytes-len(kept.Tail):], kept.Tail)
	return string(text)
}

// seen is what a request has read on in of a kept result, each part at its place.
func (s *story) seen(ref string, size int) []byte {
	text := bytes.Repeat([]byte{unseen}, size)
	for _, c := range of[fsm.ReadText](s) {
		read, _ := c.effect.(fsm.ReadText)
		if in, ok := c.answer.Fact.(fsm.TextRead); ok && read.Ref == ref && in.From < size {
			copy(text[in.From:], in.Text)
		}
	}
	return text
}

// texts are the results that a session has kept: those that the request has read on in,
// and the numbers of the others, which stay taken.
func (s *story) texts(is fsm.Session) []any {
	var list []any
	for _, t := range is.Texts {
		text := ""
		if slices.ContainsFunc(of[fsm.ReadText](s), func(c *call) bool { read, _ := c.effect.(fsm.ReadText); return read.Ref == t.Ref }) {
			text = string(s.seen(t.Ref, t.Bytes))
		}
		list = append(list, object{{"number", t.Number}, {"text", text}})
	}
	return list
}

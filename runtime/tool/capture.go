package tool

import (
	"slices"
	"unicode/utf8"

	"shelly/fsm/wording"
)

// capture keeps the beginning and the end of an output of any length. It never
// holds more than three times half bytes.
type capture struct {
	half int // bytes kept of each end
	head []byte
	tail []byte
	cut  int64 // bytes dropped between them
}

// Write takes all of p.
func (c *capture) Write(p []byte) (int, error) {
	n := len(p)
	take := min(c.half-len(c.head), n)
	c.head = append(c.head, p[:take]...)
	p = p[take:]
	if over := len(p) - c.half; over > 0 {
		c.cut += int64(over)
		p = p[over:]
	}
	c.tail = append(c.tail, p...)
	if len(c.tail) > 2*c.half {
		c.trim()
	}
	return n, nil
}

// trim keeps only the last half bytes of the tail.
func (c *capture) trim() {
	if over := len(c.tail) - c.half; over > 0 {
		c.cut += int64(over)
		c.tail = append(c.tail[:0], c.tail[over:]...)
	}
}

// text is the kept output as it is shown, at most twice half bytes and a mark where something was
// cut. What Mend replaces may become longer than it was.
func (c *capture) text() string {
	c.trim()
	if len(c.head) == 0 {
		return "(no output)"
	}
	head, tail := whole(c.head, c.tail)
	if c.cut == 0 {
		head = slices.Concat(c.head, c.tail)
		tail = head
		if all := Mend(string(head)); len(all) <= 2*c.half {
			return all
		}
	}
	begin, n := Beginning(head, c.half)
	end, m := ending(tail, c.half)
	cut := c.cut + int64(len(c.head)+len(c.tail)-n-m)
	return begin + "\n[" + wording.Count(int(cut), "byte") + " cut here]\n" + end
}

// whole drops the parts of characters on both sides of a cut.
func whole(head, tail []byte) ([]byte, []byte) {
	for i := 1; i < utf8.UTFMax && i <= len(head); i++ {
		if last := head[len(head)-i:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				head = head[:len(head)-i]
			}
			break
		}
	}
	for i := 0; i < utf8.UTFMax-1 && len(tail) > 0 && !utf8.RuneStart(tail[0]); i++ {
		tail = tail[1:]
	}
	return head, tail
}

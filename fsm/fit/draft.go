package fit

import (
	"encoding/json"
	"slices"
	"strconv"

	"shelly/fsm"
)

// Answer returns a conversation that is to be answered, shortened to at most room tokens,
// and the new index of the message at the index at, which is not changed. The conversation
// is made shorter than it must be, so that the following prompts can continue this one.
func Answer(w fsm.Words, kept []fsm.KeptText, talk fsm.Conversation, at, room int) (fsm.Conversation, int) {
	d := newDraft(w, kept, talk, at)
	d.fit(room, room-room/4)
	return d.conversation(), d.at
}

// Aside returns a conversation that ends with a message about it, as far as it fits into
// room tokens: its results are shortened, then any of its texts, then the oldest turns are
// left out (CTX-14).
func Aside(w fsm.Words, kept []fsm.KeptText, talk fsm.Conversation, room int) fsm.Conversation {
	d := newDraft(w, kept, talk, len(talk.Messages)-1)
	d.forget()
	d.shorten(d.parts(0, d.at, true), room, floorEarlier)
	d.shorten(d.parts(0, d.at, false), room, floorEarlier)
	d.dropTurns(room)
	return d.conversation()
}

// draft is a conversation that is made to fit. It copies what it shortens.
type draft struct {
	words fsm.Words
	kept  []fsm.KeptText // results that can be read on in
	msgs  []fsm.Message
	at    int // the message that stays as it is: the question, or what is asked about the rest
	size  int // tokens of the messages
}

func newDraft(w fsm.Words, kept []fsm.KeptText, talk fsm.Conversation, at int) *draft {
	return &draft{words: w, kept: kept, msgs: slices.Clone(talk.Messages), at: at, size: talk.Tokens}
}

// The least that is left of a text, in tokens: of a text of an earlier turn, and of any text
// if the conversation would not fit without cutting it.
const (
	floorEarlier = fsm.ShortText
	floorLast    = 32
)

// part is a text of a draft that may be shortened: a message's, or the arguments of one
// of its calls.
type part struct{ msg, call, tokens int }

// noCall is the call of a part that is the text of the message itself.
const noCall = -1

// parts returns the texts of the messages from one to before another that may be
// shortened: results alone, or all.
func (d *draft) parts(from, to int, results bool) []part {
	var list []part
	for i := from; i < to; i++ {
		msg := &d.msgs[i]
		if i == d.at || results && msg.Role != fsm.RoleTool {
			continue
		}
		list = append(list, part{i, noCall, fsm.TextTokens(msg.Text)})
		for n, c := range msg.Calls {
			list = append(list, part{i, n, fsm.TextTokens(c.Args)})
		}
	}
	return list
}

// shorten cuts the longest texts of list to a common length, the greatest with which the
// draft has at most want tokens, but no less than floor.
func (d *draft) shorten(list []part, want, floor int) {
	over := d.size - want
	if over <= 0 {
		return
	}
	low, high := floor, floor // the greatest length that saves enough
	for _, p := range list {
		high = max(high, p.tokens)
	}
	for low < high {
		if mid := (low + high + 1) / 2; saved(list, mid) >= over {
			low = mid
		} else {
			high = mid - 1
		}
	}
	for _, p := range list {
		if p.tokens > low {
			d.cut(p, low)
		}
	}
}

// saved returns how many tokens are saved if no text has more than length.
func saved(list []part, length int) int {
	n := 0
	for _, p := range list {
		n += max(p.tokens-length, 0)
	}
	return n
}

func (d *draft) cut(p part, tokens int) {
	msg := &d.msgs[p.msg]
	before := fsm.MessageTokens(*msg)
	if p.call == noCall {
		msg.Text = d.shortened(*msg, tokens)
	} else {
		msg.Calls = slices.Clone(msg.Calls)
		msg.Calls[p.call].Args = d.leftOut(msg.Calls[p.call].Args)
	}
	d.size += fsm.MessageTokens(*msg) - before
}

// shortened returns the text of a message cut to a length. If it shows a kept result, it
// says how to read on (TXT-7).
func (d *draft) shortened(msg fsm.Message, tokens int) string {
	if t, ok := fsm.KeptAs(d.kept, msg.Part.Result); ok {
		return d.words.ShortenPart(msg.Text, tokens, msg.Part, t)
	}
	return d.words.Shorten(msg.Text, tokens)
}

// leftOut returns a stand-in for the arguments of a call: an object, because a model's
// server wants one.
func (d *draft) leftOut(args string) string {
	text, err := json.Marshal(map[string]string{"left_out": d.words.Text(fsm.WordArgumentsShortened, "bytes", strconv.Itoa(len(args)))})
	if err != nil { // impossible for two strings
		panic(err)
	}
	return string(text)
}

// forget drops the thinking, which no later answer needs.
func (d *draft) forget() {
	for i := range d.msgs {
		msg := &d.msgs[i]
		before := fsm.MessageTokens(*msg)
		msg.Thinking = ""
		d.size += fsm.MessageTokens(*msg) - before
	}
}

// drop removes messages.
func (d *draft) drop(from, to int) {
	for _, msg := range d.msgs[from:to] {
		d.size -= fsm.MessageTokens(msg)
	}
	d.msgs = slices.Delete(d.msgs, from, to)
	if d.at >= to {
		d.at -= to - from
	}
}

// dropTurns leaves out whole turns before the question, the oldest first.
func (d *draft) dropTurns(want int) {
	for d.size > want && d.at > 0 {
		end := 1
		for end < d.at && !d.msgs[end].Begins() {
			end++
		}
		d.drop(0, end)
	}
}

// dropRounds leaves out what the turn has done so far, oldest first: each time an answer
// with the results of its calls.
func (d *draft) dropRounds(want int) {
	for first := d.at + 1; d.size > want && first < len(d.msgs); {
		end := first + 1
		for end < len(d.msgs) && d.msgs[end].Role == fsm.RoleTool {
			end++
		}
		d.drop(first, end)
	}
}

func (d *draft) conversation() fsm.Conversation { return fsm.Conversation{}.Add(d.msgs...) }

// fit shortens a conversation that is to be answered to want tokens, and in any case to
// room: thinking, the results of earlier turns, then those of this one, then whole earlier
// turns, then anything but the question, then what this turn has done so far.
func (d *draft) fit(room, want int) {
	if d.forget(); d.size <= want {
		return
	}
	d.shorten(d.parts(0, d.at, true), want, floorEarlier)
	d.shorten(d.parts(d.at, len(d.msgs), true), want, max(room/8, floorEarlier))
	if d.size > room {
		d.dropTurns(want)
	}
	d.shorten(d.parts(0, len(d.msgs), false), room, floorLast)
	d.dropRounds(room)
}

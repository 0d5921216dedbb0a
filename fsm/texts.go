package fsm

import (
	"slices"
	"strconv"
	"unicode/utf8"
)

// Keep says what becomes of a tool's long result (TXT-1, TXT-2). The zero value keeps
// nothing: the result enters the conversation whole.
type Keep struct {
	Tokens int    `json:"tokens,omitempty"` // the result's share of the window, as estimated
	Owner  string `json:"owner,omitempty"`  // whose the text is, see [SessionOwner] and [HandleOwner]
}

// Kept is a result that is kept whole outside the journal.
type Kept struct {
	Ref    string `json:"ref,omitempty"`    // names its content; opaque to the machine
	Tail   string `json:"tail,omitempty"`   // its end, if the answer has only its beginning
	Bytes  int    `json:"bytes,omitempty"`  // of all of it
	Tokens int    `json:"tokens,omitempty"` // of all of it, as estimated
}

// KeptText is a kept result as its session knows it (TXT-4).
type KeptText struct {
	Number int    `json:"number"`
	Ref    string `json:"ref"`
	Bytes  int    `json:"bytes"`
	Tokens int    `json:"tokens"`
}

// Part is what a message shows of a kept result: the bytes from From to before To, all of
// them or with the middle left out. The zero value shows none.
type Part struct {
	Result int `json:"result,omitempty"`
	From   int `json:"from,omitempty"`
	To     int `json:"to,omitempty"`
}

// HandleOwners is the prefix of the owners that are handles.
const HandleOwners = "handle "

// SessionOwner returns the owner of the texts of a session, HandleOwner that of the texts
// of a handle that keeps no session.
func SessionOwner(session string) string { return "session " + session }
func HandleOwner(h HandleID) string      { return HandleOwners + h.Entry() }

const (
	// ShortText is the longest result that is not kept, in tokens: nor are results of
	// earlier turns made shorter than that (TXT-7).
	ShortText = 64
	// markTokens is more than the mark takes where a text was cut, keptMarkTokens more than
	// the mark in a kept one.
	markTokens     = 24
	keptMarkTokens = 56
	// textsMax is the most results that a session keeps.
	textsMax = 128
)

// Keep adds a result to those that a session keeps, and drops the oldest beyond its limits
// (TXT-6). A result that is kept already, by its content, has its number and becomes the
// newest. Keep returns the number, or 0 if the result alone has more than bytesMax bytes.
func (s *Session) Keep(kept Kept, bytesMax int) int {
	if kept.Bytes > bytesMax {
		return 0
	}
	text := KeptText{Number: s.LastText + 1, Ref: kept.Ref, Bytes: kept.Bytes, Tokens: kept.Tokens}
	texts := make([]KeptText, 0, len(s.Texts)+1)
	for _, t := range s.Texts {
		if t.Ref == kept.Ref {
			text = t
			continue
		}
		texts = append(texts, t)
	}
	s.LastText = max(s.LastText, text.Number)
	s.Texts = newestTexts(append(texts, text), bytesMax)
	return text.Number
}

// newestTexts returns those of the results, oldest first, that a session may keep (TXT-6).
func newestTexts(texts []KeptText, bytesMax int) []KeptText {
	texts = texts[max(len(texts)-textsMax, 0):]
	bytes := 0
	for _, t := range texts {
		bytes += t.Bytes
	}
	for bytes > bytesMax { // which is at least 0, as the sum of none
		bytes -= texts[0].Bytes
		texts = texts[1:]
	}
	return texts
}

// KeptAs returns the result that is kept under a number, or false.
func KeptAs(texts []KeptText, number int) (KeptText, bool) {
	i := slices.IndexFunc(texts, func(t KeptText) bool { return t.Number == number })
	if i < 0 {
		return KeptText{}, false
	}
	return texts[i], true
}

// JoinTexts adds the results that the session in the store, now, has kept in the meantime,
// under other numbers. They count as the older ones, and go first if there is not room for
// all (TXT-6).
func (s *Session) JoinTexts(now Session, bytesMax int) {
	s.LastText = max(s.LastText, now.LastText)
	var others []KeptText
	for _, t := range now.Texts {
		if _, there := KeptAs(s.Texts, t.Number); !there {
			others = append(others, t)
		}
	}
	s.Texts = newestTexts(slices.Concat(others, s.Texts), bytesMax)
}

// Admit returns what enters the conversation of a result, its beginning or all of it, and
// what is kept, still without the name of its content. It returns false if nothing is kept.
func (k Keep) Admit(text string) (string, Kept, bool) {
	tokens := TextTokens(text)
	if k.Tokens <= 0 || tokens <= min(k.Tokens, ShortText) {
		return text, Kept{}, false
	}
	kept := Kept{Bytes: len(text), Tokens: tokens}
	if tokens > k.Tokens {
		text, kept.Tail = cut(text, k.Tokens-keptMarkTokens)
	}
	return text, kept, true
}

// Result returns a result as a model is shown it when a part is left out: its head, how to
// read on in result number, and its tail.
func (w Words) Result(head string, kept Kept, number int) string {
	if len(head)+len(kept.Tail) >= kept.Bytes {
		return head
	}
	if number == 0 {
		return w.Text(WordShortened, "head", head, "tail", kept.Tail, "bytes", strconv.Itoa(kept.Bytes-len(head)-len(kept.Tail)))
	}
	return w.leftOut(head, kept.Tail, len(head), kept.Bytes-len(kept.Tail), KeptText{Number: number, Bytes: kept.Bytes, Tokens: kept.Tokens})
}

// leftOut joins a head and a tail with a mark that says which bytes of a kept result are
// missing between them.
func (w Words) leftOut(head, tail string, from, to int, k KeptText) string {
	return w.Text(WordKeptShortened, "head", head, "tail", tail, "result", strconv.Itoa(k.Number), "from", strconv.Itoa(from), "to", strconv.Itoa(to),
		"bytes", strconv.Itoa(k.Bytes), "tokens", strconv.Itoa((to-from)*k.Tokens/max(k.Bytes, 1)))
}

// Shorten returns a text of at most the given number of tokens, as estimated. If text has
// more, its middle is replaced by a mark that says how much is missing. If only the mark
// fits, only the mark is left.
func (w Words) Shorten(text string, tokens int) string {
	if TextTokens(text) <= tokens {
		return text
	}
	head, tail := cut(text, tokens-markTokens)
	return w.Text(WordShortened, "head", head, "tail", tail, "bytes", strconv.Itoa(len(text)-len(head)-len(tail)))
}

// ShortenPart is Shorten for a message that shows a part of a kept result: the mark says
// how to read on (TXT-7).
func (w Words) ShortenPart(text string, tokens int, p Part, k KeptText) string {
	if TextTokens(text) <= tokens {
		return text
	}
	head, tail := cut(text, tokens-keptMarkTokens)
	from := len(head)
	if w.Says(WordError, text) { // which is not part of the result
		from = max(from-len(w.Text(WordError, "reason", "")), 0)
	}
	return w.leftOut(head, tail, min(p.From+from, p.To), p.To, k)
}

// cut returns the beginning and the end of a text, together at most the given number of
// tokens.
func cut(text string, tokens int) (head, tail string) {
	half := max(tokens, 0) / 2
	n := headOf(text, half)
	return text[:n], text[len(text)-tailOf(text[n:], half):]
}

// Piece returns what is read of a text from a byte on, at most the given tokens but at
// least one character, and the byte at which it begins: that of the character around from.
func Piece(text string, from, tokens int) (piece string, at int) {
	at = min(max(from, 0), len(text))
	for at > 0 && at < len(text) && !utf8.RuneStart(text[at]) {
		at--
	}
	_, least := utf8.DecodeRuneInString(text[at:])
	return text[at : at+max(headOf(text[at:], tokens), least)], at
}

// headOf returns how many bytes at the beginning of a text are at most the given number of
// tokens.
func headOf(text string, tokens int) int {
	quarters, n := 4*tokens, 0
	for n < len(text) {
		size, cost := 1, 1
		if text[n] >= utf8.RuneSelf {
			_, size = utf8.DecodeRuneInString(text[n:])
			cost = 4
		}
		if quarters -= cost; quarters < 0 {
			break
		}
		n += size
	}
	return n
}

// tailOf returns how many bytes at the end of a text are at most the given number of
// tokens.
func tailOf(text string, tokens int) int {
	quarters, n := 4*tokens, 0
	for n < len(text) {
		size, cost := 1, 1
		if text[len(text)-n-1] >= utf8.RuneSelf {
			_, size = utf8.DecodeLastRuneInString(text[:len(text)-n])
			cost = 4
		}
		if quarters -= cost; quarters < 0 {
			break
		}
		n += size
	}
	return n
}

// TextRead answers [ReadText].
type TextRead struct {
	Answered
	Text  string `json:"text,omitempty"`
	From  int    `json:"from,omitempty"` // the byte that Text begins at
	Gone  bool   `json:"gone,omitempty"` // the result is no longer kept
	Error string `json:"error,omitempty"`
}

// ReadText reads on in a kept result (TXT-5); [TextRead] answers.
type ReadText struct {
	Asked
	Owner  string `json:"owner"`
	Ref    string `json:"ref"`
	From   int    `json:"from,omitempty"` // a byte of the text
	Tokens int    `json:"tokens"`         // the most that is read, as estimated
}

func (e ReadText) hash(x *Hasher) {
	x.asked(e.Asked)
	x.Str(e.Owner)
	x.Str(e.Ref)
	x.Int(e.From)
	x.Int(e.Tokens)
}

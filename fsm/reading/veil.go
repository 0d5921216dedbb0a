package reading

import (
	"strings"

	"shelly/fsm"
	"shelly/fsm/textcall"
)

// Veil hides, from people who watch an answer stream, what the answer does not say to them:
// a need, and a call written as text (BRN-40). Text that may still become one is held back.
type Veil struct {
	config *fsm.Config
	set    fsm.Toolset
	forms  textcall.Forms
	marks  textcall.Marks
	all    string // what has arrived and was looked at
	more   []byte // what has arrived after it
	shown  int    // how much of it has been passed on, or never will be
	open   bool   // it is not a call
	hidden bool   // the marker of a need has arrived: nothing more is passed on
	called bool   // the mark of a call has arrived where none begins: none comes after it
	fenced bool   // a fence has been passed on: none of calls comes after it
	sought int    // before here there is no mark of a call
}

// veilKeeps is the most bytes of passed-on text that are kept, and veilContext how many of
// them then remain: enough for what comes between a sentence and a marker.
const (
	veilKeeps   = 4 << 10
	veilContext = 256
)

// veilLooks is the most held-back text that is looked at again with each piece. Of a longer one a
// piece waits until there is an eighth more: all of it is read each time, and an answer may come
// byte by byte.
const veilLooks = 1 << 10

// NewVeil returns the veil of one model call that offers a set of tools.
func NewVeil(c *fsm.Config, set fsm.Toolset) *Veil {
	return &Veil{config: c, set: set, forms: forms(c), marks: forms(c).Marks(), open: set == fsm.NoTools || c.Switches.Reading != fsm.ReadingCareful}
}

// Put takes a piece of the text and returns what may now be shown.
func (v *Veil) Put(piece string) string {
	if v.hidden {
		return ""
	}
	v.more = append(v.more, piece...)
	if held := len(v.all) - v.shown; held > veilLooks && len(v.more) < held/8 {
		return ""
	}
	return v.look()
}

// look takes what has arrived into account and returns what may now be shown.
func (v *Veil) look() string {
	if v.open && v.shown > veilKeeps { // of what was passed on only the end of a sentence matters, and an open fence
		gone, left := v.all[:v.shown-veilContext], v.all[v.shown-veilContext:]
		fence := strings.Repeat(fenceMark, strings.Count(gone, fenceMark)%2) + strings.Repeat("`", (len(gone)-len(strings.TrimRight(gone, "`")))%len(fenceMark))
		v.all, v.shown, v.sought = fence+left, len(fence)+veilContext, v.sought-len(gone)+len(fence)
	}
	v.all += string(v.more)
	v.more = v.more[:0]
	if !v.open {
		if v.open = !v.forms.MayBegin(v.all, v.offered); !v.open {
			return ""
		}
	}
	held := v.mayBeCall()
	if !ReadsNeeds(v.config) {
		return v.upTo(held)
	}
	if at, ok := v.needAt(); ok && at <= held {
		v.hidden = true
		return v.upTo(at)
	}
	return v.upTo(min(held, len(v.all)-v.mayBeNeed()))
}

// mayBeCall returns where a call begins, or may begin at the end of what has arrived, after the
// words before it; without one, where the text ends. A mark in any other place means that none does.
func (v *Veil) mayBeCall() int {
	if v.set == fsm.NoTools || v.forms < textcall.Mended {
		return len(v.all)
	}
	return min(v.mayBeMarked(), v.mayBeFenced())
}

// mayBeFenced returns where the first fence begins, if it may be one of calls.
func (v *Veil) mayBeFenced() int {
	if v.fenced {
		return len(v.all)
	}
	at := strings.Index(v.all, fenceMark)
	if at < 0 { // the last characters may become one
		if at = len(strings.TrimRight(v.all, "`")); v.forms.FenceAfter(v.all[:at]) {
			return at
		}
		return len(v.all)
	}
	if at >= v.shown && v.forms.FenceAfter(v.all[:at]) && v.forms.MayBeFenced(v.all[at:], v.offered) {
		return at
	}
	v.fenced = true
	return len(v.all)
}

// mayBeMarked returns where the mark of a family begins, or may begin.
func (v *Veil) mayBeMarked() int {
	if v.called {
		return len(v.all)
	}
	at, whole := v.marks.First(v.all, max(v.sought, 0))
	v.sought = at // a part of one may be passed on
	if at == len(v.all) || v.forms.Begins(v.all[:at]) && at >= v.shown {
		return at
	}
	v.called = whole
	return len(v.all)
}

// End returns what was held back, once the text is whole, unless it is a need or a call. asText says
// whether the model has no calls of its own.
func (v *Veil) End(asText bool) string {
	if v.hidden {
		return ""
	}
	last := ""
	if len(v.more) > 0 {
		last = v.look()
	}
	if v.hidden {
		return last
	}
	return last + v.rest(asText)
}

// rest returns what is still held back of a whole text, unless it is a need or a call.
func (v *Veil) rest(asText bool) string {
	if !v.open {
		r := read(v.config, v.set, v.all)
		action := actionCall(v.config, v.set, v.all)
		switch words := len(r.Calls) > 0 && r.Text != ""; {
		case words && offersAll(v.config, v.set, r):
			v.all = r.Text
		case words && !action: // all of it is said
		case len(r.Calls) > 0 || r.Tagged || v.begins(r.Begins) || action:
			return ""
		case r.Text != v.all:
			return r.Text
		}
	} else if v.mayBeCall() < len(v.all) {
		r := read(v.config, v.set, v.all)
		if len(r.Calls) > 0 && offersAll(v.config, v.set, r) && (asText || v.config.Switches.TextCalls && !r.Fenced) {
			return ""
		}
	}
	if ReadsNeeds(v.config) {
		if at, ok := v.needAt(); ok {
			return v.upTo(at)
		}
	}
	return v.upTo(len(v.all))
}

// upTo returns what has arrived up to a position and was not passed on yet.
func (v *Veil) upTo(at int) string {
	if at <= v.shown {
		return ""
	}
	piece := v.all[v.shown:at]
	v.shown = at
	return piece
}

// offered reports whether a name means a tool.
func (v *Veil) offered(name string) bool {
	_, known := v.config.Meant(v.set, name)
	return known
}

// begins reports whether a name is that of a tool, of which an unmarked text begins a call.
func (v *Veil) begins(name string) bool {
	_, known := v.config.Declared(v.set, name)
	return known
}

// needAt returns where a need begins and the text before it ends.
func (v *Veil) needAt() (at int, ok bool) {
	if v.shown == 0 {
		if _, ok := afterMarker(undressed(v.all), false); ok {
			return 0, true
		}
	}
	at, _, ok = laterMarker(v.all, v.shown)
	return len(strings.TrimRight(v.all[:at], needDress)), ok
}

// mayBeNeed returns how many bytes at the end may become a marker in a position where one
// counts.
func (v *Veil) mayBeNeed() int {
	text := v.all[v.shown:]
	if v.shown == 0 && fenceMayHoldNeed(text) {
		return len(text)
	}
	rest := strings.TrimRight(text, needDress)
	for n := len(needWord); n > 0; n-- {
		if len(rest) < n {
			continue
		}
		tail := rest[len(rest)-n:]
		if tail == needWord[:n] || v.shown == 0 && strings.EqualFold(tail, needWord[:n]) {
			rest = strings.TrimRight(rest[:len(rest)-n], needDress)
			break
		}
	}
	held := len(text) - len(rest)
	if at := len(v.all) - held; !strings.Contains(text[len(rest):], "\n") && !endsSentence(v.all[:at], true) {
		return 0
	}
	return held
}

// fenceMayHoldNeed reports whether a text is the beginning of a fence whose content so far
// may become the marker.
func fenceMayHoldNeed(text string) bool {
	body, ok := strings.CutPrefix(strings.TrimSpace(text), "```")
	if !ok {
		return false
	}
	language, body, ok := strings.Cut(body, "\n")
	if !ok {
		return len(language) <= fenceLanguageMax
	}
	word := strings.Trim(body, needDress)
	return len(word) <= len(needWord) && strings.EqualFold(word, needWord[:len(word)])
}

// fenceMark begins and ends a fence.
const fenceMark = "```"

// fenceLanguageMax is longer than the name of any language.
const fenceLanguageMax = 32

package reading

import (
	"strings"

	"shelly/fsm"
	"shelly/fsm/textcall"
)

// Veil keeps from whoever watches an answer stream what is no part of what is said: a
// need, and a call written as text (BRN-40). What may still become one is held back.
type Veil struct {
	config *fsm.Config
	set    fsm.Toolset
	all    string // what has come
	shown  int    // how much of it was given on, or is never to be
	open   bool   // it is no call
	hidden bool   // the marker of a need has come: nothing more is given on
}

// veilKeeps is how many bytes of what was given on are kept at most, and veilContext how many
// are kept then: enough for what stands between a sentence and a marker.
const (
	veilKeeps   = 4 << 10
	veilContext = 256
)

// NewVeil returns the veil of one model call that offers a set of tools.
func NewVeil(c *fsm.Config, set fsm.Toolset) *Veil {
	return &Veil{config: c, set: set, open: set == fsm.NoTools || c.Switches.Reading != fsm.ReadingCareful}
}

// Put takes a piece of the text and returns what may be shown by now.
func (v *Veil) Put(piece string) string {
	if v.hidden {
		return ""
	}
	if v.open && v.shown > veilKeeps { // of what was given on only the end of a sentence matters
		v.all, v.shown = v.all[v.shown-veilContext:], veilContext
	}
	v.all += piece
	if !v.open {
		if v.open = !textcall.MayBegin(v.all, v.offered); !v.open {
			return ""
		}
	}
	if !ReadsNeeds(v.config) {
		return v.upTo(len(v.all))
	}
	if at, ok := v.needAt(); ok {
		v.hidden = true
		return v.upTo(at)
	}
	return v.upTo(len(v.all) - v.mayBeNeed())
}

// End returns what was held back of a text that is whole, unless it is a need or a call.
func (v *Veil) End() string {
	if v.hidden {
		return ""
	}
	if !v.open {
		if r := textcall.Read(v.all); len(r.Calls) > 0 || r.Tagged || v.offered(r.Begins) || actionCall(v.config, v.set, v.all) {
			return ""
		} else if r.Text != v.all {
			return r.Text
		}
	}
	if ReadsNeeds(v.config) {
		if at, ok := v.needAt(); ok {
			return v.upTo(at)
		}
	}
	return v.upTo(len(v.all))
}

// upTo gives on what has come up to a place.
func (v *Veil) upTo(at int) string {
	if at <= v.shown {
		return ""
	}
	piece := v.all[v.shown:at]
	v.shown = at
	return piece
}

func (v *Veil) offered(name string) bool {
	_, known := v.config.Declared(v.set, name)
	return known
}

// needAt is where what is said ends and a need begins.
func (v *Veil) needAt() (at int, ok bool) {
	if v.shown == 0 {
		if _, ok := afterMarker(undressed(v.all), false); ok {
			return 0, true
		}
	}
	at, _, ok = laterMarker(v.all, v.shown)
	return len(strings.TrimRight(v.all[:at], needDress)), ok
}

// mayBeNeed is how many bytes at the end may become the marker where one could stand.
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
	if at := len(v.all) - held; !strings.Contains(text[len(rest):], "\n") && !endsSentence(v.all[:at]+" ") {
		return 0
	}
	return held
}

// fenceMayHoldNeed reports whether a text is the beginning of a fence with nothing in it so
// far that the marker does not begin with.
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

// fenceLanguageMax is longer than the name of any language.
const fenceLanguageMax = 32

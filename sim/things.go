package sim

import (
	"encoding/json"
	"slices"

	"shelly/fsm/wording"
)

// Thing is something that the outside world holds: a file, a service, whatever a
// plan speaks of. Data is JSON.
type Thing struct{ Name, Data string }

// Change is what a tool does to the outside world when it starts (SCN-23).
type Change struct {
	Thing
	Kind ChangeKind
}

// ChangeKind is what a [Change] does to the thing of its name.
type ChangeKind string

// The kinds: Data takes the thing's place, the thing is gone, or the text that Data is
// is appended to the text that is there.
const (
	Write  ChangeKind = "write"
	Remove ChangeKind = "remove"
	Append ChangeKind = "append"
)

// things is the outside world. No crash undoes what was done to it.
type things []Thing

// text returns what is held by a name as a tool tells of it: a text as it stands,
// anything else as JSON; false where there is nothing.
func (t things) text(name string) (string, bool) {
	for _, thing := range t {
		if thing.Name == name {
			text, ok := thing.words()
			if !ok {
				text = thing.Data
			}
			return text, true
		}
	}
	return "", false
}

// words returns the text that a thing is, or false for other data.
func (t Thing) words() (text string, ok bool) {
	ok = json.Unmarshal([]byte(t.Data), &text) == nil
	return text, ok
}

// change makes a change, or says why it cannot be made.
func (t *things) change(c Change) (wrong string) {
	i := slices.IndexFunc(*t, func(o Thing) bool { return o.Name == c.Name })
	switch {
	case c.Kind == Remove && i >= 0:
		*t = slices.Delete(*t, i, i+1)
	case c.Kind == Remove:
	case i < 0:
		*t = append(*t, c.Thing)
	case c.Kind == Write:
		(*t)[i].Data = c.Data
	default:
		before, ok := (*t)[i].words()
		behind, _ := c.words() // checked when the plan was made
		if !ok {
			return "a text that is appended to " + c.Name + ", which is no text but " + (*t)[i].Data
		}
		(*t)[i].Data = quoted(before + behind)
	}
	return ""
}

// quoted is a text as JSON.
func quoted(text string) string {
	b, _ := wording.JSON(text) // a text always encodes
	return string(b)
}

// touch does to the outside world what an act does when it starts, and returns the
// act with the answer that it reads there, and the changes that cannot be made. It reads
// before it changes.
func (t *things) touch(act Act) (_ Act, wrong []string) {
	if act.Reads != "" {
		text, ok := t.text(act.Reads)
		if act.Returns = text; !ok {
			act.Failed, act.Returns = true, "there is no "+act.Reads
		}
	}
	for _, c := range act.Changes {
		if w := t.change(c); w != "" {
			wrong = append(wrong, w)
		}
	}
	return act, wrong
}

// Met is an act with the answer that it gives in the world as it is before the first boot.
func (p *Plan) Met(a Act) Act {
	world := things(slices.Clone(p.World))
	a, _ = world.touch(a)
	return a
}

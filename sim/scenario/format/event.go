package format

import (
	"slices"
	"strings"

	"shelly/fsm/wording"
	"shelly/sim/strict"
)

// Signal is a signal to the process: TERM or INT.
type Signal string

// signalForm is a signal as a map.
type signalForm struct {
	Signal string `key:"signal,required" enum:"TERM,INT"` // which one
}

func signals() []string { return []string{"TERM", "INT"} }

func (v *Signal) Read(d *strict.Decoder, n *strict.Node, path string) {
	switch {
	case n.Kind == strict.MapKind:
		var form signalForm
		d.Object(n, &form, path)
		*v = Signal(form.Signal)
	case n.Kind == strict.BoolKind:
		on := false
		if on = d.Truth(n, path); !on {
			d.Add(n, path, "wants TERM, INT or true; what is not wanted is left out")
		}
		*v = "TERM"
	default:
		text, ok := d.Text(n, path)
		if ok && !slices.Contains(signals(), text) {
			d.Add(n, path, wording.Unknown("word", text, signals()))
		}
		*v = Signal(text)
	}
}

// Names are who saw an event and what happened, which kind may name both.
func (e *Event) Names() (source, kind string) {
	if e == nil {
		return "", ""
	}
	if e.Source == "" {
		source, kind, _ = strings.Cut(e.Kind, ".")
		return source, kind
	}
	return e.Source, e.Kind
}

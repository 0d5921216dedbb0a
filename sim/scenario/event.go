package scenario

import (
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Signal is a signal to the process: TERM or INT.
type Signal string

// signalForm is a signal as a map.
type signalForm struct {
	Signal string `key:"signal,required" enum:"TERM,INT"` // which one
}

func signals() []string { return []string{"TERM", "INT"} }

func (v *Signal) read(d *decoder, n *yaml.Node, path string) {
	switch {
	case n.Kind == yaml.MappingNode:
		var form signalForm
		d.object(n, reflect.ValueOf(&form).Elem(), path)
		*v = Signal(form.Signal)
	case n.Kind == yaml.ScalarNode && n.ShortTag() == "!!bool":
		on := false
		if d.truth(n, reflect.ValueOf(&on).Elem(), path); !on {
			d.add(n, path, "wants TERM, INT or true; what is not wanted is left out")
		}
		*v = "TERM"
	default:
		text, ok := d.text(n, path)
		if ok && !slices.Contains(signals(), text) {
			d.add(n, path, unknown("word", text, signals()))
		}
		*v = Signal(text)
	}
}

// names are who saw an event and what happened, which kind may name both.
func (e *Event) names() (source, kind string) {
	if e == nil {
		return "", ""
	}
	if e.Source == "" {
		source, kind, _ = strings.Cut(e.Kind, ".")
		return source, kind
	}
	return e.Source, e.Kind
}

package format

import (
	"shelly/fsm"
	"shelly/sim/strict"
)

func (v *Chunks) Read(d *strict.Decoder, n *strict.Node, path string) {
	if n.Kind != strict.ListKind {
		v.Count.Read(d, n, path)
		return
	}
	if len(n.Content) == 0 {
		d.Add(n, path, "lists no piece")
	}
	d.List(n, &v.Texts, path)
}

func (v *UnknownCall) Read(d *strict.Decoder, n *strict.Node, path string) {
	d.TextOr(n, path, &v.Tool, v)
}

func (v *BadCall) Read(d *strict.Decoder, n *strict.Node, path string) { d.TextOr(n, path, &v.Tool, v) }

// read takes the class alone, or a map.
func (v *BrainFailing) Read(d *strict.Decoder, n *strict.Node, path string) {
	if n.Scalar() {
		code, _ := d.Text(n, path)
		v.Code = fsm.BrainClass(code)
		return
	}
	d.Object(n, v, path)
}

// Class is the class of the failure.
func (v *BrainFailing) Class() fsm.BrainClass {
	switch {
	case v.Code != "":
		return v.Code
	case v.Retryable != nil && *v.Retryable:
		return fsm.BrainBusy
	default:
		return fsm.BrainError
	}
}

// halfArgs is how arguments begin that were never ended.
const halfArgs = `{"`

// AllCalls are the calls that the line asks for, its short forms written out.
func (l *Line) AllCalls() []Call {
	switch {
	case l.Unknown != nil:
		return []Call{{Tool: l.Unknown.Tool, Args: l.Unknown.Args}}
	case l.BadArgs == nil:
		return l.Calls
	case l.BadArgs.Args == nil:
		return []Call{{Tool: l.BadArgs.Tool, Bad: halfArgs}}
	default:
		return []Call{{Tool: l.BadArgs.Tool, Bad: *l.BadArgs.Args}}
	}
}

// Text is the answer's text as the file has it, or false where it has none but that
// of the stream's pieces.
func (l *Line) Text() (string, bool) {
	switch {
	case l.Says != nil:
		return *l.Says, true
	case l.Raw != nil:
		return *l.Raw, true
	case l.Needs != nil:
		return fsm.NeedMarker + " " + *l.Needs, true
	default:
		return "", false
	}
}

// BrainClasses are the classes of failures of model calls.
func BrainClasses() []string {
	var names []string
	for _, class := range fsm.BrainClasses() {
		names = append(names, string(class))
	}
	return names
}

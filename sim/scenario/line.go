package scenario

import (
	"shelly/fsm"
	"shelly/sim"
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

// class is the class of the failure.
func (v *BrainFailing) class() fsm.BrainClass {
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

// calls are the calls that the line asks for, its short forms written out.
func (l *Line) calls() []Call {
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

// text is the answer's text as the file has it, or false where it has none but that
// of the stream's pieces.
func (l *Line) text() (string, bool) {
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

// inTime returns out with the times of the line: the first piece comes when takes
// and slow_load are over. A client that has had none within its time gives up
// (SCN-28).
func (l *Line) inTime(out sim.Line) sim.Line {
	out.Takes = l.Takes.millis() + fsm.Millis(l.SlowLoad)
	first := fsm.Millis(l.SlowLoad)
	if l.Stream != nil {
		first = out.Takes
		out.Stream = &sim.Stream{Chunks: int(l.Stream.Chunks.Count), Texts: l.Stream.Chunks.Texts, Every: fsm.Millis(l.Stream.Every)}
	}
	if first > sim.FirstTokenMax {
		return sim.Line{Fails: fsm.BrainLoading, Reason: sim.LoadingReason, Takes: sim.FirstTokenMax, Times: out.Times, Optional: l.Optional}
	}
	return out
}

package history

import (
	"cmp"
	"fmt"
	"strings"

	"shelly/fsm"
)

// toolEffects and toolFacts put what is about tools in words.
func toolEffects() []effectRow {
	return []effectRow{
		fsm.OnEffect(func(t *teller, e fsm.RunTool) string {
			what, beside := e.Name, ""
			if t.tools > 1 { // each has a name of its own then (INF-44)
				head, _ := Cut(strings.Join(strings.Fields(e.Args), " "), argsNameMax)
				what, beside = e.Name+" "+head, fmt.Sprintf(", one of %d at once", t.tools)
			}
			t.begins(e, what)
			if e.Attempt > 1 {
				beside += fmt.Sprintf(", attempt %d", e.Attempt)
			}
			if beside != "" {
				beside += ","
			}
			verb := "runs"
			if e.Waits { // INF-56
				verb = "waits again for"
			}
			return fmt.Sprintf("%s %s [%s]%s%s", verb, e.Name, e.Effects, beside, t.args(e.Args))
		}),
		fsm.OnEffect(func(t *teller, e fsm.RunProbe) string {
			t.begins(e, e.Name)
			return fmt.Sprintf("asks %s what became of the call%s", e.Name, t.args(e.Args))
		}),
		fsm.OnEffect(func(t *teller, e fsm.Audit) string {
			if e.Unknown {
				return fmt.Sprintf("tells the model that the outcome of %s%s is unknown", e.Tool, t.args(e.Args))
			}
			if !e.Ran() {
				return fmt.Sprintf("does not run %s%s:%s", e.Tool, t.args(e.Args), t.text(strings.TrimPrefix(e.Result, "not run: ")))
			}
			if e.Failed {
				return fmt.Sprintf("records that %s failed", e.Tool)
			}
			return fmt.Sprintf("records that %s has ended", e.Tool)
		}),
	}
}

func toolFacts() []factRow {
	return []factRow{
		ofCall((*teller).returned),
		ofCall(func(t *teller, f fsm.ToolStopped, took string) string {
			return t.name(f.Call, "the tool") + " has stopped" + took
		}),
		ofCall(func(t *teller, f fsm.Probed, took string) string {
			words := fmt.Sprintf("the probe of %s says %s%s", t.name(f.Call, "the tool"), f.Answer, took)
			if f.Text != "" {
				words += ":" + t.text(f.Text)
			}
			return words
		}),
	}
}

// returned is what a tool returned.
func (t *teller) returned(in fsm.ToolAnswered, took string) string {
	name := t.name(in.Call, "the tool")
	if !in.Failed {
		return fmt.Sprintf("%s returned %s%s%s:%s", name, size(cmp.Or(in.Kept.Bytes, len(in.Text))), took, shownOf(in), t.text(in.Text))
	}
	words := name + " failed" + took
	switch {
	case in.Nothing:
		words += " and did nothing"
	case in.Invalid:
		words += ", the call is wrong"
	}
	return words + ":" + t.text(in.Text)
}

// shownOf says how much of a result that is kept enters the conversation, where that is
// not all of it.
func shownOf(in fsm.ToolAnswered) string {
	shown := len(in.Text) + len(in.Kept.Tail)
	if shown >= in.Kept.Bytes {
		return ""
	}
	return fmt.Sprintf(", of which %s enter, and is kept", size(shown))
}

// argsNameMax is how much of its arguments, in bytes, names a call that ran beside others.
const argsNameMax = 60

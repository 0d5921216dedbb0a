package judge

import (
	"slices"
	"testing"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/sim"
	"shelly/sim/scenario/format"
	"shelly/sim/strict"
)

// SCN-15: the events that an item fits are found without a look at all of them where it says a text
// that they have, and are those that a look at all would find.
func TestSCN15EventsAreFoundByTheirTexts(t *testing.T) {
	var effects []fsm.Effect
	for _, text := range []string{"a", "b", "a", "5s"} {
		effects = append(effects,
			fsm.Reply{Request: fsm.RequestKey{ID: "r" + text}, Text: text}, fsm.LoadSession{Session: text},
			fsm.RunTool{Name: "exec", Args: `{"":"a","of":"` + text + `","n":1}`, Session: text}, fsm.SetTimer{Purpose: fsm.TimerBackoff, After: 5 * fsm.Second})
	}
	e := &events{list: traceOf([]sim.Step{{Step: engine.Step{Effects: effects}}}, nil)}
	for source, looked := range map[string]int{
		"{reply: a}": 2, "{reply: {text: a}}": 2, "{reply: {id: rb, text: a}}": 1, "{reply: {id: ra, is_error: false}}": 2, "{reply: none}": 0,
		"{load: b}": 1, "{load: b, reply: {$absent: true}}": 1, "{tool: exec, session: b}": 2, "{tool: exec, args: {of: a}}": 2, `{tool: exec, args: {"": a}}`: 4,
		"{tool: exec, args: {n: 1}}": 4, "{tool: {$literal: exec}}": 4, "{effect: run_tool, session: {$contains: a}}": 4, "{args: {of: 5000ms}}": len(e.list),
		"{timer: backoff, after: 5s}": 4, "{after: 5000ms}": len(e.list), "{reply: {$any: true}}": len(e.list), "{reply: {$one_of: [a, b]}}": len(e.list),
		"{handle: 7}": len(e.list), "{exit: {$absent: true}}": len(e.list),
	} {
		root, problem := strict.Parse([]byte("i: "+source), "a map", "")
		if problem != nil {
			t.Fatal(source, problem)
		}
		d, item := &strict.Decoder{Where: map[string]strict.Pos{}}, format.Item{}
		if item.Read(d, root.Content[1], "i"); len(d.Problems) > 0 {
			t.Fatal(source, d.Problems)
		}
		some, all := e.among(&item)
		if got := len(some); !all && got != looked || all && looked != len(e.list) {
			t.Errorf("%s: %d events are looked at, or all: %v; want %d", source, got, all, looked)
		}
		for from := range len(e.list) + 1 {
			var want []int
			for i := from; i < len(e.list); i++ {
				if item.Fits(e.list[i].Value) {
					want = append(want, i)
				}
			}
			if got := slices.Collect(e.fitting(&item, from)); !slices.Equal(got, want) {
				t.Errorf("%s from %d: %d, want %d", source, from, got, want)
			}
			if first := e.first(&item, from); len(want) > 0 && first != want[0] || len(want) == 0 && first >= 0 {
				t.Errorf("%s from %d: the first is %d of %d", source, from, first, want)
			}
		}
	}
}

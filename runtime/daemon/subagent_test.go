package daemon_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/state"
	"shelly/runtime/comm"
	"shelly/runtime/comm/position"
)

// subagents are the events of a request's subagents, without the positions.
func subagents(events []comm.Event) (list []comm.Event) {
	for _, e := range events {
		if e.Type == comm.EventSubagent {
			e.At = position.Position{}
			list = append(list, e)
		}
	}
	return list
}

// COM-98: a request's watcher gets the beginnings and ends of its subagents, from the journal
// too, and nothing about them after the reply.
func TestCOM98TheStartAndTheEndOfASubagentAreSent(t *testing.T) {
	f := start(t, &shared{MemoryJournal: engine.NewMemoryJournal()}, tools{}, func(c *fsm.Config) {
		c.Tools = append(c.Tools, fsm.ToolDecl{Name: "spawn", Builtin: true})
		c.Limits.MaxActive, c.Limits.MaxSubagents, c.Limits.SubagentIterations, c.Limits.SubagentTimeout = 3, 2, 5, 60_000
	})
	f.accept("a", "look")
	uncut := f.from(position.Position{})
	spawn := func(n, label, task string) fsm.ToolCall {
		return fsm.ToolCall{ID: n, Name: "spawn", Args: `{"task":"` + task + `","label":"` + label + `"}`}
	}
	f.next().answer <- fsm.BrainAnswered{Stop: fsm.StopToolUse, Calls: []fsm.ToolCall{spawn("1", "left", "look left"), spawn("2", "right", "look right")}}
	calls := map[string]asked{}
	for len(calls) < 3 {
		next := f.next()
		who := "parent"
		if next.Purpose == fsm.PurposeSubagent {
			messages := next.Messages()
			who = messages[len(messages)-1].Text
		}
		calls[who] = next
	}
	calls["look left"].says("Nothing there.")
	var heard []comm.Event
	for e := range uncut {
		if heard = append(heard, e); e.Type == comm.EventSubagent && e.State == state.Done {
			calls["parent"].says("They look.")
			break
		}
	}
	go func() { // what the parent, the report and the other do from here on
		for {
			select {
			case a := <-f.brain.asked:
				a.says("Noted.")
			case <-f.ctx.Done():
				return
			}
		}
	}()
	heard = append(heard, all(uncut)...)
	want := []comm.Event{
		{Type: comm.EventSubagent, ID: "a", Handle: 2, State: state.Loading, Called: "left", Text: "look left"},
		{Type: comm.EventSubagent, ID: "a", Handle: 3, State: state.Loading, Called: "right", Text: "look right"},
		{Type: comm.EventSubagent, ID: "a", Handle: 2, State: state.Done, Called: "left", Text: "look left"},
	}
	if diff := cmp.Diff(want, subagents(heard)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	calls["look right"].says("Nothing there, either.")
	for n := range 40 { // until the journal has its events
		f.accept(fmt.Sprint("b", n), "look")
		all(f.watch(fmt.Sprint("b", n)))
	}
	if diff := cmp.Diff(hear(heard).Events, hear(all(f.from(position.Position{}))).Events); diff != "" {
		t.Errorf("from the journal (-want +got)\n%s", diff)
	}
}

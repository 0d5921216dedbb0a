package expression

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/fsm/machine"
	"shelly/fsm/state"
)

// Whoever waits for a person is neither active nor queued, and subagents are counted
// apart, as max_active counts (SCN-31).
func TestSCN31HandlesAreCountedByWhatTheyDo(t *testing.T) {
	o := NewObserver(machine.New().Snapshot(), 0)
	v := state.Snapshot{LastHandle: 7}
	for i, at := range []fsm.State{state.Queued, state.Parked, state.Approving, state.Held, state.Cognition, state.Saving, state.Cognition} {
		v.Handles = append(v.Handles, state.Handle{Accepted: state.Accepted{ID: fsm.HandleID(i + 1), Kind: fsm.KindUser}, Standing: state.Standing{State: at}})
	}
	v.Handles[6].Kind = fsm.KindSubagent
	o.follow(&v, 5)
	if o.Queued != 1 || o.Parked != 1 || o.Active != 2 || o.Subagents != 1 {
		t.Errorf("queued %d, parked %d, active %d, subagents %d", o.Queued, o.Parked, o.Active, o.Subagents)
	}
	v.Handles, v.LastHandle = append(v.Handles[4:5:5], state.Handle{Accepted: state.Accepted{ID: 8}, Standing: state.Standing{State: state.Queued}}), 8
	if o.follow(&v, 12); o.Handles[0].Age != 7 || o.Handles[1].Age != 0 || len(o.admitted) != 2 {
		t.Errorf("ages %d and %d, %d followed", o.Handles[0].Age, o.Handles[1].Age, len(o.admitted))
	}
}

// RULES.md names all that an expression can speak of (SCN-31).
func TestEveryNameIsDocumented(t *testing.T) {
	spec, err := os.ReadFile("../RULES.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(spec), "**SCN-31**")
	section, _, _ = strings.Cut(section, "\n## ")
	for _, names := range [][]string{
		exprNames(reflect.TypeFor[State]()), exprNames(reflect.TypeFor[handleState]()), exprNames(reflect.TypeFor[limitState]()), functionNames(),
	} {
		for _, name := range names {
			if !strings.Contains(section, "`"+name+"`") {
				t.Errorf("RULES.md does not name %s", name)
			}
		}
	}
}

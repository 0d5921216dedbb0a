package machine_test

import (
	"testing"

	"shelly/fsm"
	"shelly/fsm/profile"
)

func TestCFG11EachProfileWorks(t *testing.T) {
	for _, name := range profile.Names() {
		t.Run(name, func(t *testing.T) {
			d := driverOf(t, name)
			c := d.config
			d.boot()
			key := d.ask("hello")
			if c.Switches.History != fsm.HistoryNone {
				d.loads(fsm.Session{})
			}
			d.calls("list_dir")
			d.toolSays("a.txt")
			d.answer("one file")
			if c.Switches.History != fsm.HistoryNone {
				d.saves()
			}
			if c.Switches.Remember == fsm.RememberEach || c.Switches.Remember == fsm.RememberIdle {
				d.remember()
			}
			d.inStates()
			replies := of[fsm.Reply](d.all)
			if len(replies) != 1 || replies[0].Request != key || replies[0].Text != "one file" || replies[0].IsError {
				t.Errorf("replies %+v", replies)
			}
		})
	}
}

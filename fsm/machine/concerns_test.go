package machine_test

import (
	"testing"

	"shelly/fsm"
	"shelly/fsm/state"
)

// An input that creates a handle is about that handle, even before it exists.
func TestANewcomerIsAboutTheHandleItMakes(t *testing.T) {
	d := places(t, 1, nil)
	for _, fact := range []fsm.Fact{
		fsm.Requested{Request: fsm.RequestKey{Channel: "test", ID: "one"}, Session: "s", Text: "hello"},
		fsm.EventRaised{Source: "disk", Subject: "/var", Event: "full"},
		fsm.Requested{Request: fsm.RequestKey{Channel: "test", ID: "two"}, Session: "s", Text: "hello"},
	} {
		in := fsm.Input{At: d.now(), Fact: fact}
		about := d.m.View().Concerns(in)
		d.step(in)
		if handles := d.m.View().Handles; handles[len(handles)-1].ID != about {
			t.Errorf("%+v is about handle %d, but makes handle %d", fact, about, handles[len(handles)-1].ID)
		}
	}
}

// An event that joins one that waits is about that one, and not about the next handle that comes.
func TestAnEventThatJoinsIsAboutTheOneThatWaits(t *testing.T) {
	d := places(t, 1, func(c *fsm.Config) { c.Switches.Coalesce, c.Switches.Alternate, c.Limits.SessionBurst = true, true, 1 })
	d.raise("full")
	d.raise("low")
	waits := d.m.View().LastHandle
	in := fsm.Input{At: d.now(), Fact: fsm.EventRaised{Source: "disk", Subject: "/var", Event: "low", Detail: "1 % left"}}
	if about := d.m.View().Concerns(in); about != waits {
		t.Errorf("it is about handle %d, want %d", about, waits)
	}
	if d.step(in); d.m.View().LastHandle != waits {
		t.Error("it has not joined")
	}
	last := d.m.View().LastHandle
	d.ask("hello")
	d.loads(fsm.Session{})
	d.answer("It is full.")
	d.saves()
	if first := &d.m.View().Handles[0]; first.ID != waits || first.State != state.Queued {
		t.Fatalf("handle %d is the first and %s", first.ID, first.State)
	}
	if d.step(fsm.Input{At: d.now(), Fact: in.Fact}); d.m.View().LastHandle != last+1 {
		t.Error("it has not joined the first of all handles")
	}
}

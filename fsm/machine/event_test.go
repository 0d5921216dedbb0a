package machine_test

import (
	"strings"
	"testing"

	"shelly/fsm"
)

// An event's answer goes to the chat that it names, unless there is nothing to tell (HND-63).
func TestHND63AnEventsAnswerGoesToItsChat(t *testing.T) {
	to := fsm.Origin{Channel: "cli", Chat: "direct"}
	for answer, sent := range map[string]bool{ // order-free
		"The disk is full.": true, "NOTHING": false, " **Nothing.**\n": false, "“nothing”": false, "NOTHING to worry about": true,
	} {
		d := places(t, 1, nil)
		d.step(fsm.Input{At: d.now(), Fact: fsm.EventRaised{Source: "disk", Event: "low", Do: "Say so.", To: to}})
		d.loads(fsm.Session{})
		input := d.active().Input
		if !strings.Contains(input, "Say so.") || !strings.Contains(input, fsm.NothingMarker) {
			t.Errorf("the input is %q", input)
		}
		d.answer(answer)
		if !sent {
			no[fsm.SendMessage](d)
			continue
		}
		if m := one[fsm.SendMessage](d); m.To != to || m.Text != answer || m.IsError {
			t.Errorf("sent %+v", m)
		}
	}
}

func TestHND68AnEventThatFailsIsTold(t *testing.T) {
	to := fsm.Origin{Channel: "cli", Chat: "direct"}
	for edition, want := range map[int]string{ // order-free: each has its own world
		fsm.TwelfthEdition:  "System event from disk: low.\n\nThis event was not handled: missing_model: gone",
		fsm.EleventhEdition: "",
	} {
		d := places(t, 1, func(c *fsm.Config) { c.Limits.Backoff, c.Limits.Postpone, c.Edition = nil, nil, edition })
		d.step(fsm.Input{At: d.now(), Fact: fsm.EventRaised{Source: "disk", Event: "low", Do: "Say so.", To: to}})
		d.loads(fsm.Session{})
		d.brainFails(fsm.BrainMissingModel, "gone")
		if r := one[fsm.Report](d); r.Kind != fsm.KindEvent {
			t.Errorf("reported %+v", r)
		}
		if want == "" {
			no[fsm.SendMessage](d)
		} else if sent := one[fsm.SendMessage](d); sent.Text != want || !sent.IsError || sent.To != to {
			t.Errorf("sent %+v, want %q", sent, want)
		}
	}
}

// Who is told is decided by the event that waits; what is told, by the last that joined it.
func TestHND68TheChatOfTheEventThatWaitsIsTold(t *testing.T) {
	to := fsm.Origin{Channel: "cli", Chat: "direct"}
	for name, tt := range map[string]struct { // order-free: each has its own world
		first, joins fsm.Origin
		told         bool
	}{
		"neither names a chat": {}, "the one that waits": {first: to, told: true}, "the one that joins": {joins: to}, "both": {first: to, joins: to, told: true},
	} {
		d := places(t, 1, func(c *fsm.Config) { c.Limits.Backoff, c.Limits.Postpone, c.Switches.Coalesce = nil, nil, true })
		raise := func(detail string, to fsm.Origin) {
			d.step(fsm.Input{At: d.now(), Fact: fsm.EventRaised{Source: "disk", Event: "low", Detail: detail, To: to}})
		}
		d.raise("full")
		d.loads(fsm.Session{})
		raise("2 GiB", tt.first)
		raise("1 GiB", tt.joins)
		d.answer("It is full.")
		d.saves()
		d.loads(fsm.Session{})
		d.brainFails(fsm.BrainMissingModel, "gone")
		if !tt.told {
			no[fsm.SendMessage](d)
		} else if sent := one[fsm.SendMessage](d); sent.To != to || !strings.HasPrefix(sent.Text, "System event from disk: low. 1 GiB (2 times since the first.)\n") {
			t.Errorf("%s: sent %+v", name, sent)
		}
	}
}

// What is long is cut; what its source raises again is not told.
func TestHND68ARefusedEventIsNotTold(t *testing.T) {
	d := places(t, 1, func(c *fsm.Config) { c.Limits.MaxQueue, c.Limits.Backoff, c.Limits.Postpone = 1, nil, nil })
	raise := func(subject string) {
		d.step(fsm.Input{At: d.now(), Fact: fsm.EventRaised{Source: "disk", Event: "low", Subject: subject, Detail: strings.Repeat("x", 3000), To: fsm.Origin{Channel: "cli"}}})
	}
	raise("/")
	d.loads(fsm.Session{})
	raise("/home")
	raise("/var")
	one[fsm.Report](d)
	no[fsm.SendMessage](d)
	d.brainFails(fsm.BrainMissingModel, "gone")
	if sent := one[fsm.SendMessage](d); len(sent.Text) < 2000 || len(sent.Text) > 2100 {
		t.Errorf("sent %d bytes", len(sent.Text))
	}
}

func TestHND63AnEventWithoutAChatSendsNothing(t *testing.T) {
	d := places(t, 1, nil)
	d.raise("low")
	d.loads(fsm.Session{})
	if strings.Contains(d.active().Input, fsm.NothingMarker) {
		t.Errorf("the input is %q", d.active().Input)
	}
	d.answer("The disk is full.")
	no[fsm.SendMessage](d)
}

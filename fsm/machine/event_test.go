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

func TestHND63AnErrorOfAnEventIsNotAMessage(t *testing.T) {
	d := places(t, 1, func(c *fsm.Config) { c.Limits.Backoff = nil })
	d.step(fsm.Input{At: d.now(), Fact: fsm.EventRaised{Source: "disk", Event: "low", To: fsm.Origin{Channel: "cli", Chat: "direct"}}})
	d.loads(fsm.Session{})
	d.brainFails(fsm.BrainMissingModel, "gone")
	no[fsm.SendMessage](d)
	if r := one[fsm.Report](d); r.Kind != fsm.KindEvent {
		t.Errorf("reported %+v", r)
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

package machine_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"shelly/fsm"
	"shelly/fsm/state"
)

// unsourced ignores the sources of messages.
func unsourced() cmp.Option { return cmpopts.IgnoreTypes(fsm.Source(0)) }

// told returns the sources of the messages of the one model call, in words.
func told(d *driver) string {
	var all []string
	for _, msg := range one[fsm.AskBrain](d).Conversation.Messages {
		all = append(all, string(msg.Role)+"="+strings.Join(msg.Source.Names(), "+"))
	}
	return strings.Join(all, " ")
}

// Each text of a conversation has its source, and what is derived from texts has the sources of
// all.
func TestMSG1ATextHasItsSource(t *testing.T) {
	d := newDriver(t)
	d.config.Tools = []fsm.ToolDecl{
		{Name: "read_file", Effects: fsm.EffectsNone, Source: fsm.FromWorkspace},
		{Name: "exec", Effects: fsm.EffectsUnsafe},
	}
	d.boot()
	d.ask("hello")
	if got := told(d); got != "user=person" {
		t.Errorf("at first: %s", got)
	}
	d.calls("read_file")
	d.toolSays("notes")
	if got := told(d); got != "user=person assistant=person+model tool=workspace" {
		t.Errorf("after a file: %s", got)
	}
	d.calls("exec")
	d.toolSays("load 1")
	if got := told(d); got != "user=person assistant=person+model tool=workspace assistant=person+workspace+model tool=outside" {
		t.Errorf("after a command: %s", got)
	}
}

// MSG-1: what a person says in place of a result is a person's, but no other result is; that
// nothing was found in memory is the machine's own message.
func TestMSG1WhoSpeaksInPlaceOfAnother(t *testing.T) {
	d, _ := approving(t, nil)
	d.decides(false)
	d.toolSays("a.txt")
	for i, msg := range d.conversation()[len(d.conversation())-2:] {
		if persons := msg.Source&fsm.FromPerson != 0; msg.Role != fsm.RoleTool || persons != (i == 0) {
			t.Errorf("the result %q is from %s", msg.Text, msg.Source.Names())
		}
	}
	d = serving(t)
	d.ask("hello")
	d.answer("NEED: a holiday")
	d.recalls()
	if got := told(d); !strings.HasSuffix(got, " user=operator") {
		t.Errorf("with nothing found: %s", got)
	}
}

// An event comes from outside, and from the operator too if it says what to do.
func TestMSG2AnEventHasTheSourceOfWhatItSays(t *testing.T) {
	for do, want := range map[string]string{"": "user=outside", "Say so.": "user=operator+outside"} { // order-free
		d := newDriver(t)
		d.boot()
		d.step(fsm.Input{At: d.now(), Fact: fsm.EventRaised{Source: "disk", Event: "low", Do: do}})
		if got := told(d); got != want {
			t.Errorf("to do %q: %s", do, got)
		}
	}
}

// MSG-2: a memory of several turns has the sources of each, also of those that its session had
// forgotten since (SES-14), which joined them up to the fifth edition.
func TestMSG2AMemoryHasTheSourcesOfEachOfItsTurns(t *testing.T) {
	for told := range 4 { // the turn for which the operator says what to do; 3: none
		d := places(t, 1, func(c *fsm.Config) { c.Switches.Remember, c.Edition = fsm.RememberIdle, fsm.FifthEdition })
		for turn := range 3 {
			do := ""
			if turn == told {
				do = "Say so."
			}
			if turn == 2 {
				d.in("event:disk", "/new")
			}
			d.step(fsm.Input{At: d.now(), Fact: fsm.EventRaised{Source: "disk", Subject: strconv.Itoa(turn), Event: "low", Do: do}})
		}
		session := fsm.Session{Version: 1}
		for d.active().State == state.Loading {
			d.loads(session)
			if d.active().State != state.Saving {
				d.answer("done")
			}
			session = one[fsm.SaveSession](d).State
			session.Version++
			d.saves()
		}
		if ask := one[fsm.AskBrain](d); ask.Purpose != fsm.PurposeSummary {
			t.Fatalf("asked for %s", ask.Purpose)
		}
		d.answer("a summary")
		d.embeds()
		want := "operator+outside+model"
		if told == 3 {
			want = "outside+model"
		}
		if got := strings.Join(one[fsm.Store](d).Entry.Source.Names(), "+"); got != want {
			t.Errorf("turn %d has the operator's words: the entry's sources are %s", told, got)
		}
	}
}

// MSG-2: a memory has the sources of everything it was made from, and so has a message that
// recalls it.
func TestMSG2WhatIsDerivedHasTheSourcesOfAll(t *testing.T) {
	d := newDriver(t)
	d.config.Tools = []fsm.ToolDecl{{Name: "fetch", Effects: fsm.EffectsNone}}
	d.boot()
	d.ask("hello")
	d.calls("fetch")
	d.toolSays("a page")
	d.answer("good day")
	d.answer("they said good day")
	d.embeds()
	if got := strings.Join(one[fsm.Store](d).Entry.Source.Names(), "+"); got != "person+outside+model" {
		t.Errorf("the entry's sources are %s", got)
	}
}

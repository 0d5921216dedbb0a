package machine_test

import (
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/fsm/state"
)

// ahead returns a driver of a machine that reads ahead, whose initial inference has ended.
func ahead(t *testing.T, change func(*fsm.Config)) *driver {
	d := driverOf(t, "default")
	d.config.Switches.NoCognition, d.config.Switches.Remember, d.config.Switches.ReadAhead = true, fsm.RememberOff, true
	d.config.Switches.NoFarewell, d.config.Init = true, fsm.InitFirstStart
	if change != nil {
		change(&d.config)
	}
	d.boot()
	if d.config.Init != fsm.InitOff {
		d.answer("I have looked around.")
	}
	d.signal()
	return d
}

// talked is ahead after a start at which nothing but a person's question in session a was answered.
func talked(t *testing.T) *driver {
	d := ahead(t, nil)
	d.boot()
	d.answer("")
	d.in("a", "hello")
	d.finishes("a")
	return d
}

// readsAhead returns the call that has a prompt read, if the last step made one.
func (d *driver) readsAhead() (ask fsm.AskBrain, ok bool) {
	for _, ask := range of[fsm.AskBrain](d.effects) {
		if ask.Purpose == fsm.PurposePrefill {
			return ask, true
		}
	}
	return fsm.AskBrain{}, false
}

func TestHND71WhoReadsAhead(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*fsm.Config)
		want   bool
	}{
		{"by default", nil, true},
		{"with cognition", func(c *fsm.Config) { c.Switches.NoCognition = false }, true},
		{"without the switch", func(c *fsm.Config) { c.Switches.ReadAhead = false }, false},
		{"without progress", func(c *fsm.Config) { c.Switches.Progress = false }, false},
		{"without an initial inference at any start", func(c *fsm.Config) { c.Init = fsm.InitOff }, false},
		{"in the first edition that does", func(c *fsm.Config) { c.Edition = fsm.SeventeenthEdition }, true},
		{"in an earlier edition", func(c *fsm.Config) { c.Edition = fsm.SixteenthEdition }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := ahead(t, tt.change)
			d.boot()
			ask, ok := d.readsAhead()
			if ok != tt.want {
				t.Fatalf("the effects are %+v", d.effects)
			}
			if ok && (ask.Options.MaxTokens != 1 || len(ask.Conversation.Messages) != 1 || ask.System == "" || ask.Tools != fsm.AllTools) {
				t.Errorf("it asks %+v", ask)
			}
		})
	}
}

// What was read is neither kept nor told, and so is what could not be read.
func TestHND71WhatIsReadAheadChangesNothing(t *testing.T) {
	for name, end := range map[string]func(*driver){
		"read":        func(d *driver) { d.answer("Hello") },
		"out of time": (*driver).timeUp,
		"failed":      func(d *driver) { d.brainFails(fsm.BrainUnreachable, "nobody is there") },
	} {
		t.Run(name, func(t *testing.T) {
			d := ahead(t, nil)
			d.boot()
			end(d)
			if n := len(d.m.View().Handles); n > 0 || len(of[fsm.SaveSession](d.effects))+len(of[fsm.Reply](d.effects))+len(of[fsm.Report](d.effects)) > 0 {
				t.Errorf("there are %d handles after %+v", n, d.effects)
			}
		})
	}
}

func TestHND71AnArrivalEndsTheReading(t *testing.T) {
	d := ahead(t, nil)
	d.boot()
	d.in("a", "hello")
	if len(of[fsm.AbortCall](d.effects)) != 1 {
		t.Errorf("the effects are %+v", d.effects)
	}
	d.inStates(state.Loading)
}

// The next start reads the session in which a person asked last, and no other.
func TestHND71ANextStartReadsTheLastChat(t *testing.T) {
	d := talked(t)
	d.raise("disk.full")
	d.loads(fsm.Session{})
	d.answer("It is full.")
	d.saves()
	d.boot()
	loads := of[fsm.LoadSession](d.effects)
	if len(loads) != 1 || loads[0].Session != "a" {
		t.Fatalf("the effects are %+v", d.effects)
	}
	d.loads(fsm.Session{Version: 1, History: []fsm.Message{{Role: fsm.RoleUser, Text: "hello"}, {Role: fsm.RoleAssistant, Text: "good day"}}})
	if ask, ok := d.readsAhead(); !ok || len(ask.Conversation.Messages) != 3 {
		t.Errorf("it asks %+v", ask)
	}
}

// What is read ahead is the session as it is stored, and remains so (INF-51): a run in it goes on with all of
// it (SES-24).
func TestHND71WhatIsReadAheadIsTheSessionAsItIs(t *testing.T) {
	d := ahead(t, func(c *fsm.Config) { c.Limits.ContextTokens = 8192 })
	d.boot()
	d.answer("")
	d.in("event:disk", "hello")
	d.finishes("event:disk")
	d.boot()
	kept := fsm.Session{Version: 7}
	for range 10 {
		kept.History = append(kept.History, fsm.Message{Role: fsm.RoleUser, Text: "hello"}, fsm.Message{Role: fsm.RoleAssistant, Text: strings.Repeat("good day ", 60)})
	}
	d.loads(kept)
	d.answer("")
	d.raise("disk.full")
	d.loads(kept)
	if sent := d.sent(); len(sent) != len(kept.History)+1 {
		t.Errorf("the model is sent %d messages of %d", len(sent), len(kept.History))
	}
}

// A request that brings its own history is in no chat (SES-6): the one before it is read.
func TestHND71AQuestionWithItsOwnHistoryIsInNoChat(t *testing.T) {
	d := talked(t)
	own := []fsm.Message{{Role: fsm.RoleUser, Text: "hello"}, {Role: fsm.RoleAssistant, Text: "good day"}}
	d.step(fsm.Input{At: d.now(), Fact: fsm.Requested{Request: fsm.RequestKey{ID: "r9"}, Session: "b", Text: "and now?", Context: own}})
	d.answer("It is noon.")
	d.boot()
	if loads := of[fsm.LoadSession](d.effects); len(loads) != 1 || loads[0].Session != "a" {
		t.Errorf("the effects are %+v", d.effects)
	}
}

// Whatever else is to be done at a start has the model read what it needs.
func TestHND71OtherWorkAtAStartComesFirst(t *testing.T) {
	d := ahead(t, nil)
	d.boot()
	d.answer("")
	d.in("a", "hello")
	d.boot()
	if _, ok := d.readsAhead(); ok || len(d.m.View().Handles) != 1 {
		t.Errorf("the effects are %+v", d.effects)
	}
}

func TestHND71AReadingEndsWithItsEpoch(t *testing.T) {
	for name, end := range map[string]func(*driver){"a crash": (*driver).boot, "a stop": func(d *driver) { d.signal(); d.signal(); d.boot() }} {
		t.Run(name, func(t *testing.T) {
			d := ahead(t, nil)
			d.boot()
			before := d.active().ID
			end(d)
			d.inStates(state.Execution)
			if d.active().ID == before {
				t.Error("the reading of the epoch before goes on")
			}
			if _, ok := d.readsAhead(); !ok {
				t.Errorf("the effects are %+v", d.effects)
			}
		})
	}
}

// A question that comes while its beginning is read waits for the rest of it, and says so. While the model
// is loaded nothing is read.
func TestHND71WhatWasNotReadByThenIsLeftToRead(t *testing.T) {
	for _, tt := range []struct {
		name  string
		reads int
		after fsm.Millis
		stage fsm.Stage
		fails bool
		want  int // tokens to be read anew of 1000
	}{
		{"after some seconds", 10, 20 * fsm.Second, fsm.StageAccepted, false, 700},
		{"after a failure", 10, 20 * fsm.Second, fsm.StageAccepted, true, 700},
		{"after all of it", 10, 600 * fsm.Second, fsm.StageAccepted, false, 0},
		{"while the model is loaded", 10, 20 * fsm.Second, fsm.StageLoading, false, 1000},
		{"at an unknown speed", 0, 20 * fsm.Second, fsm.StageAccepted, false, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := ahead(t, func(c *fsm.Config) { c.Pace.Reads = tt.reads })
			d.boot()
			ask, _ := d.readsAhead()
			for _, stage := range []fsm.Stage{fsm.StageLoading, tt.stage} {
				d.step(fsm.Input{At: d.at, Fact: fsm.BrainProgress{Call: ask.Call, Stage: stage}})
			}
			if d.at += tt.after; tt.fails {
				d.brainFails(fsm.BrainUnreachable, "nobody is there")
			}
			d.in("a", "hello")
			d.loads(fsm.Session{})
			inf := d.active().Inf
			if got := 1000 * inf.Anew / inf.Prompt; got < tt.want-50 || got > tt.want+50 {
				t.Errorf("%d of %d tokens are to be read, %d of 1000", inf.Anew, inf.Prompt, got)
			}
		})
	}
}

// A long history is read as it is: it is the next turn that has it summed up, if it has to be.
func TestHND71ALongHistoryIsNotSummedUp(t *testing.T) {
	d := talked(t)
	d.boot()
	d.loads(fsm.Session{Version: 1, History: talk(40)})
	if ask, ok := d.readsAhead(); !ok || len(ask.Conversation.Messages) != len(talk(40))+1 {
		t.Errorf("the effects are %+v", d.effects)
	}
}

// What is read ahead may be what the process crashes by.
func TestHND71ASessionIsNotReadAheadAgainAfterACrash(t *testing.T) {
	for name, crashes := range map[string]func(*driver){
		"while it is loaded": func(*driver) {},
		"while it is read":   func(d *driver) { d.loads(fsm.Session{Version: 1, History: talk(2)}) },
	} {
		t.Run(name, func(t *testing.T) {
			d := talked(t)
			d.boot()
			crashes(d)
			d.boot()
			if ask, ok := d.readsAhead(); !ok || len(ask.Conversation.Messages) != 1 {
				t.Errorf("the effects are %+v", d.effects)
			}
		})
	}
}

package daemon_test

import (
	"context"
	"errors"
	"testing"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/daemon"
)

// A person who writes has the prompt read, but not what the server holds, unless it has unloaded the model
// (HND-72, COM-111). A server that does not say so has the model loaded.
func TestHND72WhatIsReadForAPersonWhoWrites(t *testing.T) {
	for _, tt := range []struct {
		name   string
		loaded func(context.Context) (bool, error)
		chat   string
		want   bool
	}{
		{"the server holds it", func(context.Context) (bool, error) { return true, nil }, "t", false},
		{"it holds another conversation", func(context.Context) (bool, error) { return true, nil }, "u", true},
		{"the model is not loaded", func(context.Context) (bool, error) { return false, nil }, "t", true},
		{"the server does not say", func(context.Context) (bool, error) { return false, errors.New("it is away") }, "t", false},
		{"it cannot be asked", nil, "t", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			journal := engine.NewMemoryJournal()
			f := startWith(t, func(o *daemon.Options) {
				talks(&o.Config)
				o.Config.Edition = fsm.PresentEdition
				o.Config.Switches.ReadAhead, o.Config.Switches.Progress = true, true
				o.Sessions = begun{}
				o.Config.Switches.ReplyFirst = false // the reply is the last thing that happens
				o.Journal, o.Loaded = journal, tt.loaded
			})
			f.ask("a", "hello")
			events := f.watch("a")
			f.next().says("good day")
			all(events)
			before := len(journal.Records())
			reads, err := f.Typing(f.ctx, "", fsm.Origin{Channel: here.Channel, Chat: tt.chat})
			if err != nil || reads != tt.want {
				t.Fatalf("it reads: %v, %v", reads, err)
			}
			if !reads {
				if n := len(journal.Records()); n > before {
					t.Errorf("%d records were written", n-before)
				}
				return
			}
			if call := f.next(); call.Purpose != fsm.PurposePrefill {
				t.Errorf("the model is asked for %s", call.Purpose)
			}
		})
	}
}

// While anything is done that a reading would have to wait for, the server is not even asked.
func TestHND72ABusyDaemonAsksNothing(t *testing.T) {
	f := startWith(t, func(o *daemon.Options) {
		talks(&o.Config)
		o.Config.Edition = fsm.PresentEdition
		o.Config.Switches.History, o.Config.Switches.ReadAhead, o.Config.Switches.Progress = fsm.HistoryNone, true, true
		o.Loaded = func(context.Context) (bool, error) {
			t.Error("the server is asked")
			return false, nil
		}
	})
	f.ask("a", "hello")
	call := f.next()
	if reads, err := f.Typing(f.ctx, "other", fsm.Origin{}); err != nil || reads {
		t.Errorf("it reads: %v, %v", reads, err)
	}
	call.says("good day")
}

// begun are sessions in each of which something was said.
type begun struct{ noSessions }

func (begun) Load(context.Context, string) (fsm.Session, error) {
	return fsm.Session{Version: 1, History: []fsm.Message{{Role: fsm.RoleUser, Text: "hello"}, {Role: fsm.RoleAssistant, Text: "good day"}}}, nil
}

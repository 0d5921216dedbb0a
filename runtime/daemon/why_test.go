package daemon_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/runtime/comm"
	"shelly/runtime/daemon"
)

// halting is a model that is not there at first, and then takes its time.
type halting struct{ calls int }

type absent struct{}

func (absent) Error() string              { return "no server answers" }
func (absent) BrainClass() fsm.BrainClass { return fsm.BrainUnreachable }

func (b *halting) Chat(_ context.Context, _ fsm.AskBrain, _ []fsm.ToolDecl, stream func(daemon.Piece)) (fsm.BrainAnswered, error) {
	if b.calls++; b.calls == 1 {
		return fsm.BrainAnswered{}, absent{}
	}
	stream(daemon.Piece{Stage: fsm.StageLoading})
	time.Sleep(5 * time.Second)
	stream(daemon.Piece{Stage: fsm.StageAccepted})
	time.Sleep(5 * time.Second)
	stream(daemon.Piece{Stage: fsm.StageWriting})
	for _, p := range []daemon.Piece{{Thinking: "h"}, {Thinking: "m"}, {Text: "good "}, {Text: "day"}} {
		stream(p)
		time.Sleep(time.Second)
	}
	return fsm.BrainAnswered{Stop: fsm.StopEndTurn, Text: "good day"}, nil
}

func TestCOM29WhoeverWatchesLearnsWhatTheAnswerWaitsFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := startWith(t, func(o *daemon.Options) {
			talks(&o.Config)
			o.Brain, o.Sessions = &halting{}, noSessions{}
			o.Config.Switches.NoFarewell = true
			o.Config.Switches.Progress, o.Config.Pace = true, fsm.Pace{Load: 300 * fsm.Second, Idle: 60 * fsm.Second, Reads: 10, Writes: 5}
			o.Config.Limits.Backoff = []fsm.Millis{2 * fsm.Second}
			o.Config.Prompts.Identity = strings.Repeat("Be kind. ", 2200)
		})
		f.ask("r1", "hello")
		events, err := f.Watch(f.ctx, fsm.RequestKey{ID: "r1"})
		if err != nil {
			t.Fatal(err)
		}
		var waits []string
		for e := range events {
			if e.Type == comm.EventWaiting {
				waits = append(waits, e.Text)
			}
		}
		want := []string{"no server answers; trying again in 2 s", "loading the model", "reading 5,", "thinking", "writing"}
		if len(waits) == len(want) && strings.HasPrefix(waits[2], want[2]) && strings.Contains(waits[2], " tokens, about ") {
			want[2] = waits[2]
		}
		if diff := cmp.Diff(want, waits); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
		if !strings.Contains(f.log.String(), `because="no server answers" in=2s`) {
			t.Errorf("the log says\n%s", f.log)
		}
		f.Signal("TERM")
		<-f.stopped
	})
}

// noSessions keeps nothing.
type noSessions struct{}

func (noSessions) Load(context.Context, string) (fsm.Session, error) { return fsm.Session{}, nil }
func (noSessions) Save(context.Context, fsm.SaveSession) (fsm.Session, bool, error) {
	return fsm.Session{}, false, nil
}
func (noSessions) Forget(context.Context, fsm.Millis) (int, error) { return 0, nil }

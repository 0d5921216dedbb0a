package daemon_test

import (
	"context"
	"regexp"
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
		f := patient(t, &halting{}, func(o *daemon.Options) { o.Config.Limits.Backoff = []fsm.Millis{2 * fsm.Second} })
		f.ask("r1", "hello")
		want := []string{"no server answers; trying again in 2 s", "loading the model", "reading 5,*** tokens, about 19 s", "thinking", "writing"}
		if diff := cmp.Diff(want, f.waits("r1")); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
		if !strings.Contains(f.log.String(), `because="no server answers" in=2s`) {
			t.Errorf("the log says\n%s", f.log)
		}
		f.Signal("TERM")
		<-f.stopped
	})
}

// stalling is a model that reads more slowly than expected, and stalls in its answer.
type stalling struct{ reads, stalls time.Duration }

func (b stalling) Chat(_ context.Context, _ fsm.AskBrain, _ []fsm.ToolDecl, stream func(daemon.Piece)) (fsm.BrainAnswered, error) {
	stream(daemon.Piece{Stage: fsm.StageAccepted})
	time.Sleep(b.reads)
	stream(daemon.Piece{Stage: fsm.StageWriting})
	for _, p := range []daemon.Piece{{Text: "good "}, {Text: "day"}} {
		stream(p)
		time.Sleep(b.stalls)
	}
	return fsm.BrainAnswered{Stop: fsm.StopEndTurn, Text: "good day"}, nil
}

func TestCOM29AnEstimateThatHasPassedAndSilenceAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := patient(t, stalling{reads: 30 * time.Second, stalls: 11 * time.Second}, nil)
		f.ask("r1", "hello")
		want := []string{
			"reading 5,*** tokens, about 19 s",
			"reading 5,*** tokens, longer than the expected 19 s, or writing a tool call",
			"writing",
			"nothing has come for 10 s: the model may be writing a tool call, or be stuck",
			"writing",
			"nothing has come for 10 s: the model may be writing a tool call, or be stuck",
		}
		if diff := cmp.Diff(want, f.waits("r1")); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
		for _, text := range []string{"longer than the expected", "nothing has come"} {
			if !strings.Contains(f.log.String(), text) {
				t.Errorf("the log does not say %q:\n%s", text, f.log)
			}
		}
		f.Signal("TERM")
		<-f.stopped
	})
}

// reloading is a model that is loaded quickly for each call, and then reads the whole prompt.
type reloading struct{}

func (reloading) Chat(ctx context.Context, ask fsm.AskBrain, tools []fsm.ToolDecl, stream func(daemon.Piece)) (fsm.BrainAnswered, error) {
	stream(daemon.Piece{Stage: fsm.StageLoading})
	time.Sleep(time.Second)
	return stalling{reads: 10 * time.Second}.Chat(ctx, ask, tools, stream)
}

func TestCOM29AQuickLoadLeavesNothingCached(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := patient(t, reloading{}, nil)
		for _, id := range []string{"r1", "r2"} { // the second would read its question alone
			f.ask(id, "hello")
			if diff := cmp.Diff([]string{"reading 5,*** tokens, about 19 s", "writing"}, f.waits(id)); diff != "" {
				t.Errorf("%s: (-want +got)\n%s", id, diff)
			}
		}
		f.Signal("TERM")
		<-f.stopped
	})
}

func TestCOM29ALongSilenceIsToldAgainAndLoggedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := patient(t, stalling{stalls: 25 * time.Second}, func(o *daemon.Options) { o.Config.Tools = nil })
		f.ask("r1", "hello")
		twice := []string{"nothing has come for 10 s: the model may be stuck", "nothing has come for 20 s: the model may be stuck"}
		want := append(append(twice, "writing"), twice...)
		if diff := cmp.Diff(want, f.waits("r1")); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
		if n := strings.Count(f.log.String(), "nothing has come"); n != 2 {
			t.Errorf("the log tells silence %d times, want once each\n%s", n, f.log)
		}
		f.Signal("TERM")
		<-f.stopped
	})
}

func TestCOM29WhatComesBeforeACallIsToldUntilItHasEnded(t *testing.T) {
	for slots, want := range [][]string{
		1: {"waiting for the model, 1 call before it; then reading", "reading", "writing"},
		2: {"reading", "reading more than expected, or writing a tool call", "writing"},
	} {
		if want == nil {
			continue
		}
		synctest.Test(t, func(t *testing.T) {
			f := patient(t, stalling{reads: 10 * time.Second}, func(o *daemon.Options) { o.Slots, o.Config.Limits.MaxActive = slots, 2 })
			for _, session := range []string{"a", "b"} {
				if _, err := f.Accept(f.ctx, comm.Request{Key: fsm.RequestKey{ID: session}, Origin: here, Session: session, Text: "hello"}); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Second)
			}
			if diff := cmp.Diff(want, f.waits("b")); diff != "" {
				t.Errorf("with %d slots (-want +got)\n%s", slots, diff)
			}
			f.Signal("TERM")
			<-f.stopped
		})
	}
}

// patient starts a daemon with a long prompt, whose model is known to read 280 tokens in a second.
func patient(t *testing.T, brain daemon.Brain, change func(*daemon.Options)) *fixture {
	return startWith(t, func(o *daemon.Options) {
		talks(&o.Config)
		o.Brain, o.Sessions = brain, noSessions{}
		o.Config.Switches.NoFarewell = true
		o.Config.Switches.Progress, o.Config.Pace = true, fsm.Pace{Load: 300 * fsm.Second, Idle: 60 * fsm.Second, Reads: 280, Writes: 5}
		o.Config.Prompts.Identity = strings.Repeat("Be kind. ", 2200)
		if change != nil {
			change(o)
		}
	})
}

// waits returns what is told to whoever watches a request, until its reply. Of thousands, the
// hundreds are asterisks: they depend on the wording of prompts.
func (f *fixture) waits(id string) (waits []string) {
	f.t.Helper()
	events, err := f.Watch(f.ctx, fsm.RequestKey{ID: id})
	if err != nil {
		f.t.Fatal(err)
	}
	for e := range events {
		if e.Type == comm.EventWaiting {
			if again := strings.Contains(e.Text, "trying again in"); again != (e.Again != 0) {
				f.t.Errorf("%q has the time %d", e.Text, e.Again)
			}
			waits = append(waits, hundreds.ReplaceAllString(e.Text, ",***"))
		}
	}
	return waits
}

var hundreds = regexp.MustCompile(`,[0-9]{3}\b`)

// noSessions keeps nothing.
type noSessions struct{}

func (noSessions) Load(context.Context, string) (fsm.Session, error) { return fsm.Session{}, nil }
func (noSessions) Save(context.Context, fsm.SaveSession) (fsm.Session, bool, error) {
	return fsm.Session{}, false, nil
}
func (noSessions) Forget(context.Context, fsm.Millis, fsm.Millis) (int, error) { return 0, nil }

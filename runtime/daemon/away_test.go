package daemon_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/fsm/state"
	"shelly/runtime/daemon"
)

// returning is a model whose server comes back some time after it was first called: the calls
// until then, one unless more are given, fail.
type returning struct {
	fail                      int
	calls, awaited, forgotten int
	after                     time.Duration
}

func (b *returning) Chat(context.Context, fsm.AskBrain, []fsm.ToolDecl, func(daemon.Piece)) (fsm.BrainAnswered, error) {
	if b.calls++; b.calls <= max(b.fail, 1) {
		return fsm.BrainAnswered{}, absent{}
	}
	return fsm.BrainAnswered{Stop: fsm.StopEndTurn, Text: "good day"}, nil
}

func (b *returning) Await(ctx context.Context) error {
	b.awaited++
	select {
	case <-time.After(b.after): // virtual time
		return nil
	case <-ctx.Done():
		b.forgotten++
		return ctx.Err()
	}
}

func TestBRN44AWaitEndsWithTheServersAbsence(t *testing.T) {
	for _, tt := range []struct {
		name        string
		after, took time.Duration
		forgotten   int
	}{
		{"before its time", 3 * time.Second, 3 * time.Second, 0},
		{"with its time, as the server is still away", time.Hour, 30 * time.Second, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				brain := &returning{after: tt.after}
				f := patient(t, brain, func(o *daemon.Options) { o.Config.Limits.Backoff = []fsm.Millis{30 * fsm.Second} })
				began := time.Now()
				f.ask("r1", "hello")
				if diff := cmp.Diff([]string{"no server answers; trying again in 30 s, or as soon as it answers"}, f.waits("r1")); diff != "" {
					t.Errorf("(-want +got)\n%s", diff)
				}
				if took := time.Since(began); took != tt.took {
					t.Errorf("answered after %v, not %v\n%s", took, tt.took, f.log)
				}
				synctest.Wait()
				if brain.calls != 2 || brain.forgotten != tt.forgotten {
					t.Errorf("%d calls, and %d times the server was no longer awaited", brain.calls, brain.forgotten)
				}
				f.Signal("TERM")
				<-f.stopped
			})
		})
	}
}

// Whose work is postponed gives back its place, and goes on as soon as its server is back.
func TestHND69APostponedEventGoesOnOnceItsServerIsBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		brain := &returning{after: 3 * time.Second}
		f := patient(t, brain, func(o *daemon.Options) {
			o.Config.Limits.Backoff, o.Config.Limits.Postpone = nil, []fsm.Millis{3600 * fsm.Second}
		})
		if err := f.Raise(f.ctx, fsm.EventRaised{Source: "disk", Event: "full"}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if s := f.Status(f.ctx); len(s.Active) != 0 || len(s.Queue) != 1 || s.Queue[0].State != state.Postponed || s.Queue[0].Why != "no server answers; trying again in 60 min, or as soon as it answers" {
			t.Errorf("at work: %+v; waiting: %+v", s.Active, s.Queue)
		}
		time.Sleep(brain.after) // virtual time
		synctest.Wait()
		if s := f.Status(f.ctx); len(s.Active)+len(s.Queue) != 0 || brain.calls != 2 {
			t.Errorf("%+v, after %d calls\n%s", s, brain.calls, f.log)
		}
		f.Signal("TERM")
		<-f.stopped
	})
}

// However many wait, the server is asked once for all.
func TestBRN44AServerIsAwaitedOnceForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		brain := &returning{fail: 3, after: 3 * time.Second}
		f := patient(t, brain, func(o *daemon.Options) {
			o.Config.Limits.Backoff, o.Config.Limits.Postpone = nil, []fsm.Millis{3600 * fsm.Second}
		})
		for _, source := range []string{"disk", "door", "lamp"} {
			if err := f.Raise(f.ctx, fsm.EventRaised{Source: source, Event: "changed"}); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		if s := f.Status(f.ctx); len(s.Queue) != 3 || brain.awaited != 1 {
			t.Errorf("%d are postponed, the server is asked by %d", len(s.Queue), brain.awaited)
		}
		time.Sleep(brain.after) // virtual time
		synctest.Wait()
		if s := f.Status(f.ctx); len(s.Queue) != 0 || brain.calls != 6 || brain.awaited != 1 {
			t.Errorf("%d are postponed after %d calls, the server was asked by %d\n%s", len(s.Queue), brain.calls, brain.awaited, f.log)
		}
		f.Signal("TERM")
		<-f.stopped
	})
}

func TestBRN44AServerIsNoLongerAwaitedOnceItsRequestIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		brain := &returning{after: time.Hour}
		f := patient(t, brain, func(o *daemon.Options) { o.Config.Limits.Backoff = []fsm.Millis{30 * fsm.Second} })
		f.ask("r1", "hello")
		synctest.Wait()
		if _, err := f.Cancel(t.Context(), fsm.RequestKey{ID: "r1"}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if brain.forgotten != 1 || strings.Contains(f.log.String(), "answers again") {
			t.Errorf("%d times the server was no longer awaited\n%s", brain.forgotten, f.log)
		}
		f.Signal("TERM")
		<-f.stopped
	})
}

func TestBRN44NoServerIsAwaitedByADaemonThatHasEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		brain := &returning{after: time.Hour}
		f := patient(t, brain, func(o *daemon.Options) { o.Config.Limits.Backoff = []fsm.Millis{30 * fsm.Second} })
		f.ask("r1", "hello")
		synctest.Wait()
		began := time.Now()
		f.kill()
		if took := time.Since(began); brain.forgotten != 1 || took != 0 {
			t.Errorf("%d times the server was no longer awaited; the end took %v", brain.forgotten, took)
		}
	})
}

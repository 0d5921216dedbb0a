package supervise

import (
	"context"
	"log/slog"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// While the loop hangs no ping is sent; once it answers again, pings resume.
func TestDEP2APingIsTheLoopsAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const watchdog = 20 * time.Second
		pings := make(chan time.Duration, 1000)
		hangs, began := make(chan bool, 1), time.Now()
		s := &Supervisor{watchdog: watchdog, began: began, nudge: make(chan struct{}, 1), send: func(lines []string) error {
			if slices.Contains(lines, "WATCHDOG=1") {
				pings <- time.Since(began)
			}
			return nil
		}}
		hung := false
		s.Start(Options{Log: slog.New(slog.DiscardHandler), Ask: func(ctx context.Context) (Look, error) {
			select {
			case hung = <-hangs:
			default:
			}
			if hung {
				<-ctx.Done()
				return Look{}, ctx.Err()
			}
			return Look{Serving: true}, nil
		}})
		// Between two ticks: at a tick itself, whether its ping is among those counted is left to
		// the scheduler.
		time.Sleep(watchdog + time.Second)
		before := len(pings)
		hangs <- true
		time.Sleep(2 * watchdog)
		if before < 2 || len(pings) != before {
			t.Errorf("%d pings in the first interval, %d in all while it hangs; want 2 or more, and no more", before, len(pings))
		}
		hangs <- false
		time.Sleep(watchdog)
		if len(pings) < before+2 {
			t.Error("no ping after it answers again")
		}
		s.Close()
		last := len(pings)
		s.Look()
		time.Sleep(watchdog)
		if len(pings) != last {
			t.Error("a ping after Close")
		}
	})
}

func TestDEP1WithoutASupervisorNothingIsDone(t *testing.T) {
	s := begin(environment{})
	if s != nil {
		t.Fatal("there is one")
	}
	s.Start(Options{})
	s.Look()
	s.Reloading()
	s.Reloaded()
	s.Stopping()
	s.Close()
}

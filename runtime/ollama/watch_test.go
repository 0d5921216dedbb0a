package ollama

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"shelly/fsm"
)

func TestBRN8TheWatchEndsAtTheRightDeadline(t *testing.T) {
	limits := Timeouts{FirstToken: 10 * time.Second, Idle: 2 * time.Second, Total: 15 * time.Second}
	tests := []struct {
		name  string
		lines []time.Duration // when lines come
		class fsm.BrainClass
		after time.Duration
	}{
		{"no line", nil, fsm.BrainLoading, 10 * time.Second},
		{"one late line", []time.Duration{9 * time.Second}, fsm.BrainTimeout, 11 * time.Second},
		{"silence after early lines", []time.Duration{time.Second, 2 * time.Second}, fsm.BrainTimeout, 4 * time.Second},
		{"lines for ever", []time.Duration{9 * time.Second, 10 * time.Second, 11 * time.Second, 12 * time.Second, 13 * time.Second, 14 * time.Second}, fsm.BrainTimeout, 15 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				w := newWatch(t.Context(), limits)
				defer w.stop()
				for _, at := range tt.lines {
					time.Sleep(at - time.Since(began)) // virtual time
					w.alive()
				}
				<-w.Done()
				if e := (&Client{}).ended(w); e.Class != tt.class || time.Since(began) != tt.after {
					t.Errorf("%s after %v (%s), want %s after %v", e.Class, time.Since(began), e.Reason, tt.class, tt.after)
				}
			})
		})
	}
}

func TestBRN43SilenceEndsACallWithToolsOnceTheServerIsSilentToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began, asked := time.Now(), 0
		w := newWatch(t.Context(), Timeouts{FirstToken: 10 * time.Second, Idle: 2 * time.Second, Total: time.Minute})
		defer w.stop()
		w.lives = func() bool {
			time.Sleep(500 * time.Millisecond) // virtual time
			asked++
			return asked < 4
		}
		w.alive()
		time.Sleep(4700 * time.Millisecond) // a line arrives while the server is asked for the second time
		w.alive()
		<-w.Done()
		if e := (&Client{}).ended(w); e.Class != fsm.BrainTimeout || !strings.Contains(e.Reason, "answers nothing else either") || asked != 4 || time.Since(began) != 9700*time.Millisecond {
			t.Errorf("%s after %v and %d questions (%s), want %s after 9.7s and 4", e.Class, time.Since(began), asked, e.Reason, fsm.BrainTimeout)
		}
	})
}

func TestAStoppedWatchIsSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWatch(t.Context(), Timeouts{FirstToken: time.Second, Idle: time.Second, Total: time.Second})
		w.alive()
		w.stop()
		time.Sleep(time.Minute) // virtual time
		if cause := context.Cause(w); !errors.Is(cause, context.Canceled) {
			t.Errorf("ended by %v", cause)
		}
	})
}

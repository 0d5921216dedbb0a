package run

import (
	"context"
	"testing"
	"time"
)

func TestMEM11VectorsWaitUntilNothingWasAskedForAWhile(t *testing.T) {
	calls, pauses := uint64(3), 0
	r := resting{
		quiet: func(context.Context) error { return nil },
		calls: func(context.Context) (uint64, error) { return calls, nil },
		pause: func(_ context.Context, d time.Duration) error {
			if d != time.Minute {
				t.Errorf("waits %v", d)
			}
			if pauses++; pauses < 3 {
				calls++ // somebody asks meanwhile
			}
			return nil
		},
		least: time.Minute,
	}
	wait := func(want int) {
		t.Helper()
		if err := r.wait(t.Context()); err != nil || pauses != want {
			t.Errorf("%d pauses, want %d: %v", pauses, want, err)
		}
	}
	wait(3)
	wait(3) // nothing was asked since
	calls++
	wait(4)
}

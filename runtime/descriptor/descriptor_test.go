package descriptor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"testing"
)

func TestCFG15WantOfADescriptorIsAWait(t *testing.T) {
	for _, cause := range []error{syscall.EMFILE, syscall.ENFILE, &os.PathError{Op: "open", Path: "x", Err: syscall.EMFILE}} {
		calls := 0
		got, err := Get(t.Context(), func() (string, error) {
			if calls++; calls < 4 {
				return "", fmt.Errorf("open it: %w", cause)
			}
			return "it", nil
		})
		if got != "it" || err != nil || calls != 4 {
			t.Errorf("%v: %q, %v after %d calls", cause, got, err, calls)
		}
	}
}

func TestAnotherErrorIsNone(t *testing.T) {
	calls := 0
	other := errors.New("another")
	if _, err := Get(t.Context(), func() (string, error) { calls++; return "", other }); !errors.Is(err, other) || calls != 1 {
		t.Errorf("%v after %d calls", err, calls)
	}
}

func TestAWaitEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	_, err := Get(ctx, func() (string, error) {
		if calls++; calls == 2 {
			cancel()
		}
		return "", syscall.EMFILE
	})
	if !Short(err) || calls < 2 {
		t.Errorf("%v after %d calls", err, calls)
	}
}

func TestMaxIsTheLimitOfTheProcess(t *testing.T) {
	if n := Max(); n < 1 || n > 1<<20 {
		t.Errorf("got %d; want at least 1, at most 1048576", n)
	}
}

package exit

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// The two signals that timeout sends within a moment count as one; a person's second one
// counts.
func TestLIF10SignalsOfOneMomentAreOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		raw, out := make(chan os.Signal), make(chan os.Signal, 8)
		go distinct(raw, out)
		for _, wait := range []time.Duration{0, time.Millisecond, Together / 2, Together} {
			time.Sleep(wait)
			raw <- syscall.SIGTERM
		}
		close(raw)
		synctest.Wait()
		if len(out) != 2 {
			t.Errorf("%d signals came through, want the first and the last", len(out))
		}
	})
}

// A signal ends the reading of an input that has nothing to read, and gives what it has before that.
func TestCLI2ReadingEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	silent, in := io.Pipe()
	defer in.Close()
	r := Reader(ctx, io.MultiReader(strings.NewReader("line"), silent))
	text := make([]byte, 4)
	if _, err := io.ReadFull(r, text); err != nil || string(text) != "line" {
		t.Errorf("got %q, %v; want %q", text, err, "line")
	}
	cancel()
	if _, err := r.Read(text); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if all, err := io.ReadAll(Reader(t.Context(), strings.NewReader("all of it"))); err != nil || string(all) != "all of it" {
		t.Errorf("got %q, %v; want %q", all, err, "all of it")
	}
}

// Work that a signal has stopped ends with the signal's code, and with words.
func TestCLI2InterruptedWorkSaysHowToGoOn(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(Silent(143))
	var said strings.Builder
	if code := Code(Interrupted(ctx, "run it again"), &said); code != 143 || said.String() != "shelly: interrupted: run it again\n" {
		t.Errorf("got %d, %q; want 143, %q", code, &said, "shelly: interrupted: run it again\n")
	}
}

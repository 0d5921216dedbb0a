package ask

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"

	"shelly/cmd/shelly/internal/exit"
	"shelly/runtime/comm/client"
)

// CLI-214: whoever has lost the daemon is told where the reply will be.
func TestCLI214WhereTheReplyOfALostDaemonIs(t *testing.T) {
	lost := fmt.Errorf("request one: %w (%w)", client.ErrInterrupted, client.ErrNotRunning)
	err := new(Command).failed(context.Background(), "one", lost)
	if code := (exit.Error{}); !errors.As(err, &code) || code.Code != exit.Unreachable {
		t.Errorf("%v has exit code %d, want %d", err, code.Code, exit.Unreachable)
	}
	if !strings.HasSuffix(err.Error(), "see: shelly request show one") {
		t.Errorf("%q does not end with the command that shows the reply", err)
	}
}

// CLI-212: whoever presses ^C twice leaves, and the request is cancelled all the same.
func TestCLI212TheSecondInterruptDoesNotGiveTheCancelUp(t *testing.T) {
	for name, c := range map[string]struct {
		hangs bool
		want  []string
	}{
		"a daemon that answers":       {false, []string{"cancelled", "left"}},
		"a daemon that answers never": {true, []string{"left"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, end := context.WithCancel(t.Context())
				signals := make(chan os.Signal)
				did := make(chan string, 4)
				go func() { signals <- syscall.SIGINT }()
				heed(ctx, signals, func(string) {}, func() {
					did <- "left"
					end()
				}, func() (bool, error) {
					signals <- syscall.SIGINT
					synctest.Wait() // whatever else can happen has happened
					if c.hangs {
						<-ctx.Done()
						return false, ctx.Err()
					}
					did <- "cancelled"
					return true, nil
				})
				for _, want := range c.want {
					if got := <-did; got != want {
						t.Errorf("%s, want %s", got, want)
					}
				}
			})
		})
	}
}

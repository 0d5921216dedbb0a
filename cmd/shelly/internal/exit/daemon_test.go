package exit

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"shelly/fsm/engine"
	"shelly/runtime/comm/client"
)

func TestCLI2AnErrorOfTheDaemonHasACode(t *testing.T) {
	for err, want := range map[error]int{
		client.ErrNotRunning: Unreachable, client.ErrSilent: Unreachable, engine.ErrStopping: Unreachable,
		client.ErrNotFound: NoMatch, client.ErrUnauthorized: Usage, client.ErrTooLarge: Usage, engine.ErrConflict: Usage,
		client.ErrNoAccess: Data, client.ErrEndpoint: Data, engine.ErrDamaged: Data, engine.ErrNoSpace: Disk, errors.New("another"): Failed,
	} {
		if got := Code(Daemon(fmt.Errorf("call: %w", err)), io.Discard); got != want {
			t.Errorf("%v: %d, want %d", err, got, want)
		}
	}
}

func TestNoErrorHasNoCode(t *testing.T) {
	for _, err := range []error{With(Data, nil), Else(Data, nil), Daemon(nil), History(nil)} {
		if err != nil {
			t.Errorf("no error became %#v", err)
		}
	}
}

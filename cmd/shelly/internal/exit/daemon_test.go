package exit

import (
	"errors"
	"fmt"
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
		if got := Daemon(fmt.Errorf("call: %w", err)).Code; got != want {
			t.Errorf("%v: %d, want %d", err, got, want)
		}
	}
}

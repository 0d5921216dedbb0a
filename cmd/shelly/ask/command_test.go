package ask

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

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

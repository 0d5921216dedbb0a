// Package sure asks a person whether something is to be forgotten for good (CLI-20, CLI-222).
package sure

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm/wording"
)

// nothing is what an error says that is not a yes.
const nothing = "nothing is forgotten"

// Forget asks whether what, such as 3 entries, is to be forgotten, and returns an error unless the answer
// is yes. Without a terminal there is nobody to ask.
func Forget(ctx context.Context, t *terminal.Terminal, what string) error {
	if !terminal.Is(t.In) {
		return exit.Errorf(exit.Usage, nothing+", because there is no terminal to ask on; give --yes")
	}
	fmt.Fprintf(t.Err, "forget %s permanently? [y/N] ", what)
	answer, err := bufio.NewReader(exit.Reader(ctx, t.In)).ReadString('\n')
	switch {
	case errors.Is(err, io.EOF): // ^D
		fmt.Fprintln(t.Err)
		return exit.Errorf(exit.Failed, nothing)
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(t.Err)
		return exit.Interrupted(ctx, nothing)
	}
	if err != nil || !slices.Contains([]string{"y", "yes"}, strings.ToLower(strings.TrimSpace(answer))) {
		return errors.Join(exit.Errorf(exit.Failed, nothing), err)
	}
	return nil
}

// Until says how long the journal and what belongs to it keep what was forgotten elsewhere.
func Until(age time.Duration) string {
	if age <= 0 {
		return "which are kept without a limit (retention.age)"
	}
	const day = 24 * time.Hour
	if age >= day && age%day == 0 {
		return fmt.Sprintf("for %s (retention.age)", wording.Count(int(age/day), "day"))
	}
	return fmt.Sprintf("for %s (retention.age)", age)
}

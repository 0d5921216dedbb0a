package request

import (
	"errors"
	"fmt"
	"io"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/output"
	"shelly/cmd/shelly/internal/requestreport"
	"shelly/cmd/shelly/internal/secrets"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm/engine"
	"shelly/fsm/wording"
	"shelly/sim/history"
	"shelly/sim/history/redact"
)

// report writes what happened to a request or run as one file with its secrets replaced (CLI-163); with
// verdict it includes whether today's code decides the same.
func (r *journalled) report(t *terminal.Terminal, j engine.Reader, of history.History, file output.File, given []string, verdict bool) error {
	if err := file.Free(); err != nil {
		return err
	}
	by, err := r.redactor(given)
	if err != nil {
		return err
	}
	made, err := requestreport.Of(j, of, by, verdict)
	switch {
	case errors.Is(err, requestreport.ErrSecret):
		return exit.Errorf(exit.Failed, "cannot write %s: %w", of.Name(), err)
	case err != nil:
		return exit.History(err)
	}
	if err := file.Text(t, made.HTML); err != nil {
		return err
	}
	fmt.Fprintf(t.Err, "%s: %s of %s\n", file, wording.Count(made.Steps, "step"), of.Name())
	tellReplaced(t.Err, by)
	return nil
}

// tellReplaced reports how often which secrets were replaced.
func tellReplaced(out io.Writer, by *redact.Redactor) {
	for _, n := range by.Counts() {
		fmt.Fprintf(out, "replaced: %s, %s\n", n.Kind, wording.Count(n.Times, "time"))
	}
}

// redactor knows the secrets of the configuration and the environment, and those that are given.
func (r *journalled) redactor(given []string) (*redact.Redactor, error) {
	cfg, err := r.Load()
	if err != nil {
		return nil, err
	}
	return secrets.Redactor(cfg, given)
}

package tool

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/cmd/shelly/run"
	"shelly/fsm"
)

type tryCmd struct {
	Name         string `arg:"" help:"Tool, such as read_file."`
	Args         string `arg:"" optional:"" default:"{}" help:"Arguments, a JSON object such as '{\"path\": \"notes.txt\"}'."`
	Yes          bool   `help:"Run it even if it is unsafe."`
	flags.AsJSON `set:"json=Print the result as JSON."`
	place
}

// Help says how the tool is run.
func (tryCmd) Help() string {
	return "The tool runs with the settings that a daemon would have, in the workspace; no model is asked, and the call is not in the audit. " +
		"Its changes of files can be undone: shelly tool undo --session " + trySession + "."
}

// trySession is the session of the tried calls.
const trySession = "try"

// tried is the result of a call, as --json prints it.
type tried struct {
	Tool    string `json:"tool"`
	Result  string `json:"result"`
	Failed  bool   `json:"failed"`
	Nothing bool   `json:"nothing_happened,omitempty"`
	Invalid bool   `json:"invalid,omitempty"`
	Took    int64  `json:"took_ms"`
}

// Run implements the subcommand (CLI-102).
func (c *tryCmd) Run(t *terminal.Terminal) error {
	return c.with(t, c.Name, func(b *run.Tools) error {
		d, err := find(b.Declared, c.Name)
		switch {
		case err != nil:
			return err
		case d.Builtin:
			return exit.Errorf(exit.Usage, "%s is answered by the daemon itself, within a request; it cannot be tried", c.Name)
		case !json.Valid([]byte(c.Args)):
			return exit.Errorf(exit.Usage, "the arguments are not JSON: %s; write an object such as '{\"path\": \"notes.txt\"}'", strings.TrimSpace(c.Args))
		case !d.Effects.Repeatable() && !c.Yes:
			return exit.Errorf(exit.Usage, "%s is unsafe: it may change something; give --yes to run it", c.Name)
		case b.Unset[c.Name] != nil:
			return exit.With(exit.Usage, b.Unset[c.Name])
		}
		ctx, stop := exit.Interruptible()
		defer stop()
		begun := time.Now()
		answer := b.Tools.Run(ctx, fsm.RunTool{
			Name: c.Name, Args: c.Args, Effects: d.Effects, Session: trySession, Attempt: 1, Key: trySession + "." + strconv.FormatInt(begun.UnixNano(), 36),
		})
		if c.JSON {
			err = t.JSON(tried{c.Name, answer.Text, answer.Failed, answer.Nothing, answer.Invalid, time.Since(begun).Milliseconds()})
		} else {
			_, err = fmt.Fprintln(t.Out, terminal.Printable(strings.TrimSuffix(answer.Text, "\n")))
		}
		if err == nil && answer.Failed {
			return exit.Silent(exit.Failed)
		}
		return err
	})
}

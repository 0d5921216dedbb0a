package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/alecthomas/kong"
)

// cli is the whole command line (CLI-1).
type cli struct {
	Run      runCmd      `cmd:"" help:"Start the daemon and serve until a signal."`
	Ask      askCmd      `cmd:"" help:"Ask the running daemon and watch the answer come."`
	Test     testCmd     `cmd:"" help:"Run scenario files in virtual time."`
	Scenario scenarioCmd `cmd:"" help:"Begin, check and complete scenario files."`
	Explore  exploreCmd  `cmd:"" help:"Walk every interleaving of a small world."`
	Spec     specCmd     `cmd:"" help:"Print the tables and diagrams, or one rule with its code, tests and scenarios."`
	Mock     mockCmd     `cmd:"" help:"Serve a scenario's brain over Ollama's API."`
	Doctor   doctorCmd   `cmd:"" help:"Say what is reachable, what the model can do, and how to mend what is wrong."`
	Config   configCmd   `cmd:"" help:"Print the effective configuration and where each value came from."`
	Version  versionCmd  `cmd:"" help:"Print the version."`
}

// Exit codes (CLI-2). Those of test are the scenario format's (SCN-9).
const (
	exitOK          = 0
	exitFailed      = 1 // an expectation or invariant failed; a request was answered with an error
	exitUsage       = 2 // bad flags, configuration or files
	exitInternal    = 3 // an error that is nobody's input
	exitNoMatch     = 4 // nothing matched
	exitDiffers     = 5 // one case gave two different traces
	exitData        = 6 // the data folder is in use, unreadable or written by newer code
	exitUnreachable = 7 // no model, or no daemon, answers
	exitForced      = 8 // stopped before the farewell was over
	exitDisk        = 9 // a write failed, or there is too little free space
)

// coded is an error with the exit code that it ends the process with.
type coded struct {
	code int
	err  error
}

func (e coded) Error() string { return e.err.Error() }
func (e coded) Unwrap() error { return e.err }

func failf(code int, format string, args ...any) error {
	return coded{code, fmt.Errorf(format, args...)}
}

// silent ends the process with a code when everything has been said already.
func silent(code int) error { return coded{code, nil} }

// terminal is where a subcommand reads and writes.
type terminal struct {
	in       io.Reader
	out, err io.Writer
}

// interactive reports whether standard output is a terminal.
func (t *terminal) interactive() bool {
	f, ok := t.out.(*os.File)
	return ok && isTerminal(f)
}

func main() { os.Exit(run(os.Args[1:], &terminal{os.Stdin, os.Stdout, os.Stderr})) }

// run runs one command line and returns its exit code. A wrong one starts nothing
// (CLI-3).
func run(args []string, t *terminal) (code int) {
	var c cli
	ended := -1
	parser, err := kong.New(&c,
		kong.Name("shelly"),
		kong.Description("A local, offline-first agent whose loop is one pure state machine."),
		kong.Writers(t.out, t.err),
		kong.Exit(func(code int) { ended = code }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}),
		kong.Bind(t),
	)
	if err != nil {
		fmt.Fprintln(t.err, "shelly:", err)
		return exitInternal
	}
	ctx, err := parser.Parse(args)
	if ended >= 0 { // --help
		return ended
	}
	if err != nil {
		fmt.Fprintf(t.err, "shelly: %v; see shelly --help\n", err)
		return exitUsage
	}
	return exitCode(ctx.Run(), t)
}

// exitCode says what went wrong and returns the code for it.
func exitCode(err error, t *terminal) int {
	if err == nil {
		return exitOK
	}
	c := coded{exitInternal, err}
	errors.As(err, &c)
	if c.err != nil {
		fmt.Fprintln(t.err, "shelly:", c.err)
	}
	return c.code
}

package main

import (
	"fmt"
	"io"
	"os"

	"github.com/alecthomas/kong"

	"shelly/cmd/shelly/internal/exit"
)

// cli is the whole command line (CLI-1).
type cli struct {
	Run      runCmd      `cmd:"" help:"Start the daemon and serve until a signal."`
	Ask      askCmd      `cmd:"" help:"Ask the running daemon and watch the answer come."`
	Request  requestCmd  `cmd:"" help:"Look into the requests that were made."`
	Memory   memoryCmd   `cmd:"" help:"Look into the memory, add to it, and have entries forgotten."`
	Journal  journalCmd  `cmd:"" help:"Back the data folder up, restore it, and check its journal."`
	Model    modelCmd    `cmd:"" help:"List the models of the Ollama server, and pull one."`
	Test     testCmd     `cmd:"" help:"Run scenario files in virtual time."`
	Scenario scenarioCmd `cmd:"" help:"Begin, check and complete scenario files."`
	Explore  exploreCmd  `cmd:"" help:"Walk every interleaving of a small world."`
	Spec     specCmd     `cmd:"" help:"Print the tables and diagrams, or all about one rule."`
	Mock     mockCmd     `cmd:"" help:"Serve a scenario's brain over Ollama's API."`
	Doctor   doctorCmd   `cmd:"" help:"Say what is reachable, what the model can do, what to mend."`
	Config   configCmd   `cmd:"" help:"Print the effective configuration and where each value came from."`
	Version  versionCmd  `cmd:"" help:"Print the version."`
}

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
		return exit.Internal
	}
	ctx, err := parser.Parse(args)
	if ended >= 0 { // --help
		return ended
	}
	if err != nil {
		fmt.Fprintf(t.err, "shelly: %v; see shelly --help\n", err)
		return exit.Usage
	}
	return exit.Code(ctx.Run(), t.err)
}

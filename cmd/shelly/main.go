package main

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"shelly/cmd/shelly/acp"
	"shelly/cmd/shelly/approval"
	"shelly/cmd/shelly/ask"
	"shelly/cmd/shelly/bundle"
	"shelly/cmd/shelly/channel"
	"shelly/cmd/shelly/chat"
	"shelly/cmd/shelly/doctor"
	"shelly/cmd/shelly/event"
	"shelly/cmd/shelly/explore"
	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/suite"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/cmd/shelly/journal"
	"shelly/cmd/shelly/logs"
	"shelly/cmd/shelly/mcp"
	"shelly/cmd/shelly/memory"
	"shelly/cmd/shelly/messages"
	"shelly/cmd/shelly/model"
	"shelly/cmd/shelly/page"
	"shelly/cmd/shelly/request"
	"shelly/cmd/shelly/run"
	"shelly/cmd/shelly/scenario"
	"shelly/cmd/shelly/schedule"
	"shelly/cmd/shelly/service"
	"shelly/cmd/shelly/session"
	"shelly/cmd/shelly/skill"
	"shelly/cmd/shelly/status"
	"shelly/cmd/shelly/token"
	"shelly/cmd/shelly/tool"
	"shelly/fsm/wording"
	"shelly/runtime/comm/client"
	"shelly/runtime/garbage"
	"shelly/runtime/sandbox"
	"shelly/runtime/store"
	"shelly/runtime/tool/tree"
)

// cli is the whole command line (CLI-1).
type cli struct {
	Run      run.Command      `cmd:"" help:"Start the daemon and serve until a signal."`
	Ask      ask.Command      `cmd:"" help:"Ask the running daemon and show the answer as it comes."`
	Chat     chat.Command     `cmd:"" help:"Talk to the running daemon."`
	Status   status.Command   `cmd:"" help:"Show what runs, what waits and why, and the resources in use."`
	Page     page.Command     `cmd:"" help:"Open the daemon's page in your browser."`
	Logs     logs.Command     `cmd:"" help:"Show what the daemon has logged, and follow it."`
	Messages messages.Command `cmd:"" help:"Show messages from schedules and subagents, and follow them."`
	Schedule schedule.Command `cmd:"" help:"List, add, remove, pause and run schedules."`
	Event    event.Command    `cmd:"" help:"List the sources of events that the daemon watches, and try them."`
	Channel  channel.Command  `cmd:"" help:"List the connected chat systems, and send a test message."`
	Session  session.Command  `cmd:"" help:"List, show, search and export conversations."`
	Request  request.Command  `cmd:"" help:"List, show, decide about, replay and export requests."`
	Approval approval.Command `cmd:"" help:"List and revoke approvals that cover later calls."`
	Token    token.Command    `cmd:"" help:"List, create and revoke clients' tokens."`
	MCP      mcp.Command      `cmd:"" name:"mcp" help:"Serve an MCP client over standard input and output."`
	ACP      acp.Command      `cmd:"" name:"acp" help:"Serve an editor that speaks the Agent Client Protocol."`
	Memory   memory.Command   `cmd:"" help:"Search the memory, add to it, and delete entries."`
	Journal  journal.Command  `cmd:"" help:"Back up, verify, repair and restore the data folder."`
	Skill    skill.Command    `cmd:"" help:"List, show, check and create skills."`
	Model    model.Command    `cmd:"" help:"List the Ollama server's models, or pull one."`
	Tool     tool.Command     `cmd:"" help:"List and try tools, show their calls, undo their changes."`
	Test     suite.Command    `cmd:"" help:"Run scenario files in virtual time."`
	Scenario scenario.Command `cmd:"" help:"Create, check and format scenario files."`
	Explore  explore.Command  `cmd:"" help:"Explore every interleaving of a small world."`
	Spec     specCmd          `cmd:"" help:"Print the tables and diagrams, or everything about one rule."`
	Mock     mockCmd          `cmd:"" help:"Serve a scenario's model over Ollama's API."`
	Service  service.Command  `cmd:"" help:"Have the system's service manager run the daemon."`
	Bundle   bundle.Command   `cmd:"" help:"Move shelly and its models to a machine without internet access."`
	Doctor   doctor.Command   `cmd:"" help:"Check what is reachable, what the model can do, and what to fix."`
	Config   configCmd        `cmd:"" help:"Print the effective configuration and where each value came from."`
	Version  versionCmd       `cmd:"" help:"Print the version."`
	Help     struct {         // execute turns help X into X --help
		Command []string `arg:"" optional:"" help:"Command, such as run or request list."`
	} `cmd:"" hidden:"" help:"Print the help of a command."`

	Stamp kong.VersionFlag `name:"version" hidden:""` // the same as the verb
}

func main() {
	tree.Supervise()
	sandbox.Stage()
	garbage.Pace()
	os.Exit(execute(os.Args[1:], &terminal.Terminal{In: terminal.NewInput(os.Stdin), Out: terminal.NewOutput(os.Stdout), Err: os.Stderr}))
}

// execute runs one command line and returns its exit code. A malformed one starts nothing
// (CLI-3).
func execute(args []string, t *terminal.Terminal) (code int) {
	if len(args) > 0 && args[0] == "help" {
		args = slices.Concat(args[1:], []string{"--help"})
	}
	return executeBy(grammar(args), args, t)
}

// executeBy is execute with a given grammar.
func executeBy(grammar any, args []string, t *terminal.Terminal) (code int) {
	ended := -1
	help := short
	args, all := wantsAll(args)
	if all {
		help = kong.DefaultHelpPrinter
	}
	parser, err := kong.New(grammar,
		kong.Name("shelly"),
		kong.Description("A local, offline-first agent whose loop is one pure state machine."),
		kong.Writers(t.Out, t.Err),
		kong.Exit(func(code int) { ended = code }),
		kong.Help(help),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true, WrapUpperBound: terminal.Width(t.Out)}),
		kong.Vars{"version": versionLine()},
		kong.Bind(t, terminal.Shell(execute)),
	)
	if err != nil {
		fmt.Fprintln(t.Err, "shelly:", err)
		return exit.Internal
	}
	ctx, err := parser.Parse(args)
	switch failed := t.Failed(); {
	case failed != nil:
		return exit.Code(unwritten(failed), t.Err)
	case ended >= 0: // --help or --version
		return ended
	case err != nil:
		return misused(err, t)
	}
	if name := emptied(ctx.Path); name != "" {
		fmt.Fprintf(t.Err, "shelly: %s is empty; see %s --help\n", name, ctx.Selected().FullPath())
		return exit.Usage
	}
	err = ctx.Run()
	if failed := t.Failed(); failed != nil && (err == nil || errors.Is(err, failed)) {
		err = unwritten(failed)
	}
	return exit.Code(advised(mendable(err), ctx.Path), t.Err)
}

// mendable adds to an error about damage what to do, if it does not say that (CLI-27).
func mendable(err error) error {
	coded, ok := errors.AsType[exit.Error](err)
	if !ok || !errors.Is(coded.Err, store.ErrCorrupt) {
		return err
	}
	if _, mend := store.Damage(coded.Err); mend != "" {
		return err
	}
	if _, ok := errors.AsType[*client.Error](err); ok { // it has the daemon's hint
		return err
	}
	return exit.Errorf(coded.Code, "%w; shelly journal verify names all that is damaged, and shelly journal repair recovers the rest", coded.Err)
}

// unwritten is the error of a command whose output is not complete (CLI-2).
func unwritten(err error) error {
	return exit.Errorf(exit.Disk, "the output could not be written: %w", err)
}

// plainly says in plain words what the parser says in its own, such as that the line ends where a
// value should be.
func plainly(text string) string {
	text = strings.Replace(text, `must be one of "",`, "must be one of ", 1) // "" is that it is not given
	for _, r := range []struct{ from, to string }{
		{`: expected duration but got (".*?")(?:: time: .*)?$`, ": wants a duration such as 30s or 5m, not $1"},
		{`: (?:expected \w+ value but got "EOL" \(<EOL>\)|missing value, expecting "<arg>")$`, " wants a value, which is missing"},
		{`: expected \w+ value but got (".*") \((?:long|short) flag\); perhaps try (.*)\?$`, " wants a value, but $1 follows; one that begins with - is given as $2"},
		{`^(unknown flag -[^-,]+)(?:, did you mean "-[^-]+"\?)?$`, "$1; an argument that begins with - is given after --"},
		{`: expected a valid \d+ bit u?int but got (".*")$`, ": wants a whole number, not $1"},
	} {
		text = regexp.MustCompile(r.from).ReplaceAllString(text, r.to)
	}
	return text
}

// misused reports what is wrong with a command line, and where its help is. If only the verb is
// missing, it lists the verbs.
func misused(err error, t *terminal.Terminal) int {
	wrong := (*kong.ParseError)(nil)
	if !errors.As(err, &wrong) {
		fmt.Fprintln(t.Err, "shelly:", err)
		return exit.Internal
	}
	at := wrong.Context.Model.Node
	if n := wrong.Context.Selected(); n != nil {
		at = n
	}
	command := at.FullPath()
	if wrong.Context.Error == nil && !at.Leaf() {
		wrong.Context.Stdout = t.Err
		if err := wrong.Context.PrintUsage(false); err != nil {
			fmt.Fprintln(t.Err, "shelly:", err)
		}
		fmt.Fprintf(t.Err, "\nshelly: name one of these commands; see %s COMMAND --help\n", command)
		return exit.Usage
	}
	text := meant(plainly(err.Error()), at)
	if _, given, found := strings.Cut(err.Error(), "expected duration but got "); found {
		text += wording.Days(given)
	}
	fmt.Fprintf(t.Err, "shelly: %s; see %s --help\n", terminal.Printable(text), command)
	return exit.Usage
}

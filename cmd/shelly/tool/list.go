package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/listing"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/cmd/shelly/run"
	"shelly/fsm"
	"shelly/runtime/comm/client"
)

type listCmd struct {
	Servers      bool `help:"Also start the MCP servers, and list their tools."`
	flags.AsJSON `set:"json=Print the declarations as JSON."`
	place
}

// Help explains the words.
func (listCmd) Help() string {
	return "EFFECTS is what running a call twice would do: none changes nothing, idempotent has the same result, unsafe may do harm; builtin is answered by shelly itself. " +
		"APPROVAL is asks if a person decides about each call."
}

// Run implements the subcommand (CLI-100).
func (c *listCmd) Run(t *terminal.Terminal) error {
	wanted := run.NoServer // listing starts no program
	if c.Servers {
		wanted = run.AllOfThem
	}
	return c.open(t, wanted, func(b *run.Tools) error {
		decls := b.Declared
		if len(b.Unasked) > 0 {
			fmt.Fprintln(t.Err, terminal.Printable("the tools of "+strings.Join(b.Unasked, ", ")+" are not shown; --servers starts these servers and lists them"))
		}
		for _, why := range append(b.Down, b.Odd...) {
			fmt.Fprintln(t.Err, terminal.Printable(why))
		}
		if other := c.differences(decls, b.Unasked); other != "" {
			fmt.Fprintln(t.Err, terminal.Printable(other))
		}
		return listing.Print(t, c.JSON, append([]fsm.ToolDecl{}, decls...), decls, printTools, "no tool is offered")
	})
}

// differences says which tools the running daemon offers besides these or lacks, and about which it
// asks a person where these settings do not, or the reverse: it may have been started with other
// settings. The tools of servers that were not asked do not count.
func (c *listCmd) differences(here []fsm.ToolDecl, unasked []string) string {
	cfg, err := c.load()
	if err != nil {
		return "" // it has loaded before
	}
	ctx, stop := context.WithTimeout(context.Background(), daemonTimeout)
	defer stop()
	running, err := client.New(cfg.Data, client.Options{}).Status(ctx)
	if err != nil || len(running.Tools) == 0 {
		return "" // these are then the tools of the next start
	}
	there := slices.DeleteFunc(running.Tools, func(name string) bool {
		return slices.ContainsFunc(unasked, func(server string) bool { return strings.HasPrefix(name, server+"_") })
	})
	var less, asked, free []string
	more := slices.Clone(there)
	for _, d := range here {
		more = slices.DeleteFunc(more, func(name string) bool { return name == d.Name })
		switch asks := slices.Contains(running.Approve, d.Name); {
		case !slices.Contains(there, d.Name):
			less = append(less, d.Name)
		case asks && !d.Approve:
			asked = append(asked, d.Name)
		case !asks && d.Approve:
			free = append(free, d.Name)
		}
	}
	var is []string
	for _, part := range []struct {
		says  string
		names []string
	}{{"also offers ", more}, {"does not offer ", less}, {"asks a person about ", asked}, {"asks nobody about ", free}} {
		if len(part.names) > 0 {
			is = append(is, part.says+strings.Join(part.names, ", "))
		}
	}
	if len(is) == 0 {
		return ""
	}
	return "the running daemon, which was started with other settings, " + strings.Join(is, "; ")
}

// daemonTimeout is how long a daemon may take to say which tools it offers.
const daemonTimeout = 2 * time.Second

func printTools(out io.Writer, decls []fsm.ToolDecl) error {
	return listing.Table(out, "NAME\tEFFECTS\tAPPROVAL\tTOKENS\tWHAT", decls, func(d fsm.ToolDecl) []string {
		what, _, _ := strings.Cut(d.Description, ". ")
		return []string{d.Name, effects(d), approval(d), fmt.Sprint(tokens(d)), terminal.Cut(what, 72)}
	})
}

// tokens estimates what a declaration costs in each prompt.
func tokens(d fsm.ToolDecl) int {
	return fsm.TextTokens(d.Name) + fsm.TextTokens(d.Description) + fsm.TextTokens(d.Parameters)
}

type showCmd struct {
	Name         string `arg:"" help:"Tool, such as read_file."`
	flags.AsJSON `set:"json=Print only what the model is sent."`
	place
}

// offered is a tool as it is sent to the model's server.
type offered struct {
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type function struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
}

// Run implements the subcommand (CLI-100).
func (c *showCmd) Run(t *terminal.Terminal) error {
	return c.with(t, c.Name, func(b *run.Tools) error {
		d, err := find(b.Declared, c.Name)
		if err != nil {
			return err
		}
		sent := offered{"function", function{d.Name, d.Description, json.RawMessage(d.Parameters)}}
		if c.JSON {
			return t.JSON(sent)
		}
		fmt.Fprintf(t.Out, "effects: %s\napproval: %s\nresults come from: %s\ntokens in each prompt: about %d\nthe model is sent:\n",
			effects(d), approval(d), strings.Join(d.SourceOf().Names(), ", "), tokens(d))
		text, err := json.MarshalIndent(sent, "", "  ")
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(terminal.Escaping(t.Out), "%s\n", text)
		return err
	})
}

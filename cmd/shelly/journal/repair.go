package journal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm"
	"shelly/fsm/wording"
	"shelly/runtime/config"
	"shelly/runtime/datafolder"
	"shelly/runtime/repair"
)

type repairCmd struct {
	DryRun bool `name:"dry-run" help:"Report what would be recovered and lost; write nothing."`
	flags.AsJSON
	flags.Place
}

// Help is the text after the usage.
func (c *repairCmd) Help() string {
	return "Whatever can be read of a damaged store becomes a new store in its place; the damaged one is kept in a folder whose name is printed. " +
		"Unfinished work whose records may be lost is held for a decision. Exit code 6 if nothing can be recovered."
}

// Run implements the subcommand (CLI-27, JRN-32).
func (c *repairCmd) Run(t *terminal.Terminal, cfg config.Config) error {
	ctx, stop := exit.Interruptible()
	defer stop()
	_, end := show(t, "reading all that can be read")
	r, err := repair.Run(ctx, cfg.Data, repair.Options{DryRun: c.DryRun, Now: time.Now})
	end()
	switch {
	case errors.Is(err, context.Canceled):
		return exit.Interrupted(ctx, "nothing was changed, and nothing is lost; run it again to start over")
	case err != nil:
		return failed(err)
	case c.JSON:
		return t.JSON(r)
	}
	tellRepair(t.Out, datafolder.Store(cfg.Data), r)
	return nil
}

// tellRepair prints the result of a repair.
func tellRepair(w io.Writer, dir string, r repair.Report) {
	if r.Sound {
		fmt.Fprintf(w, "%s: nothing is damaged; nothing was changed\n", dir)
		return
	}
	list := func(what string, texts []string) {
		for _, text := range texts {
			fmt.Fprintf(w, "%s: %s\n", what, text)
		}
	}
	list("not as it was written", r.Damage)
	records := "no journal record"
	if r.First <= r.Last {
		records = fmt.Sprintf("journal records %d to %d", r.First, r.Last)
	}
	fmt.Fprintf(w, "recovered: %s, %s, %s, %s\n", records, wording.Count(r.Requests, "request"),
		wording.Count(r.Sessions, "session"), wording.Counted(r.Entries, "memory entry", "memory entries"))
	if r.Derived > 0 {
		fmt.Fprintf(w, "rebuilt from the journal: %s of requests, messages and tool calls\n", wording.Count(r.Derived, "record"))
	}
	list("lost", r.Lost)
	list("may be lost or outdated", r.Held)
	list("left out because what comes before or after it is lost", r.LeftOut)
	if r.Tail {
		fmt.Fprintf(w, "what came after record %d may be lost, and what was done in it is not known\n", r.Last)
	}
	for _, u := range r.Doubted {
		fmt.Fprintf(w, "held for a person: %s\n", terminal.Printable(unfinished(u)))
	}
	for _, id := range r.Again {
		fmt.Fprintf(w, "may run once more than it should: schedule %s\n", terminal.Printable(id))
	}
	for _, u := range r.Answered {
		fmt.Fprintf(w, "answered with an error because its outcome is not known: %s\n", terminal.Printable(unfinished(u)))
	}
	if r.DryRun {
		fmt.Fprintln(w, "nothing was changed: run it without --dry-run to do this and keep the damaged store")
		return
	}
	fmt.Fprintf(w, "%s is repaired; the damaged store is kept in %s\n", dir, r.Aside)
}

// unfinished describes unfinished work.
func unfinished(u repair.Unfinished) string {
	if u.Kind == fsm.KindUser {
		return fmt.Sprintf("request %q of channel %s", u.Request.ID, u.Request.Channel)
	}
	return fmt.Sprintf("%s, handle %d", u.Kind, u.Handle)
}

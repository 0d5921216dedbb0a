// Package explore is shelly explore, which walks every interleaving of a small world.
package explore

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"strings"
	"sync"
	"time"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/output"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/runtime/durable"
	"shelly/runtime/event/source"
	"shelly/sim/coverage"
	"shelly/sim/explore"
	"shelly/sim/scenario"
	"shelly/sim/scenario/document"
)

// Command is the subcommand.
type Command struct {
	File         string        `arg:"" optional:"" help:"Scenario whose world to explore instead of a named one."`
	World        string        `help:"World to explore: small (the default), init, turn, sessions, person, spawn, poison, compress, rounds, idle, consolidate, crash, shutdown, reads, probe, grant, postpone, said, faults, crowd, or all of them; or a large one that all leaves out: storm. The first line says what may happen in it." placeholder:"NAME"`
	Timeouts     *int          `help:"Deadlines that may pass in FILE's world (default 1)." placeholder:"N"`
	Crashes      *int          `help:"Crashes in FILE's world (default 1)." placeholder:"N"`
	Cancels      *int          `help:"Cancels in FILE's world, besides those of its timeline (default 1)." placeholder:"N"`
	Depth        int           `help:"Stop at this depth; whether rest can be reached is then not checked." placeholder:"N"`
	States       int           `help:"Give up at this many unique states of one world; 0 for no limit. 500,000 take 0.2 to 5 GiB." default:"500000"`
	Budget       time.Duration `help:"Give up after this time, for all worlds together." placeholder:"DURATION"`
	Output       string        `short:"o" help:"File for the shortest counterexample, as a failing scenario; of several worlds, its name has the world." placeholder:"FILE" default:"counterexample.scenario.yaml"`
	Force        bool          `help:"Overwrite an existing file."`
	flags.AsJSON `set:"json=Print the figures as JSON; a list for several worlds."`
}

// Help is what follows the usage.
func (Command) Help() string {
	return "In FILE's world the timeline may happen at any moment, in its order; each model call may get any line for its purpose, " +
		"each tool call any entry, and a person may decide anything when asked. Of the expectations, only always and never are checked, if one step and the state can decide them."
}

// Validate refuses negative bounds, which would be none, and more crashes than there can be. The parser
// calls it.
func (c *Command) Validate() error {
	for _, f := range []struct {
		name string
		n    *int
	}{{"timeouts", c.Timeouts}, {"crashes", c.Crashes}, {"cancels", c.Cancels}, {"depth", &c.Depth}, {"states", &c.States}} {
		if f.n != nil && *f.n < 0 {
			return fmt.Errorf("--%s: %d is negative; give 0 or more", f.name, *f.n)
		}
	}
	if c.Crashes != nil && *c.Crashes > explore.CrashesMax {
		return fmt.Errorf("--crashes: %d is more than a walk can take; give at most %d", *c.Crashes, explore.CrashesMax)
	}
	if c.Budget < 0 {
		return fmt.Errorf("--budget: %s is negative; give a time such as 10m", c.Budget)
	}
	return nil
}

// Run implements the subcommand (CLI-7).
func (c *Command) Run(t *terminal.Terminal) error {
	if err := output.Other("-o", c.Output, "the figures"); err != nil {
		return err
	}
	worlds, err := c.worlds()
	if err != nil {
		return err
	}
	for _, w := range worlds { // a walk may take hours
		if err := (output.File{Name: c.file(w, len(worlds) > 1), Force: c.Force}).Free(); err != nil {
			return err
		}
	}
	if len(worlds) == 1 && !strings.HasSuffix(c.Output, document.Suffix) {
		return exit.Errorf(exit.Usage, "-o: %s would be no scenario to shelly test; give a name that ends in %s", c.Output, document.Suffix)
	}
	ctx, stop := exit.Interruptible()
	defer stop()
	begin := time.Now()
	room := &room{read: source.SystemMemory, now: time.Now}
	taken, unique, bad := coverage.New(), 0, error(nil)
	var all []explored
	for _, w := range worlds {
		w.Enough = func() bool { return ctx.Err() != nil || c.Budget > 0 && time.Since(begin) > c.Budget || room.short() }
		e, x, err := c.walk(w, room, len(worlds) > 1)
		all, unique = append(all, e), unique+x.Unique
		taken.Join(x.Coverage)
		if !c.JSON {
			e.print(t)
		}
		if ctx.Err() != nil && x.Found == nil && !(x.Complete && len(all) == len(worlds)) {
			err = exit.Interrupted(ctx, fmt.Sprintf("nothing is wrong in the %d unique states that were walked; run it again to walk to the end", unique))
		}
		if bad = cmp.Or(bad, err); ctx.Err() != nil {
			break
		}
	}
	switch {
	case c.JSON:
		var told any = all
		if len(all) == 1 {
			told = all[0]
		}
		if err := t.JSON(told); err != nil {
			return err
		}
	case len(worlds) > 1:
		printRows(t, "together: ", notTaken(taken))
	}
	return bad
}

// walk walks one of the worlds, or of several; an error says what was found, or why it was
// not walked to the end.
func (c *Command) walk(w world, room *room, several bool) (e explored, x explore.Result, err error) {
	w.StatesMax, w.DepthMax = c.States, c.Depth
	w.Together, w.Workers = together, runtime.GOMAXPROCS(0)
	start := time.Now()
	x = explore.Run(w.Bounds)
	e = figures(w, x, time.Since(start).Seconds())
	if x.Found == nil {
		return e, x, c.gaveUp(x, room)
	}
	e.File, err = c.write(c.file(w, several), w, x.Found)
	return e, x, err
}

// together runs do for 0 to n-1 concurrently.
func together(n int, do func(int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { do(i) })
	}
	all.Wait()
}

// gaveUp returns why a walk that found nothing did not finish, or nil.
func (c *Command) gaveUp(x explore.Result, room *room) error {
	switch {
	case x.Complete:
		return nil
	case c.States > 0 && x.Unique >= c.States:
		return exit.Errorf(exit.Failed, "gave up after %d unique states; raise --states to walk to the end", x.Unique)
	case room.left != "":
		return exit.Errorf(exit.Failed, "gave up after %d unique states, because only %s of memory are left; walk a smaller world, with fewer --crashes, --timeouts or --cancels or with --depth", x.Unique, room.left)
	default:
		return exit.Errorf(exit.Failed, "gave up after %d unique states and %s; raise --budget to walk to the end", x.Unique, c.Budget)
	}
}

// file is the name of the file for a world's counterexample.
func (c *Command) file(w world, several bool) string {
	if !several {
		return c.Output
	}
	base, _ := strings.CutSuffix(c.Output, document.Suffix)
	return base + "-" + w.Name + document.Suffix
}

// write writes a counterexample as a scenario (SIM-14) and returns the file's name. An existing
// file is overwritten only with --force.
func (c *Command) write(name string, w world, found *explore.Counterexample) (string, error) {
	record := scenario.Found{Counterexample: found, World: w.Name, Command: c.command(w), Case: w.file}
	err := durable.As{Perm: 0o644, New: !c.Force, Folder: 0o755}.File(name, record.Write)
	switch {
	case errors.Is(err, fs.ErrExist):
		return "", exit.Errorf(exit.Failed, "cannot write the counterexample because %s exists; name another file with -o, or give --force", name)
	case err != nil:
		return "", exit.Errorf(exit.Failed, "cannot write the counterexample: %w", err)
	}
	return name, exit.Silent(exit.Failed)
}

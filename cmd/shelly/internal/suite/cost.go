package suite

import (
	"errors"
	"fmt"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm/wording"
	"shelly/sim"
	"shelly/sim/report"
	"shelly/sim/scenario"
	"shelly/sim/scenario/format"
)

// Cost is shelly scenario cost.
type Cost struct {
	Paths  []string `arg:"" optional:"" help:"Files or folders; with none, ./scenarios."`
	Format string   `enum:"pretty,markdown,json" default:"pretty" help:"pretty, markdown or json."`
}

// Help is the text after the usage.
func (Cost) Help() string {
	return "A case whose file names no server is played with a laptop's, which reads 25 and writes 8 tokens a second, and has one slot and a window of 8,192.\n\n" +
		"READ counts tokens that no slot held, LEAST those that no order of the calls saves, BY DOCUMENT those that no slot saves of the prompts as they are, both with the model's own answers, which a slot may still have (SCN-55). A case of which something does not hold is named on standard error. " +
		"A case that needs the daemon's tools or a live model is not played, and named there, too. Exit codes: 0 all cases were played, 1 a case was not, 2 a file does not load, 4 nothing matched."
}

// Run implements the subcommand (SCN-55). An error has an exit code.
func (c *Cost) Run(t *terminal.Terminal) error {
	paths, err := (&Command{Paths: c.Paths}).find()
	if err != nil {
		return err
	}
	cases, broken := load(paths, nil)
	for i := range broken {
		fmt.Fprintln(t.Err, detail(broken[i].Err))
	}
	if len(broken) > 0 {
		return loadFailure(broken)
	}
	var costs []report.Cost
	var doubts []string
	unplayed := 0
	for _, f := range cases {
		if f.Skipped != "" || f.Property() != nil {
			continue
		}
		cost, held, err := costOf(f)
		switch {
		case err != nil:
			unplayed++
			doubts = append(doubts, doubt(f, err.Error()))
			continue
		case !held:
			doubts = append(doubts, doubt(f, "what the case expects does not hold on this server, so it may cost something else when it does"))
		}
		costs = append(costs, cost)
	}
	err = report.Costs(terminal.Escaping(t.Out), c.Format, costs)
	for _, d := range doubts {
		fmt.Fprintln(t.Err, terminal.Printable(d))
	}
	if err == nil && unplayed > 0 {
		return exit.Errorf(exit.Failed, "%s not played", wording.Count(unplayed, "case"))
	}
	return err
}

// doubt is what there is to say of the cost of a case.
func doubt(f *scenario.File, text string) string {
	return fmt.Sprintf("%s:%d: %s: %s", f.Path(), f.Line(), wording.Line(f.Name), text)
}

// costOf plays a case on its server, or on a laptop, and reports whether all held.
func costOf(f *scenario.File) (cost report.Cost, held bool, err error) {
	if f.Server == nil {
		f.Server = &format.Server{Laptop: true}
	}
	cost = report.Cost{Name: f.Name}
	out := f.Run(sim.Options{})
	if out.Skipped != "" {
		out.Err = errors.New("is not played: " + out.Skipped)
	}
	if out.Err != nil {
		return cost, false, out.Err
	}
	cost.Usage = sim.UsageOf(out.Result.Asked)
	for _, q := range out.Result.Replies() {
		if q.IsError {
			cost.Failed++
		}
	}
	cost.FirstWord, cost.Reply = out.Result.Waits()
	return cost, out.OK(), nil
}

package suite

import (
	"errors"
	"fmt"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/terminal"
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
		"READ counts tokens that no slot held, LEAST those that had to be read in any order of the calls (SCN-55). " +
		"Exit codes: 0 all cases were played, 1 a case was not, 2 a file does not load, 4 nothing matched."
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
	for _, f := range cases {
		if f.Skipped != "" {
			continue
		}
		cost, err := costOf(f)
		if err != nil {
			return err
		}
		costs = append(costs, cost)
	}
	return report.Costs(t.Out, c.Format, costs)
}

// costOf plays a case on its server, or on a laptop.
func costOf(f *scenario.File) (report.Cost, error) {
	if f.Server == nil {
		f.Server = &format.Server{Laptop: true}
	}
	cost := report.Cost{Name: f.Name, Profile: f.Profile}
	out := f.Run(sim.Options{})
	if out.Skipped != "" {
		out.Err = errors.New("is not played: " + out.Skipped)
	}
	if out.Err != nil {
		return cost, exit.Errorf(exit.Failed, "%s: %v", f.Name, out.Err)
	}
	cost.Usage = out.Result.Usage(func(sim.Asked) bool { return true })
	for _, q := range out.Result.Replies() {
		cost.Replies++
		if q.IsError {
			cost.Failed++
		}
	}
	cost.FirstWord, cost.Reply = out.Result.Waits()
	return cost, nil
}

package explore

import (
	"fmt"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/suite"
	"shelly/fsm/wording"
	"shelly/sim/explore"
	"shelly/sim/scenario"
	"shelly/sim/scenario/judge"
)

// world is a world to walk, and the scenario that it comes from, if any.
type world struct {
	explore.Bounds
	file    *scenario.File
	watched *judge.Watching // of the file's expectations
}

// worlds returns the worlds to walk.
func (c *Command) worlds() ([]world, error) {
	if c.File != "" {
		w, err := c.fileWorld()
		return []world{w}, err
	}
	if c.Timeouts != nil || c.Crashes != nil || c.Cancels != nil {
		return nil, exit.Errorf(exit.Usage, "--timeouts, --crashes and --cancels are for the world of a FILE; a named one has its own")
	}
	if c.World == "all" {
		var all []world
		for _, b := range explore.Worlds() {
			all = append(all, world{Bounds: b})
		}
		return all, nil
	}
	name := c.World
	if name == "" {
		name = explore.SmallWorld().Name
	}
	b, ok := explore.World(name)
	if !ok {
		return nil, exit.Errorf(exit.Usage, "there is no world %q; shelly explore --help lists them", name)
	}
	return []world{{Bounds: b}}, nil
}

// fileWorld returns the world of a scenario.
func (c *Command) fileWorld() (world, error) {
	if c.World != "" {
		return world{}, exit.Errorf(exit.Usage, "give FILE or --world, not both")
	}
	f, err := suite.LoadOne(c.File)
	if err != nil {
		return world{}, err
	}
	if f.Replay != nil {
		return world{}, exit.Errorf(exit.Usage, "%s is a replay, in which everything is fixed; name another scenario", c.File)
	}
	if f.Script.Live || f.Tools.Real {
		return world{}, exit.Errorf(exit.Usage, "%s has brain: live or tools: real; a walk needs a script and stubs, all of whose answers it can try", c.File)
	}
	plan := f.Plan()
	w := world{Bounds: explore.CaseWorld(c.File, &plan), file: f, watched: judge.Watch(f.File)}
	w.About = f.Name
	w.Case.Check = w.watched.Check
	for _, bound := range []struct{ to, own *int }{{&w.Timeouts, c.Timeouts}, {&w.Crashes, c.Crashes}, {&w.Cancels, c.Cancels}} {
		*bound.to = 1
		if bound.own != nil {
			*bound.to = max(*bound.own, 0)
		}
	}
	return w, nil
}

// command returns the command line that walks one of the worlds.
func (c *Command) command(w world) string {
	if w.file == nil {
		return "shelly explore --world " + w.Name
	}
	return fmt.Sprintf("shelly explore %s --timeouts %d --crashes %d --cancels %d", wording.ShellPath(c.File), w.Timeouts, w.Crashes, w.Cancels)
}

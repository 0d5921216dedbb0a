package main

import (
	"fmt"
	"runtime"
	"sync"
	"time"

	"shelly/sim"
	"shelly/sim/report"
	"shelly/sim/scenario"
)

// play runs the cases, several at once, and returns the outcomes in their order.
func (c *testCmd) play(files []*scenario.File, g *goldens) []report.Case {
	workers := c.Parallel
	if workers < 1 {
		workers = runtime.GOMAXPROCS(0)
	}
	outcomes := make([]report.Case, len(files))
	next := make(chan int)
	var failed, group = make(chan struct{}), sync.WaitGroup{}
	var once sync.Once
	for range min(workers, len(files)) {
		group.Go(func() {
			for i := range next {
				outcomes[i] = c.one(files[i], g)
				if c.FailFast && outcomes[i].Status().Fails() {
					once.Do(func() { close(failed) })
					return // so that a single worker never takes another case
				}
			}
		})
	}
	sent := 0
feed:
	for i := range files {
		select {
		case next <- i:
			sent++
		case <-failed:
			break feed
		}
	}
	close(next)
	group.Wait()
	return outcomes[:sent]
}

// one runs a case, and with --twice once more (SCN-11).
func (c *testCmd) one(f *scenario.File, g *goldens) (out report.Case) {
	start := time.Now()
	defer func() { out.Took = time.Since(start) }()
	if c.On == "runtime" {
		out.Outcome = runLive(f)
		g.settle(f, &out.Outcome)
		return out
	}
	out.Outcome = c.again(f.Run(c.options()))
	g.settle(f, &out.Outcome)
	if c.Twice && out.Err == nil {
		again := f.Run(c.options())
		out.Differs = again.Err != nil || again.TraceHash != out.TraceHash
	}
	return out
}

// again adds the seed to the commands that reproduce a failure (SCN-10).
func (c *testCmd) again(out scenario.Outcome) scenario.Outcome {
	for i := range out.Failures {
		if f := &out.Failures[i]; f.Again != "" && c.Seed != nil {
			f.Again += fmt.Sprintf(" --seed %d", *c.Seed)
		}
	}
	return out
}

func (c *testCmd) options() sim.Options {
	if c.Seed == nil {
		return sim.Options{}
	}
	return sim.Options{Choose: sim.NewSeeded(*c.Seed)}
}

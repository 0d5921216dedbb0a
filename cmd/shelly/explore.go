package main

import (
	"encoding/json"
	"fmt"
	"time"

	"shelly/fsm"
	"shelly/sim"
)

type exploreCmd struct {
	World  string `help:"The world to walk: small (one request, one unsafe tool, one time-out, one crash, one shutdown) or init (the initial inference instead of the request)." enum:"small,init" default:"small"`
	States int    `help:"Give up beyond so many unique states; 0 walks to the end." default:"5000000"`
	JSON   bool   `name:"json" help:"Print the figures as JSON."`
}

// explored is what --json prints.
type explored struct {
	World       string     `json:"world"`
	Bounds      sim.Bounds `json:"bounds"`
	Unique      int        `json:"unique_states"`
	Transitions int        `json:"transitions"`
	Depth       int        `json:"depth"`
	Resting     int        `json:"resting_states"`
	Complete    bool       `json:"complete"`
	Seconds     float64    `json:"seconds"`
	PerSecond   int        `json:"states_per_second"`
	NotTaken    []string   `json:"rows_not_taken"`
	Invariant   string     `json:"invariant,omitempty"`
	Violation   string     `json:"violation,omitempty"`
	Path        []string   `json:"path,omitempty"`
}

// Run implements the subcommand (CLI-7).
func (c *exploreCmd) Run(t *terminal) error {
	bounds := sim.SmallWorld()
	if c.World == "init" {
		bounds = sim.InitWorld()
	}
	bounds.StatesMax = c.States
	start := time.Now()
	x := sim.Explore(bounds)
	seconds := time.Since(start).Seconds()
	e := explored{
		World: c.World, Bounds: bounds, Unique: x.Unique, Transitions: x.Transitions, Depth: x.Depth,
		Resting: x.Resting, Complete: x.Complete, Seconds: seconds, PerSecond: int(float64(x.Unique) / seconds),
	}
	for _, r := range x.Coverage.Missing() {
		e.NotTaken = append(e.NotTaken, fmt.Sprintf("%s: %s --%s→ %s", r.Table, r.From, r.On, r.To))
	}
	if x.Found != nil {
		e.Invariant, e.Violation, e.Path = x.Found.Invariant, x.Found.Text, x.Found.Path
	}
	if c.JSON {
		enc := json.NewEncoder(t.out)
		enc.SetIndent("", "  ")
		if err := enc.Encode(e); err != nil {
			return err
		}
	} else {
		e.print(t)
	}
	switch {
	case x.Found != nil:
		return silent(exitFailed)
	case !x.Complete:
		return failf(exitFailed, "gave up after %d unique states; raise --states to walk to the end", x.Unique)
	}
	return nil
}

func (e *explored) print(t *terminal) {
	b := e.Bounds
	fmt.Fprintf(t.out, "world %s: %d requests, %d events, one %s tool, %d time-outs, %d crashes, %d signals, %d starts after a stop, init %s\n",
		e.World, b.Requests, b.Events, b.Effects, b.Timeouts, b.Crashes, b.Signals, b.Starts, b.Init)
	fmt.Fprintf(t.out, "limits: %d tool rounds, %d cognition rounds, %d store attempts\n",
		b.Limits.MaxToolRounds, b.Limits.MaxCognitionRounds, b.Limits.MaxStoreAttempts)
	fmt.Fprintf(t.out, "%d unique states, %d transitions, depth %d, %d at rest, %.2fs, %d states/s\n",
		e.Unique, e.Transitions, e.Depth, e.Resting, e.Seconds, e.PerSecond)
	rows := 0
	for _, table := range fsm.Tables() {
		rows += len(table.Rows)
	}
	fmt.Fprintf(t.out, "%d of %d table rows taken\n", rows-len(e.NotTaken), rows)
	for _, r := range e.NotTaken {
		fmt.Fprintf(t.out, "  not taken: %s\n", r)
	}
	switch {
	case e.Invariant != "":
		fmt.Fprintf(t.out, "FAILED %s: %s\n", e.Invariant, e.Violation)
		for i, a := range e.Path {
			fmt.Fprintf(t.out, "  %2d. %s\n", i+1, a)
		}
	case e.Complete:
		fmt.Fprintf(t.out, "complete: every state within the bounds was visited, all invariants hold, rest is reachable from each\n")
	}
}

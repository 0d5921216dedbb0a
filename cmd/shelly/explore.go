package main

import (
	"encoding/json"
	"fmt"
	"runtime/debug"
	"time"

	"shelly/fsm"
	"shelly/sim"
)

type exploreCmd struct {
	World  string `help:"The world to walk: small, init, turn, sessions, person, spawn, poison, compress, rounds, consolidate, or all. Its first line says what may happen in it." enum:"small,init,turn,sessions,person,spawn,poison,compress,rounds,consolidate,all" default:"small"`
	States int    `help:"Give up beyond so many unique states of one world; 0 walks to the end." default:"5000000"`
	JSON   bool   `name:"json" help:"Print the figures as JSON, a list of them for all worlds."`
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
	worlds := sim.Worlds()
	if c.World != "all" {
		world, ok := sim.World(c.World)
		if !ok {
			return failf(exitUsage, "there is no world %q", c.World)
		}
		worlds = []sim.Bounds{world}
	}
	debug.SetGCPercent(400) // a walk makes garbage by the state and keeps little of it
	together, bad := sim.NewCoverage(), error(nil)
	var all []explored
	for _, bounds := range worlds {
		bounds.StatesMax = c.States
		start := time.Now()
		x := sim.Explore(bounds)
		e := figures(bounds, x, time.Since(start).Seconds())
		together.Join(x.Coverage)
		all = append(all, e)
		if !c.JSON {
			e.print(t)
		}
		switch {
		case bad != nil:
		case x.Found != nil:
			bad = silent(exitFailed)
		case !x.Complete:
			bad = failf(exitFailed, "gave up after %d unique states; raise --states to walk to the end", x.Unique)
		}
	}
	switch {
	case c.JSON:
		if err := printJSON(t, all); err != nil {
			return err
		}
	case len(worlds) > 1:
		printRows(t, "together: ", notTaken(together))
	}
	return bad
}

func printJSON(t *terminal, all []explored) error {
	enc := json.NewEncoder(t.out)
	enc.SetIndent("", "  ")
	if len(all) == 1 {
		return enc.Encode(all[0])
	}
	return enc.Encode(all)
}

// figures is what is told of a walk.
func figures(b sim.Bounds, x sim.Exploration, seconds float64) explored {
	e := explored{
		World: b.Name, Bounds: b, Unique: x.Unique, Transitions: x.Transitions, Depth: x.Depth,
		Resting: x.Resting, Complete: x.Complete, Seconds: seconds, PerSecond: int(float64(x.Unique) / seconds),
		NotTaken: notTaken(x.Coverage),
	}
	if x.Found != nil {
		e.Invariant, e.Violation, e.Path = x.Found.Invariant, x.Found.Text, x.Found.Path
	}
	return e
}

func notTaken(c *sim.Coverage) []string {
	var rows []string
	for _, r := range c.Missing() {
		rows = append(rows, fmt.Sprintf("%s: %s --%s→ %s", r.Table, r.From, r.On, r.To))
	}
	return rows
}

// printRows says how many rows of the tables were taken, and which were not.
func printRows(t *terminal, prefix string, missing []string) {
	rows := 0
	for _, table := range fsm.Tables() {
		rows += len(table.Rows)
	}
	fmt.Fprintf(t.out, "%s%d of %d table rows taken\n", prefix, rows-len(missing), rows)
	for _, r := range missing {
		fmt.Fprintf(t.out, "  not taken: %s\n", r)
	}
}

func (e *explored) print(t *terminal) {
	b := e.Bounds
	fmt.Fprintf(t.out, "world %s: %s\n", e.World, b.About)
	fmt.Fprintf(t.out, "%d requests in %d sessions, %d events, one %s tool, %d time-outs, %d crashes, %d cancels, %d signals, %d starts after a stop, init %s\n",
		b.Requests, b.Sessions, b.Events, b.Effects, b.Timeouts, b.Crashes, b.Cancels, b.Signals, b.Starts, b.Init)
	fmt.Fprintf(t.out, "limits: %d tool rounds, %d cognition rounds, %d store attempts\n",
		b.Limits.MaxToolRounds, b.Limits.MaxCognitionRounds, b.Limits.MaxStoreAttempts)
	fmt.Fprintf(t.out, "%d unique states, %d transitions, depth %d, %d at rest, %.2fs, %d states/s\n",
		e.Unique, e.Transitions, e.Depth, e.Resting, e.Seconds, e.PerSecond)
	rows := 0
	for _, table := range fsm.Tables() {
		rows += len(table.Rows)
	}
	fmt.Fprintf(t.out, "%d of %d table rows taken\n", rows-len(e.NotTaken), rows)
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

package explore

import (
	"fmt"
	"runtime"
	"strings"

	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm/state"
	"shelly/fsm/wording"
	"shelly/sim/coverage"
	"shelly/sim/explore"
)

// explored is what --json prints (SIM-10).
type explored struct {
	World       string         `json:"world"`
	Bounds      explore.Bounds `json:"bounds"`
	States      int            `json:"states"` // reached, counted each time
	Unique      int            `json:"unique_states"`
	Positions   int            `json:"machine_states"` // unique ones
	Steps       int            `json:"machine_steps"`  // steps taken to reach them
	Transitions int            `json:"transitions"`
	Depth       int            `json:"depth"`
	Cut         int            `json:"cut_at_depth,omitempty"` // states at --depth, whose successors were not tried
	Resting     int            `json:"resting_states"`
	Complete    bool           `json:"complete"`
	Seconds     float64        `json:"seconds"`
	PerSecond   int            `json:"states_per_second"` // unique ones
	Memory      uint64         `json:"memory_mib"`        // obtained by the process so far
	NotTaken    []string       `json:"rows_not_taken"`
	Unchecked   []string       `json:"unchecked,omitempty"`      // of the file's expectations
	Idle        []string       `json:"nothing_judged,omitempty"` // those by which no step of a walk without a violation was judged
	Invariant   string         `json:"invariant,omitempty"`
	Violation   string         `json:"violation,omitempty"`
	Path        []string       `json:"path,omitempty"`
	File        string         `json:"counterexample,omitempty"` // the file's name
}

// figures returns those of a walk.
func figures(w world, x explore.Result, seconds float64) explored {
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	e := explored{
		World: w.Name, Bounds: w.Bounds, States: x.States, Unique: x.Unique, Positions: x.Positions, Steps: x.Steps, Transitions: x.Transitions, Depth: x.Depth, Cut: x.Cut,
		Resting: x.Resting, Complete: x.Complete, Seconds: seconds, PerSecond: int(float64(x.Unique) / max(seconds, 1e-6)),
		Memory: memory.Sys >> 20, NotTaken: notTaken(x.Coverage),
	}
	if w.watched != nil {
		e.Unchecked, e.Idle = w.watched.Others, w.watched.Idle()
	}
	if x.Found != nil {
		e.Idle = nil // the walk has ended early
		e.Invariant, e.Violation, e.Path = x.Found.Invariant, x.Found.Text, x.Found.Path
	}
	return e
}

func notTaken(c *coverage.Coverage) []string {
	var rows []string
	for _, r := range c.Missing() {
		rows = append(rows, fmt.Sprintf("%s: %s --%s→ %s", r.Table, r.From, r.On, r.To))
	}
	return rows
}

// printRows prints how many rows of the tables were taken, and which were not.
func printRows(t *terminal.Terminal, prefix string, missing []string) {
	fmt.Fprintf(t.Out, "%s%d of %d table rows taken\n", prefix, tableRows()-len(missing), tableRows())
	for _, r := range missing {
		fmt.Fprintf(t.Out, "  not taken: %s\n", r)
	}
}

func tableRows() int {
	rows := 0
	for _, table := range state.Tables() {
		rows += len(table.Rows)
	}
	return rows
}

func (e *explored) print(t *terminal.Terminal) {
	b := e.Bounds
	fmt.Fprintf(t.Out, "world %s: %s\n", e.World, b.About)
	fmt.Fprintln(t.Out, bounds(b))
	if b.Case != nil && len(b.Case.LeftOut) > 0 {
		fmt.Fprintf(t.Out, "left out of its timeline: %s\n", strings.Join(b.Case.LeftOut, ", "))
	}
	fmt.Fprintf(t.Out, "limits: %s, %s, %s\n", wording.Count(b.Limits.MaxToolRounds, "tool round"),
		wording.Count(b.Limits.MaxCognitionRounds, "cognition round"), wording.Count(b.Limits.MaxStoreAttempts, "store attempt"))
	fmt.Fprintf(t.Out, "%d states, %d unique, %d transitions, depth %d, %d at rest, %.2fs, %d unique states/s, %d MiB\n",
		e.States, e.Unique, e.Transitions, e.Depth, e.Resting, e.Seconds, e.PerSecond, e.Memory)
	fmt.Fprintf(t.Out, "%d steps of the machine from %d states of its own\n", e.Steps, e.Positions)
	fmt.Fprintf(t.Out, "%d of %d table rows taken\n", tableRows()-len(e.NotTaken), tableRows())
	if b.Case != nil {
		e.printJudged(t)
	}
	switch {
	case e.Invariant != "":
		e.printFound(t)
	case e.Complete && e.Cut > 0:
		fmt.Fprintf(t.Out, "complete to depth %d: every state up to it was visited, all invariants hold; whether rest is reachable is not judged\n", b.DepthMax)
	case e.Complete:
		fmt.Fprintf(t.Out, "complete: every state within the bounds was visited, all invariants hold, rest is reachable from each\n")
	}
}

// bounds returns what may happen in a world, in words.
func bounds(b explore.Bounds) string {
	moments := wording.Count(b.Requests, "moment") + " in the order of its timeline"
	cancels := "further cancel"
	if b.Case == nil {
		moments = fmt.Sprintf("%s in %s, %s, one tool with effects: %s", wording.Count(b.Requests, "request"),
			wording.Count(b.Sessions, "session"), wording.Count(b.Events, "event"), b.Effects)
		cancels = "cancel"
	}
	words := []string{moments, wording.Count(b.Timeouts, "time-out"), wording.Counted(b.Crashes, "crash", "crashes"), wording.Count(b.Cancels, cancels)}
	if b.Case == nil {
		words = append(words, wording.Count(b.Signals, "signal"))
	}
	return strings.Join(append(words, wording.Count(b.Starts, "start")+" after a stop", "init "+string(b.Init)), ", ")
}

// printJudged prints which of a scenario's expectations the walk has checked.
func (e *explored) printJudged(t *terminal.Terminal) {
	fmt.Fprint(t.Out, "of the file's expectations, always and never are checked")
	if len(e.Unchecked) > 0 {
		fmt.Fprintf(t.Out, ", but for %s: no step and state alone decide it", strings.Join(e.Unchecked, ", "))
	}
	fmt.Fprintln(t.Out, "; the rest is not judged")
	for _, key := range e.Idle {
		fmt.Fprintf(t.Out, "nothing is judged by %s: its when never came in this walk, or no event has its keys; correct it, or add optional: true if that is fine\n", key)
	}
}

func (e *explored) printFound(t *terminal.Terminal) {
	fmt.Fprintf(t.Out, "FAILED %s: %s\n", e.Invariant, e.Violation)
	for i, a := range e.Path {
		fmt.Fprintf(t.Out, "  %2d. %s\n", i+1, a)
	}
	if e.File != "" {
		fmt.Fprintf(t.Out, "again: shelly test %s\n", wording.ShellPath(e.File))
	}
}

package format

import (
	"slices"

	"shelly/fsm"
	"shelly/sim"
	"shelly/sim/scenario/expression"
	"shelly/sim/strict"
)

// Property is what a property file says (PRP-1): how cases are made, and what must
// hold of each. Its fields are the keys of the format; what a case and a property are
// set in, they say alike.
type Property struct {
	Version int      `key:"property,required"` // the format's version: 1
	Name    string   `key:"name,required"`     // what must hold, in a few words
	Covers  []string `key:"covers"`            // ids of the rules of SPEC.md that the property shows
	Tags    []string `key:"tags"`              // words to select properties by
	Skipped string   `key:"skip"`              // why no case of it is made; it is loaded and checked all the same (SCN-60)
	Setting
	Tools       strict.ByName[[]Drawn[Entry]] `key:"tools"`               // stub tools by name: what a call may come to, the first one where nothing else was drawn. Effects, approve, description and parameters are for the tool
	Runs        Runs                          `key:"runs,required"`       // how many cases are made, and how long each may be
	Regressions string                        `key:"regressions"`         // the scenarios that are played first, as a pattern such as ./regressions/*.scenario.yaml; what is found is written to their folder
	Generate    Generate                      `key:"generate,required"`   // what cases are made of
	Invariants  []Invariant                   `key:"invariants,required"` // what must hold of every case after every step: $all, which stands for the machine's invariants, the world's counters and equal traces of two runs, and expressions
	Cover       []Cover                       `key:"cover"`               // what must be reached often enough for the property to mean anything
}

// Runs are the bounds of a property.
type Runs struct {
	Seeds    Count     `key:"seeds,required"` // how many cases are made, one from each seed from 1; --seeds and --seed override it
	MaxSteps *Count    `key:"max_steps"`      // a case that takes more steps to come to rest fails; 2000 unless given
	Budget   *Duration `key:"budget"`         // how long on the wall the cases may take together; what there is no time for is left out and told; --budget overrides it; 1m unless given
	Shrink   *Duration `key:"shrink"`         // how long on the wall a case that fails is made smaller; 20s unless given
}

// Generate is what cases are made of.
type Generate struct {
	Swarm    *bool        `key:"swarm"`    // in each case some of what may be picked is left out, and the other weights are redrawn; true unless given
	Timeline DrawnMoments `key:"timeline"` // what happens when
	Brain    DrawnLines   `key:"brain"`    // what the model says; beyond it "Done."
	Tools    DrawnEntries `key:"tools"`    // how much of what tools come to is drawn
	Faults   Chances      `key:"faults"`   // what goes wrong beside the script
}

// DrawnMoments is a timeline that is drawn.
type DrawnMoments struct {
	Length Range           `key:"length"` // how many things happen
	Gap    DurationRange   `key:"gap"`    // the time before each; short ones are the more likely
	Pick   []Drawn[Moment] `key:"pick"`   // what may happen: the keys of a scenario's timeline but at and optional, the simplest first
}

// DrawnLines is a script of the model that is drawn.
type DrawnLines struct {
	Length Range         `key:"length"` // how many answers
	Takes  DurationRange `key:"takes"`  // how long each takes that does not say it; short ones are the more likely
	Pick   []Drawn[Line] `key:"pick"`   // what the model may say: the keys of a scenario's brain but sees, times and optional, the simplest first; calls may be {tools, args, min, max}
}

// DrawnEntries says how many answers of each tool are drawn.
type DrawnEntries struct {
	Length *Range        `key:"length"` // how many of each tool; {min: 0, max: 4} unless given
	Takes  DurationRange `key:"takes"`  // how long each takes that does not say it
}

// Range is a whole number from min to max.
type Range struct {
	Min int `key:"min"`          // the least; 0 unless given
	Max int `key:"max,required"` // the most
}

// DurationRange is a duration from min to max.
type DurationRange struct {
	Min Duration `key:"min"`          // the least; 0s unless given
	Max Duration `key:"max,required"` // the most
}

// DrawnCalls is a list of tool calls that is drawn.
type DrawnCalls struct {
	Tools DrawnTools `key:"tools,required"`           // $declared, which stands for every tool that the model is offered, or a list of names
	Args  string     `key:"args" enum:"$from_schema"` // $from_schema: arguments that fit the tool's parameters, nearly; {} unless given
	Min   int        `key:"min"`                      // how many calls at least; 1 unless given
	Max   int        `key:"max"`                      // how many calls at most; 1 unless given
}

// DrawnTools is $declared or a list of names; nil is $declared.
type DrawnTools []string

// Chances are the probabilities with which things go wrong: a call's for each call, an
// append's for each append.
type Chances struct {
	BrainError     Chance       `key:"brain.error"`         // a model call fails for good
	BrainBusy      Chance       `key:"brain.busy"`          // a model call fails in a way after which the model is asked again
	BrainCut       Chance       `key:"brain.cut"`           // the stream of an answer ends without its last line
	BrainGarbage   Chance       `key:"brain.garbage"`       // an answer cannot be read
	BrainHangs     Chance       `key:"brain.hangs"`         // no answer comes
	ToolError      Chance       `key:"tool.error"`          // a tool answers that it failed
	ToolBusy       Chance       `key:"tool.busy"`           // a tool answers that it failed and nothing happened
	ToolHangs      Chance       `key:"tool.hangs"`          // a tool answers only when it is aborted
	ToolLost       Chance       `key:"tool.lost_answer"`    // a tool does what it does, but its answer never comes
	RecallError    Chance       `key:"recall.error"`        // a recall fails
	RecallHangs    Chance       `key:"recall.hangs"`        // no answer comes to a recall
	EmbeddingError Chance       `key:"embedding.error"`     // an embedding fails
	EmbeddingHangs Chance       `key:"embedding.hangs"`     // no answer comes to an embedding
	StoreError     Chance       `key:"store.error"`         // an entry of memory is not stored
	StoreHangs     Chance       `key:"store.hangs"`         // no answer comes to the storing of an entry
	SessionsError  Chance       `key:"sessions.error"`      // a session is not loaded or saved
	SessionsHangs  Chance       `key:"sessions.hangs"`      // no answer comes to a load or save of a session
	JournalFull    Chance       `key:"journal.full"`        // an append fails for want of space
	JournalFsync   Chance       `key:"journal.fsync_error"` // an append that is synced fails in its sync
	JournalTorn    Chance       `key:"journal.torn_tail"`   // the process dies after an append of which only a part was written
	Crash          *CrashChance `key:"crash"`               // the process dies
}

// CrashChance says how often the process dies, and where.
type CrashChance struct {
	P       Chance         `key:"p,required"`    // the probability each time that the point is met; each crash has a point of its own
	At      DrawnPoints    `key:"at"`            // $any, or a point or a list of points: journal.before_append, journal.after_append, effect.before, effect.after, step; $any unless given
	Restart *DurationRange `key:"restart_after"` // how long the process is down; 1s unless given
}

// DrawnPoints are crash points; none are all there are.
type DrawnPoints []sim.Point

// Invariant is $all or an expression that holds after every step.
type Invariant struct {
	All  bool
	Expr *expression.Expression
}

// Cover is what cases must reach.
type Cover struct {
	Name    string                `key:"name,required"`     // what it is called
	When    expression.Expression `key:"when,required"`     // an expression; a case counts in which it is true after some step
	AtLeast Share                 `key:"at_least,required"` // the share of the cases, such as 5%, below which the property fails; from 0.1% to 100%
}

// Share is a part of all in thousandths, from 1 to 1000, written as 5% or 0.5%.
type Share int

const (
	defaultMaxSteps = 2000
	defaultBudget   = 60 * fsm.Second
	defaultShrink   = 20 * fsm.Second
	drawnMax        = 10_000 // of anything that is drawn, so that a case stays within the limits of a file
)

// Steps is how many steps a case may take.
func (r *Runs) Steps() int {
	return r.MaxSteps.Or(defaultMaxSteps)
}

// Budgets are how long, on the wall, all cases and the shrinking may take, in
// milliseconds.
func (r *Runs) Budgets() (all, shrink fsm.Millis) {
	return r.Budget.Or(defaultBudget), r.Shrink.Or(defaultShrink)
}

// All reports whether the property asks for $all.
func (p *Property) All() bool {
	return slices.ContainsFunc(p.Invariants, func(i Invariant) bool { return i.All })
}

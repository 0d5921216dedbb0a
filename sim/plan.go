package sim

import "shelly/fsm"

// Plan is a whole case: how the machine is configured, what the model says, what
// the tools do, what happens when, and where the process crashes.
type Plan struct {
	Config    fsm.Config // Tools are taken from Stubs, unless a Backend brings its own
	Start     fsm.Millis // the first boot
	Scripts   []Script
	Strict    bool // an unscripted summary, init or farewell is unexpected too
	Stubs     []Stub
	Embedding Service // how texts become vectors
	NoVectors bool    // there is no embedding model
	Storing   Service
	Recalling Service
	Memory    []fsm.Entry // what memory holds before the first boot
	Timeline  []Moment    // in any order; equal times keep theirs
	Crashes   []Crash
}

// Script is what the model says to the calls of one purpose, in order for each
// session. An empty Session is for all sessions alike.
type Script struct {
	Purpose fsm.Purpose
	Session string
	Lines   []Line
}

// Line is one scripted answer of the model. At most one of the failures is set;
// without one, Text, Thinking and Calls are the answer.
type Line struct {
	Text     string
	Thinking string
	Calls    []fsm.ToolCall
	Quotes   bool           // Text ends with the last message that the model was sent
	Length   bool           // the answer is cut at the token limit
	Hangs    bool           // no answer comes
	Fails    fsm.BrainClass // the call fails so, because of Reason
	Reason   string
	Takes    fsm.Millis
	Optional bool // it is no mistake if nobody asks
}

// Stub is a tool in the simulated world.
type Stub struct {
	Decl fsm.ToolDecl
	Acts []Act
}

// Act is what a stub does when it is called: each in order, each Times times.
type Act struct {
	Returns  string
	Failed   bool // the tool answers that it failed
	Hangs    bool // no answer comes until it is aborted
	Deaf     bool // nor after it was aborted
	Lost     bool // it did what it does, but its answer never comes
	Takes    fsm.Millis
	Times    int // 0 means 1
	Optional bool
}

// Service is how recall, embedding or storing behaves; the zero value works at
// once.
type Service struct {
	Fails string // why it fails
	Hangs bool   // no answer comes
	Takes fsm.Millis
}

// Moment is one entry of the timeline; exactly one of its parts is set.
type Moment struct {
	At      fsm.Millis // after Plan.Start
	Request *fsm.Requested
	Event   *fsm.EventRaised
	Again   bool   // the last request is sent again, to the letter
	Signal  string // TERM or INT
	Boot    bool   // the process starts again after it has stopped

	Embedding *Service // from now on embedding, storing or recall is so
	Storing   *Service
	Recalling *Service
}

// Crash kills the process at a point and starts it again.
type Crash struct {
	Point  Point
	Nth    int    // the n-th time the point is met, from 1; for AfterStep the step's index
	Effect string // only effects of this kind count, for the effect points
	After  fsm.Millis
}

// Point is where a process can die (SIM-4).
type Point string

// The points: around each append, around each effect, and after a whole step.
const (
	BeforeAppend Point = "journal.before_append"
	AfterAppend  Point = "journal.after_append"
	BeforeEffect Point = "effect.before"
	AfterEffect  Point = "effect.after"
	AfterStep    Point = "step"
)

// Points returns all points in a fixed order.
func Points() []Point {
	return []Point{BeforeAppend, AfterAppend, BeforeEffect, AfterEffect, AfterStep}
}

// Machine is the machine's configuration, with the stubs as its tools.
func (p *Plan) Machine() fsm.Config {
	c := p.Config
	if len(p.Stubs) > 0 {
		c.Tools = nil
		for _, s := range p.Stubs {
			c.Tools = append(c.Tools, s.Decl)
		}
	}
	return c
}

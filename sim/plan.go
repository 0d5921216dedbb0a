package sim

import (
	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/sim/disk"
	"shelly/sim/script"
	"shelly/sim/server"
)

// Plan is a whole case: how the machine is configured, what the model says, what
// the tools do, what happens when, and where the process crashes.
type Plan struct {
	Config     fsm.Config // its builtin tools stay; other tools and the skills are those of Stubs and Skills, where there are any
	Tools      []string   // names the tools that are declared, in order; nil: the builtin ones of Config, then all stubs
	Start      fsm.Millis // the first boot
	Zones      []fsm.Zone // the person's own first; none: all times are in UTC
	Until      fsm.Millis // after Start: schedules are served until then, though nothing else is left to happen
	Scripts    []script.Script
	Live       bool           // calls for a purpose without a line are the backend's model's
	Strict     bool           // an unscripted summary, compaction, init or farewell is unexpected too
	Describes  bool           // the model has no calls of its own: the tools are described to it (BRN-16)
	QuietTakes fsm.Millis     // what an unscripted call takes
	Server     *server.Config // what the models run on; nil: calls take what their lines say, and no more
	Stubs      []Stub
	Skills     []Skill
	Embedding  Service // how texts become vectors
	NoVectors  bool    // there is no embedding model
	Storing    Service
	Recalling  Service
	Loading    Service      // of sessions
	Saving     Service      // of sessions
	Skilling   Service      // loading skills
	Workspace  string       // not empty: the tools are the real ones, over a folder with World as its files that the model knows by this name
	ToolsTake  fsm.Millis   // what a call of a real tool takes
	World      []Thing      // what the outside world holds before the first boot, names once each
	Memory     []fsm.Entry  // what memory holds before the first boot
	Sessions   []disk.Saved // what the store of sessions holds then, each saved once
	MemoryFile string       // MEMORY.md before the first boot
	Approve    []Approve    // who decides about the calls of tools, before a change of the configuration
	Grants     []fsm.Grant  // the file of grants before the first boot
	Timeline   []Moment     // in any order; equal times keep theirs
	Crashes    []Crash
	Faults     []Fault
	Seed       uint64 // of what is left open, where the options name no chooser; 0: what was added first
}

// Stub is a tool in the simulated world.
type Stub struct {
	Decl fsm.ToolDecl
	Acts []Act
}

// Act is what a stub does when it is called: each in order, each Times times.
type Act struct {
	Returns  string
	Reads    string   // it returns what the outside world holds by this name, or fails where that is nothing
	Changes  []Change // what it does to the outside world, whatever becomes of its answer
	Failed   bool     // the tool answers that it failed
	Nothing  bool     // and says that nothing happened
	Invalid  bool     // and says that the call is wrong
	Asks     string   // it does nothing, and wants a person to approve the call, for this reason
	Hangs    bool     // no answer comes until it is aborted
	Deaf     bool     // nor after it was aborted
	Lost     bool     // it did what it does, but its answer never comes
	Takes    fsm.Millis
	Times    int // 0 means 1
	Optional bool
	Probe    *Probe // what the probe of the tool says of the call; nil: nothing
}

// Probe is what a stub's probe says of a call that took the entry which it belongs to, or
// that would take it next.
type Probe struct {
	Answer fsm.ProbeAnswer // empty: the truth, done where the call was started and never where it was not
	Text   string          // done: the call's result; empty: that of the entry
	Hangs  bool            // no answer comes
	Takes  fsm.Millis
}

// Of is what the probe says of a call, or nil where no answer comes. Started says
// whether the call was, and act is its entry.
func (p *Probe) Of(e fsm.RunProbe, act Act, started bool) fsm.Fact {
	if p == nil {
		return fsm.Probed{Answered: fsm.To(e.Call), Answer: fsm.ProbeUnsure}
	}
	if p.Hangs {
		return nil
	}
	in := fsm.Probed{Answered: fsm.To(e.Call), Answer: p.Answer}
	switch {
	case in.Answer == "" && started:
		in.Answer = fsm.ProbeDone
	case in.Answer == "", in.Answer == fsm.ProbeWorking && !started:
		in.Answer = fsm.ProbeNever
	}
	if in.Answer == fsm.ProbeDone {
		in.Text, in.Failed = act.Returns, act.Failed
		if p.Text != "" {
			in.Text, in.Failed = p.Text, false
		}
	}
	return in
}

// Skill is a skill in the simulated world.
type Skill struct {
	Name, Summary string
	Always        bool   // its text stands in every system prompt
	Text          string // the instructions
	References    []Reference
}

// Reference is a document of a skill.
type Reference struct{ Name, Text string }

// Service is how recall, embedding, storing, sessions or skills behave; the zero
// value works at once.
type Service struct {
	Fails string // why it fails
	Hangs bool   // no answer comes
	Takes fsm.Millis

	embeds string // (of one call) the text that the embedding model of the server reads for it
}

// Moment is one entry of the timeline; exactly one of its parts is set.
type Moment struct {
	At        fsm.Millis // after Plan.Start
	Request   *fsm.Requested
	Event     *fsm.EventRaised
	Again     bool   // the last request is sent again, to the letter
	Signal    string // TERM or INT
	Boot      bool   // the process starts again after it has stopped
	Cancel    *Cancel
	Configure *Configure
	Answer    *PersonAnswer
	Edit      *disk.Edit
	Revoke    *Revoke
	Schedule  *fsm.ScheduleChanged
	Grants    *[]fsm.Grant // a person writes the file of grants, which the next start or change of the configuration reads
	Optional  bool         // (Cancel, Answer, Revoke) it is no mistake if there is nothing to cancel or nobody asks
	Full      fsm.Millis   // for so long the disk is below the reserve
	Jump      fsm.Millis   // the wall clock goes forward by this, or back where it is negative; timers do not notice

	Embedding *Service // from now on embedding, storing, recall, … is so
	Storing   *Service
	Recalling *Service
	Loading   *Service
	Saving    *Service
	Skilling  *Service
}

// Cancel asks to end a request: the one with an id, or the last; or else the work with a
// handle, whose id is as h2.
type Cancel struct {
	ID     string
	Handle fsm.HandleID
}

// Configure changes the configuration, for this process and those to come. Tools
// are as in [Plan].
type Configure struct {
	Config  fsm.Config
	Tools   []string
	Approve []Approve
}

// Approve says who decides about the calls of a tool, whatever its declaration says.
type Approve struct {
	Tool string
	Ask  bool // a person; false: nobody is asked
}

// Revoke takes a grant back: the Nth of those that stand, of sessions first, or the last.
type Revoke struct {
	Nth int // 0: the last

	id string // which it was, where a crash may have lost that it was said
}

// PersonAnswer answers a question that is open: the Nth that was asked of those
// that a tool is named by, or the last. A person who was not asked yet waits for
// the question; one whose question is over answers it all the same.
type PersonAnswer struct {
	Decision bool // about an approval; without it, Text is a word on a handle that is held
	Approve  bool
	Grant    fsm.GrantScope // (Approve) for which later calls, too
	Text     string
	By       string
	Tool     string // only questions about this tool
	Nth      int    // 0: the last
}

// Crash kills the process at a point and starts it again.
type Crash struct {
	Point  Point
	Nth    int    // the n-th time the point is met, from 1; for AfterStep the step's index
	Effect string // only effects of this kind count, for the effect points
	After  fsm.Millis

	Synced   bool // what was appended is durable by then (JRN-3), so that nothing is lost
	Optional bool // it is not a mistake if the point is met less often
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

	// AfterSync is after a sync that is no append's. A plan does not name it; the matrix
	// meets it.
	AfterSync Point = "journal.after_sync"
)

// Points returns the points that a plan can name in a fixed order.
func Points() []Point {
	return []Point{BeforeAppend, AfterAppend, BeforeEffect, AfterEffect, AfterStep}
}

// Machine is the machine's configuration at the first boot.
func (p *Plan) Machine() fsm.Config { return p.approving(p.declare(p.Config, p.Tools), p.Approve) }

// Reconfigured is the machine's configuration after a change of it.
func (p *Plan) Reconfigured(c *Configure) fsm.Config {
	return p.approving(p.declare(c.Config, c.Tools), c.Approve)
}

// approving returns c where a person decides about the calls of other tools.
func (p *Plan) approving(c fsm.Config, approve []Approve) fsm.Config {
	for _, a := range approve {
		for i := range c.Tools {
			if c.Tools[i].Name == a.Tool {
				c.Tools[i].Approve, c.Tools[i].Rules = a.Ask, nil
			}
		}
	}
	return c
}

// declare returns c with the tools and skills that are declared under it.
func (p *Plan) declare(c fsm.Config, names []string) fsm.Config {
	if len(p.Zones) > 0 {
		c.Zones = p.Zones
	}
	if len(p.Skills) > 0 {
		c.Skills = nil
		for _, s := range p.Skills {
			c.Skills = append(c.Skills, s.decl())
		}
	}
	if len(p.Stubs) > 0 {
		var tools []fsm.ToolDecl
		for _, t := range c.Tools {
			if t.Builtin {
				tools = append(tools, t)
			}
		}
		for _, s := range p.Stubs {
			tools = append(tools, s.Decl)
		}
		c.Tools = tools
	}
	if names == nil {
		return c
	}
	all := c
	c.Tools = nil
	for _, name := range names {
		if t, ok := all.Tool(name); ok {
			c.Tools = append(c.Tools, t)
		} else {
			c.Tools = append(c.Tools, fsm.Builtins(name)...)
		}
	}
	return c
}

func (s Skill) decl() fsm.SkillDecl {
	d := fsm.SkillDecl{Name: s.Name, Summary: s.Summary, Always: s.Always}
	if s.Always {
		d.Text = s.Text
	}
	return d
}

// kept are the results that sessions keep before the first start.
func (p *Plan) kept() (b engine.Batch) {
	for _, s := range p.Sessions {
		for _, t := range s.Texts {
			t.At = p.Start
			b.Texts = append(b.Texts, t)
		}
	}
	return b
}

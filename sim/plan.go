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
	Config     fsm.Config // its builtin tools stay; other tools and the skills are replaced by Stubs and Skills, if there are any
	Tools      []string   // names the tools that are declared, in order; nil: the builtin ones of Config, then all stubs
	Start      fsm.Millis // the first boot
	Zones      []fsm.Zone // the person's own first; none: all times are in UTC
	Until      fsm.Millis // after Start: schedules are served until then, even if nothing else is left to happen
	Scripts    []script.Script
	Live       bool           // calls for a purpose without a line are the backend's model's
	Strict     bool           // an unscripted summary, compaction, init or farewell is unexpected too
	Describes  bool           // the model cannot call tools: they are described to it in text (BRN-16)
	QuietTakes fsm.Millis     // how long an unscripted call takes
	Server     *server.Config // the machine that runs the models; nil: calls take only as long as their lines say
	Stubs      []Stub
	Skills     []Skill
	Embedding  Service // of texts
	NoVectors  bool    // there is no embedding model
	Storing    Service
	Recalling  Service
	Loading    Service      // of sessions
	Saving     Service      // of sessions
	Skilling   Service      // loading skills
	Workspace  string       // not empty: the tools are real and work on a folder whose files are World; the model knows it by this name
	ToolsTake  fsm.Millis   // how long a call of a real tool takes
	World      []Thing      // what the outside world holds before the first boot, names once each
	Memory     []fsm.Entry  // what memory holds before the first boot
	Sessions   []disk.Saved // what the store of sessions holds before the first boot, each saved once
	MemoryFile string       // MEMORY.md before the first boot
	Approve    []Approve    // who decides about the calls of tools, until the configuration changes
	Grants     []fsm.Grant  // the file of grants before the first boot
	Timeline   []Moment     // in any order; equal times keep theirs
	Crashes    []Crash
	Faults     []Fault
	Seed       uint64 // for what is left open, if the options have no chooser; 0: what was added first
}

// Stub is a tool in the simulated world.
type Stub struct {
	Decl fsm.ToolDecl
	Acts []Act
}

// Act is what a stub does when it is called. Its acts are taken in order, each Times times.
type Act struct {
	Returns string
	Reads   string   // it returns what the outside world holds under this name, or fails if there is nothing
	Changes []Change // what it does to the outside world, whatever happens to its answer
	Failed  bool     // the tool answers that it failed
	Nothing bool     // (Failed) it says that nothing happened
	Invalid bool     // (Failed) it says that the call is wrong
	Asks    string   // it does nothing and asks a person to approve the call, for this reason
	Hangs   bool     // no answer comes until it is aborted
	Deaf    bool     // (Hangs) not even after it was aborted
	Lost    bool     // it does its work, but its answer never comes
	Takes   fsm.Millis
	Times   int    // 0 means 1
	Probe   *Probe // what the tool's probe says of the call; nil: nothing
}

// Probe is what a stub's probe says of a call that took the entry to which the probe belongs,
// or that would take it next.
type Probe struct {
	Answer fsm.ProbeAnswer // empty: the truth, done if the call was started and never if it was not
	Text   string          // done: the call's result; empty: that of the entry
	Hangs  bool            // no answer comes
	Takes  fsm.Millis
}

// Of returns what the probe says of a call, or nil if no answer comes. Started reports whether
// the call was started; act is its entry.
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
	Always        bool   // its text is in every system prompt
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

	embeds string // (of one call) the text that the server's embedding model reads for it
}

// Moment is one entry of the timeline; exactly one of its parts is set.
type Moment struct {
	At        fsm.Millis // after Plan.Start
	Request   *fsm.Requested
	Event     *fsm.EventRaised
	Again     bool   // the last request is sent again, unchanged
	Signal    string // TERM or INT
	Boot      bool   // the process starts again after it has stopped
	Cancel    *Cancel
	Configure *Configure
	Answer    *PersonAnswer
	Edit      *disk.Edit
	Revoke    *Revoke
	Schedule  *fsm.ScheduleChanged
	Typing    *Typing
	Grants    *[]fsm.Grant // a person writes the file of grants; the next start or change of the configuration reads it
	Optional  bool         // (Boot, Cancel, Answer, Revoke) no failure if the process runs, or there is nothing to cancel, answer or revoke
	Full      fsm.Millis   // how long the disk is below the reserve
	Jump      fsm.Millis   // the wall clock is put forward by this, or back if it is negative; timers are not affected
	Speeds    *Speeds      // how fast the server is from now on

	Embedding *Service // how embedding, storing, recall, … behave from now on
	Storing   *Service
	Recalling *Service
	Loading   *Service
	Saving    *Service
	Skilling  *Service
}

// Speeds are tokens a second that a server reads and writes; 0: as many as before.
type Speeds struct{ Reads, Writes int }

// Typing is a person who begins to write in a session; if it is empty, in that of a request that names none.
type Typing struct{ Session string }

// Cancel asks to end a request, the one with an id or the last, or the work of a handle, whose
// id looks like h2.
type Cancel struct {
	ID     string
	Handle fsm.HandleID
}

// Configure changes the configuration for this process and later ones. Tools are as in [Plan].
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

// Revoke revokes a grant: the Nth of the current ones, those of sessions first, or the last.
type Revoke struct {
	Nth int // 0: the last

	id string // the grant that was chosen, kept because a crash may lose the revocation
}

// PersonAnswer answers an open question: the Nth that was asked about Tool, or the last. A
// person who was not asked yet waits for the question; one whose question is over answers it
// all the same.
type PersonAnswer struct {
	Decision bool // it decides about an approval; otherwise Text resolves a handle that is held
	Approve  bool
	Grant    fsm.GrantScope // (Approve) for which later calls too
	Reason   string         // (not Approve) for the model
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

	Synced   bool // what was appended is durable by then (JRN-3), so nothing is lost
	Optional bool // no failure if the point is met less often
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

	// AfterSync is after a sync without an append. A plan cannot name it; the crash matrix
	// meets it.
	AfterSync Point = "journal.after_sync"
)

// Points returns the points that a plan can name in a fixed order.
func Points() []Point {
	return []Point{BeforeAppend, AfterAppend, BeforeEffect, AfterEffect, AfterStep}
}

// Machine returns the machine's configuration at the first boot.
func (p *Plan) Machine() fsm.Config { return p.approving(p.declare(p.Config, p.Tools), p.Approve) }

// Reconfigured returns the machine's configuration after a change of it.
func (p *Plan) Reconfigured(c *Configure) fsm.Config {
	return p.approving(p.declare(c.Config, c.Tools), c.Approve)
}

// approving returns c with the given deciders about the calls of tools.
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

// kept returns the results that sessions keep before the first start.
func (p *Plan) kept() (b engine.Batch) {
	for _, s := range p.Sessions {
		for _, t := range s.Texts {
			t.At = p.Start
			b.Texts = append(b.Texts, t)
		}
	}
	return b
}

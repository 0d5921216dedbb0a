package format

import (
	"shelly/sim"
	"shelly/sim/strict"
)

// Faults are what goes wrong beside what the script says (SCN-7, SCN-24).
type Faults struct {
	Crash     Crashes                      `key:"crash"`     // where the process dies
	Journal   *JournalFaults               `key:"journal"`   // writes of the journal that fail
	Brain     strict.Several[BrainFault]   `key:"brain"`     // model calls that go wrong, whatever the script says
	Tool      strict.Several[ToolFault]    `key:"tool"`      // tool calls that go wrong
	Recall    strict.Several[ServiceFault] `key:"recall"`    // recalls that go wrong
	Embedding strict.Several[ServiceFault] `key:"embedding"` // embeddings that go wrong
	Store     strict.Several[ServiceFault] `key:"store"`     // entries of memory that are not stored
	Sessions  strict.Several[SessionFault] `key:"sessions"`  // sessions that are not loaded or saved
	Skills    strict.Several[ServiceFault] `key:"skills"`    // skills that are not loaded
}

// JournalFaults are writes of the journal that fail. Each ends the process, which
// starts again a while later.
type JournalFaults struct {
	Full  strict.Several[WriteFault] `key:"full"`        // an append fails for want of space: it is lost, and what was appended before is kept
	Fsync strict.Several[WriteFault] `key:"fsync_error"` // an append that is synced fails in its sync: all after the last sync that was good is lost
	Torn  strict.Several[WriteFault] `key:"torn_tail"`   // the process dies after an append that is not synced, of which only a part was written: it is lost, and what was appended before is kept
}

// WriteFault says which appends fail, and for how long the process is down.
type WriteFault struct {
	Nth      *Count    `key:"nth"`           // the n-th append of the run, of those that are synced or are not where it is one such; 1 unless p is given
	P        *Chance   `key:"p"`             // in place of nth, the probability with which each fails
	Restart  *Duration `key:"restart_after"` // how long the process is down; 1s unless given
	Optional bool      `key:"optional"`      // it is no failure if the n-th append never comes
}

// BrainFault makes model calls go wrong. A call that it hits takes no entry of the
// script; with takes alone the call is only slow, and takes its entry.
type BrainFault struct {
	Nth      *Count        `key:"nth"`                                                     // the n-th such call of the run; 1 unless p is given. A call that is asked again after a crash is the same call
	P        *Chance       `key:"p"`                                                       // in place of nth, the probability with which each is hit
	Of       string        `key:"of" enum:"answer,init,summary,compact,subagent,farewell"` // only calls for this purpose
	Session  string        `key:"session"`                                                 // only calls of this session
	Fails    *BrainFailing `key:"fails"`                                                   // the call fails: a class, or {code, message}
	Hangs    bool          `key:"hangs"`                                                   // no answer comes
	Cut      bool          `key:"cut"`                                                     // the stream ends without its last line: class cut_stream
	Garbage  string        `key:"garbage"`                                                 // the answer cannot be read: class garbage
	Takes    *Duration     `key:"takes"`                                                   // how long until it answers
	Optional bool          `key:"optional"`                                                // it is no failure if the n-th call never comes
}

// ToolFault makes tool calls go wrong. A call that it hits takes no entry of the tool,
// but for one that is started_then_lost; with takes alone the call is only slow.
type ToolFault struct {
	Nth      *Count    `key:"nth"`               // the n-th such call of the run; 1 unless p is given. One that is started again after a crash is the same call
	P        *Chance   `key:"p"`                 // in place of nth, the probability with which each is hit
	Name     string    `key:"name"`              // only calls of this tool
	Fails    *Failing  `key:"fails"`             // the tool answers that it failed: a text, or {code, message, retryable}
	Hangs    bool      `key:"hangs"`             // it answers only when it is aborted
	Lost     bool      `key:"started_then_lost"` // it does what its entry does, but its answer never comes
	Takes    *Duration `key:"takes"`             // how long until it answers
	Optional bool      `key:"optional"`          // it is no failure if the n-th call never comes
}

// ServiceFault makes calls of a service go wrong; with takes alone they are only slow.
type ServiceFault struct {
	Nth      *Count    `key:"nth"`      // the n-th such call of the run; 1 unless p is given. A call that is made again after a crash is the same call
	P        *Chance   `key:"p"`        // in place of nth, the probability with which each is hit
	Fails    string    `key:"fails"`    // it fails so
	Hangs    bool      `key:"hangs"`    // no answer comes
	Takes    *Duration `key:"takes"`    // how long until it answers
	Optional bool      `key:"optional"` // it is no failure if the n-th call never comes
}

// SessionFault makes loads or saves of sessions go wrong, or both; with takes alone
// they are only slow.
type SessionFault struct {
	Only     string    `key:"only" enum:"load,save"` // both unless given
	Nth      *Count    `key:"nth"`                   // the n-th such call of the run; 1 unless p is given. A call that is made again after a crash is the same call
	P        *Chance   `key:"p"`                     // in place of nth, the probability with which each is hit
	Fails    string    `key:"fails"`                 // it fails so; nothing is saved
	Hangs    bool      `key:"hangs"`                 // no answer comes; nothing is saved
	Takes    *Duration `key:"takes"`                 // how long until it answers
	Optional bool      `key:"optional"`              // it is no failure if the n-th call never comes
}

// Crashes is one crash or a list of them.
type Crashes []Crash

// Crash kills the process at a point and starts it again (SCN-7).
type Crash struct {
	At       string    `key:"at,required"`   // journal.before_append, journal.after_append, effect.before, effect.after, step.N, or $every: once for every point there is
	Nth      *Count    `key:"nth"`           // the n-th time the point is met; 1 unless given
	Effect   string    `key:"effect"`        // (effect points) only effects of this kind count, such as run_tool
	Restart  *Duration `key:"restart_after"` // how long the process is down; 1s unless given
	Synced   bool      `key:"synced"`        // it dies so long after what it has appended that nothing of that is lost
	Optional bool      `key:"optional"`      // no failure if the point is never reached that often
	May      []string  `key:"may_change"`    // ($every) claims that need not hold after a crash, by name: always[0], never[0], starts.TOOL, uses.TOOL, replies, messages or memory (SCN-54)
}

// serviceFaults are the faults of one service.
type serviceFaults struct {
	Kind  sim.FaultKind
	Of    strict.Several[ServiceFault]
	takes *Duration // the service's latency
}

func (v *Faults) Services(l *Latencies) []serviceFaults {
	return []serviceFaults{
		{sim.RecallFault, v.Recall, l.Recall}, {sim.EmbeddingFault, v.Embedding, l.Embedding},
		{sim.StoreFault, v.Store, l.Store}, {sim.SkillsFault, v.Skills, l.Skills},
	}
}

// writeFaults are the faults of one kind of the journal.
type writeFaults struct {
	Kind sim.FaultKind
	Of   strict.Several[WriteFault]
}

func (v *Faults) Writes() []writeFaults {
	if v.Journal == nil {
		return nil
	}
	return []writeFaults{{sim.JournalFull, v.Journal.Full}, {sim.JournalFsync, v.Journal.Fsync}, {sim.JournalTorn, v.Journal.Torn}}
}

func (v *Crashes) Read(d *strict.Decoder, n *strict.Node, path string) {
	if n.Kind == strict.ListKind {
		d.List(n, (*[]Crash)(v), path)
		return
	}
	*v = make(Crashes, 1)
	d.Object(n, &(*v)[0], path)
}

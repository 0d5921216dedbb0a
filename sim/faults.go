package sim

import (
	"shelly/fsm"
	"shelly/sim/script"
)

// Fault makes chosen calls go wrong, whatever the scripts say (SCN-24): the Nth of the calls
// for which it is meant, or each of them by chance.
type Fault struct {
	Kind     FaultKind
	Nth      int  // which call, from 1; 0: by Chance
	Chance   int  // in thousandths, for each call
	Optional bool // no failure if an Nth call never comes

	Purpose fsm.Purpose // (brain) only calls for this purpose; empty: all
	Session string      // (brain) only calls of this session; empty: all
	Tool    string      // (tool) only this tool; empty: all
	Only    string      // (sessions) load or save; empty: both

	// What a call meets if it is hit. With Slow it is served as usual but takes as long as
	// the part that applies says.
	Slow    bool
	Line    script.Line // (brain)
	Act     Act         // (tool) if Lost, the tool's own entry is taken and its answer is lost
	Service Service     // (recall, embedding, …)

	After fsm.Millis // (journal) how long the process is down
}

// FaultKind is what a [Fault] makes go wrong.
type FaultKind string

// The kinds of faults, by their names in a scenario.
const (
	BrainFault     FaultKind = "brain"
	ToolFault      FaultKind = "tool"
	RecallFault    FaultKind = "recall"
	EmbeddingFault FaultKind = "embedding"
	StoreFault     FaultKind = "store"
	SessionsFault  FaultKind = "sessions"
	SkillsFault    FaultKind = "skills"

	JournalFull  FaultKind = "journal.full"        // an append fails because the disk is full
	JournalFsync FaultKind = "journal.fsync_error" // an append that is synced fails in its sync
	JournalTorn  FaultKind = "journal.torn_tail"   // the process dies after an append that is not synced and of which only a part was written
)

func faultKinds() []FaultKind {
	return []FaultKind{
		JournalFull, JournalFsync, JournalTorn,
		BrainFault, ToolFault, RecallFault, EmbeddingFault, StoreFault, SessionsFault, SkillsFault,
	}
}

// FaultPoints returns the names of all faults in a fixed order, the crash points first.
// [Result.Struck] uses these names. A crash after the n-th step is "step", whatever n is.
func FaultPoints() []string {
	var names []string
	for _, p := range Points() {
		names = append(names, string(p))
	}
	for _, k := range faultKinds() {
		names = append(names, string(k))
	}
	return names
}

// ofJournal reports whether a fault is one of the journal, which kills the process.
func (f *Fault) ofJournal() bool {
	return f.Kind == JournalFull || f.Kind == JournalFsync || f.Kind == JournalTorn
}

// meant reports whether a fault is for calls like this one.
func (f *Fault) meant(e fsm.Effect) bool {
	m := meeting.Do(struct{}{}, e)
	return m.by != "" && f.Kind == m.by && (f.Purpose == "" || f.Purpose == m.purpose) && (f.Session == "" || f.Session == m.session) &&
		(f.Tool == "" || f.Tool == m.tool) && (f.Only == "" || f.Only == m.only)
}

// thousand is the chance of a certain fault: chances are in thousandths.
const thousand = 1000

// strikes reports whether a fault strikes the nth call for which it is meant. A chooser that
// always chooses 0 never chooses a fault.
func (f *Fault) strikes(nth int, choose Chooser) bool {
	if f.Nth > 0 {
		return nth == f.Nth
	}
	return choose.Choose(string(f.Kind), thousand) >= thousand-f.Chance
}

// line returns the line that a model call meets, given its own.
func (f *Fault) line(own script.Line) script.Line {
	if f.Slow {
		own.Takes = f.Line.Takes
		return own
	}
	return f.Line
}

// act returns what a tool does, given its own act.
func (f *Fault) act(own Act) Act {
	switch {
	case f.Slow:
		own.Takes = f.Act.Takes
		return own
	case f.Act.Lost:
		own.Hangs, own.Deaf, own.Lost = false, false, true
		return own
	default:
		return f.Act
	}
}

// scripted reports whether a call that is hit still takes its entry of the script.
func (f *Fault) scripted() bool { return f.Slow || f.Kind == ToolFault && f.Act.Lost }

// service returns how a service behaves, given its own behaviour.
func (f *Fault) service(own Service) Service {
	if f.Slow {
		own.Takes = f.Service.Takes
		return own
	}
	return f.Service
}

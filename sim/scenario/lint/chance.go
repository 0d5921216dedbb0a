package lint

import "shelly/sim/scenario/format"

// chances finds faults that never strike: one that is planned by number and does not strike fails
// the case, one of probability 0 does not.
func (l *linter) chances() {
	f, where := &l.file.Faults, l.file.Where
	no := func(at string, p *format.Chance) {
		if p != nil && *p == 0 {
			l.at(at+".p", "is 0, so the fault never strikes; give a probability, or remove the fault")
		}
	}
	if f.Journal != nil {
		f.Journal.Full.Each(where, "faults.journal.full", func(at string, v *format.WriteFault) { no(at, v.P) })
		f.Journal.Fsync.Each(where, "faults.journal.fsync_error", func(at string, v *format.WriteFault) { no(at, v.P) })
		f.Journal.Torn.Each(where, "faults.journal.torn_tail", func(at string, v *format.WriteFault) { no(at, v.P) })
	}
	f.Brain.Each(where, "faults.brain", func(at string, v *format.BrainFault) { no(at, v.P) })
	f.Tool.Each(where, "faults.tool", func(at string, v *format.ToolFault) { no(at, v.P) })
	f.Sessions.Each(where, "faults.sessions", func(at string, v *format.SessionFault) { no(at, v.P) })
	service := func(at string, v *format.ServiceFault) { no(at, v.P) }
	f.Recall.Each(where, "faults.recall", service)
	f.Embedding.Each(where, "faults.embedding", service)
	f.Store.Each(where, "faults.store", service)
	f.Skills.Each(where, "faults.skills", service)
}

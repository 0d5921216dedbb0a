package format

// Latencies are how long things take: what a call takes whose entry, fault or outage
// says no takes, and the services from the first start on (SCN-26).
type Latencies struct {
	Brain     *Duration `key:"brain"`     // a model call, unscripted ones too; 0s unless given
	Tools     *Duration `key:"tools"`     // a call of a tool; 0s unless given
	Recall    *Duration `key:"recall"`    // a recall; 0s unless given
	Embedding *Duration `key:"embedding"` // an embedding; 0s unless given
	Store     *Duration `key:"store"`     // storing an entry of memory; 0s unless given
	Sessions  *Duration `key:"sessions"`  // loading or saving a session; 0s unless given
	Skills    *Duration `key:"skills"`    // loading a skill; 0s unless given
}

// Settle gives all that says no takes the one of its kind.
func (f *File) Settle() {
	l := f.Latency()
	scripts := [][]Line{f.Script.Lines}
	if own := f.ScriptFor; own != nil {
		scripts = append(scripts, own.Init, own.Summary, own.Compact, own.Subagent, own.Farewell)
	}
	for _, lines := range scripts {
		for i := range lines {
			orTakes(&lines[i].Takes, l.Brain)
		}
	}
	for _, t := range f.Tools.Stubs {
		for i := range t.Value {
			orTakes(&t.Value[i].Takes, l.Tools)
		}
	}
	if f.Embed != nil {
		orTakes(&f.Embed.Takes, l.Embedding)
	}
	for i := range f.Timeline {
		f.Timeline[i].settle(l)
	}
	f.Faults.settle(l)
}

func (m *Moment) settle(l *Latencies) {
	for _, o := range []struct {
		of    *Outage
		takes *Duration
	}{{m.Recall, l.Recall}, {m.Embedding, l.Embedding}, {m.Store, l.Store}, {m.Skills, l.Skills}} {
		if o.of != nil {
			orTakes(&o.of.Takes, o.takes)
		}
	}
	if m.Sessions != nil {
		orTakes(&m.Sessions.Takes, l.Sessions)
	}
}

func (v *Faults) settle(l *Latencies) {
	for i := range v.Brain {
		orTakes(&v.Brain[i].Takes, l.Brain)
	}
	for i := range v.Tool {
		orTakes(&v.Tool[i].Takes, l.Tools)
	}
	for _, s := range v.Services(l) {
		for i := range s.Of {
			orTakes(&s.Of[i].Takes, s.takes)
		}
	}
	for i := range v.Sessions {
		orTakes(&v.Sessions[i].Takes, l.Sessions)
	}
}

// orTakes sets what is not given.
func orTakes(takes **Duration, latency *Duration) {
	if *takes == nil {
		*takes = latency
	}
}

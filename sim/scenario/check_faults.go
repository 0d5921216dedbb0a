package scenario

import (
	"slices"
	"strings"

	"shelly/fsm/wording"
)

// checkFaults wants of each fault that it says what goes wrong, and with which calls.
func (k *checker) checkFaults(f *File) {
	own := &f.Faults
	for _, s := range own.writes() {
		s.of.Each(k.file.Where, "faults."+string(s.kind), func(at string, v *WriteFault) {
			k.oneOf(at, choice{"nth", v.Nth != nil}, choice{"p", v.P != nil})
		})
	}
	own.Brain.Each(k.file.Where, "faults.brain", func(at string, v *BrainFault) {
		k.checkFault(at, v.Nth, v.P, v.Takes, choice{"fails", v.Fails != nil}, choice{"hangs", v.Hangs}, choice{"cut", v.Cut}, choice{"garbage", v.Garbage != ""})
		k.checkFails(at+".fails", v.Fails)
	})
	own.Tool.Each(k.file.Where, "faults.tool", func(at string, v *ToolFault) {
		k.checkFault(at, v.Nth, v.P, v.Takes, choice{"fails", v.Fails != nil}, choice{"hangs", v.Hangs}, choice{"started_then_lost", v.Lost})
		if known := f.Tools.names(); v.Name != "" && !slices.Contains(known, v.Name) {
			k.at(at+".name", wording.Unknown("tool", v.Name, known))
		}
	})
	for _, s := range own.services(f.latency()) {
		s.of.Each(k.file.Where, "faults."+string(s.kind), func(at string, v *ServiceFault) {
			k.checkFault(at, v.Nth, v.P, v.Takes, choice{"fails", v.Fails != ""}, choice{"hangs", v.Hangs})
		})
	}
	own.Sessions.Each(k.file.Where, "faults.sessions", func(at string, v *SessionFault) {
		k.checkFault(at, v.Nth, v.P, v.Takes, choice{"fails", v.Fails != ""}, choice{"hangs", v.Hangs})
	})
}

func (k *checker) checkFault(at string, nth *Count, p *Chance, takes *Duration, wrongs ...choice) {
	k.oneOf(at, choice{"nth", nth != nil}, choice{"p", p != nil})
	if k.oneOf(at, wrongs...) == 0 && takes == nil {
		var keys []string
		for _, c := range wrongs {
			keys = append(keys, c.key)
		}
		k.at(at, "nothing goes wrong; give one of "+strings.Join(keys, ", ")+" and takes")
	}
}

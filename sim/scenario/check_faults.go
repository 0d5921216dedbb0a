package scenario

import (
	"slices"
	"strings"
)

// checkFaults wants of each fault that it says what goes wrong, and with which calls.
func (d *decoder) checkFaults(f *File) {
	own := &f.Faults
	for _, s := range own.writes() {
		several(s.of, d.where, "faults."+string(s.kind), func(at string, v *WriteFault) {
			d.oneOf(at, choice{"nth", v.Nth != nil}, choice{"p", v.P != nil})
		})
	}
	several(own.Brain, d.where, "faults.brain", func(at string, v *BrainFault) {
		d.checkFault(at, v.Nth, v.P, v.Takes, choice{"fails", v.Fails != nil}, choice{"hangs", v.Hangs}, choice{"cut", v.Cut}, choice{"garbage", v.Garbage != ""})
		d.checkFails(at+".fails", v.Fails)
	})
	several(own.Tool, d.where, "faults.tool", func(at string, v *ToolFault) {
		d.checkFault(at, v.Nth, v.P, v.Takes, choice{"fails", v.Fails != nil}, choice{"hangs", v.Hangs}, choice{"started_then_lost", v.Lost})
		if known := f.Tools.names(); v.Name != "" && !slices.Contains(known, v.Name) {
			d.at(at+".name", unknown("tool", v.Name, known))
		}
	})
	for _, s := range own.services(f.latency()) {
		several(s.of, d.where, "faults."+string(s.kind), func(at string, v *ServiceFault) {
			d.checkFault(at, v.Nth, v.P, v.Takes, choice{"fails", v.Fails != ""}, choice{"hangs", v.Hangs})
		})
	}
	several(own.Sessions, d.where, "faults.sessions", func(at string, v *SessionFault) {
		d.checkFault(at, v.Nth, v.P, v.Takes, choice{"fails", v.Fails != ""}, choice{"hangs", v.Hangs})
	})
}

func (d *decoder) checkFault(at string, nth *Count, p *Chance, takes *Duration, wrongs ...choice) {
	d.oneOf(at, choice{"nth", nth != nil}, choice{"p", p != nil})
	if d.oneOf(at, wrongs...) == 0 && takes == nil {
		var keys []string
		for _, c := range wrongs {
			keys = append(keys, c.key)
		}
		d.at(at, "nothing goes wrong; give one of "+strings.Join(keys, ", ")+" and takes")
	}
}

package check

import (
	"slices"
	"strings"

	"shelly/fsm/wording"
	"shelly/sim/scenario/format"
)

// checkFaults wants of each fault that it says what goes wrong, and with which calls.
func (k *checker) checkFaults(f *format.File) {
	own := &f.Faults
	for _, s := range own.Writes() {
		s.Of.Each(k.file.Where, "faults."+string(s.Kind), func(at string, v *format.WriteFault) {
			k.oneOf(at, given("nth", v.Nth != nil), given("p", v.P != nil))
		})
	}
	own.Brain.Each(k.file.Where, "faults.brain", func(at string, v *format.BrainFault) {
		k.checkFault(at, v.Nth, v.P, v.Takes, given("fails", v.Fails != nil), given("hangs", v.Hangs), given("cut", v.Cut), given("garbage", v.Garbage != ""))
		k.checkFails(at+".fails", v.Fails)
	})
	own.Tool.Each(k.file.Where, "faults.tool", func(at string, v *format.ToolFault) {
		k.checkFault(at, v.Nth, v.P, v.Takes, given("fails", v.Fails != nil), given("hangs", v.Hangs), given("started_then_lost", v.Lost))
		if known := f.ToolNames(); v.Name != "" && !slices.Contains(known, v.Name) {
			k.at(at+".name", wording.Unknown("tool", v.Name, known))
		}
	})
	for _, s := range own.Services(f.Latency()) {
		s.Of.Each(k.file.Where, "faults."+string(s.Kind), func(at string, v *format.ServiceFault) {
			k.checkFault(at, v.Nth, v.P, v.Takes, given("fails", v.Fails != ""), given("hangs", v.Hangs))
		})
	}
	own.Sessions.Each(k.file.Where, "faults.sessions", func(at string, v *format.SessionFault) {
		k.checkFault(at, v.Nth, v.P, v.Takes, given("fails", v.Fails != ""), given("hangs", v.Hangs))
	})
}

func (k *checker) checkFault(at string, nth *format.Count, p *format.Chance, takes *format.Duration, wrongs ...format.Choice) {
	k.oneOf(at, given("nth", nth != nil), given("p", p != nil))
	if k.oneOf(at, wrongs...) == 0 && takes == nil {
		var keys []string
		for _, c := range wrongs {
			keys = append(keys, c.Key)
		}
		k.at(at, "nothing goes wrong; give one of "+strings.Join(keys, ", ")+" and takes")
	}
}

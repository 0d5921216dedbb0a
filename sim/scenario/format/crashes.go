package format

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"shelly/fsm/wording"
	"shelly/sim"
	"shelly/sim/scenario/match"
	"shelly/sim/strict"
)

// EveryPoint stands for each crash point that the uninterrupted case meets.
const EveryPoint = "$every"

// CrashPoints are the points as a file names them; a step has a number.
func CrashPoints() []string {
	var names []string
	for _, p := range sim.Points() {
		if p == sim.AfterStep {
			p += ".1"
		}
		names = append(names, string(p))
	}
	return append(names, EveryPoint)
}

// CrashPoint returns the point and step that a file names.
func CrashPoint(name string) (point sim.Point, step int, ok bool) {
	if number, found := strings.CutPrefix(name, "step."); found {
		n, err := strconv.Atoi(number)
		return sim.AfterStep, n, err == nil && n > 0
	}
	known := slices.Contains(CrashPoints(), name)
	return sim.Point(name), 0, known
}

// CrashClaim is something that every run of a case is held to, those with a crash among
// them (SCN-54).
type CrashClaim struct {
	Kind  string         // always, never, replies, messages, memory, starts or uses
	Path  string         // where the file has it
	Claim *Claim         // of always and never
	Tool  string         // of starts and uses
	Is    *match.Matcher // of starts, uses and a number of entries; nil: as many as without the crash
}

// Name is the claim as may_change has it: always[0], replies, starts.exec.
func (c *CrashClaim) Name() string {
	switch {
	case c.Claim != nil:
		return c.Path
	case c.Tool != "":
		return c.Kind + "." + c.Tool
	default:
		return c.Kind
	}
}

// CrashClaims are what every run of the case is held to: always and never and, with a
// crash at $every point, how often tools are started and how many replies, messages and
// entries of memory there are.
func (f *File) CrashClaims() []CrashClaim {
	var list []CrashClaim
	for i := range f.Always {
		list = append(list, CrashClaim{Kind: "always", Path: strict.Element("always", i), Claim: &f.Always[i]})
	}
	for i := range f.Never {
		list = append(list, CrashClaim{Kind: "never", Path: strict.Element("never", i), Claim: &f.Never[i]})
	}
	e := f.Expect
	if e == nil || !f.EveryCrash() {
		return list
	}
	if e.Replies != nil {
		list = append(list, CrashClaim{Kind: "replies", Path: "expect.replies"})
	}
	if e.Messages != nil {
		list = append(list, CrashClaim{Kind: "messages", Path: "expect.messages"})
	}
	if e.Memory != nil && e.Memory.Entries != nil { // what is wrong with it was said
		c := CrashClaim{Kind: "memory", Path: "expect.memory.entries"}
		if e.Memory.Entries.ForNumber() {
			c.Is = e.Memory.Entries
		}
		list = append(list, c)
	}
	for _, t := range e.Tools {
		at := "expect.tools." + wording.Word(t.Name)
		if t.Value.Starts != nil {
			list = append(list, CrashClaim{Kind: "starts", Path: at + ".starts", Tool: t.Name, Is: t.Value.Starts})
		}
		if t.Value.Uses != nil {
			list = append(list, CrashClaim{Kind: "uses", Path: at + ".uses", Tool: t.Name, Is: t.Value.Uses})
		}
	}
	return list
}

// MayChange are the claims that a crash may break, by name.
func (f *File) MayChange() []string {
	if !f.EveryCrash() {
		return nil
	}
	return f.Faults.Crash[0].May
}

// StraightOnly are the expectations that only the run without a crash is held to, by
// key.
func (f *File) StraightOnly() []string {
	var list []string
	if e := f.Expect; e != nil {
		for _, key := range strict.Keys(reflect.TypeFor[Expect]()) {
			switch {
			case f.Where("expect."+key) == (strict.Pos{}):
			case f.EveryCrash() && (key == "tools" || key == "memory" && e.Memory.Entries.ForNumber()):
			default:
				list = append(list, "expect."+key)
			}
		}
	}
	if len(f.Eventually) > 0 {
		list = append(list, "eventually")
	}
	return list
}

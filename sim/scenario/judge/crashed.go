package judge

import (
	"fmt"
	"slices"
	"strconv"

	"shelly/fsm/wording"
	"shelly/sim"
	"shelly/sim/crash"
	"shelly/sim/scenario/data"
	"shelly/sim/scenario/format"
	"shelly/sim/scenario/match"
)

// Crashes holds the runs of a crash matrix against what the case claims of every run
// (SCN-54).
type Crashes struct {
	file   *format.File
	claims []crashClaim // those that hold without a crash; any other has failed already
	runs   int
}

// crashClaim is a claim and the runs in which it does not hold.
type crashClaim struct {
	format.CrashClaim
	broken int     // runs
	first  Failure // in the first of them
	at     sim.Crashed
}

// NewCrashes begins with the run without a crash.
func NewCrashes(f *format.File, straight *sim.Result) *Crashes {
	c := &Crashes{file: f}
	for _, claim := range f.CrashClaims() {
		if claimed(f, straight, straight, &claim) == nil {
			c.claims = append(c.claims, crashClaim{CrashClaim: claim})
		}
	}
	return c
}

// Judge holds a run with a crash against the claims.
func (c *Crashes) Judge(straight, crashed *sim.Result) {
	c.runs++
	for i := range c.claims {
		claim := &c.claims[i]
		wrong := claimed(c.file, straight, crashed, &claim.CrashClaim)
		if wrong == nil {
			continue
		}
		if claim.broken == 0 {
			claim.first, claim.at = *wrong, crashed.Crashes[0]
		}
		claim.broken++
	}
}

// Needless lists the exceptions of may_change for claims that hold in every run.
func (c *Crashes) Needless() []string {
	var list []string
	for _, claim := range c.claims {
		if claim.broken == 0 && slices.Contains(c.file.MayChange(), claim.Name()) {
			list = append(list, claim.Name())
		}
	}
	return list
}

// Failures are the crashes after which the case did not end as it should, and the claims
// that a crash may not break and does, each once, as the first run shows it.
func (c *Crashes) Failures(matrix []crash.Failure) []Failure {
	key := "name"
	if c.file.EveryCrash() {
		key = "faults.crash"
	}
	var list []Failure
	for _, m := range matrix {
		f := Blame(c.file, key, fmt.Sprintf("crash at point %d (%s): %s", m.Ordinal, m.Point, m.Text))
		f.Again = againCrashing(c.file)
		list = append(list, f)
	}
	for _, claim := range c.claims {
		if claim.broken == 0 || slices.Contains(c.file.MayChange(), claim.Name()) {
			continue
		}
		f := claim.first
		f.Text = fmt.Sprintf("does not hold in %d of %s with a crash; the first, at point %d (%s):",
			claim.broken, wording.Count(c.runs, "run"), claim.at.Ordinal, claim.at.Point)
		if claim.first.Text != "" {
			f.Text += " " + claim.first.Text
		}
		f.Hint = fmt.Sprintf("if a crash may change it: faults: {crash: {at: $every, may_change: [%q]}}", claim.Name())
		f.Again = againCrashing(c.file)
		list = append(list, f)
	}
	return list
}

// claimed holds one run against one claim, and returns what is wrong or nil.
func claimed(f *format.File, straight, run *sim.Result, claim *format.CrashClaim) *Failure {
	j := &judgement{file: f, result: run, step: len(run.Steps)}
	if len(run.Crashes) > 0 { // a count shows at the next start
		j.step = max(0, slices.IndexFunc(run.Steps, func(s sim.Step) bool { return s.Epoch > run.Crashes[0].Epoch }))
	}
	want, got := count(f, straight, claim), count(f, run, claim)
	switch {
	case claim.Claim != nil:
		j.claim(claim.Path, claim.Claim, claim.Kind == "always")
	case claim.Is != nil:
		j.expect(claim.Path, "", claim.Is, there(data.Int(got)))
	case want != got:
		j.fail(f.Where(claim.Path), claim.Path, match.Mismatch{Want: strconv.Itoa(want) + ", as without a crash", Got: strconv.Itoa(got)})
	}
	if len(j.failures) == 0 {
		return nil
	}
	return &j.failures[0]
}

// count is how many there are in a run of what a claim counts.
func count(f *format.File, run *sim.Result, claim *format.CrashClaim) int {
	starts, uses := ran(run, claim.Tool)
	switch claim.Kind {
	case "replies":
		return len(run.Replies())
	case "messages":
		return len(run.Messages)
	case "memory":
		return len(run.Memory) - len(f.Memory)
	case "starts":
		return starts
	default:
		return uses
	}
}

// againCrashing is the command that runs the case with its crashes.
func againCrashing(f *format.File) string {
	if f.EveryCrash() {
		return Again(f)
	}
	return Again(f) + " --every-crash"
}

package judge

import (
	"shelly/fsm/machine"
	"shelly/sim/explore"
	"shelly/sim/scenario/format"
	"shelly/sim/scenario/match"
)

// replayed checks what a replay alone expects.
func (j *judgement) replayed() {
	f := j.file
	if want := f.Hash; want != nil && uint64(*want) != j.result.Hash() {
		j.fail(f.Where("hash"), "hash", match.Mismatch{Want: want.String(), Got: format.Hash(j.result.Hash()).String()})
	}
	if f.Expect != nil && f.Expect.Rests && !explore.Rests(machine.Restore(j.result.Final)) {
		j.fail(f.Where("expect.rests"), "expect.rests", match.Mismatch{Text: "INV-12: rest cannot be reached from the end by answers alone"})
	}
}

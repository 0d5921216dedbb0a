package sim

import (
	"slices"
	"strings"
	"testing"

	"shelly/fsm"
)

// SCN-23: the crash matrix sees what is done twice in the world: here by a tool that is
// said to be repeatable, and is not.
func TestSCN23TheMatrixSeesAWriteThatIsRepeated(t *testing.T) {
	p := roundTrip()
	p.World = []Thing{{"log", `"0"`}}
	p.Stubs[0].Acts[0].Changes = []Change{{Kind: Append, Thing: Thing{"log", `"1"`}}}
	for _, effects := range []fsm.ToolEffects{fsm.EffectsUnsafe, fsm.EffectsIdempotent} {
		p.Stubs[0].Decl.Effects = effects
		m, err := Matrix(p, Options{})
		if err != nil {
			t.Fatal(err)
		}
		doubled := slices.ContainsFunc(m.Failures, func(f MatrixFailure) bool {
			return strings.Contains(f.Text, "the world has") && strings.Contains(f.Text, "011")
		})
		if doubled != (effects == fsm.EffectsIdempotent) {
			t.Errorf("a tool with effects %s: failures %v", effects, m.Failures)
		}
	}
}

// SCN-23: what holds other data has no text to append to.
func TestSCN23ATextIsAppendedToATextAlone(t *testing.T) {
	p := roundTrip()
	p.World = []Thing{{"log", `[1]`}}
	p.Stubs[0].Acts[0].Changes = []Change{{Kind: Append, Thing: Thing{"log", `"1"`}}}
	r := play(t, p, Options{})
	if len(r.Unexpected) != 1 || !strings.Contains(r.Unexpected[0], "log, which is no text but [1]") || r.World[0].Data != `[1]` {
		t.Errorf("unexpected %v, the world %v", r.Unexpected, r.World)
	}
}

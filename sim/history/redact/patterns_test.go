package redact

import (
	"testing"

	"pgregory.net/rapid"
)

// Whatever a shape finds holds one of its marks, so that no secret is passed over (SCN-48).
func TestSCN48MarksPassNothingOver(t *testing.T) {
	for _, p := range patterns() {
		text := rapid.StringMatching(p.shape.String())
		rapid.Check(t, func(rt *rapid.T) {
			if drawn := text.Draw(rt, "text"); p.shape.MatchString(drawn) && !p.marked(lower(drawn)) {
				rt.Fatalf("%s: %q has no mark", p.kind, drawn)
			}
		})
	}
}

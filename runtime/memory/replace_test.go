package memory_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"shelly/fsm"
)

// However many times its entries were replaced, a memory finds the same, and in the same order, as
// one that has only seen their last versions.
func TestMEM2ReplacingLeavesNoTrace(t *testing.T) {
	words := []string{"disk", "full", "web1", "backup", "nginx", "磁盘", "备份"}
	needs := &embedder{model: "m", vectors: map[string][]byte{
		"disk": vector(1, 0.2), "backup nginx": vector(0.2, 1), "磁盘 full": vector(-1, 1),
	}}
	some := rapid.Custom(func(t *rapid.T) fsm.Entry {
		e := fsm.Entry{ID: fmt.Sprint(rapid.IntRange(0, 4).Draw(t, "id")), At: fsm.Millis(rapid.IntRange(0, 9).Draw(t, "at"))}
		for _, w := range rapid.SliceOfN(rapid.SampledFrom(words), 0, 6).Draw(t, "words") {
			e.Summary += w + " "
		}
		if rapid.Bool().Draw(t, "has vector") {
			component := rapid.Float32Range(-1, 1)
			e.Vector, e.Model = vector(component.Draw(t, "x"), component.Draw(t, "y")), "m"
		}
		return e
	})
	rapid.Check(t, func(rt *rapid.T) {
		history := rapid.SliceOfN(some, 1, 20).Draw(rt, "history")
		var last []fsm.Entry
		for i, e := range history {
			replaced := false
			for _, later := range history[i+1:] {
				replaced = replaced || later.ID == e.ID
			}
			if !replaced {
				last = append(last, e)
			}
		}
		used, fresh := open(t, needs, history...), open(t, needs, last...)
		for need := range needs.vectors {
			want, err := fresh.Recall(t.Context(), fsm.Recall{Need: need, TopK: 3})
			if err != nil {
				rt.Fatal(err)
			}
			got, err := used.Recall(t.Context(), fsm.Recall{Need: need, TopK: 3})
			if err != nil {
				rt.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				rt.Fatalf("recall of %q (-fresh +replaced):\n%s", need, diff)
			}
		}
	})
}

package strict

import (
	"fmt"
	"strings"
	"testing"
)

// A key that comes again is refused in a map of any size, with the line of the first.
func TestAKeyIsGivenOnce(t *testing.T) {
	for _, keys := range []int{2, keysFew, keysFew + 1, 10 * keysFew} {
		var source strings.Builder
		for i := range keys {
			fmt.Fprintf(&source, "key%d: 1\n", i)
		}
		root, problem := Parse([]byte(source.String()+"key1: 2\n"), "a test", "")
		if problem != nil {
			t.Fatal(problem)
		}
		var d Decoder
		seen := 0
		d.Members(root, "", func(_, _ *Node, _ string) { seen++ })
		if len(d.Problems) != 1 || d.Problems[0].Text != "already given on line 2" || d.Problems[0].Pos.Line != keys+1 || seen != keys {
			t.Errorf("%d keys: %d seen, problems %v", keys, seen, d.Problems)
		}
	}
}

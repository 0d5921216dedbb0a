package hindsight

import (
	"os"
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/sim/history/fork"
)

// The page's form for a fork has words for each key that a step can have.
func TestSIM15ThePageHasWordsForEachEdit(t *testing.T) {
	text, err := os.ReadFile("../../../../runtime/page/assets/fork.js")
	if err != nil {
		t.Fatal(err)
	}
	_, labels, _ := strings.Cut(string(text), "const labels = {")
	labels, _, _ = strings.Cut(labels, "};")
	for _, fact := range fsm.Facts() {
		for _, key := range fork.EditKeys(fsm.Input{Fact: fact}) {
			if !strings.Contains(labels, key+": ") {
				t.Errorf("%s of %T: the page shows its bare name", key, fact)
			}
		}
	}
}

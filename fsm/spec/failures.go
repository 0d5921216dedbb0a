package spec

import (
	"strings"

	"shelly/fsm"
)

// renderFailures asks the machine which classes of failure it meets by asking the
// model again.
func renderFailures() string {
	var again, final []string
	for _, class := range []fsm.BrainClass{
		fsm.BrainUnreachable, fsm.BrainLoading, fsm.BrainBusy, fsm.BrainMissingModel, fsm.BrainNoTools, fsm.BrainContextTruncated,
		fsm.BrainCutStream, fsm.BrainGarbage, fsm.BrainTimeout, fsm.BrainCancelled, fsm.BrainError,
	} {
		word := "`" + string(class) + "`"
		if class.Retryable() {
			again = append(again, word)
		} else {
			final = append(final, word)
		}
	}
	return grid([][]string{
		{"the model is", "after a failure of the class"},
		{"asked again (INF-15)", strings.Join(again, ", ")},
		{"not asked again", strings.Join(final, ", ")},
	})
}

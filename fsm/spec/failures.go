package spec

import (
	"strings"

	"shelly/fsm"
)

// renderFailures asks the machine after which classes of failure it asks the model again.
func renderFailures() string {
	var again, hinted, final []string
	for _, class := range fsm.BrainClasses() {
		word := "`" + string(class) + "`"
		switch {
		case class == fsm.BrainBadCall:
			hinted = append(hinted, word)
		case class.Retryable():
			again = append(again, word)
		default:
			final = append(final, word)
		}
	}
	return grid([][]string{
		{"the model is", "after a failure of the class"},
		{"asked again (INF-15)", strings.Join(again, ", ")},
		{"asked again with a hint (INF-43)", strings.Join(hinted, ", ")},
		{"not asked again", strings.Join(final, ", ")},
	})
}

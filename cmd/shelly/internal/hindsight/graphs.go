package hindsight

import (
	"net/http"

	"shelly/fsm/state"
	"shelly/runtime/comm"
	"shelly/sim/history/stategraph"
)

// GraphsBody has the machine's tables as laid-out graphs. Lengths are in pixels, from the top
// left corner.
type GraphsBody struct {
	Graphs []stategraph.Graph `json:"graphs"`
}

// getGraphs answers with the tables (COM-76).
func getGraphs(w http.ResponseWriter, _ *http.Request) error {
	var body GraphsBody
	for _, t := range state.Tables() {
		body.Graphs = append(body.Graphs, stategraph.Layout(t, func(state.Row) int { return 0 }))
	}
	return comm.JSON(w, http.StatusOK, body)
}

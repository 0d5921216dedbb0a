package request

import (
	"strings"
	"testing"

	"shelly/cmd/shelly/internal/exit"
	"shelly/fsm"
	"shelly/runtime/comm"
)

func TestCLI122WithoutAnIDItIsTheOnlyQuestion(t *testing.T) {
	approval := func(a *comm.Ask) bool { return a.Question == fsm.QuestionApprove }
	ask := func(handle fsm.HandleID, q fsm.Question, request string) comm.Active {
		return comm.Active{Request: request, Asks: &comm.Ask{Handle: handle, Question: q, Tool: "exec", Args: `{"command":"make"}`}}
	}
	other := ask(4, fsm.QuestionUnknown, "r4")
	about, found, err := onlyOf([]comm.Active{{}, other, ask(7, fsm.QuestionApprove, "r7")}, approval)
	if err != nil || about.Handle != 7 || found == nil || found.Handle != 7 {
		t.Errorf("got %+v, %+v, %v; want Handle 7, not nil, Handle 7", about, found, err)
	}
	var out strings.Builder
	if _, _, err := onlyOf([]comm.Active{other}, approval); exit.Code(err, &out) != exit.NoMatch {
		t.Error(err)
	}
	_, _, err = onlyOf([]comm.Active{ask(7, fsm.QuestionApprove, "r7"), ask(9, fsm.QuestionApprove, "")}, approval)
	if exit.Code(err, &out) != exit.Usage || !strings.Contains(err.Error(), "r7  ") || !strings.Contains(err.Error(), "--handle 9") {
		t.Error(err)
	}
}

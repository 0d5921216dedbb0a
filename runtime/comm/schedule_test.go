package comm_test

import (
	"net/http"
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/state"
	"shelly/runtime/comm"
)

// COM-52: the reason why a schedule is refused reaches the client unchanged.
func TestCOM52SchedulesAreReadAndChanged(t *testing.T) {
	s := serveHTTP(t, nil)
	var body comm.SchedulesBody
	if s.do(call{method: "GET", path: "/v1/schedules"}, &body); len(body.Schedules) != 1 || body.Schedules[0].ID != "s1" {
		t.Errorf("got %+v; want 1 Schedules, Schedules[0].ID %q", body, "s1")
	}
	var got comm.Scheduled
	if s.do(call{method: "POST", path: "/v1/schedules", body: `{"message":"m","cron_expr":"@daily"}`}, &got); got != (comm.Scheduled{ID: "s2", Taken: true}) {
		t.Errorf("got %+v; want %+v", got, (comm.Scheduled{ID: "s2", Taken: true}))
	}
	s.front.Refuse(&engine.UnfitError{Why: "cron_expr never comes due"})
	var problem comm.ProblemBody
	r := s.do(call{method: "POST", path: "/v1/schedules", body: `{"message":"m"}`}, &problem)
	if r.StatusCode != http.StatusBadRequest || !strings.Contains(problem.Error.Message, "never comes due") {
		t.Errorf("status %d, %+v", r.StatusCode, problem)
	}
}

func TestCOM52AScheduleSaysWhenItRunsNext(t *testing.T) {
	s := state.Snapshot{
		Schedules: []fsm.Schedule{
			{ID: "s1", Every: 60 * fsm.Second, Last: 1000, Text: "a"}, {ID: "s2", Cron: "@daily", Last: 1000, Paused: true}, {ID: "s3", Once: 90_000, Last: 1000},
		},
		Handles: []state.Handle{{Accepted: state.Accepted{ID: 7, Kind: fsm.KindSchedule, Session: "schedule:s2"}, Standing: state.Standing{State: state.Queued}}},
	}
	all := comm.Schedules(&s, 2000)
	if all[0].Next != 61_000 || all[0].EverySeconds != 60 || all[1].Next != 0 || all[1].Running != 7 || all[1].State != state.Queued || all[2].Next != 90_000 {
		t.Errorf("got %+v; want [0].Next 61_000, [0].EverySeconds 60, [1].Next 0, [1].Running 7, [1].State %q, [2].Next 90_000", all, state.Queued)
	}
}

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
	if r.StatusCode != http.StatusBadRequest || !strings.Contains(problem.Error.Message, "never comes due") || !strings.Contains(problem.Error.Hint, "cron_expr") {
		t.Errorf("status %d, %+v", r.StatusCode, problem)
	}
	if r := s.do(call{method: "POST", path: "/v1/schedules", body: `{"cron_expr":"@daily"}`}, &problem); r.StatusCode != http.StatusBadRequest || problem.Error.Message != `field "message" is missing or empty` {
		t.Errorf("without a message: status %d, %+v", r.StatusCode, problem)
	}
	if r := s.do(call{method: "POST", path: "/v1/schedules/s9/run", body: `{}`}, &problem); r.StatusCode != http.StatusNotFound || !strings.Contains(problem.Error.Hint, "GET /v1/schedules") {
		t.Errorf("an unknown one: status %d, %+v", r.StatusCode, problem)
	}
	if r := s.do(call{method: "POST", path: "/v1/schedules/s1/pause", body: `{}`}, &problem); r.StatusCode != http.StatusBadRequest {
		t.Errorf("a change that is not possible: status %d, %+v", r.StatusCode, problem)
	}
	if r := s.do(call{method: "POST", path: "/v1/schedules", body: `{"message":"m","every_seconds":4294967297}`}, &problem); r.StatusCode != http.StatusBadRequest || !strings.Contains(problem.Error.Message, `"every_seconds" is more than 4294967296`) {
		t.Errorf("too long an interval: status %d, %+v", r.StatusCode, problem)
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

func TestCOM53AHeartbeatSaysWhenItBeatsNextAndWhetherItIsSilent(t *testing.T) {
	const hour = 3600 * fsm.Second
	s := state.Snapshot{Beat: state.Beat{Last: 21 * hour}}
	if h := comm.HeartbeatOf(&s, 21*hour); h != nil {
		t.Errorf("without a heartbeat: %+v", h)
	}
	s.Config.Heartbeat = fsm.Heartbeat{Every: hour / 2, Quiet: fsm.Quiet{From: 22 * 60, Until: 8 * 60}}
	for last, want := range map[fsm.Millis]comm.Heartbeat{ // order-free: each by itself
		21 * hour:           {EveryMS: 1_800_000, Next: 21*hour + hour/2, Quiet: "22:00-08:00", Zone: "UTC"},
		21*hour + hour/2:    {EveryMS: 1_800_000, Next: 22 * hour, Quiet: "22:00-08:00", Zone: "UTC", Silent: true},
		24*hour + 15*hour/2: {EveryMS: 1_800_000, Next: 32 * hour, Quiet: "22:00-08:00", Zone: "UTC"},
	} {
		s.Beat.Last = last
		if h := comm.HeartbeatOf(&s, last+1); h == nil || *h != want {
			t.Errorf("after %d: got %+v; want %+v", last, h, want)
		}
	}
	s.Config.Heartbeat.Quiet = fsm.Quiet{}
	if h := comm.HeartbeatOf(&s, 24*hour); h == nil || h.Quiet != "" || h.Silent {
		t.Errorf("without quiet hours: %+v", h)
	}
}

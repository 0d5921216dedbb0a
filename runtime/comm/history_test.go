package comm_test

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/profile"
	"shelly/fsm/state"
	"shelly/runtime/comm"
	"shelly/sim/history"
)

// answers is a world that answers at once.
type answers struct{ next []fsm.Input }

func (w *answers) Perform(e fsm.Effect) error {
	switch e := e.(type) {
	case fsm.LoadSession:
		w.next = append(w.next, fsm.Input{At: 3, Fact: fsm.SessionLoaded{Answered: fsm.To(e.Call)}})
	case fsm.AskBrain:
		w.next = append(w.next, fsm.Input{At: 4, Fact: fsm.BrainAnswered{Answered: fsm.To(e.Call), Stop: fsm.StopEndTurn, Text: "four"}})
	case fsm.SaveSession:
		w.next = append(w.next, fsm.Input{At: 5, Fact: fsm.SessionSaved{Answered: fsm.To(e.Call)}})
	}
	return nil
}

// went is the journal of a process that answered request m1 in four steps.
func went(t *testing.T) *engine.MemoryJournal {
	t.Helper()
	j, w := engine.NewMemoryJournal(), &answers{}
	e, err := engine.Open(j, w)
	if err != nil {
		t.Fatal(err)
	}
	config := profile.Nanobot()
	config.Init = fsm.InitOff
	w.next = []fsm.Input{{At: 1, Fact: fsm.Boot{Config: config}}, {At: 2, Fact: fsm.Requested{Request: httpKey("m1"), Text: "two and two?"}}}
	for len(w.next) > 0 {
		in := w.next[0]
		w.next = w.next[1:]
		must(t, e.Turn(in))
	}
	return j
}

// pastOf is what happened to a request, from who looks back.
func pastOf(j engine.Reader, key fsm.RequestKey) (comm.Past[history.Step], error) {
	h, err := history.Rest(j, key)
	return comm.Past[history.Step]{Request: h.Request, Handles: h.Handles, Ended: h.Ended, Lost: h.Lost, Steps: h.Steps}, err
}

func toldPast(j engine.Reader, key fsm.RequestKey) (comm.Past[comm.Step], error) {
	p, err := pastOf(j, key)
	told := comm.Past[comm.Step]{Request: p.Request, Handles: p.Handles, Ended: p.Ended, Lost: p.Lost}
	for _, s := range p.Steps {
		told.Steps = append(told.Steps, s)
	}
	return told, err
}

// toldOf serves that request.
func toldOf(t *testing.T) (*site, *engine.MemoryJournal) {
	t.Helper()
	s, j := serveHTTP(t, func(o *comm.HTTPOptions) { o.Past = toldPast }), went(t)
	s.front.Record(j)
	s.do(post(good), &comm.Receipt{})
	return s, j
}

const stepsPath = "/v1/requests/m1/steps"

func TestCOM15TheStepsOfARequestAreSentOverHTTP(t *testing.T) {
	s, j := toldOf(t)
	p, err := pastOf(j, httpKey("m1"))
	want := comm.History(p, nil)
	if err != nil || len(want.Steps) != 4 || !want.Ended || want.Request.Reply != "four" {
		t.Fatalf("got %+v, %v; want 4 Steps, Ended, Request.Reply %q", want, err, "four")
	}
	var got comm.HistoryBody[history.Step]
	if r := s.do(call{method: "GET", path: stepsPath}, &got); r.StatusCode != http.StatusOK {
		t.Fatalf("status %d", r.StatusCode)
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(state.Move{}, "Kind")); diff != "" { // which is not sent
		t.Errorf("(-want +got)\n%s", diff)
	}
	for query, numbers := range map[string][]int{"?limit=2": {1, 2}, "?after=2": {3, 4}, "?after=1&limit=1": {2}, "?after=9": nil} {
		got = comm.HistoryBody[history.Step]{}
		s.do(call{method: "GET", path: stepsPath + query}, &got)
		var n []int
		for _, step := range got.Steps {
			n = append(n, step.N)
		}
		more := len(n) > 0 && n[len(n)-1] < 4
		if diff := cmp.Diff(numbers, n); diff != "" || got.More != more || got.Steps == nil {
			t.Errorf("%s: more %v, %s", query, got.More, diff)
		}
	}
}

// One step comes with the state after it: the conversation that the model was asked.
func TestCOM15OneStepIsShownWithTheStateAfterIt(t *testing.T) {
	s, _ := toldOf(t)
	var got comm.HistoryBody[history.Step]
	s.do(call{method: "GET", path: stepsPath + "?at=2"}, &got)
	if len(got.Steps) != 1 || got.Steps[0].N != 2 || got.State == nil || got.State.State != state.Execution || len(got.State.Inf.Talk.Messages) == 0 {
		t.Errorf("got %+v; want 1 Steps, Steps[0].N 2, some State, State.State %q, some State.Inf.Talk.Messages", got, state.Execution)
	}
	got = comm.HistoryBody[history.Step]{}
	s.do(call{method: "GET", path: stepsPath + "?at=4"}, &got)
	if len(got.Steps) != 1 || got.State != nil {
		t.Errorf("after the last step: %+v", got.State)
	}
	for path, status := range map[string]int{
		stepsPath + "?at=5": http.StatusNotFound, stepsPath + "?at=0": http.StatusNotFound, stepsPath + "?at=x": http.StatusBadRequest,
		stepsPath + "?channel=udp": http.StatusNotFound, "/v1/requests/other/steps": http.StatusNotFound, stepsPath + "?step=1": http.StatusBadRequest,
	} {
		var body comm.ProblemBody
		if r := s.do(call{method: "GET", path: path}, &body); r.StatusCode != status || body.Error.Hint == "" {
			t.Errorf("%s: got %d %+v; want %d, some Error.Hint", path, r.StatusCode, body, status)
		}
	}
}

func TestCOM15WhatAPersonIsAskedStandsInTheHistory(t *testing.T) {
	ask := comm.Ask{Question: fsm.QuestionApprove, Handle: 1, Key: "h1.1", Tool: "exec", Args: "{}"}
	p, err := pastOf(went(t), httpKey("m1"))
	b := comm.History(p, []comm.Standing{{Handle: 1, Phase: state.Approving, Asks: &ask}, {Handle: 2, Asks: &comm.Ask{Handle: 2}}})
	if diff := cmp.Diff([]comm.Ask{ask}, b.Asks); err != nil || diff != "" || b.Request.Phase != state.Approving {
		t.Errorf("%v, phase %q\n%s", err, b.Request.Phase, diff)
	}
}

// gated is a journal without an end, whose replay goes on until its reader has gone.
type gated struct {
	engine.Reader
	begun chan struct{}
	ended chan error
}

func (g gated) Replay(after uint64, fn func(engine.Record) error) error {
	g.begun <- struct{}{}
	last := after
	for {
		err := g.Reader.Replay(after, func(r engine.Record) error {
			last++
			r.Index = last
			return fn(r)
		})
		if err != nil {
			g.ended <- err
			return err
		}
	}
}

// The number of histories computed at once is bounded, and each ends with its client.
func TestCOM15HistoriesAreBoundedAndEndWithTheirClients(t *testing.T) {
	s, j := toldOf(t)
	g := gated{unfinished(t, j), make(chan struct{}), make(chan error, 8)}
	s.front.Record(g)
	ctx, leave := context.WithCancel(testContext(t))
	defer leave()
	for range 4 {
		go func() {
			r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.address+stepsPath, nil)
			if err != nil {
				t.Error(err)
				return
			}
			r.Header.Set("Authorization", "Bearer "+token)
			if answer, err := s.client.Do(r); err == nil {
				_ = answer.Body.Close()
			}
		}()
		<-g.begun
	}
	var body comm.ProblemBody
	if r := s.do(call{method: "GET", path: stepsPath}, &body); r.StatusCode != http.StatusTooManyRequests || body.Error.Code != comm.CodeBusy {
		t.Errorf("the fifth: %d %+v", r.StatusCode, body)
	}
	leave()
	for range 4 {
		if err := <-g.ended; !errors.Is(err, context.Canceled) {
			t.Errorf("it ended with %v", err)
		}
	}
}

// unfinished is the same journal without its end.
func unfinished(t *testing.T, j *engine.MemoryJournal) engine.Reader {
	t.Helper()
	cut := engine.NewMemoryJournal()
	r, _, err := j.Request(httpKey("m1"))
	must(t, errors.Join(err, cut.Append(engine.Batch{Records: j.Records()[:3], Requests: []engine.Request{r}}, true)))
	return cut
}

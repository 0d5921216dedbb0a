package hindsight

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/comm"
	"shelly/runtime/daemon"
	"shelly/sim"
	"shelly/sim/history/redact"
	"shelly/sim/scenario"
)

const looks = `scenario: 1
name: looks
profile: default
config: {no_cognition: true, remember: off}
tools:
  look: [{returns: "a b", effects: none}]
brain:
  - calls: [{tool: look, args: {path: "."}}]
  - says: "There are two."
timeline: [{user: "How many?"}]
expect: {ends: serving}
`

// lookResult is the step of looks in which the tool has answered.
const lookResult = 4

// says is a model that gives one answer.
type says struct {
	text  string
	asked int
	err   error
}

// Chat implements [daemon.Brain].
func (s *says) Chat(context.Context, fsm.AskBrain, []fsm.ToolDecl, func(daemon.Piece)) (fsm.BrainAnswered, error) {
	s.asked++
	return fsm.BrainAnswered{Text: s.text, Stop: fsm.StopEndTurn}, s.err
}

// site serves the routes over the journal of a run.
type site struct {
	t     *testing.T
	h     *hindsight
	mux   *http.ServeMux
	brain *says
	shown []byte

	secrets []redact.Secret
	id      string
}

func serve(t *testing.T) *site {
	t.Helper()
	return serveScenario(t, looks)
}

func serveScenario(t *testing.T, source string) *site {
	t.Helper()
	f, err := scenario.Parse("case", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	out := f.Run(sim.Options{})
	if out.Err != nil {
		t.Fatal(out.Err)
	}
	b := engine.Batch{Requests: slices.Clone(out.Result.Requests)}
	for i := range b.Requests {
		b.Requests[i].Key.Principal, b.Requests[i].Key.Channel = comm.Principal, comm.ChannelHTTP
	}
	for _, s := range out.Result.Steps {
		if in, ok := s.Input.Fact.(fsm.Requested); ok {
			in.Request.Principal, in.Request.Channel = comm.Principal, comm.ChannelHTTP
			s.Input.Fact = in
		}
		b.Records = append(b.Records, engine.Record{Index: s.Index, Input: s.Input, Effects: fsm.HashEffects(s.Effects)})
	}
	j := engine.NewMemoryJournal()
	if err := j.Append(b, true); err != nil {
		t.Fatal(err)
	}
	s := &site{t: t, mux: http.NewServeMux(), brain: &says{text: "There is nothing."}, id: b.Requests[0].Key.ID}
	o := Options{
		Recorded: func(context.Context) (engine.Reader, error) { return j, nil },
		Brain:    s.brain, About: func() string { return "a script" }, Log: slog.New(slog.DiscardHandler),
		Redactor: func() *redact.Redactor { return redact.New(s.secrets...) },
		Show:     func(report []byte) string { s.shown = report; return "/page/report" },
	}
	s.h = newHindsight(o)
	for _, r := range s.h.routes() {
		s.mux.HandleFunc(r.Method+" "+r.Pattern, func(w http.ResponseWriter, q *http.Request) {
			if err := r.Handle(w, q); err != nil {
				p := &comm.Problem{}
				if !errors.As(err, &p) {
					p = &comm.Problem{Code: comm.CodeInternal, Message: err.Error()}
				}
				w.WriteHeader(http.StatusTeapot)
				_ = json.NewEncoder(w).Encode(p)
			}
		})
	}
	return s
}

// do calls a route and decodes its answer; p is the error, or nil.
func (s *site) do(method, path, body string, to any) (p *comm.Problem) {
	s.t.Helper()
	w := httptest.NewRecorder()
	asked := httptest.NewRequest(method, path, strings.NewReader(body))
	asked.Header.Set("Content-Type", "application/json")
	s.mux.ServeHTTP(w, asked.WithContext(comm.WithCaller(asked.Context(), comm.Local())))
	if w.Code == http.StatusTeapot {
		p, to = &comm.Problem{}, nil
		to = p
	}
	if err := json.NewDecoder(w.Body).Decode(to); err != nil && !errors.Is(err, io.EOF) {
		s.t.Fatalf("%s %s: got status %d with a body that cannot be read: %v", method, path, w.Code, err)
	}
	return p
}

func TestCOM74ATraceTellsTheStepsAndWhatAForkCanChange(t *testing.T) {
	s := serve(t)
	var all, first, rest TraceBody
	if p := s.do("GET", "/v1/requests/"+s.id+"/trace", "", &all); p != nil || len(all.Steps) < lookResult || all.More {
		t.Fatalf("%v: %d steps", p, len(all.Steps))
	}
	step := all.Steps[lookResult-1]
	if step.N != lookResult || !strings.Contains(step.Input.Words, "look returned") || !slices.Equal(step.Edits, []string{"result", "failed"}) || len(step.Moves) == 0 || step.Moves[0].Rule == "" {
		t.Errorf("step %+v", step)
	}
	s.do("GET", "/v1/requests/"+s.id+"/trace?limit=2", "", &first)
	s.do("GET", "/v1/requests/"+s.id+"/trace?after=2", "", &rest)
	if len(first.Steps) != 2 || !first.More || len(rest.Steps) != len(all.Steps)-2 || rest.Steps[0].N != 3 || rest.More {
		t.Errorf("%d steps, more %t; then %d", len(first.Steps), first.More, len(rest.Steps))
	}
	for path, want := range map[string]comm.Code{"none/trace": comm.CodeNotFound, s.id + "/trace?channel=udp": comm.CodeNotFound, s.id + "/trace?after=x": comm.CodeBadRequest, s.id + "/trace?limit=-1": comm.CodeBadRequest, s.id + "/trace?limit=0": comm.CodeBadRequest, s.id + "/trace?colour=red": comm.CodeBadRequest} {
		if p := s.do("GET", "/v1/requests/"+path, "", &all); p == nil || p.Code != want {
			t.Errorf("%s: got %+v; want not nil, Code %q", path, p, want)
		}
	}
	for range tracesMax {
		s.h.traces <- struct{}{}
	}
	if p := s.do("GET", "/v1/requests/"+s.id+"/trace", "", &all); p == nil || p.Code != comm.CodeBusy {
		t.Errorf("one too many: %+v", p)
	}
}

func TestCOM75AForkTellsBothWaysAndDoesNothing(t *testing.T) {
	s := serve(t)
	var b ForkBody
	if p := s.do("POST", "/v1/requests/"+s.id+"/fork", `{"at": 4, "edits": {"result": "nothing"}}`, &b); p != nil {
		t.Fatal(p)
	}
	if b.At != lookResult || b.Parted != 0 || b.Asked != 1 || b.Brain != "a script" || s.brain.asked != 1 || len(b.Broken) != 0 {
		t.Errorf("got %+v, and the brain asked %d times; want At %d, Parted 0, Asked 1, Brain %q, none Broken, and once", b, s.brain.asked, lookResult, "a script")
	}
	if b.Replies.Recorded == nil || b.Replies.Recorded.Text != "There are two." || b.Replies.Fork == nil || b.Replies.Fork.Text != "There is nothing." {
		t.Errorf("replies %+v, %+v", b.Replies.Recorded, b.Replies.Fork)
	}
	if b.Fork[0].N != lookResult || b.Fork[0].Source != "edit" || !strings.Contains(b.Fork[0].What, "nothing") || !strings.Contains(b.Recorded[0].What, "a b") || b.Fork[1].Source != "model" {
		t.Errorf("fork %+v\nrecorded %+v", b.Fork, b.Recorded)
	}
}

func TestCOM75WhatCannotBeForkedIsReported(t *testing.T) {
	s := serve(t)
	for body, want := range map[string]comm.Code{
		`{"at": 99, "edits": {"result": "x"}}`:           comm.CodeBadRequest,
		`{"at": 0}`:                                      comm.CodeBadRequest,
		`{"at": 4, "edits": {"says": "x"}}`:              comm.CodeBadRequest,
		`{"at": 4, "edits": {"failed": "perhaps"}}`:      comm.CodeBadRequest,
		`{"at": 4, "more": true}`:                        comm.CodeBadRequest,
		`{"at": 1, "at": 4}`:                             comm.CodeBadRequest,
		`{"at": 4, "edits": {"result": "nothing"}}{}`:    comm.CodeBadRequest,
		"{\"at\": 4, \"edits\": {\"result\": \"\xff\"}}": comm.CodeBadRequest,
		`[]`: comm.CodeBadRequest,
		`{"at": 4, "edits": {"result": "` + strings.Repeat("x", bodyBytes) + `"}}`: comm.CodeTooLarge,
	} {
		var b ForkBody
		if p := s.do("POST", "/v1/requests/"+s.id+"/fork", body, &b); p == nil || p.Code != want || p.Hint == "" {
			t.Errorf("%.60s: got %+v; want not nil, Code %q, some Hint", body, p, want)
		}
	}
	if s.brain.asked != 0 {
		t.Errorf("the model was asked %d times", s.brain.asked)
	}
	s.h.forks <- struct{}{}
	var b ForkBody
	if p := s.do("POST", "/v1/requests/"+s.id+"/fork", `{"at": 4, "edits": {"result": "nothing"}}`, &b); p == nil || p.Code != comm.CodeBusy {
		t.Errorf("a second one: %+v", p)
	}
}

func TestCOM76TheTablesAreGraphs(t *testing.T) {
	s := serve(t)
	var b GraphsBody
	if p := s.do("GET", "/v1/graphs", "", &b); p != nil || len(b.Graphs) != 3 {
		t.Fatalf("%v: %d graphs", p, len(b.Graphs))
	}
	for _, g := range b.Graphs {
		if g.Width < 100 || g.Height < 100 || len(g.Nodes) < 5 || len(g.Edges) < 5 {
			t.Errorf("graph %s: %d × %d, %d states, %d arrows", g.Name, g.Width, g.Height, len(g.Nodes), len(g.Edges))
		}
	}
}

func TestCOM77AReportIsMadeOfARequest(t *testing.T) {
	s := serve(t)
	var b ReportBody
	if p := s.do("POST", "/v1/requests/"+s.id+"/report", "", &b); p != nil || b.Path != "/page/report" {
		t.Fatalf("%v: got %+v; want nil, Path %q", p, b, "/page/report")
	}
	for _, want := range []string{"<!doctype html>", "How many?", "look returned", "There are two."} {
		if !strings.Contains(string(s.shown), want) {
			t.Errorf("the report lacks %q", want)
		}
	}
}

// A report is a document that can be saved and passed on, so the rule of the verb applies.
func TestCOM77AReportShowsNoSecret(t *testing.T) {
	s := serve(t)
	s.secrets = []redact.Secret{{Kind: "a key", Text: "There are two."}}
	var b ReportBody
	if p := s.do("POST", "/v1/requests/"+s.id+"/report", "", &b); p != nil || !strings.Contains(string(s.shown), "How many?") || strings.Contains(string(s.shown), "There are two.") {
		t.Fatalf("%v; the secret is there: %t", p, strings.Contains(string(s.shown), "There are two."))
	}
	// A secret that is not in the text of the record cannot be replaced.
	s.shown, s.secrets = nil, []redact.Secret{{Kind: "a key", Text: "<!doctype html>"}}
	if p := s.do("POST", "/v1/requests/"+s.id+"/report", "", &b); p == nil || p.Code != comm.CodeConflict || p.Hint == "" || s.shown != nil {
		t.Errorf("a secret that is left: %+v, %d bytes are shown", p, len(s.shown))
	}
}

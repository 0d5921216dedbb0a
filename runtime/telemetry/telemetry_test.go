package telemetry

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/machine"
	"shelly/fsm/profile"
	"shelly/fsm/state"
	"shelly/runtime/comm"
	"shelly/runtime/memory"
)

// secret is what a person, the model and tools say; it must not leave in any way.
const secret = "the-safe-opens-with-4711"

// world is a machine of which each step is watched, a second apart.
type world struct {
	t *testing.T
	*machine.Machine
	watch   *Watch
	index   uint64
	now     fsm.Millis
	waiting []fsm.Call // that nobody has answered
	timers  []fsm.TimerID
	turn    *[]engine.Step // where steps are kept for later; nil: they are told at once
}

func newWorld(t *testing.T, tellers ...Teller) *world {
	w := &world{t: t, Machine: machine.New(), watch: New(tellers...), now: 1_800_000_000_000}
	w.boot()
	return w
}

func (w *world) boot() {
	config := profile.Shelly()
	config.Init = fsm.InitOff
	config.Tools = []fsm.ToolDecl{{Name: "look", Effects: fsm.EffectsNone}}
	w.step(fsm.Boot{Config: config})
}

func (w *world) step(f fsm.Fact) {
	w.index++
	w.now += fsm.Second
	in := fsm.Input{At: w.now, Fact: f}
	effects := w.Step(in)
	step := engine.Step{Index: w.index, Input: in, Effects: effects, Moves: append([]state.Move(nil), w.Moves()...)}
	if w.turn != nil {
		*w.turn = append(*w.turn, step)
	}
	w.watch.Step(step, w.View())
	for _, e := range effects {
		if call, ok := e.(fsm.Call); ok {
			w.waiting = append(w.waiting, call)
		}
		if timer, ok := e.(fsm.SetTimer); ok {
			w.timers = append(w.timers, timer.Timer)
		}
	}
}

// asks answers all calls as a world that has nothing, those of the model with what is said, in turn.
func (w *world) asks(id string, said ...fsm.Fact) {
	w.step(fsm.Requested{Request: fsm.RequestKey{ID: id}, Session: "s", Text: secret})
	w.rest(said...)
}

func (w *world) rest(said ...fsm.Fact) {
	for len(w.waiting) > 0 {
		call := w.waiting[0]
		w.waiting = w.waiting[1:]
		answer := fsm.PlainAnswer(call.Identity().Call, fsm.CallKindOf(call))
		if _, ok := call.(fsm.AskBrain); ok && len(said) > 0 {
			answer = fsm.AnswerTo(call.Identity().Call, said[0])
			said = said[1:]
		}
		w.step(answer)
	}
}

var (
	looks = fsm.BrainAnswered{Stop: fsm.StopToolUse, Calls: []fsm.ToolCall{{ID: "1", Name: "look", Args: `{"at":"` + secret + `"}`}}, Model: fsm.Model{Name: "m:1b"},
		Tokens: fsm.Tokens{Prompt: 100, Answer: 10, Reading: 2000, Writing: 500}}
	says  = fsm.BrainAnswered{Stop: fsm.StopEndTurn, Text: secret, Thinking: secret, Model: fsm.Model{Name: "m:1b"}, Tokens: fsm.Tokens{Prompt: 7, Read: 2, Answer: 3}}
	fails = fsm.BrainFailed{Class: fsm.BrainGarbage, Reason: secret}
)

// scrape is what a scraper reads, without comments.
func scrape(t *testing.T, m *Metrics, now comm.Status) string {
	t.Helper()
	w := httptest.NewRecorder()
	m.Serve(w, httptest.NewRequest(http.MethodGet, "/metrics", nil), now)
	if w.Code != http.StatusOK {
		t.Fatalf("got status %d, %s; want %d", w.Code, w.Body, http.StatusOK)
	}
	return w.Body.String()
}

func TestOBS2WorkCallsAndToolsAreCounted(t *testing.T) {
	m := NewMetrics("1.2.3")
	w := newWorld(t, m)
	w.asks("a", looks, says)
	m.Violated()
	got := scrape(t, m, comm.Status{Lifecycle: state.Serving, Waiting: 3, Active: []comm.Active{{Kind: fsm.KindUser, State: state.Execution}}, Disk: &comm.Disk{Free: new(uint64(5))}})
	for _, want := range []string{
		`shelly_build_info{version="1.2.3"} 1`,
		`shelly_work_accepted_total{kind="user"} 1`,
		`shelly_work_ended_total{kind="user",outcome="answered"} 1`,
		`shelly_work_duration_seconds_count{kind="user"} 1`,
		`shelly_model_calls_total{purpose="answer",result="tool_use"} 1`,
		`shelly_model_call_duration_seconds_sum{purpose="answer"}`,
		`shelly_model_tokens_total{direction="read"} 102`,
		`shelly_model_tokens_total{direction="cached"} 5`,
		`shelly_model_seconds_total{direction="read"} 2`,
		`shelly_model_seconds_total{direction="written"} 0.5`,
		`shelly_tool_calls_total{result="ok",tool="look"} 1`,
		`shelly_tool_call_duration_seconds_sum{tool="look"} 1`,
		fmt.Sprintf("shelly_steps_total %d", w.index),
		`shelly_invariant_violations_total 1`,
		`shelly_work_waiting 3`,
		`shelly_work_active{kind="user",state="execution"} 1`,
		`shelly_lifecycle{state="serving"} 1`,
		`shelly_disk_free_bytes 5`,
		`process_start_time_seconds`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s", want)
		}
	}
	if strings.Contains(got, secret) || strings.Contains(got, "shelly_memory_entries") { // nothing of the memory is known
		t.Errorf("got %s; want no %q and no %q", got, secret, "shelly_memory_entries")
	}
	if t.Failed() {
		t.Log(got)
	}
}

func TestOBS2ACallThatIsGivenUpIsCounted(t *testing.T) {
	m := NewMetrics("")
	w := newWorld(t, m)
	w.step(fsm.Requested{Request: fsm.RequestKey{ID: "a"}, Text: secret})
	w.step(fsm.Signalled{Name: "TERM"})
	w.step(fsm.Signalled{Name: "TERM"}) // at once
	if got := scrape(t, m, comm.Status{}); !strings.Contains(got, `result="stopped"`) || len(w.watch.calls) > 0 {
		t.Errorf("%d calls are open\n%s", len(w.watch.calls), got)
	}
}

func TestOBS2AToolThatDoesNotStopEndsWithItsWork(t *testing.T) {
	m := NewMetrics("")
	w := newWorld(t, m)
	w.step(fsm.Requested{Request: fsm.RequestKey{ID: "a"}, Text: secret})
	for len(w.watch.calls) > 0 && fsm.CallKindOf(w.waiting[0]) == fsm.CallBrain {
		call := w.waiting[0]
		w.waiting = w.waiting[1:]
		w.step(fsm.AnswerTo(call.Identity().Call, looks))
	}
	for i := 0; i < len(w.timers) && len(w.View().Handles) > 0; i++ { // its time is up, and that to stop
		w.step(fsm.TimerFired{Timer: w.timers[i]})
	}
	if got := scrape(t, m, comm.Status{}); !strings.Contains(got, `shelly_tool_calls_total{result="stopped",tool="look"} 1`) || len(w.watch.calls) > 0 {
		t.Errorf("%d calls are open, handles %+v\n%s", len(w.watch.calls), w.View().Handles, got)
	}
}

func TestOBS2ToolsBeyondABoundShareASeries(t *testing.T) {
	m := NewMetrics("")
	for i := range toolsMax + 10 {
		m.Ended(&Call{Call: fsm.RunTool{Name: fmt.Sprint("t", i)}})
	}
	if got := scrape(t, m, comm.Status{}); !strings.Contains(got, `shelly_tool_calls_total{result="stopped",tool="other"} 10`) {
		t.Error("the others share no series")
	}
}

func TestOBS4EachPieceOfWorkIsALineOfTheLogWithoutItsTexts(t *testing.T) {
	var out bytes.Buffer
	w := newWorld(t, Lines{Log: slog.New(slog.NewTextHandler(&out, nil))})
	w.asks("r1", looks, says)
	got := out.String()
	for _, want := range []string{
		`msg=accepted handle=1 request=r1 channel="" session=s kind=user`,
		`msg=answered handle=1 request=r1 channel="" session=s kind=user outcome=answered took=`,
		`model_calls=`, `tokens_sent=107 tokens_written=13`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
	if strings.Contains(got, secret) {
		t.Errorf("got %s; want no %q", got, secret)
	}
}

// Steps share a turn, so the machine may be far ahead of the step being watched.
func TestOBS4WhatHasEndedWhenItIsReportedIsALineToo(t *testing.T) {
	var out bytes.Buffer
	late := New(Lines{Log: slog.New(slog.NewTextHandler(&out, nil))})
	w := newWorld(t)
	w.turn = &[]engine.Step{}
	w.step(fsm.Requested{Request: fsm.RequestKey{ID: "r1"}, Session: "s", Text: secret})
	w.step(fsm.Requested{Request: fsm.RequestKey{ID: "r2"}, Session: "s", Text: secret}) // it waits for the first
	w.rest(says, says, says, says)
	for _, s := range *w.turn {
		late.Step(s, w.View())
	}
	for _, id := range []string{"r1", "r2"} {
		if got := out.String(); strings.Count(got, "msg=accepted handle=") < 2 || strings.Count(got, "msg=answered handle="+id[1:]+" ") != 1 {
			t.Errorf("%s is not told of once:\n%s", id, got)
		}
	}
	if len(late.works) > 0 || len(late.calls) > 0 {
		t.Errorf("%d pieces of work and %d calls are held", len(late.works), len(late.calls))
	}
}

// A compression that is given up because somebody waits (HND-67) was not answered.
func TestOBS4WorkWithoutAReplyThatIsGivenUpIsCancelled(t *testing.T) {
	call := func(id fsm.CallID) fsm.Asked { return fsm.Asked{Handle: 1, Call: id} }
	ask, aborted := fsm.AskBrain{Asked: call(1)}, []fsm.Effect{fsm.AbortCall{Call: 1}}
	done := []state.Move{{Table: state.HandleTable.Name, Handle: 1, Kind: fsm.KindMemory, To: state.Done}}
	for _, tt := range []struct {
		name, outcome string
		then          []engine.Step
	}{
		{"with its model call", "cancelled", []engine.Step{{Effects: aborted, Moves: done}}},
		{"not, but answered", "answered", []engine.Step{{Input: fsm.Input{Fact: fsm.AnswerTo(1, says)}, Moves: done}}},
		{"not: what it had was saved", "answered", []engine.Step{
			{Effects: append(aborted, fsm.SaveSession{Asked: call(2)})},
			{Input: fsm.Input{Fact: fsm.AnswerTo(2, fsm.SessionSaved{})}, Moves: done},
		}},
	} {
		var out bytes.Buffer
		watch := New(Lines{Log: slog.New(slog.NewTextHandler(&out, nil))})
		for _, s := range append([]engine.Step{{Effects: []fsm.Effect{ask}}}, tt.then...) {
			watch.Step(s, &state.Snapshot{LastHandle: 1, Handles: []state.Handle{{Accepted: state.Accepted{ID: 1, Kind: fsm.KindMemory}}}})
		}
		if !strings.Contains(out.String(), "kind=memory outcome="+tt.outcome) {
			t.Errorf("given up %s: no outcome %s\n%s", tt.name, tt.outcome, out.String())
		}
	}
}

func TestOBS4WhatABootAdmitsIsAcceptedAndNotResumed(t *testing.T) {
	var out bytes.Buffer
	counted := NewMetrics("")
	w := &world{t: t, Machine: machine.New(), watch: New(counted, Lines{Log: slog.New(slog.NewTextHandler(&out, nil))}), now: 1_800_000_000_000}
	w.step(fsm.Boot{Config: profile.Shelly()})
	if got := out.String(); !strings.Contains(got, "msg=accepted handle=1 session=init kind=init") {
		t.Errorf("the initial inference is not told of as accepted:\n%s", got)
	}
	if got := scrape(t, counted, comm.Status{}); !strings.Contains(got, `shelly_work_accepted_total{kind="init"} 1`) {
		t.Errorf("it is not counted:\n%s", got)
	}
}

func TestOBS4WhatWaitsIsSaidWhenItIsAccepted(t *testing.T) {
	var out bytes.Buffer
	w := newWorld(t, Lines{Log: slog.New(slog.NewTextHandler(&out, nil))})
	for _, id := range []string{"r1", "r2"} {
		w.step(fsm.Requested{Request: fsm.RequestKey{ID: id}, Session: "s", Text: secret})
		if got := out.String(); strings.Count(got, "msg=accepted") != strings.Count(got, "request=r") || !strings.Contains(got, "request="+id) {
			t.Errorf("%s is not told of once:\n%s", id, got)
		}
	}
}

// traced returns the spans of what a function has watched, by their names.
func traced(t *testing.T, run func(w *Traces)) map[string]tracetest.SpanStub {
	t.Helper()
	to := tracetest.NewInMemoryExporter()
	traces := NewTraces(to, TracesOptions{Instance: "store", Agent: "ann", Provider: "ollama", Version: "1"})
	run(traces)
	if err := traces.provider.ForceFlush(t.Context()); err != nil {
		t.Fatal(err)
	}
	spans := map[string]tracetest.SpanStub{}
	for _, s := range to.GetSpans() {
		spans[s.Name] = s
		if text, err := json.Marshal(s); err != nil || strings.Contains(string(text), secret) {
			t.Errorf("%v: got %s; want one without %q", err, text, secret)
		}
	}
	return spans
}

func attributesOf(s tracetest.SpanStub) map[string]any {
	all := map[string]any{}
	for _, a := range s.Attributes {
		all[string(a.Key)] = a.Value.AsInterface()
	}
	return all
}

func TestOBS3WorkIsATraceWithItsCalls(t *testing.T) {
	spans := traced(t, func(to *Traces) { newWorld(t, to).asks("r1", looks, says) })
	root, tool, chat := spans["invoke_agent ann"], spans["execute_tool look"], spans["chat m:1b"]
	for name, s := range map[string]tracetest.SpanStub{"tool": tool, "chat": chat} { // order-free: each by itself
		if s.Parent.SpanID() != root.SpanContext.SpanID() || s.SpanContext.TraceID() != root.SpanContext.TraceID() || !s.EndTime.After(s.StartTime) {
			t.Errorf("%s is not below its work: %+v", name, s)
		}
	}
	if got := attributesOf(root); got["gen_ai.operation.name"] != "invoke_agent" || got["gen_ai.conversation.id"] != "s" || got["shelly.request.id"] != "r1" || got["shelly.outcome"] != "answered" {
		t.Errorf("got %v; want invoke_agent, s, r1, answered", got)
	}
	if got := attributesOf(chat); got["gen_ai.request.model"] != "m:1b" || got["gen_ai.usage.output_tokens"] == nil || got["gen_ai.provider.name"] != "ollama" || got["gen_ai.usage.cache_read.input_tokens"] != int64(5) {
		t.Errorf("got %v; want m:1b, ollama, some output tokens, 5 of the input cached", got)
	}
	if got := attributesOf(tool); got["gen_ai.tool.name"] != "look" || got["gen_ai.tool.call.id"] == "" {
		t.Errorf("got %v; want the tool look, and its call's id", got)
	}
}

func TestOBS3AFailureIsAnErrorOfItsClass(t *testing.T) {
	spans := traced(t, func(to *Traces) { newWorld(t, to).asks("r1", fails, fails, fails, fails, fails, fails, fails, fails) })
	if s := spans["chat"]; attributesOf(s)["error.type"] != "garbage" || s.Status.Code.String() != "Error" {
		t.Errorf("got %+v; want error.type %q, Status %q", s, "garbage", "Error")
	}
}

// call tells of a call of a piece of work that ends with an answer.
func (w *Traces) call(call fsm.Call, kind fsm.CallKind, a fsm.Answer) {
	work := &Work{ID: 1, Kind: fsm.KindUser}
	w.Accepted(work)
	c := &Call{Call: call, Kind: kind, Since: 1, Until: 2, Work: work}
	w.Began(c)
	c.Answer = a
	w.Ended(c)
	w.Finished(work, 3)
}

func TestOBS3AnEmbeddingNamesItsProviderAndItsModel(t *testing.T) {
	spans := traced(t, func(to *Traces) {
		to.call(fsm.Embed{Asked: fsm.Asked{Handle: 1, Call: 2}, Text: secret}, fsm.CallEmbed, fsm.Embedded{Answered: fsm.To(2), Model: "e:1b"})
	})
	got := attributesOf(spans["embeddings e:1b"])
	for name, want := range map[string]string{"gen_ai.operation.name": "embeddings", "gen_ai.provider.name": "ollama", "gen_ai.request.model": "e:1b"} {
		if got[name] != want {
			t.Errorf("%s is %v, want %s", name, got[name], want)
		}
	}
}

func TestOBS3AVectorThatIsNotMadeNowIsNoError(t *testing.T) {
	for _, why := range []error{engine.ErrSpared, engine.ErrNoEmbedder} {
		spans := traced(t, func(to *Traces) {
			to.call(fsm.Embed{Asked: fsm.Asked{Handle: 1, Call: 2}}, fsm.CallEmbed, fsm.Embedded{Answered: fsm.To(2), Error: why.Error()})
		})
		if s := spans["embeddings"]; !s.SpanContext.IsValid() || s.Status.Code.String() != "Unset" {
			t.Errorf("%v: %+v", why, s.Status)
		}
	}
}

func TestOBS3AFailureOfAnyCallIsAnError(t *testing.T) {
	asked, to := fsm.Asked{Handle: 1, Call: 2}, fsm.To(2)
	for kind, c := range map[fsm.CallKind]struct { // order-free: each by itself
		call fsm.Call
		fail fsm.Answer
	}{
		fsm.CallEmbed:  {fsm.Embed{Asked: asked}, fsm.Embedded{Answered: to, Error: secret}},
		fsm.CallRecall: {fsm.Recall{Asked: asked}, fsm.Recalled{Answered: to, Error: secret}},
		fsm.CallStore:  {fsm.Store{Asked: asked}, fsm.Stored{Answered: to, Error: secret}},
		fsm.CallLoad:   {fsm.LoadSession{Asked: asked}, fsm.SessionLoaded{Answered: to, Error: secret}},
		fsm.CallSave:   {fsm.SaveSession{Asked: asked}, fsm.SessionSaved{Answered: to, Error: secret}},
		fsm.CallSkill:  {fsm.LoadSkill{Asked: asked}, fsm.SkillLoaded{Answered: to, Error: secret}},
		fsm.CallText:   {fsm.ReadText{Asked: asked}, fsm.TextRead{Answered: to, Error: secret}},
		fsm.CallTool:   {fsm.RunTool{Asked: asked}, fsm.ToolAnswered{Answered: to, Failed: true}},
	} {
		for name, s := range traced(t, func(to *Traces) { to.call(c.call, kind, c.fail) }) {
			if work := strings.HasPrefix(name, "invoke_agent"); !work && (s.Status.Code.String() != "Error" || attributesOf(s)["error.type"] != "failed") {
				t.Errorf("%s: got %+v, %v", name, s.Status, attributesOf(s))
			}
		}
	}
}

func TestOBS3WhatGoesOnAfterAKillIsInTheSameTrace(t *testing.T) {
	var before state.Snapshot
	first := traced(t, func(to *Traces) {
		w := newWorld(t, to)
		w.step(fsm.Requested{Request: fsm.RequestKey{ID: "r1"}, Session: "s", Text: secret})
		w.step(fsm.AnswerTo(w.waiting[0].Identity().Call, looks))
		before = w.Snapshot()
	})
	second := traced(t, func(to *Traces) {
		w := &world{t: t, Machine: machine.Restore(before), watch: New(to), now: 1_800_000_100_000}
		w.watch.Resume(before.LastHandle)
		w.boot()
		w.rest(says)
	})
	chat, root := first["chat m:1b"], second["invoke_agent ann"]
	if root.SpanContext.TraceID() != chat.SpanContext.TraceID() || root.SpanContext.SpanID() != chat.Parent.SpanID() || attributesOf(root)["shelly.resumed"] != true {
		t.Errorf("%+v\nis not the work of\n%+v", root, chat)
	}
}

func TestOBS3ACollectorGetsOTLPAndItsAbsenceIsSaidOnce(t *testing.T) {
	var out bytes.Buffer
	var got otlpRequest
	status := http.StatusServiceUnavailable
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a redirect is followed") }))
	defer elsewhere.Close()
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if err := json.Unmarshal(body, &got); err != nil || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("got %v, %v; want Content-Type %q", err, r.Header, "application/json")
		}
		http.Redirect(w, r, elsewhere.URL, status)
	}))
	defer collector.Close()
	e := NewExporter(collector.URL+"/v1/traces", slog.New(slog.NewTextHandler(&out, nil)))
	traces := NewTraces(e, TracesOptions{Agent: "ann", Version: "1"})
	w := newWorld(t, traces)
	for i, answer := range []int{http.StatusServiceUnavailable, http.StatusFound, http.StatusOK, http.StatusOK} {
		status = answer
		w.asks(fmt.Sprint("r", i), looks, says)
		if err := traces.provider.ForceFlush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if said := out.String(); strings.Count(said, "they are lost until") != 1 || strings.Count(said, "accepts traces again") != 1 {
		t.Errorf("got %s; want 1 %q, 1 %q", said, "they are lost until", "accepts traces again")
	}
	spans := got.ResourceSpans[0].Scopes[0].Spans
	if last := spans[len(spans)-1]; len(last.TraceID) != 32 || len(last.SpanID) != 16 || len(last.Start) != len("1800000000000000000") || got.ResourceSpans[0].SchemaURL != schemaURL {
		t.Errorf("got %+v, schema %q; want a TraceID of 32, a SpanID of 16, a Start of 19 characters, and %q", last, got.ResourceSpans[0].SchemaURL, schemaURL)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := traces.Close(ctx); err != nil {
		t.Error(err)
	}
}

// A collector that refuses some spans of a batch answers with success.
func TestOBS3SpansThatACollectorRefusesAreSaidToBeLost(t *testing.T) {
	for answer, want := range map[string]string{
		`{"partialSuccess":{"rejectedSpans":"3","errorMessage":"too old"}}`: `refused 3 spans of a batch: \"too old\"`,
		`{"partialSuccess":{"rejectedSpans":1}}`:                            "refused 1 spans of a batch",
		`{"partialSuccess":{"errorMessage":"a warning"}}`:                   "",
		`{"partialSuccess":{"rejectedSpans":"0"}}`:                          "",
		`{"partialSuccess":null}`:                                           "",
		`{}`:                                                                "",
		``:                                                                  "",
		"ok":                                                                "",
	} {
		collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, answer) }))
		var out strings.Builder
		e := NewExporter(collector.URL, slog.New(slog.NewJSONHandler(&out, nil)))
		for range 2 {
			if err := e.ExportSpans(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
		}
		collector.Close()
		if said := out.String(); (said == "") != (want == "") || want != "" && strings.Count(said, want) != 1 {
			t.Errorf("%s: got %s; want 1 %q", answer, said, want)
		}
	}
}

func TestOBS3WhatIsNotTakenAtAStopIsSaidToBeLost(t *testing.T) {
	ends := make(chan struct{})
	collector := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-ends }))
	defer collector.Close()
	defer close(ends)
	var out strings.Builder
	traces := NewTraces(NewExporter(collector.URL, slog.New(slog.NewTextHandler(&out, nil))), TracesOptions{})
	newWorld(t, traces).asks("r", says)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := traces.Close(ctx); err == nil || strings.Count(out.String(), "they are lost") != 1 {
		t.Errorf("%v: got %s", err, out.String())
	}
}

// What is logged of a collector that does not answer has nothing of the path of its address.
func TestOBS3TheAddressOfACollectorIsSaidWithoutItsPath(t *testing.T) {
	gone := httptest.NewServer(nil)
	gone.Close()
	var out strings.Builder
	e := NewExporter(gone.URL+"/token/v1/traces", slog.New(slog.NewTextHandler(&out, nil)))
	if err := e.ExportSpans(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if said := out.String(); !strings.Contains(said, "collector="+gone.URL+"/…") || strings.Contains(said, "token") {
		t.Errorf("got %s; want %q, and no token", said, "collector="+gone.URL+"/…")
	}
}

func TestCOM53WhatTheModelHasTakenIsAddedUp(t *testing.T) {
	s := &Spent{}
	w := newWorld(t, s)
	w.asks("a", looks, says)
	said := s.Now()
	w.asks("b", fails, fails, fails, fails)
	want := fsm.Spent{Calls: 2, Untimed: 1, Uncounted: 1, Tokens: fsm.Tokens{Prompt: 107, Read: 2, Answer: 13, Reading: 2000, Writing: 500}} // a failed one says nothing
	if said.Calls < want.Calls || said.Untimed != want.Untimed || said.Uncounted != want.Uncounted || said.Tokens != want.Tokens || s.Now().Tokens != want.Tokens {
		t.Errorf("%+v and then %+v, want %+v", said, s.Now(), want)
	}
}

// Space that the file system does not tell is not said to be 0, which would be an alarm.
func TestOBS2UnknownFreeSpaceIsNoNumber(t *testing.T) {
	for free, want := range map[*uint64]bool{nil: false, new(uint64(0)): true} { // order-free: each by itself
		if got := scrape(t, NewMetrics("1"), comm.Status{Disk: &comm.Disk{Free: free}}); strings.Contains(got, "\nshelly_disk_free_bytes 0\n") != want {
			t.Errorf("free %v: got\n%s\nwant the metric: %v", free, got, want)
		}
	}
}

// The dashboard uses only metrics that exist.
func TestOBS2TheDashboardKnowsTheMetrics(t *testing.T) {
	m := NewMetrics("1")
	w := newWorld(t, m)
	w.asks("a", looks, says)
	m.Held(nil, fsm.AskPerson{Question: fsm.QuestionApprove}, 0)
	now := comm.Status{Disk: &comm.Disk{Free: new(uint64(0))}, Memory: &memory.Counts{}, Texts: &comm.Texts{}, Active: []comm.Active{{}}}
	known := scrape(t, m, now)
	dashboard, err := os.ReadFile("../../docs/grafana.json")
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile(`\b(shelly|process|go)_[a-z_]+`).FindAllString(string(dashboard), -1)
	if len(names) < 20 {
		t.Fatalf("it asks for %q", names)
	}
	for _, name := range names {
		if !regexp.MustCompile(`(?m)^` + name + `[ {]`).MatchString(known) {
			t.Errorf("there is no %s", name)
		}
	}
}

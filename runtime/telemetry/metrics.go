package telemetry

import (
	"cmp"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"shelly/fsm"
	"shelly/fsm/engine"
)

// toolsMax is the most tools with their own series; further tools share one.
const toolsMax = 256

// otherTools is the label of the shared series.
const otherTools = "other"

// Metrics counts what a daemon does (OBS-2). It is a [Teller].
type Metrics struct {
	Silent
	registry *prometheus.Registry
	tools    map[string]bool

	accepted, held, answered *prometheus.CounterVec
	waited                   *prometheus.HistogramVec
	modelCalls, modelTokens  *prometheus.CounterVec
	modelTime                *prometheus.CounterVec
	modelTook                *prometheus.HistogramVec
	toolCalls                *prometheus.CounterVec
	toolTook                 *prometheus.HistogramVec
	messages, steps, broken  prometheus.Counter
	raised, put              *prometheus.CounterVec
}

// seconds are the buckets for times from milliseconds to an hour.
var seconds = []float64{.01, .05, .1, .5, 1, 2, 5, 10, 30, 60, 120, 300, 900, 3600}

// NewMetrics returns the metrics of a process with a version.
func NewMetrics(version string) *Metrics {
	m := &Metrics{
		registry:    prometheus.NewRegistry(),
		tools:       map[string]bool{},
		accepted:    counters("work_accepted_total", "Work that was accepted: requests, events, schedules and what shelly does by itself.", "kind"),
		held:        counters("work_held_total", "Times that work waited for a person.", "question"),
		answered:    counters("work_ended_total", "Work that has ended.", "kind", "outcome"),
		waited:      durations("work_duration_seconds", "Time from acceptance until the reply, or until the end if nobody waits.", "kind"),
		modelCalls:  counters("model_calls_total", "Calls of the model that have ended, by why they stopped or failed.", "purpose", "result"),
		modelTokens: counters("model_tokens_total", "Tokens that the model's server has counted: of prompts those that it read and those that its cache held, which older servers count as read, and those that it wrote.", "direction"),
		modelTime:   counters("model_seconds_total", "Time that the model's server took to read and to write.", "direction"),
		modelTook:   durations("model_call_duration_seconds", "Time of a call of the model.", "purpose"),
		toolCalls:   counters("tool_calls_total", "Calls of tools that have ended.", "tool", "result"),
		toolTook:    durations("tool_call_duration_seconds", "Time of a call of a tool.", "tool"),
		messages:    prometheus.NewCounter(prometheus.CounterOpts{Name: "shelly_messages_sent_total", Help: "Messages to chats outside any request."}),
		raised:      counters("events_raised_total", "Events of shelly's own sources.", "kind"),
		put:         counters("event_changes_joined_total", "Changes that were put together with another into one event.", "kind"),
		steps:       prometheus.NewCounter(prometheus.CounterOpts{Name: "shelly_steps_total", Help: "Durable steps of the machine."}),
		broken:      prometheus.NewCounter(prometheus.CounterOpts{Name: "shelly_invariant_violations_total", Help: "Invariants found not to hold by the daemon's own check."}),
	}
	build := prometheus.NewGauge(prometheus.GaugeOpts{Name: "shelly_build_info", Help: "1, with the version.", ConstLabels: prometheus.Labels{"version": version}})
	build.Set(1)
	m.registry.MustRegister(m.accepted, m.held, m.answered, m.waited, m.modelCalls, m.modelTokens, m.modelTime, m.modelTook, m.toolCalls, m.toolTook,
		m.messages, m.steps, m.broken, m.raised, m.put, build, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

func counters(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Name: "shelly_" + name, Help: help}, labels)
}

func durations(name, help string, labels ...string) *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "shelly_" + name, Help: help, Buckets: seconds}, labels)
}

// Accepted implements [Teller].
func (m *Metrics) Accepted(w *Work) {
	if !w.Resumed {
		m.accepted.WithLabelValues(string(w.Kind)).Inc()
	}
}

// Held implements [Teller].
func (m *Metrics) Held(_ *Work, e fsm.AskPerson, _ fsm.Millis) {
	m.held.WithLabelValues(string(e.Question)).Inc()
}

// Ended implements [Teller].
func (m *Metrics) Ended(c *Call) {
	took := inSeconds(c.Until - c.Since)
	if e, ok := c.Call.(fsm.AskBrain); ok {
		m.modelCalls.WithLabelValues(string(e.Purpose), c.Result()).Inc()
		m.modelTook.WithLabelValues(string(e.Purpose)).Observe(took)
		t := c.tokens()
		read := cmp.Or(t.Read, t.Prompt)
		m.modelTokens.WithLabelValues("read").Add(float64(read))
		m.modelTokens.WithLabelValues("cached").Add(float64(t.Prompt - read))
		m.modelTokens.WithLabelValues("written").Add(float64(t.Answer))
		m.modelTime.WithLabelValues("read").Add(inSeconds(t.Reading))
		m.modelTime.WithLabelValues("written").Add(inSeconds(t.Writing))
	}
	if e, ok := c.Call.(fsm.RunTool); ok {
		name := m.tool(e.Name)
		m.toolCalls.WithLabelValues(name, c.Result()).Inc()
		m.toolTook.WithLabelValues(name).Observe(took)
	}
}

// tool returns the label of a tool; it bounds their number, because an MCP server may have any
// number of tools.
func (m *Metrics) tool(name string) string {
	if !m.tools[name] && len(m.tools) >= toolsMax {
		return otherTools
	}
	m.tools[name] = true
	return name
}

// Replied implements [Teller].
func (m *Metrics) Replied(w *Work, at fsm.Millis) { m.ended(w, at) }

// Finished implements [Teller].
func (m *Metrics) Finished(w *Work, at fsm.Millis) {
	if !w.Replied {
		m.ended(w, at)
	}
}

func (m *Metrics) ended(w *Work, at fsm.Millis) {
	m.answered.WithLabelValues(string(w.Kind), string(w.Outcome)).Inc()
	if !w.Resumed { // for a resumed one, it is unknown here when it was accepted
		m.waited.WithLabelValues(string(w.Kind)).Observe(inSeconds(at - w.Since))
	}
}

// Stepped implements [Teller].
func (m *Metrics) Stepped(s *engine.Step) {
	m.steps.Inc()
	m.messages.Add(float64(len(s.Messages())))
}

// Raised counts an event of a kind of source, and the changes after the first that were merged
// into it. Any goroutine may call it.
func (m *Metrics) Raised(kind string, put int) {
	m.raised.WithLabelValues(kind).Inc()
	m.put.WithLabelValues(kind).Add(float64(put))
}

// Violated counts an invariant that does not hold.
func (m *Metrics) Violated() { m.broken.Inc() }

func inSeconds(m fsm.Millis) float64 { return float64(max(m, 0)) / 1000 }

package compile_test

import (
	"testing"

	"shelly/fsm"
	"shelly/sim"
)

const everyLatency = "latencies: {brain: 1s, tools: 2s, recall: 3s, embedding: 4s, store: 5s, sessions: 6s, skills: 7s}\n"

// SCN-26: each latency is for what says no takes, 0s among them.
func TestSCN26LatenciesReachTheirOwn(t *testing.T) {
	p := planFrom(t, everyLatency+`
tools: {exec: [{returns: x}, {returns: x, takes: 0s}]}
brain: [{says: x}, {says: x, takes: 9s}, {says: x, takes: 0s}, {says: x, slow_load: 1s}]
brain_for: {summary: [{says: x}]}
timeline: [{recall: {works: true}}, {store: {fails: x}}, {sessions: {hangs: true}}, {skills: {works: true, takes: 0s}}]
faults:
  brain: {fails: busy}
  tool: {fails: x}
  store: {fails: x}
  sessions: {fails: x, takes: 1ms}
  recall: {takes: 8s}
`)
	for _, test := range []struct {
		what      string
		got, want fsm.Millis
	}{
		{"a call without a line", p.QuietTakes, 1000},
		{"a line", p.Scripts[0].Lines[0].Takes, 1000}, {"a line of its own", p.Scripts[0].Lines[1].Takes, 9000},
		{"a line at once", p.Scripts[0].Lines[2].Takes, 0}, {"a slow load", p.Scripts[0].Lines[3].Takes, 2000},
		{"a tool", p.Stubs[0].Acts[0].Takes, 2000}, {"a tool at once", p.Stubs[0].Acts[1].Takes, 0},
		{"recall", p.Recalling.Takes, 3000}, {"embedding", p.Embedding.Takes, 4000}, {"store", p.Storing.Takes, 5000},
		{"load", p.Loading.Takes, 6000}, {"save", p.Saving.Takes, 6000}, {"skills", p.Skilling.Takes, 7000},
		{"recall, from then on", p.Timeline[0].Recalling.Takes, 3000}, {"store, from then on", p.Timeline[1].Storing.Takes, 5000},
		{"sessions, from then on", p.Timeline[2].Saving.Takes, 6000}, {"skills, from then on", p.Timeline[3].Skilling.Takes, 0},
		{"brain's fault", p.Faults[0].Line.Takes, 1000}, {"tool's fault", p.Faults[1].Act.Takes, 2000},
		{"recall's fault", p.Faults[2].Service.Takes, 8000}, {"store's fault", p.Faults[3].Service.Takes, 5000}, {"sessions' fault", p.Faults[4].Service.Takes, 1},
	} {
		if test.got != test.want {
			t.Errorf("%s takes %s, want %s", test.what, test.got, test.want)
		}
	}
}

// SCN-26: what a file says of embedding is more than the latency.
func TestSCN26EmbeddingOverridesTheLatency(t *testing.T) {
	for yaml, want := range map[string]sim.Service{
		"embedding: {fails: x}\n":            {Fails: "x", Takes: 4000},
		"embedding: {fails: x, takes: 1s}\n": {Fails: "x", Takes: 1000},
	} {
		if got := planFrom(t, everyLatency+yaml).Embedding; got != want {
			t.Errorf("%s is %+v, want %+v", yaml, got, want)
		}
	}
}

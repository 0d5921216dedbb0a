package machine_test

import (
	"slices"
	"strconv"
	"testing"

	"shelly/fsm"
	"shelly/fsm/check"
	"shelly/fsm/machine"
	"shelly/fsm/profile"
	"shelly/runtime/yardstick"
)

// script plays one request with three tool calls over and over, one step at a
// time.
type script struct {
	m       *machine.Machine
	monitor *check.Monitor // nil: unwatched
	calls   []fsm.ToolCall
	at      int // the next step
}

// scriptSteps is how many steps one request takes.
const scriptSteps = 9

func newScript(watched bool) *script {
	c := profile.Shelly()
	c.Init = fsm.InitOff
	c.Tools = tools()
	call := fsm.ToolCall{ID: "call_0", Name: "list_dir", Args: `{"path":"."}`}
	s := &script{m: machine.New(), calls: []fsm.ToolCall{call, call, call}}
	s.m.Step(fsm.Input{Fact: fsm.Boot{Config: c}})
	if watched {
		s.monitor = check.MonitorFrom(s.m)
	}
	return s
}

// input returns the next input of the script.
func (s *script) input() fsm.Input {
	if s.at == 0 {
		return fsm.Input{Fact: fsm.Requested{Request: fsm.RequestKey{Channel: "udp", ID: "r1"}, Session: "s", Text: "what is in this folder?"}}
	}
	call := s.m.View().Handles[0].Await.Call
	switch s.at {
	case 1:
		return fsm.Input{Fact: fsm.BrainAnswered{Answered: fsm.To(call), Stop: fsm.StopToolUse, Calls: s.calls}}
	case 2, 3, 4:
		return fsm.Input{Fact: fsm.ToolAnswered{Answered: fsm.To(call), Text: "a.txt\nb.txt\nc.txt\n"}}
	case 5:
		return fsm.Input{Fact: fsm.BrainAnswered{Answered: fsm.To(call), Stop: fsm.StopEndTurn, Text: "There are three files."}}
	case 6:
		return fsm.Input{Fact: fsm.BrainAnswered{Answered: fsm.To(call), Stop: fsm.StopEndTurn, Text: "They asked for the files; there are three."}}
	case 7:
		return fsm.Input{Fact: fsm.Embedded{Answered: fsm.To(call), Vector: []byte{0, 0, 128, 63}, Model: "embedder"}}
	default:
		return fsm.Input{Fact: fsm.Stored{Answered: fsm.To(call)}}
	}
}

// play takes n steps.
func (s *script) play(b *testing.B, n int) {
	for range n {
		in := s.input()
		effects := s.m.Step(in)
		if s.monitor != nil {
			if found := s.monitor.Step(s.m, in, effects); found != nil {
				b.Fatal(found[0])
			}
		}
		s.at = (s.at + 1) % scriptSteps
	}
}

// toTools plays up to the start of the first tool.
func (s *script) toTools(b *testing.B) { s.play(b, 2) }

// BenchmarkStep measures one step, as the mean over a request with three tool calls. Its
// yardstick is encoding and decoding the input, as a journal has to.
func BenchmarkStep(b *testing.B) {
	s := newScript(false)
	b.ReportAllocs()
	for b.Loop() {
		s.play(b, 1)
	}
	var told []fsm.Input
	for again := newScript(false); len(told) < scriptSteps; again.play(b, 1) {
		told = append(told, again.input())
	}
	n := 0
	yardstick.Of(b, "coding", func() {
		wire, err := fsm.MarshalInput(told[n%scriptSteps])
		if err == nil {
			_, err = fsm.UnmarshalInput(wire)
		}
		if err != nil {
			b.Fatal(err)
		}
		n++
	})
}

// ofAStep compares the measurement with an unwatched step.
func ofAStep(b *testing.B) {
	bare := newScript(false)
	yardstick.Of(b, "a-step", func() { bare.play(b, 1) })
}

// BenchmarkStepWatched is BenchmarkStep with the monitor after each step.
func BenchmarkStepWatched(b *testing.B) {
	s := newScript(true)
	b.ReportAllocs()
	for b.Loop() {
		s.play(b, 1)
	}
	ofAStep(b)
}

// BenchmarkAsk measures a model call within a turn over a conversation of some length: its
// cost to the machine does not grow with the conversation. Its yardstick is a copy of the
// conversation, whose cost does.
func BenchmarkAsk(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			c := profile.Default()
			c.Init, c.Tools = fsm.InitOff, tools()
			c.Limits.ContextTokens, c.Limits.MaxHistory = 1<<20, 2*n
			c.Limits.MaxToolRounds, c.Limits.MaxIterations, c.Limits.MaxToolCalls = 1<<30, 1<<30, 1<<30
			m := machine.New()
			m.Step(fsm.Input{Fact: fsm.Boot{Config: c}})
			m.Step(fsm.Input{Fact: fsm.Requested{Request: fsm.RequestKey{Channel: "udp", ID: "r1"}, Session: "s", Text: "what is in this folder?"}})
			m.Step(fsm.Input{Fact: fsm.SessionLoaded{Answered: fsm.To(m.View().Handles[0].Await.Call), Session: fsm.Session{History: talk(n)}}})
			call := fsm.ToolCall{ID: "call_0", Name: "list_dir", Args: `{"path":"."}`}
			at, rounds := m, 0
			b.ReportAllocs()
			for b.Loop() {
				if rounds--; rounds < 0 { // the conversation is restarted before it grows
					b.StopTimer()
					at, rounds = m.Clone(), 64
					b.StartTimer()
				}
				at.Step(fsm.Input{Fact: fsm.BrainAnswered{Answered: fsm.To(at.View().Handles[0].Await.Call), Stop: fsm.StopToolUse, Calls: []fsm.ToolCall{call}}})
				at.Step(fsm.Input{Fact: fsm.ToolAnswered{Answered: fsm.To(at.View().Handles[0].Await.Call), Text: strconv.Itoa(rounds)}})
			}
			said, copied := talk(n), 0
			yardstick.Of(b, "a-copy", func() { copied += len(slices.Clone(said)) })
			if copied == 0 {
				b.Fatal("nothing was copied")
			}
		})
	}
}

// The following benchmarks use a machine whose first tool is running. The yardstick of each is a
// step.

func BenchmarkStateHash(b *testing.B) {
	s := newScript(false)
	s.toTools(b)
	b.ReportAllocs()
	for b.Loop() {
		s.m.View().Hash()
	}
	ofAStep(b)
}

func BenchmarkClone(b *testing.B) {
	s := newScript(false)
	s.toTools(b)
	b.ReportAllocs()
	for b.Loop() {
		s.m.Clone()
	}
	ofAStep(b)
}

func BenchmarkMonitorClone(b *testing.B) {
	s := newScript(true)
	s.toTools(b)
	b.ReportAllocs()
	for b.Loop() {
		s.monitor.Clone()
	}
	ofAStep(b)
}

func BenchmarkCheckRestore(b *testing.B) {
	s := newScript(false)
	s.toTools(b)
	for b.Loop() {
		if err := checkRestore(s.m); err != nil {
			b.Fatal(err)
		}
	}
	ofAStep(b)
}

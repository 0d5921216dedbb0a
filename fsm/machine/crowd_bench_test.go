package machine_test

import (
	"strconv"
	"testing"

	"shelly/fsm"
	"shelly/fsm/check"
	"shelly/fsm/machine"
	"shelly/fsm/profile"
	"shelly/fsm/state"
)

// crowd is a machine whose sessions each ask again as soon as they have their answer, so that
// what they are to remember waits: hundreds of handles.
type crowd struct {
	m       *machine.Machine
	monitor *check.Monitor
	asked   int
	reads   map[fsm.HandleID]int
	at      int // the handle answered last
}

func newCrowd(b *testing.B, sessions int) *crowd {
	config := profile.Default()
	config.Init, config.Tools = fsm.InitOff, tools()
	config.Limits.MaxActive, config.Limits.MaxQueue = sessions, 4*sessions
	c := &crowd{m: machine.New(), monitor: check.NewMonitor(), reads: map[fsm.HandleID]int{}}
	c.step(b, fsm.Boot{Config: config})
	for i := range sessions {
		c.ask(b, strconv.Itoa(i))
	}
	for range 20 * 12 * sessions { // turns, with about as many answers each
		c.answer(b)
	}
	return c
}

func (c *crowd) step(b *testing.B, f fsm.Fact) {
	in := fsm.Input{Fact: f}
	if found := c.monitor.Step(c.m, in, c.m.Step(in)); found != nil {
		b.Fatal(found[0])
	}
}

func (c *crowd) ask(b *testing.B, session string) {
	c.asked++
	c.step(b, fsm.Requested{Request: fsm.RequestKey{Channel: "udp", ID: strconv.Itoa(c.asked)}, Session: session, Text: "what is in this folder?"})
}

// next returns the next handle that awaits an answer, in turn.
func (c *crowd) next() *state.Handle {
	for handles := c.m.View().Handles; ; {
		if c.at = (c.at + 1) % len(handles); handles[c.at].Busy() {
			return &handles[c.at]
		}
	}
}

// answer answers a call.
func (c *crowd) answer(b *testing.B) {
	h := c.next()
	call, session, reads := h.InFlight()[0], h.Session, c.reads[h.ID]
	to := fsm.To(call.Call)
	switch call.Kind {
	case fsm.CallLoad:
		c.step(b, fsm.SessionLoaded{Answered: to})
	case fsm.CallBrain:
		if h.Kind == fsm.KindUser && reads < 3 {
			c.reads[h.ID]++
			read := fsm.ToolCall{ID: "call_0", Name: "list_dir", Args: `{"path":"` + strconv.Itoa(reads) + `"}`}
			c.step(b, fsm.BrainAnswered{Answered: to, Stop: fsm.StopToolUse, Calls: []fsm.ToolCall{read}})
			return
		}
		delete(c.reads, h.ID)
		c.step(b, fsm.BrainAnswered{Answered: to, Stop: fsm.StopEndTurn, Text: "There is one file."})
	case fsm.CallTool:
		c.step(b, fsm.ToolAnswered{Answered: to, Text: "a.txt"})
	case fsm.CallEmbed:
		c.step(b, fsm.Embedded{Answered: to})
	case fsm.CallStore:
		c.step(b, fsm.Stored{Answered: to})
	case fsm.CallSave:
		c.step(b, fsm.SessionSaved{Answered: to})
		c.ask(b, session)
	default:
		b.Fatalf("a %s call", call.Kind)
	}
}

// BenchmarkStepInCrowd is BenchmarkStepWatched with 64 sessions, all of them busy.
func BenchmarkStepInCrowd(b *testing.B) {
	c := newCrowd(b, 64)
	b.ReportAllocs()
	for b.Loop() {
		c.answer(b)
	}
	b.ReportMetric(float64(len(c.m.View().Handles)), "handles")
	ofAStep(b)
}

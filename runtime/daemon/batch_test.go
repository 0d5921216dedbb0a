package daemon_test

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"testing"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/comm"
)

// meeting is a tool whose calls return once all of them run, the last one first.
type meeting struct {
	all  sync.WaitGroup
	ends []chan struct{} // by the number of the call: closed when it has returned
}

func newMeeting(n int) *meeting {
	m := &meeting{}
	m.all.Add(n)
	for range n + 1 {
		m.ends = append(m.ends, make(chan struct{}))
	}
	close(m.ends[n])
	return m
}

func (m *meeting) Run(_ context.Context, run fsm.RunTool) fsm.ToolAnswered {
	n, _ := strconv.Atoi(run.Args)
	m.all.Done()
	m.all.Wait()
	<-m.ends[n+1]
	defer close(m.ends[n])
	return fsm.ToolAnswered{Text: "from " + run.Args}
}

// reads asks for calls without effects, which are numbered.
func (a asked) reads(n int) {
	var calls []fsm.ToolCall
	for i := range n {
		calls = append(calls, fsm.ToolCall{ID: strconv.Itoa(i), Name: "look", Args: strconv.Itoa(i)})
	}
	a.answer <- fsm.BrainAnswered{Stop: fsm.StopToolUse, Calls: calls}
}

func TestINF44TheDaemonRunsCallsAtTheSameTime(t *testing.T) {
	f := start(t, engine.NewMemoryJournal(), newMeeting(4), func(c *fsm.Config) { c.Limits.ReadsAtOnce = 4 })
	f.accept("a", "look")
	f.next().reads(4)
	again := f.next()
	messages := again.Conversation.Messages
	for i, m := range messages[len(messages)-4:] {
		if want := "from " + strconv.Itoa(i); m.Text != want {
			t.Errorf("result %d is %q", i, m.Text)
		}
	}
	events := f.watch("a")
	again.says("It is here.")
	f.next().says("A summary.")
	var heard []string
	for _, e := range all(events) {
		if e.Type == comm.EventToolResult {
			heard = append(heard, e.Args+" "+e.Text)
		}
	}
	slices.Sort(heard) // in which order they come is the scheduler's
	if want := []string{"0 from 0", "1 from 1", "2 from 2", "3 from 3"}; !slices.Equal(heard, want) {
		t.Errorf("whoever watches hears %q", heard)
	}
}

// INF-48: a cancel ends each running call, and each end reaches the daemon.
func TestINF48TheDaemonAbortsEachCallOfABatch(t *testing.T) {
	entered := make(chan struct{}, 3)
	f := start(t, engine.NewMemoryJournal(), runs(func(ctx context.Context) (string, bool) {
		entered <- struct{}{}
		<-ctx.Done()
		return "stopped", true
	}), func(c *fsm.Config) { c.Limits.ReadsAtOnce, c.Switches.Cancel = 4, fsm.CancelImmediate })
	f.accept("a", "look")
	f.next().reads(3)
	for range 3 {
		<-entered
	}
	events := f.watch("a")
	if _, err := f.Cancel(f.ctx, fsm.RequestKey{ID: "a"}); err != nil {
		t.Fatal(err)
	}
	for range events { // until the reply
	}
	f.accept("b", "hello") // it starts once all three have stopped
	f.next().says("Good day.")
}

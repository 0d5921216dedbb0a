package daemon_test

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/comm"
)

// runs is a function as the tools.
type runs func(ctx context.Context) (string, bool)

func (r runs) Run(ctx context.Context, _ fsm.RunTool) fsm.ToolAnswered {
	text, failed := r(ctx)
	return fsm.ToolAnswered{Text: text, Failed: failed}
}

// A panic of an adapter is a failed call: the model is shown it, the operator
// finds it in the log, and the daemon continues.
func TestAPanicIsAFailedCall(t *testing.T) {
	f := start(t, engine.NewMemoryJournal(), runs(func(context.Context) (string, bool) { panic("out of its mind") }))
	f.accept("a", "look")
	f.next().calls("look")
	again := f.next()
	told := again.Conversation.Messages[len(again.Conversation.Messages)-1]
	if !strings.Contains(told.Text, "out of its mind") {
		t.Errorf("the model gets %q", told.Text)
	}
	events := f.watch("a")
	again.says("It broke.")
	f.next().says("A summary.")
	if list := all(events); list[len(list)-1].Text != "It broke." {
		t.Errorf("the last event is %+v", list[len(list)-1])
	}
	f.Signal("TERM")
	f.next().says("Goodbye.")
	f.next().says("A summary.")
	<-f.stopped
	if log := f.log.String(); !strings.Contains(log, "out of its mind") || !strings.Contains(log, "harden_test.go") {
		t.Errorf("the log does not say where: %s", log)
	}
}

// A tool that ignores its end delays the daemon's by the time of an
// aborted tool, and no longer.
func TestACallThatDoesNotEndIsLeftBehind(t *testing.T) {
	free, entered := make(chan struct{}), make(chan struct{})
	t.Cleanup(func() { close(free) })
	f := start(t, engine.NewMemoryJournal(), runs(func(context.Context) (string, bool) {
		close(entered)
		<-free
		return "", true
	}), func(c *fsm.Config) { c.Limits.AbortTimeout = 1 })
	f.accept("a", "look")
	f.next().calls("look")
	<-entered
	f.Signal("TERM")
	f.Signal("TERM")
	<-f.stopped
	if f.code != fsm.ExitForced || f.err != nil {
		t.Errorf("it ended %q, %v", f.code, f.err)
	}
	if log := f.log.String(); !strings.Contains(log, "does not end") {
		t.Errorf("the log does not tell of it: %s", log)
	}
}

// A late watcher of a request with many events gets the last ones.
func TestALateWatcherHearsTheLatest(t *testing.T) {
	f := start(t, engine.NewMemoryJournal(), runs(func(context.Context) (string, bool) { return "seen", false }))
	f.accept("a", "look")
	call := f.next()
	for n := range 20 {
		calls := []fsm.ToolCall{}
		for i := range 4 {
			calls = append(calls, fsm.ToolCall{ID: strconv.Itoa(i), Name: "look", Args: strconv.Itoa(n)})
		}
		call.answer <- fsm.BrainAnswered{Stop: fsm.StopToolUse, Calls: calls}
		call = f.next()
	}
	events := f.watch("a")
	call.says("All seen.")
	f.next().says("A summary.")
	if list := all(events); !slices.ContainsFunc(list, func(e comm.Event) bool { return e.Type == comm.EventTool && e.Args == "19" }) {
		t.Errorf("no event tells of the last tool: %+v", list)
	}
}

// stuck is a journal whose writes after the boot wait, and then fail.
type stuck struct {
	*engine.MemoryJournal
	booted  bool
	writing chan struct{}
	fail    chan struct{}
}

func (j *stuck) Append(b engine.Batch, sync bool) error {
	if !j.booted {
		j.booted = true
		return j.MemoryJournal.Append(b, sync)
	}
	close(j.writing)
	<-j.fail
	return engine.ErrNoSpace
}

// Of the requests that wait when a write fails, only the one in the write has an
// unknown outcome: nothing has happened to the others (JRN-9).
func TestWhatWaitsWhenAWriteFailsHasNotHappened(t *testing.T) {
	j := &stuck{MemoryJournal: engine.NewMemoryJournal(), writing: make(chan struct{}), fail: make(chan struct{})}
	f := start(t, j, tools{})
	accept := func(id string) chan error {
		outcome := make(chan error, 1)
		go func() {
			_, err := f.Accept(f.ctx, comm.Request{Key: fsm.RequestKey{ID: id}, Text: "hello"})
			outcome <- err
		}()
		return outcome
	}
	first := accept("a")
	<-j.writing
	var waiting []chan error
	for i := range 20 {
		waiting = append(waiting, accept(strconv.Itoa(i)))
	}
	runtime.Gosched()
	close(j.fail)
	if err := <-first; !errors.Is(err, engine.ErrDead) {
		t.Errorf("the request whose write failed: %v", err)
	}
	for _, outcome := range waiting {
		if err := <-outcome; !errors.Is(err, engine.ErrStopping) {
			t.Errorf("a request that waited: %v", err)
		}
	}
}

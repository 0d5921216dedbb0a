package daemon_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/comm"
	"shelly/runtime/comm/position"
	"shelly/runtime/daemon"
	"shelly/runtime/grants"
)

// showing has a tool that can tell what it would do.
type showing struct{ tools }

func (showing) Preview(_ context.Context, name, args string) string { return name + " would " + args }

// careful is a daemon over a folder, whose tool asks.
func careful(t *testing.T, data string, journal engine.Journal) *fixture {
	t.Helper()
	return startWith(t, func(o *daemon.Options) {
		talks(&o.Config)
		o.Config.Switches.History = fsm.HistoryNone
		o.Config.Tools[0].Approve, o.Config.Tools[0].Subject = true, []string{"at"}
		o.Journal, o.Grants, o.Tools = journal, grants.Of(data), showing{}
	})
}

// questioned returns the question that a request leads to.
func (f *fixture) questioned(id string) comm.Event {
	f.t.Helper()
	f.ask(id, "look")
	events := f.watch(id)
	f.next().use("look", `{"at":1}`)
	for e := range events {
		if e.Type == comm.EventQuestion {
			return e
		}
	}
	f.t.Fatal("the stream ended without a question")
	return comm.Event{}
}

// previewed checks that a watcher that comes later gets the preview of the open call (APR-21).
func (f *fixture) previewed(want string) {
	f.t.Helper()
	all, err := f.Standings(f.ctx)
	if err != nil {
		f.t.Fatal(err)
	}
	got := ""
	for _, s := range all {
		if s.Asks != nil {
			got += s.Asks.Preview
		}
	}
	status := f.Status(f.ctx)
	for _, a := range status.Active {
		if a.Asks != nil && a.Asks.Preview != want {
			f.t.Errorf("the status shows %q, want %q", a.Asks.Preview, want)
		}
	}
	if got != want {
		f.t.Errorf("the standings show %q, want %q", got, want)
	}
}

func TestAPR14AnApprovalForAlwaysIsInTheFileAndTakenBackFromIt(t *testing.T) {
	data := t.TempDir()
	file, journal := filepath.Join(data, grants.Name), engine.NewMemoryJournal()
	f := careful(t, data, journal)
	asked := f.questioned("a")
	if asked.Preview != `look would {"at":1}` || len(asked.Subject) != 1 { // APR-21
		t.Errorf("asked %+v", asked)
	}
	f.previewed(asked.Preview)
	always := fsm.Decided{Handle: asked.Handle, Key: asked.Key, Approve: true, By: "ann", Grant: fsm.GrantAlways}
	if err := os.WriteFile(file, []byte("approvals: {\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var p *comm.Problem
	if did, err := f.Decide(f.ctx, always); did || !errors.As(err, &p) || p.Code != comm.CodeDamaged || !strings.Contains(p.Message, "approvals.yaml:") {
		t.Fatalf("with a damaged file: %t, %v", did, err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if did, err := f.Decide(f.ctx, always); !did || err != nil {
		t.Fatalf("got %t, %v; want true", did, err)
	}
	if did, err := f.Decide(f.ctx, always); did || err != nil { // APR-16
		t.Errorf("the second answer: %t, %v", did, err)
	}
	f.previewed("")
	f.next().says("done")
	f.replied("a")
	if text, err := os.ReadFile(file); err != nil || strings.Count(string(text), "tool: look") != 1 {
		t.Errorf("got %v and\n%s; want 1 %q", err, text, "tool: look")
	}
	f.end()

	f = careful(t, data, journal)
	f.ask("b", "look")
	f.next().use("look", `{"at":1}`)
	f.next().says("done")
	f.replied("b")
	list, err := f.Approvals(f.ctx)
	if err != nil || len(list) != 1 || list[0].By != "ann" || list[0].Match["at"] != "1" {
		t.Fatalf("got %+v, %v; want 1 of them, [0].By %q, [0].Match[\"at\"] %q", list, err, "ann", "1")
	}
	if did, err := f.Revoke(f.ctx, fsm.Revoked{Grant: list[0].ID}); !did || err != nil {
		t.Fatalf("got %t, %v; want true", did, err)
	}
	if did, err := f.Revoke(f.ctx, fsm.Revoked{Grant: list[0].ID}); did || err != nil {
		t.Errorf("once more: %t, %v", did, err)
	}
	if kept, err := grants.Of(data).Load(); err != nil || len(kept) != 0 {
		t.Errorf("got %+v, %v; want none", kept, err)
	}
	f.questioned("c")
}

func TestAPR14ADaemonDoesNotStartWithADamagedFile(t *testing.T) {
	data := t.TempDir()
	if err := os.WriteFile(filepath.Join(data, grants.Name), []byte("approvals:\n- tool: x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := daemon.Open(daemon.Options{Journal: engine.NewMemoryJournal(), Grants: grants.Of(data), Now: time.Now}); err == nil || !strings.Contains(err.Error(), ":2: approvals[0]") {
		t.Error(err)
	}
}

func TestCOM29ARequestLearnsThatItWaitsForAQuestionInItsSession(t *testing.T) {
	f := careful(t, t.TempDir(), engine.NewMemoryJournal())
	q := f.questioned("a")
	f.ask("b", "and then?")
	events := f.watch("b")
	if taken, err := f.Decide(f.ctx, fsm.Decided{Handle: q.Handle, Key: q.Key}); !taken || err != nil {
		t.Fatalf("the decision: %t, %v", taken, err)
	}
	f.next().says("done")
	f.next().says("nothing")
	var waits []string
	for e := range events {
		if e.Type == comm.EventWaiting {
			waits = append(waits, e.Text)
		}
	}
	of := q.Handle.Entry()
	if want := []string{"until the question about " + of + " in its session is answered; see shelly request show " + of, "its session is at work (" + of + ")"}; !slices.Equal(waits, want) {
		t.Errorf("it waits %q, want %q", waits, want)
	}
	f.end()
}

// The state that ends a question says how, to whoever follows the request and to whoever reads its
// course again from the journal.
func TestAPR24AWatcherLearnsHowAQuestionHasEnded(t *testing.T) {
	for name, tt := range map[string]struct { // order-free: each has its own daemon
		ends func(*fixture, comm.Event)
		want *comm.Decision
		said string
	}{
		"approved": {func(f *fixture, q comm.Event) {
			f.decides(fsm.Decided{Handle: q.Handle, Key: q.Key, Approve: true, By: "ann", Grant: fsm.GrantSession})
		}, &comm.Decision{Verdict: comm.Approved, By: "ann", Grant: fsm.GrantSession}, "approved for this session by ann"},
		"refused": {func(f *fixture, q comm.Event) {
			f.decides(fsm.Decided{Handle: q.Handle, Key: q.Key, By: "ann", Reason: "not on a Friday"})
		}, &comm.Decision{Verdict: comm.Refused, By: "ann", Reason: "not on a Friday"}, "refused by ann: not on a Friday"},
		"timed out": {nil, &comm.Decision{Verdict: comm.TimedOut}, "not answered in time, so it does not run"},
		"cancelled": {func(f *fixture, q comm.Event) {
			if did, err := f.Cancel(f.ctx, fsm.RequestKey{ID: "a"}); !did || err != nil {
				t.Errorf("cancel: %t, %v", did, err)
			}
		}, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := start(t, engine.NewMemoryJournal(), tools{}, func(c *fsm.Config) {
				talks(c)
				c.Tools[0].Approve, c.Switches.History, c.Switches.Cancel = true, fsm.HistoryNone, fsm.CancelImmediate
				if tt.ends == nil {
					c.Limits.ApprovalTimeout = 1
				}
			})
			f.ask("a", "look")
			events := f.watch("a")
			f.next().use("look", `{"at":1}`)
			live := f.ending(events, tt.ends)
			if tt.want != nil {
				f.next().says("done")
			}
			f.replied("a")
			again, err := f.WatchFrom(f.ctx, fsm.RequestKey{ID: "a"}, position.Position{})
			if err != nil {
				t.Fatal(err)
			}
			var seen *comm.Decision // by whoever looks at the status
			for _, d := range f.Status(f.ctx).Decided {
				if seen = &d.Decision; d.Record == 0 || d.Handle == 0 || (d.Key == "") != (tt.ends == nil) {
					t.Errorf("the status has %+v", d)
				}
			}
			for _, got := range []*comm.Decision{live, f.ending(again, nil), seen} {
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("(-want +got)\n%s", diff)
				}
				if got != nil && got.Words() != tt.said {
					t.Errorf("in words %q; want %q", got.Words(), tt.said)
				}
			}
			f.end()
		})
	}
}

func (f *fixture) decides(d fsm.Decided) {
	f.t.Helper()
	if did, err := f.Decide(f.ctx, d); !did || err != nil {
		f.t.Errorf("the decision: %t, %v", did, err)
	}
}

// ending returns the decision of the state after a question, at which answer is called.
func (f *fixture) ending(events <-chan comm.Event, answer func(*fixture, comm.Event)) *comm.Decision {
	f.t.Helper()
	asked := false
	for e := range events {
		switch {
		case e.Type == comm.EventQuestion:
			if asked = true; answer != nil {
				answer(f, e)
			}
		case asked && e.Type == comm.EventState && e.State != "":
			return e.Decision
		}
	}
	f.t.Error("no state follows a question")
	return nil
}

// asking is a tool that wants each call approved, and learns which are not.
type asking struct {
	keys    chan string // of the calls
	refused chan string
}

func (a asking) Run(_ context.Context, run fsm.RunTool) fsm.ToolAnswered {
	if run.Approved {
		return fsm.ToolAnswered{Text: run.Name}
	}
	a.keys <- run.Key
	return fsm.ToolAnswered{Text: "not run", Failed: true, Nothing: true, Asks: "it pushes"}
}

func (a asking) Refused(key string) { a.refused <- key }

// TOL-97: such a tool may wait for the answer, however it comes.
func TestAPR19AToolLearnsThatItsCallIsNotApproved(t *testing.T) {
	answers := func(approve bool) func(*fixture) {
		return func(f *fixture) {
			q := f.questioned("a")
			f.decides(fsm.Decided{Handle: q.Handle, Key: q.Key, Approve: approve})
		}
	}
	for name, tt := range map[string]struct { // order-free: each has its own daemon
		timeout fsm.Millis
		ends    func(*fixture)
		refused bool
	}{
		"approved":  {3600_000, answers(true), false},
		"refused":   {3600_000, answers(false), true},
		"timed out": {1, func(f *fixture) { f.questioned("a") }, true},
		"cancelled": {3600_000, func(f *fixture) {
			f.questioned("a")
			if did, err := f.Cancel(f.ctx, fsm.RequestKey{ID: "a"}); !did || err != nil {
				t.Errorf("cancel: %t, %v", did, err)
			}
		}, true},
		"together with others": {3600_000, func(f *fixture) {
			f.ask("a", "look")
			f.next().answer <- fsm.BrainAnswered{Stop: fsm.StopToolUse, Calls: []fsm.ToolCall{{ID: "1", Name: "look", Args: `{"at":1}`}, {ID: "2", Name: "look", Args: `{"at":2}`}}}
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			runs := asking{make(chan string, 2), make(chan string, 3)}
			f := start(t, engine.NewMemoryJournal(), runs, func(c *fsm.Config) {
				talks(c)
				c.Switches.History, c.Switches.Cancel = fsm.HistoryNone, fsm.CancelImmediate
				c.Limits.ApprovalTimeout, c.Limits.ReadsAtOnce = tt.timeout, 2
			})
			tt.ends(f)
			if name != "cancelled" {
				f.next().says("done")
			}
			f.replied("a")
			f.end()
			close(runs.keys)
			close(runs.refused)
			var want, got []string
			for key := range runs.keys {
				if tt.refused {
					want = append(want, key)
				}
			}
			for key := range runs.refused {
				got = append(got, key)
			}
			slices.Sort(want)
			slices.Sort(got)
			if len(got) == 0 == tt.refused || !slices.Equal(got, want) {
				t.Errorf("refused are %q; want %q", got, want)
			}
		})
	}
}

// Nobody is asked about a subagent's call (APR-4).
func TestAPR19AToolLearnsThatNobodyIsAsked(t *testing.T) {
	runs := asking{make(chan string, 1), make(chan string, 1)}
	f := start(t, engine.NewMemoryJournal(), runs, func(c *fsm.Config) {
		c.Tools = append(c.Tools, fsm.ToolDecl{Name: "spawn", Builtin: true})
		c.Limits.MaxActive, c.Limits.MaxSubagents, c.Limits.SubagentIterations, c.Limits.SubagentTimeout = 3, 2, 5, 60_000
	})
	f.accept("a", "look")
	f.next().answer <- fsm.BrainAnswered{Stop: fsm.StopToolUse, Calls: []fsm.ToolCall{{ID: "1", Name: "spawn", Args: `{"task":"look left"}`}}}
	go func() {
		for looked := false; ; {
			select {
			case a := <-f.brain.asked:
				if a.Purpose == fsm.PurposeSubagent && !looked {
					looked = true
					a.use("look", `{"at":1}`)
				} else {
					a.says("Noted.")
				}
			case <-f.ctx.Done():
				return
			}
		}
	}()
	select {
	case key := <-runs.refused:
		if want := <-runs.keys; key != want {
			t.Errorf("refused is %q; want %q", key, want)
		}
	case <-f.ctx.Done():
		t.Error("the tool is not told")
	}
}

// The tool of an earlier process may have left something that only a yes would finish (TOL-100).
func TestAPR19AToolLearnsOfANoAfterARestart(t *testing.T) {
	journal := engine.NewMemoryJournal()
	runs := asking{make(chan string, 1), make(chan string, 1)}
	settings := func(c *fsm.Config) {
		talks(c)
		c.Switches.History = fsm.HistoryNone
	}
	f := start(t, journal, runs, settings)
	q := f.questioned("a")
	f.end()
	f = start(t, journal, runs, settings)
	f.decides(fsm.Decided{Handle: q.Handle, Key: q.Key})
	f.next().says("done")
	f.replied("a")
	f.end()
	close(runs.refused)
	var got []string
	for key := range runs.refused {
		got = append(got, key)
	}
	if want := <-runs.keys; !slices.Equal(got, []string{want}) {
		t.Errorf("refused are %q; want %q", got, want)
	}
}

package machine_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/fsm/state"
)

// inChat returns a driver of profile nanobot with a changed configuration. A person has just said
// something in its chat.
func inChat(t testing.TB, change func(*fsm.Config), text string) *driver {
	t.Helper()
	d := driverOf(t, "nanobot")
	if change != nil {
		change(&d.config)
	}
	d.boot()
	d.step(fsm.Input{At: d.now(), Fact: fsm.Requested{
		Request: fsm.RequestKey{ID: "r0"}, Session: "s", Origin: fsm.Origin{Channel: "telegram", Chat: "42"}, Text: text,
	}})
	d.loads(fsm.Session{})
	return d
}

// spawning returns a driver in whose turn, in a chat, the model has just started a
// subagent.
func spawning(t testing.TB, change func(*fsm.Config)) *driver {
	t.Helper()
	d := inChat(t, change, "find out")
	d.asksFor(fsm.ToolSpawn, `{"task":"look at all the files","label":"looking"}`)
	return d
}

// tells answers the model call of the handle of a kind.
func (d *driver) tells(kind fsm.Kind, in fsm.BrainAnswered) {
	d.t.Helper()
	for _, h := range d.m.View().Handles {
		if h.Kind == kind && h.Await.Kind == fsm.CallBrain {
			in.Call = h.Await.Call
			d.step(fsm.Input{At: d.now(), Fact: in})
			return
		}
	}
	d.t.Fatalf("no %s handle asks the model", kind)
}

// handle returns the unfinished handle of a kind.
func (d *driver) handle(kind fsm.Kind) *state.Handle {
	d.t.Helper()
	for i := range d.m.View().Handles {
		if h := &d.m.View().Handles[i]; h.Kind == kind {
			return h
		}
	}
	d.t.Fatalf("there is no %s handle", kind)
	return nil
}

func TestHND39ASubagentStartsInTheStepOfItsCall(t *testing.T) {
	d := spawning(t, nil)
	h := d.handle(fsm.KindSubagent)
	if h.State != state.Execution || h.Session != "subagent:h2" || h.Parent != 1 || h.Home != "s" || h.Origin.Chat != "42" || h.Input != "look at all the files" {
		t.Errorf("the subagent is %+v", h)
	}
	if a := one[fsm.Audit](d); a.Failed || a.Result != "Subagent 'looking' started (h2). Its result will be reported here when it is done." {
		t.Errorf("the result is %q", a.Result)
	}
	ask := only(d, func(a fsm.AskBrain) bool { return a.Purpose == fsm.PurposeSubagent })
	want := []fsm.Message{{Role: fsm.RoleUser, Text: "look at all the files"}}
	if diff := cmp.Diff(want, ask.Conversation.Messages, unsourced()); diff != "" || ask.System != d.config.Prompts.Subagent || ask.Tools != fsm.SubagentTools {
		t.Errorf("system %q, tools %q: %s", ask.System, ask.Tools, diff)
	}
	if set := only(d, func(s fsm.SetTimer) bool { return s.Handle == 2 && s.Purpose == fsm.TimerHandle }); set.After != d.config.Limits.SubagentTimeout {
		t.Errorf("timer %+v", set)
	}
}

func TestHND39ATaskIsItsOwnLabel(t *testing.T) {
	d, _ := inTurn(t, "nanobot", nil)
	d.asksFor(fsm.ToolSpawn, `{"task":"`+strings.Repeat("look ", 20)+`"}`)
	if got := d.handle(fsm.KindSubagent).Label; got != strings.Repeat("look ", 8)+" …" {
		t.Errorf("the label is %q", got)
	}
}

func TestHND39ASubagentHasNoBuiltinTools(t *testing.T) {
	for _, tool := range []string{fsm.ToolSpawn, fsm.ToolMessage, fsm.ToolCron, fsm.ToolLoadSkill, fsm.ToolLoadReference} {
		d := spawning(t, nil)
		d.tells(fsm.KindSubagent, fsm.BrainAnswered{Calls: []fsm.ToolCall{{Name: tool, Args: `{"task":"x","content":"x","name":"flights"}`}}})
		ask := one[fsm.AskBrain](d)
		want := `error: there is no tool "` + tool + `"; the tools are: list_dir, write_note, send_mail, mystery`
		found := ask.Conversation.Messages[2]
		if found.Text != want {
			t.Errorf("the result is %q, want %q", found.Text, want)
		}
	}
}

func TestHND39ASubagentHasIterationsOfItsOwn(t *testing.T) {
	d := spawning(t, func(c *fsm.Config) { c.Limits.SubagentIterations = 2 })
	for range 2 {
		d.tells(fsm.KindSubagent, fsm.BrainAnswered{Text: "I look", Calls: []fsm.ToolCall{{Name: "list_dir", Args: "{}"}}})
		d.step(fsm.Input{At: d.now(), Fact: fsm.ToolAnswered{Answered: fsm.To(d.handle(fsm.KindSubagent).Await.Call), Text: "a.txt"}})
		if d.m.View().Handles[len(d.m.View().Handles)-1].Kind == fsm.KindSystem {
			break
		}
	}
	if got := d.handle(fsm.KindSystem).Input; !strings.Contains(got, "I look\nI look\n\n[stopped after 2 iterations]") {
		t.Errorf("it reports %q", got)
	}
}

func TestHND39AtMostMaxSubagentsAreAtWork(t *testing.T) {
	d := spawning(t, func(c *fsm.Config) { c.Limits.MaxSubagents = 1 })
	d.tells(fsm.KindUser, fsm.BrainAnswered{Calls: []fsm.ToolCall{{Name: fsm.ToolSpawn, Args: `{"task":"another"}`}}})
	if a := one[fsm.Audit](d); !a.Failed || a.Result != "error: not started: 1 subagents are already at work (max_subagents)" {
		t.Errorf("the result is %q", a.Result)
	}
	d.inStates(state.Execution, state.Execution)
}

func TestHND39ASubagentKeepsNoSession(t *testing.T) {
	d := spawning(t, nil)
	d.tells(fsm.KindSubagent, fsm.BrainAnswered{Text: "nothing"})
	for _, load := range of[fsm.LoadSession](d.all) {
		if load.Handle == 2 {
			t.Errorf("it loads %+v", load)
		}
	}
	if found := of[fsm.SaveSession](d.all); len(found) > 0 {
		t.Errorf("it saves %+v", found)
	}
}

func TestHND40ItsEndIsReportedToItsParentsSession(t *testing.T) {
	tests := []struct {
		name string
		end  func(*driver)
		want string
	}{
		{"well", func(d *driver) { d.tells(fsm.KindSubagent, fsm.BrainAnswered{Text: "three files"}) },
			"Subagent 'looking' has finished.\n\nTask: look at all the files\n\nResult:\nthree files"},
		{"badly", func(d *driver) {
			d.step(fsm.Input{At: d.now(), Fact: fsm.BrainFailed{Answered: fsm.To(d.handle(fsm.KindSubagent).Await.Call), Class: fsm.BrainMissingModel, Reason: "gone"}})
		}, "Subagent 'looking' has failed.\n\nTask: look at all the files\n\nError: missing_model: gone"},
		{"out of time", func(d *driver) {
			d.step(fsm.Input{At: d.now(), Fact: fsm.TimerFired{Timer: d.handle(fsm.KindSubagent).Timer}})
		},
			"Subagent 'looking' has failed.\n\nTask: look at all the files\n\nError: timed out after 300s"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := spawning(t, nil)
			tt.end(d)
			no[fsm.SendMessage](d)
			h := d.handle(fsm.KindSystem)
			if h.Session != "s" || h.State != state.Queued || !strings.HasPrefix(h.Input, tt.want+"\n\n") {
				t.Fatalf("the report is %+v", h)
			}
			d.tells(fsm.KindUser, fsm.BrainAnswered{Text: "it is at work"})
			d.saves()
			d.loads(fsm.Session{})
			d.answer("There are three files.")
			m := one[fsm.SendMessage](d)
			if m.To != (fsm.Origin{Channel: "telegram", Chat: "42"}) || m.Session != "s" || m.Text != "There are three files." || m.IsError {
				t.Errorf("sends %+v", m)
			}
			if n := len(of[fsm.Reply](d.all)); n != 1 {
				t.Errorf("%d replies", n)
			}
		})
	}
}

func TestHND40AReportIsNotRefusedWhereTheQueueIsFull(t *testing.T) {
	d := spawning(t, func(c *fsm.Config) { c.Limits.MaxQueue = 1 })
	d.ask("waits")
	d.tells(fsm.KindSubagent, fsm.BrainAnswered{Text: "three files"})
	d.inStates(state.Execution, state.Queued, state.Queued)
}

// The audit says whose work a call was: how the request came, and which handle started a
// subagent.
func TestTOL9TheAuditSaysWhoWantedACall(t *testing.T) {
	d := spawning(t, nil)
	want := fsm.Caller{Kind: fsm.KindUser, Request: fsm.RequestKey{ID: "r0"}, Origin: fsm.Origin{Channel: "telegram", Chat: "42"}}
	if got := one[fsm.Audit](d).From; got != want {
		t.Errorf("the person's call is from %+v, want %+v", got, want)
	}
	d.tells(fsm.KindSubagent, fsm.BrainAnswered{Calls: []fsm.ToolCall{{ID: "c", Name: "list_dir", Args: "{}"}}})
	d.step(fsm.Input{At: d.now(), Fact: fsm.ToolAnswered{Answered: fsm.To(d.handle(fsm.KindSubagent).Await.Call), Text: "a file"}})
	want = fsm.Caller{Kind: fsm.KindSubagent, Origin: want.Origin, Parent: 1}
	if got := one[fsm.Audit](d).From; got != want {
		t.Errorf("the subagent's call is from %+v, want %+v", got, want)
	}
}

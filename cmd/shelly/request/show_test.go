package request

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"shelly/cmd/shelly/internal/flags"
	"shelly/fsm"
	"shelly/fsm/state"
	"shelly/runtime/comm"
	"shelly/sim/history"
)

// Cases that a daemon's run cannot produce at will: lost records, a step that diverges, a
// subagent, and a text that would act on a terminal (JRN-27).
func TestCLI15AHistoryIsShownStepByStep(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.Local)
	accepted := fsm.Millis(at.UnixMilli())
	b := comm.HistoryBody[history.Step]{
		Request: comm.Record{
			ID: "r", Channel: "mail", Session: "post", InSession: "post", Handle: 7, State: comm.RecordAccepted, Text: "look\x1b[2J", Accepted: accepted, Phase: state.Held,
			Asks: &comm.Ask{Question: fsm.QuestionUnknown, Handle: 7, Tool: "exec", Args: "{}"},
		},
		Handles: []fsm.HandleID{7, 9}, Lost: 2,
		Asks: []comm.Ask{{Question: fsm.QuestionUnknown, Handle: 7, Tool: "exec", Args: "{}"}, {Question: fsm.QuestionApprove, Handle: 9, Key: "h9.1", Tool: "exec", Args: "{}"}},
		Steps: []history.Step{
			{N: 1, Index: 3, Handle: 7, About: true, Input: fsm.Input{At: accepted + 90_000, Fact: fsm.TimerFired{}}, Differs: true, Recorded: 1, Today: 2,
				Moves:   []state.Move{{Table: state.HandleTable.Name, Handle: 7, From: state.Cognition, To: state.Execution}},
				Effects: []fsm.Effect{fsm.ClearTimer{}, fsm.LoadSession{Asked: fsm.Asked{Call: 4, Handle: 7}, Session: "post"}}},
			{N: 2, Index: 4, Handle: 9, About: true, Input: fsm.Input{At: accepted + 90_035, Fact: fsm.ToolStopped{}},
				Effects: []fsm.Effect{fsm.Report{Handle: 9, Text: "done"}}},
		},
	}
	want := `request r of mail, session post
accepted 2026-01-02 03:04:05, 2m00s ago: "look\x1b[2J"
held
its first 2 records are no longer kept; the rest follows
   1     1m30s     +1m30s  a timer fired
                           ! today's code decides differently: it was 0000000000000001, it is 0000000000000002
                           cognition → execution
                           → loads session post
   2     1m30s     +35 ms    [subagent 9] the tool has stopped
                             → tells the operator: "done"
? what did exec {} do?
  answer with: shelly request resolve r --channel mail --text 'what it did'
? may exec {} run? (key h9.1)
  answer with: shelly request approve --handle 9, or deny
`
	c := showCmd{}
	if diff := cmp.Diff(want, c.tell(b, history.Tell(b.Steps, c.textMax()), at.Add(2*time.Minute))); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// The record that admits a run is about another piece of work, which is no subagent of it.
// The answer that admits a subagent was to its parent, which pays for it, and a subagent tells
// its parent what it found: a run may have neither a cost nor a reply.
func TestCLI15ARunHasWhatItCostAndSaidItself(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.Local)
	accepted := fsm.Millis(at.UnixMilli())
	b := comm.HistoryBody[history.Step]{
		Request: comm.Record{ID: "h9", Kind: fsm.KindSubagent, Channel: "subagent", State: comm.RecordDone, Done: true, Text: "count", Accepted: accepted, Replied: accepted + 1000},
		Handles: []fsm.HandleID{9}, Ended: true,
		Steps: []history.Step{{N: 1, Index: 3, Handle: 7, About: true, Input: fsm.Input{At: accepted, Fact: fsm.BrainAnswered{Text: "go", Tokens: fsm.Tokens{Prompt: 900, Answer: 9}}}}},
	}
	want := `run h9 of subagent
accepted 2026-01-02 03:04:05, 2m00s ago: "count"
done in 1.0 s
   1      0 ms      +0 ms  the model answered, 900 prompt and 9 answer tokens: "go"
`
	var c showCmd
	if d := cmp.Diff(want, c.tell(b, history.Tell(b.Steps, 100), at.Add(2*time.Minute))); d != "" {
		t.Error(d)
	}
}

func TestJRN27AStepOfAnotherPieceOfWorkNamesNoSubagent(t *testing.T) {
	b := comm.HistoryBody[history.Step]{Handles: []fsm.HandleID{9, 12}}
	for handle, want := range map[fsm.HandleID]string{8: "", 9: "", 12: "  [subagent 12] "} {
		if got := sub(b, history.Step{Handle: handle, About: true}); got != want {
			t.Errorf("of %d: %q, want %q", handle, got, want)
		}
	}
}

// CLI-15: a list is read page by page until it has enough.
func TestCLI15AListIsCollectedFromParts(t *testing.T) {
	parts := func(w comm.Wanted) (comm.RequestsBody, error) {
		var body comm.RequestsBody
		for i := min(w.Before, 11) - 1; i > 0 && len(body.Requests) < min(w.Limit, 3); i-- {
			body.Requests, body.Next = append(body.Requests, comm.Record{Index: i, Accepted: fsm.Millis(i)}), i
		}
		return body, nil
	}
	for _, c := range []struct {
		limit int
		since fsm.Millis
		want  int
	}{{0, 0, 10}, {4, 0, 4}, {3, 0, 3}, {20, 0, 10}, {20, 6, 5}, {2, 6, 2}} {
		found, err := (&listCmd{List: flags.List{Limit: c.limit}}).collect(parts, c.since)
		if err != nil || len(found) != c.want || found[0].Index != 10 {
			t.Errorf("%+v: %d found, %v", c, len(found), err)
		}
	}
}

func TestCLI210AStepIsWrappedBesideItsTimes(t *testing.T) {
	const text = "done in 1.5 s (answered): \"a long answer to what was asked\"\n   1      0 ms      +0 ms  it was accepted: \"write a file\"\n                           queued → loading\n"
	want := "done in 1.5 s (answered): \"a long answer to what was\nasked\"\n   1      0 ms      +0 ms  it was accepted: \"write a\n                           file\"\n                           queued → loading\n"
	if got := fitted(text, 52); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := fitted(text, 0); got != text {
		t.Errorf("got\n%s", got)
	}
}

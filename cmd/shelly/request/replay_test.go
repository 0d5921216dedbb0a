package request

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/state"
	"shelly/sim/history"
)

// asked is the history of a request whose second step was decided differently.
func asked() history.History {
	return history.History{
		Request: engine.Request{Key: fsm.RequestKey{Channel: "http", ID: "r"}, Index: 2, Handle: 1},
		Steps: []history.Step{
			{N: 1, Index: 2, Handle: 1, About: true, Input: fsm.Input{Fact: fsm.Requested{Text: "hi"}}, Recorded: 7, Today: 7, Moves: []state.Move{{Table: "handle", Handle: 1, From: state.Queued, To: state.Cognition}}},
			{N: 2, Index: 5, Handle: 1, About: true, Input: fsm.Input{Fact: fsm.BrainAnswered{Text: "yes"}}, Recorded: 8, Today: 9, Differs: true, Effects: []fsm.Effect{fsm.Reply{Text: "yes", Outcome: fsm.OutcomeAnswered}, fsm.ClearTimer{}}},
		},
	}
}

// What today's code does is shown beside what was recorded (CLI-17).
func TestCLI17AStepThatDiffersIsMarked(t *testing.T) {
	var out bytes.Buffer
	err := (&replayCmd{}).one(&terminal.Terminal{Out: &out, Err: &out}, asked())
	const want = `   1  record 2      it was accepted: "hi"  (queued → cognition)
   2  record 5      the model answered: "yes"  DIFFERS
      recorded: effects 0000000000000008
      today:    effects 0000000000000009: replies (answered): "yes"; clears a timer
request r: today's code decides 1 of 2 steps differently
`
	if diff := cmp.Diff(want, out.String()); diff != "" || exit.Code(err, &out) != exit.Failed {
		t.Errorf("%v\n%s", err, diff)
	}
}

func TestCLI17TheTotalsNameWhatDiffers(t *testing.T) {
	var out bytes.Buffer
	replayedAll{
		Requests: []replayedRequest{{Key: fsm.RequestKey{Channel: "http", ID: "a"}, Steps: 4}, {Key: fsm.RequestKey{Channel: "udp", ID: "b"}, Steps: 6, Differs: []uint64{9, 12}}},
		Same:     1, Differ: 1, Gone: 3, Records: 20, Others: []uint64{7},
	}.print(&terminal.Terminal{Out: &out})
	const want = `request b of udp: 2 of 6 steps, first at record 9; see shelly request replay b
outside the requests: 1 record, first record 7
2 requests: 1 decided as recorded, 1 differently; 20 records stepped; 3 requests no longer kept
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

func TestCLI17ARequestIsFoundByItsChannel(t *testing.T) {
	j := engine.NewMemoryJournal()
	b := engine.Batch{Records: []engine.Record{{Index: 1, Input: fsm.Input{Fact: fsm.Boot{}}}}}
	for i, key := range []fsm.RequestKey{{Channel: "http", ID: "a"}, {Channel: "udp", ID: "a"}, {Channel: "udp", ID: "b"}, {Channel: "mail", ID: "c"}, {Channel: "udp", ID: "c"}} {
		key.Principal = "local"
		b.Requests = append(b.Requests, engine.Request{Key: key, Index: uint64(i + 1)})
	}
	if err := j.Append(b, true); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		id, channel, want, wrong string
	}{
		{id: "a", want: "http"},
		{id: "a", channel: "udp", want: "udp"},
		{id: "b", want: "udp"},
		{id: "b", channel: "http", wrong: "no request"},
		{id: "c", wrong: "--channel: mail, udp"},
		{id: "d", wrong: "no request"},
		{id: "", wrong: "no request"},
	} {
		key, err := (&journalled{Channel: test.channel}).find(j, test.id)
		if test.wrong != "" && (err == nil || !strings.Contains(err.Error(), test.wrong)) || test.wrong == "" && (err != nil || key.Channel != test.want) {
			t.Errorf("%s of %q: %v, %v", test.id, test.channel, key, err)
		}
	}
}

package replay

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/profile"
	"shelly/runtime/ollama"
	"shelly/sim/history/regression"
)

// questions returns two questions for each request: the model called list_dir, then answered.
// The hash of the second differs by the tool's result.
func questions(t *testing.T, ids ...string) []regression.Question {
	t.Helper()
	config := profile.Nanobot()
	config.Init = fsm.InitOff
	config.Tools = []fsm.ToolDecl{{Name: "list_dir", Effects: fsm.EffectsNone}}
	j := engine.NewMemoryJournal()
	w := &recording{}
	e, err := engine.Open(j, w)
	if err != nil {
		t.Fatal(err)
	}
	w.next = []fsm.Input{{At: 1, Fact: fsm.Boot{Config: config}}}
	for i, id := range ids {
		w.next = append(w.next, fsm.Input{At: fsm.Millis(1000 * (i + 1)), Fact: fsm.Requested{Request: fsm.RequestKey{Channel: "http", ID: id}, Text: id, Session: "s"}})
	}
	for len(w.next) > 0 {
		in := w.next[0]
		w.next = w.next[1:]
		must(t, e.Turn(in))
	}
	found, err := regression.Questions(j, regression.Filter{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return found.Questions
}

// recording is the setting in which the questions were asked.
type recording struct{ next []fsm.Input }

func (w *recording) Perform(e fsm.Effect) error {
	switch e := e.(type) {
	case fsm.AskBrain:
		in := fsm.BrainAnswered{Answered: fsm.To(e.Call), Stop: fsm.StopEndTurn, Text: "It is four.", Tokens: fsm.Tokens{Prompt: 40, Answer: 4}}
		result := func(m fsm.Message) bool { return m.Role == fsm.RoleTool }
		if !slices.ContainsFunc(e.Conversation.Messages, result) {
			in.Stop, in.Text, in.Calls = fsm.StopToolUse, "", []fsm.ToolCall{{Name: "list_dir", Args: `{"path":"."}`}}
		}
		w.next = append(w.next, fsm.Input{At: 10, Fact: in})
	case fsm.RunTool:
		w.next = append(w.next, fsm.Input{At: 20, Fact: fsm.ToolAnswered{Answered: fsm.To(e.Call), Text: "a b"}})
	case fsm.LoadSession:
		w.next = append(w.next, fsm.Input{At: 30, Fact: fsm.SessionLoaded{Answered: fsm.To(e.Call)}})
	case fsm.SaveSession:
		w.next = append(w.next, fsm.Input{At: 40, Fact: fsm.SessionSaved{Answered: fsm.To(e.Call)}})
	}
	return nil
}

// model is another model: it gives its answers in turn and takes a second for each, half of it
// until the first piece.
type model struct {
	answers []any // fsm.BrainAnswered, or an error
	asked   int
	now     time.Time
	before  func(n int) // called at the n-th question
}

func (m *model) Chat(ctx context.Context, _ fsm.AskBrain, _ []fsm.ToolDecl, stream func(ollama.Chunk)) (fsm.BrainAnswered, error) {
	if m.asked++; m.before != nil {
		m.before(m.asked)
	}
	if ctx.Err() != nil {
		return fsm.BrainAnswered{}, &ollama.Error{Class: fsm.BrainCancelled, Reason: "given up"}
	}
	m.now = m.now.Add(time.Second / 2)
	stream(ollama.Chunk{Text: "I"})
	m.now = m.now.Add(time.Second / 2)
	switch a := m.answers[(m.asked-1)%len(m.answers)].(type) {
	case fsm.BrainAnswered:
		a.Tokens = fsm.Tokens{Prompt: 50, Answer: 5}
		return a, nil
	default:
		return fsm.BrainAnswered{}, a.(error)
	}
}

func (m *model) Sends(fsm.Options) ollama.Sent { return ollama.Sent{NumCtx: 8192} }

func (m *model) Thinks() string { return "" }

func says(text string) fsm.BrainAnswered { return fsm.BrainAnswered{Stop: fsm.StopEndTurn, Text: text} }

func lists(args string) fsm.BrainAnswered {
	return fsm.BrainAnswered{Stop: fsm.StopToolUse, Calls: []fsm.ToolCall{{Name: "list_dir", Args: args}}}
}

// bench is the files, the clock and the model of a test.
type bench struct {
	*Work
	side Side
	told bytes.Buffer
}

func newBench(t *testing.T, file string, m *model, repeat int) *bench {
	t.Helper()
	b := &bench{side: Side{Model: regression.Model{Name: "new", Digest: "d", Server: "http://host"}, Client: m, Repeat: repeat}}
	b.Work = &Work{Answers: opened(t, file), Now: func() time.Time { return m.now }, Tell: &Progress{Line: terminal.NewLine(&b.told), Compared: true}}
	t.Cleanup(func() { _ = b.Answers.Close() })
	return b
}

func (b *bench) report(t *testing.T, list []regression.Question) *regression.Report {
	t.Helper()
	r := &regression.Report{Version: regression.Version, Model: b.side.Model, Repeat: b.side.Repeat, Questions: len(list)}
	r.Left = b.Fill(r, list, b.side, nil)
	r.Total()
	r.Sort()
	return r
}

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares a text with a file.
func golden(t *testing.T, name, got string) {
	t.Helper()
	name = filepath.Join("testdata", name)
	if *update {
		must(t, os.WriteFile(name, []byte(got), 0o644))
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s: %s", name, diff)
	}
}

func TestCLI18AReportIsATableAndJSON(t *testing.T) {
	list := questions(t, "one", "two")
	b := newBench(t, filepath.Join(t.TempDir(), "f"), &model{answers: []any{
		lists(`{"path": "."}`), says("It is five."), lists(`{"path":"sub"}`), &ollama.Error{Class: fsm.BrainGarbage, Reason: "noise"},
	}}, 1)
	must(t, b.Ask(t.Context(), b.Plan(list, b.side)))
	r := b.report(t, list)
	var table bytes.Buffer
	Table(&table, r, true)
	golden(t, "report.txt", table.String())
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "report.json", string(data)+"\n")
	golden(t, "progress.txt", b.told.String())
}

// Questions that were answered are not asked again, after ^C or after the model became
// unreachable.
func TestCLI18ARunGoesOnWhereItEnded(t *testing.T) {
	list := questions(t, "one", "two", "three")
	file := filepath.Join(t.TempDir(), "f")
	ctx, cancel := context.WithCancel(t.Context())
	m := &model{answers: []any{says("x")}, before: func(n int) {
		if n == 3 {
			cancel()
		}
	}}
	b := newBench(t, file, m, 1)
	stopped := Stopped{}
	if err := b.Ask(ctx, b.Plan(list, b.side)); !errors.As(err, &stopped) {
		t.Fatalf("^C: %v", err)
	}
	if r := b.report(t, list); len(r.Cases) != 2 || r.Left != 4 {
		t.Errorf("%d cases, %d left; want the 2 that were answered", len(r.Cases), r.Left)
	}
	_ = b.Answers.Close()

	gone := &model{answers: []any{says("x"), &ollama.Error{Class: fsm.BrainUnreachable, Reason: "no server"}}}
	b = newBench(t, file, gone, 1)
	plan := b.Plan(list, b.side)
	if plan.Kept != 2 || plan.Ask() != 4 {
		t.Fatalf("%d kept, %d to ask; want 2 and 4", plan.Kept, plan.Ask())
	}
	if err := b.Ask(t.Context(), plan); !errors.As(err, &stopped) || gone.asked != 2 {
		t.Fatalf("a model that goes away: %v after %d questions", err, gone.asked)
	}
	_ = b.Answers.Close()

	b = newBench(t, file, &model{answers: []any{says("x")}}, 1)
	if plan = b.Plan(list, b.side); plan.Ask() != 3 {
		t.Fatalf("%d to ask; want 3", plan.Ask())
	}
	must(t, b.Ask(t.Context(), plan))
	if r := b.report(t, list); len(r.Cases) != 6 || r.Left != 0 {
		t.Errorf("%d cases, %d left; want all", len(r.Cases), r.Left)
	}
}

func TestCLI18AQuestionThatIsRepeatedHasAShare(t *testing.T) {
	list := questions(t, "one")[:1]
	b := newBench(t, filepath.Join(t.TempDir(), "f"), &model{answers: []any{lists(`{"path":"."}`), says("no"), lists(`{"path":"."}`)}}, 3)
	must(t, b.Ask(t.Context(), b.Plan(list, b.side)))
	r := b.report(t, list)
	if c := r.Cases[0]; c.Same != 2 || c.Class != regression.Same || r.Totals.Percent() != 66 || !c.Differs() {
		t.Errorf("got %+v, %d %%; want Same 2, Class %v, 66 %%, and a difference", c, r.Totals.Percent(), regression.Same)
	}
	var table bytes.Buffer
	Table(&table, r, false)
	if !strings.Contains(table.String(), "same, 2 of 3 same") {
		t.Errorf("got %s; want %q", table.String(), "same, 2 of 3 same")
	}
}

// Equal questions are asked once, and the answers are compared with those of another model.
func TestCLI18AModelIsHeldAgainstAnother(t *testing.T) {
	list := questions(t, "one")
	list = append(list, list[0])
	m := &model{answers: []any{says("a"), says("b")}}
	b := newBench(t, filepath.Join(t.TempDir(), "f"), m, 1)
	other := b.side
	other.Model = regression.Model{Name: "old", Digest: "e"}
	for _, side := range []Side{other, b.side} {
		must(t, b.Ask(t.Context(), b.Plan(list, side)))
	}
	r := &regression.Report{Model: b.side.Model, Against: &other.Model}
	left := b.Fill(r, list, b.side, &other)
	r.Total()
	if m.asked != 4 || left != 0 || r.Totals.Same != 3 || r.Totals.Spent[0].Model != "old" {
		t.Errorf("%d asked, %d left, %+v", m.asked, left, r.Totals)
	}
}

func TestCLI18ProgressIsOneLineOnATerminal(t *testing.T) {
	var out bytes.Buffer
	p := &Progress{Line: &terminal.Line{Out: &out, Terminal: true}}
	pace := regression.Pace{}
	pace.Take(100, regression.Spent{Prompt: 100, Answer: 20, Took: 3000}, 1000)
	p.answered(1, 9, true, &pace, 0)
	pace.Take(100, regression.Spent{Prompt: 100, Answer: 20, Took: 3000}, 1000)
	pace.Take(100, regression.Spent{Prompt: 100, Answer: 20, Took: 3000}, 1000)
	p.answered(3, 9, true, &pace, 12*60*fsm.Second)
	p.End()
	const want = "\r1 of 9, 10 tokens/s\x1b[K\r3 of 9, 10 tokens/s, about 12 min left\x1b[K\n"
	if out.String() != want {
		t.Errorf("%q; want %q", out.String(), want)
	}
}

package request

import (
	"fmt"
	"io"
	"strings"

	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm"
	"shelly/fsm/wording"
	"shelly/sim/history"
	"shelly/sim/history/fork"
)

// forkTextMax is how many bytes of a text a line of a fork shows.
const forkTextMax = 200

// forkTold is the result of a fork, ready to print.
type forkTold struct {
	point  fork.Point
	result fork.Result
	model  *forkModel

	before, recorded []line // before the step; from it on
	forked           []line
}

// line is a step in words.
type line struct {
	n     int
	words string
	marks []string // after it
}

func newForkTold(p fork.Point, r fork.Result, m *forkModel) *forkTold {
	f := &forkTold{point: p, result: r, model: m}
	f.recorded = lines(p.History.Steps)
	f.before, f.recorded = f.recorded[:p.Step.N-1], f.recorded[p.Step.N-1:]
	steps := append([]history.Step(nil), p.History.Steps[:p.Step.N-1]...)
	for _, s := range r.Steps {
		steps = append(steps, s.Step)
	}
	f.forked = lines(steps)[p.Step.N-1:]
	for i, s := range r.Steps {
		f.forked[i].marks = []string{string(s.Source)}
		if s.Against == 0 && (r.Parted < 0 || i < r.Parted) {
			f.forked[i].marks = append(f.forked[i].marks, "beyond the record")
		}
	}
	return f
}

// lines describes steps in one line each: the input, and what it led to.
func lines(steps []history.Step) []line {
	var out []line
	for i, told := range history.Tell(steps, forkTextMax) {
		words := told.What
		for k, e := range steps[i].Effects {
			if !history.Minor(e) {
				words += "\n     → " + told.Effects[k]
			}
		}
		out = append(out, line{n: steps[i].N, words: terminal.Printable(words)})
	}
	return out
}

// print prints the fork for people: the steps before it, then both ways from there.
func (f *forkTold) print(w io.Writer) {
	h := &f.point.History
	fmt.Fprintf(w, "%s of %s, forked at step %d\n", h.Name(), h.Request.Key.Channel, f.point.Step.N)
	for _, s := range f.point.History.Steps[:f.point.Step.N-1] {
		if s.Differs {
			fmt.Fprintf(w, "note: today's code decides step %d differently; the fork begins where that leads\n", s.N)
		}
	}
	for _, l := range f.before {
		what, _, _ := strings.Cut(l.words, "\n")
		fmt.Fprintf(w, "%4d  %s\n", l.n, what)
	}
	together := f.together()
	if together > 0 {
		fmt.Fprintln(w, "as recorded:")
		write(w, f.forked[:together])
	}
	if f.result.Parted < 0 {
		fmt.Fprintln(w, "the ways never part")
	} else {
		fmt.Fprintf(w, "the ways part at step %d\nrecorded:\n", f.point.Step.N+together)
		write(w, f.rest(together))
		fmt.Fprintln(w, "fork:")
		write(w, f.forked[together:])
	}
	f.summary(w)
}

// together returns how many steps of the fork are as recorded.
func (f *forkTold) together() int {
	if f.result.Parted < 0 {
		return len(f.forked)
	}
	return f.result.Parted
}

// rest returns what the record has after the steps that are as recorded.
func (f *forkTold) rest(together int) []line {
	last := f.point.Step.N - 1
	if together > 0 {
		last = max(last, f.result.Steps[together-1].Against)
	}
	return f.recorded[last-(f.point.Step.N-1):]
}

func write(w io.Writer, list []line) {
	for _, l := range list {
		mark := ""
		if len(l.marks) > 0 {
			mark = "[" + strings.Join(l.marks, ", ") + "] "
		}
		fmt.Fprintf(w, "%4d  %s%s\n", l.n, mark, l.words)
	}
	if len(list) == 0 {
		fmt.Fprintln(w, "      nothing more")
	}
}

// summary prints both replies, and what the fork took.
func (f *forkTold) summary(w io.Writer) {
	r := f.point.History.Request
	fmt.Fprintf(w, "recorded reply: %s\n", replyWords(r.Done, r.Reply, r.Outcome))
	switch {
	case f.result.Reply != nil:
		fmt.Fprintf(w, "fork's reply:   %s\n", replyWords(true, f.result.Reply.Text, f.result.Reply.Outcome))
	case f.replied():
		fmt.Fprintln(w, "fork's reply:   the same; it was given before the step")
	default:
		fmt.Fprintln(w, "fork's reply:   none")
	}
	for _, q := range f.result.Refused {
		fmt.Fprintf(w, "refused: %s %s: %s\n", q.Tool, terminal.Printable(q.Args), q.Why)
	}
	if f.result.Stands != "" {
		fmt.Fprintf(w, "it did not end: %s\n", f.result.Stands)
	}
	if len(f.model.asked) == 0 {
		fmt.Fprintln(w, "the model was not asked")
		return
	}
	took := fsm.Millis(0)
	for _, q := range f.model.asked {
		took += fsm.Millis(q.TookMS)
	}
	fmt.Fprintf(w, "%s: %s, %d prompt and %d answer tokens, %s\n", f.model.about(),
		wording.Count(len(f.model.asked), "question"), f.model.tokens.Prompt, f.model.tokens.Answer, history.Span(took))
}

func replyWords(done bool, text string, outcome fsm.Outcome) string {
	switch {
	case !done || text == "" && outcome == "":
		return "none"
	case outcome == "": // of a run
		return terminal.Printable(text)
	}
	return fmt.Sprintf("(%s) %s", outcome, terminal.Printable(text))
}

// replied reports whether the request had its reply before the step.
func (f *forkTold) replied() bool {
	for _, s := range f.point.History.Steps[:f.point.Step.N-1] {
		for _, e := range s.Effects {
			if _, answers := f.point.Answer(e); answers {
				return true
			}
		}
	}
	return false
}

// forkStep is a step of a fork as --json prints it.
type forkStep struct {
	Step    history.Step `json:"step"`
	Source  fork.Source  `json:"source"`
	Against int          `json:"against,omitempty"` // the number of the recorded step that it was compared with
	Same    bool         `json:"same"`
}

// json prints the same as JSON. Parted is the number of the first step that is not as recorded,
// 0 if both ways are the same.
func (f *forkTold) json(t *terminal.Terminal) error {
	out := struct {
		Version  int            `json:"version"`
		Request  fsm.RequestKey `json:"request"`
		At       int            `json:"at"`
		Recorded []history.Step `json:"recorded"`
		Fork     []forkStep     `json:"fork"`
		Parted   int            `json:"parted"`
		Replies  forkReplies    `json:"replies"`
		Refused  []fork.Refusal `json:"refused,omitempty"`
		Stands   string         `json:"stands,omitempty"`
		Brain    string         `json:"brain,omitempty"`
		Asked    []forkQuestion `json:"asked,omitempty"`
		Tokens   fsm.Tokens     `json:"tokens,omitzero"`
		Broken   []string       `json:"broken,omitempty"` // invariants
	}{
		Version: 1, Request: f.point.History.Request.Key, At: f.point.Step.N, Recorded: f.point.History.Steps,
		Refused: f.result.Refused, Stands: f.result.Stands, Brain: f.model.about(), Asked: f.model.asked, Tokens: f.model.tokens,
	}
	for _, v := range f.result.Violations {
		out.Broken = append(out.Broken, v.String())
	}
	for _, s := range f.result.Steps {
		out.Fork = append(out.Fork, forkStep{s.Step, s.Source, s.Against, s.Same})
	}
	if f.result.Parted >= 0 {
		out.Parted = f.point.Step.N + f.result.Parted
	}
	if r := f.point.History.Request; r.Done && (r.Outcome != "" || r.Reply != "") {
		out.Replies.Recorded = &forkReply{r.Reply, r.Outcome}
	}
	if r := f.result.Reply; r != nil {
		out.Replies.Fork = &forkReply{r.Text, r.Outcome}
	}
	return t.JSON(out)
}

// forkReplies are the replies of both ways; null if none was given, in the fork from the step
// on.
type forkReplies struct {
	Recorded *forkReply `json:"recorded"`
	Fork     *forkReply `json:"fork"`
}

type forkReply struct {
	Text    string      `json:"text"`
	Outcome fsm.Outcome `json:"outcome"` // empty for a run
}

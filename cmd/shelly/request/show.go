package request

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/listing"
	"shelly/cmd/shelly/internal/moment"
	"shelly/cmd/shelly/internal/output"
	"shelly/cmd/shelly/internal/requestreport"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm"
	"shelly/fsm/wording"
	"shelly/runtime/comm"
	"shelly/sim/history"
)

type showCmd struct {
	ID           string `arg:"" help:"Request to show, or a run such as h12."`
	At           *int   `xor:"shape" placeholder:"STEP" help:"Show this step in full: the input, each effect and the state after it, as JSON."`
	Full         bool   `help:"Do not cut texts; show timers too."`
	flags.AsJSON `set:"json=Print as JSON, like GET /v1/requests/ID/steps."`
	Trace        bool     `xor:"shape" help:"Show each step with its transitions, what the model was sent and what changed."`
	HTML         string   `name:"html" xor:"shape" placeholder:"FILE" help:"Write one HTML file with each step, its secrets replaced."`
	Force        bool     `help:"With --html: overwrite an existing file."`
	Secret       []string `placeholder:"VALUE|@FILE" sep:"none" help:"With --html: a text to remove too, or a file with one; may be repeated."`
	journalled
}

// Help is the text after the usage.
func (showCmd) Help() string {
	return "Replays the journal's inputs with today's code and marks each step where it decides differently. " +
		"Reads from the running daemon, as far as it is durable, which can be a second behind, or from the data folder."
}

// Validate refuses two outputs (CLI-163). The parser calls it.
func (c *showCmd) Validate() error {
	if c.JSON && c.HTML != "" {
		return errors.New("--json and --html can't be used together")
	}
	return nil
}

// Run implements the subcommand (CLI-15).
func (c *showCmd) Run(t *terminal.Terminal) (err error) {
	j, err := c.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	h, err := c.historyBy(j, c.ID, history.Rest)
	if err != nil {
		return err
	}
	switch {
	case c.Trace:
		return c.trace(t, j, h)
	case c.HTML != "":
		return c.report(t, j, h, output.File{Name: c.HTML, Force: c.Force}, c.Secret, false)
	}
	standings, err := standingsOf(j)
	if err != nil {
		return exit.With(exit.Data, err)
	}
	b := comm.History(comm.Past[history.Step](h), standings)
	c.preview(b.Asks)
	told := history.Tell(b.Steps, c.textMax())
	if c.At != nil {
		switch err := b.Only(j, *c.At); {
		case errors.Is(err, comm.ErrNoStep):
			return exit.With(exit.NoMatch, err)
		case err != nil:
			return exit.With(exit.Data, err)
		}
	}
	switch {
	case c.JSON:
		return t.JSON(b)
	case c.At != nil:
		return tellStep(t.Out, b, told[*c.At-1])
	}
	fmt.Fprint(t.Out, fitted(terminal.Printable(c.tell(b, told, time.Now())), terminal.Width(t.Out)))
	return nil
}

// fitted wraps a history for a screen of that many columns: the text of a step beside its times.
func fitted(text string, columns int) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		names := 0
		if strings.HasPrefix(line, " ") {
			names = marginColumns
		}
		out.WriteString(listing.Beside(line, names, columns))
	}
	return out.String()
}

// preview adds to open questions what their calls would do, which only a running daemon knows
// (APR-21).
func (c *showCmd) preview(asks []comm.Ask) {
	if len(asks) == 0 {
		return
	}
	daemon, err := c.daemon()
	if err != nil {
		return
	}
	s, err := daemon.Status(context.Background())
	if err != nil {
		return // no daemon runs
	}
	for i := range asks {
		for _, active := range s.Active {
			if active.Asks != nil && active.Asks.Key == asks[i].Key {
				asks[i].Preview = active.Asks.Preview
			}
		}
	}
}

// shownBytes is how many bytes of a text are shown without --full.
const shownBytes = 160

func (c *showCmd) textMax() int {
	if c.Full {
		return 0
	}
	return shownBytes
}

// stepMargin has the number of a step and its times, in so many columns.
const (
	stepMargin    = "%4d  %8s  %9s  "
	marginColumns = 4 + 2 + 8 + 2 + 9 + 2
)

// tell returns the history of a request in words.
func (c *showCmd) tell(b comm.HistoryBody[history.Step], told []history.Told, now time.Time) string {
	var out strings.Builder
	c.tellRecord(&out, b.Request, now)
	if b.Lost > 0 {
		out.WriteString(requestreport.Lost(b.Lost) + "\n")
	}
	last := b.Request.Accepted
	for i, s := range b.Steps {
		at := s.Input.At
		margin := fmt.Sprintf(stepMargin, s.N, history.Span(at-b.Request.Accepted), "+"+history.Span(at-last))
		last = at
		c.tellOne(&out, margin, sub(b, s), s, told[i])
	}
	if b.Request.Done && !b.Ended {
		fmt.Fprintf(&out, "still at work: %s\n", b.Request.Phase)
	}
	if cost := history.CostOf(b.Steps, b.Handles).String(); cost != "" {
		fmt.Fprintf(&out, "%s\n", cost)
	}
	for _, ask := range b.Asks {
		out.WriteString(askedOf(b.Request, ask))
	}
	for _, s := range b.Request.Subagents {
		out.WriteString(c.subagent(s))
	}
	return out.String()
}

// subagent describes an unfinished subagent, and how to cancel it (COM-96).
func (c *showCmd) subagent(s comm.Subagent) string {
	words := string(s.State)
	if s.Inference != "" {
		words += ", " + string(s.Inference)
	}
	return fmt.Sprintf("subagent %s: %s, after %s with tools:%s\n  → shelly request cancel %s\n", s.Handle.Entry(), words, wording.Count(s.Rounds, "round"), c.quoted(s.Task), s.Handle.Entry())
}

// tellRecord prints what was asked and what was replied.
func (c *showCmd) tellRecord(out io.Writer, r comm.Record, now time.Time) {
	what := "request"
	if r.Kind != "" {
		what = "run"
	}
	fmt.Fprintf(out, "%s %s of %s", what, r.ID, r.Channel)
	if r.InSession != "" {
		fmt.Fprintf(out, ", session %s", r.InSession)
	}
	fmt.Fprintf(out, "\naccepted %s, %s ago", moment.Local(r.Accepted).Format(time.DateTime), history.Span(fsm.Millis(now.UnixMilli())-r.Accepted))
	if r.Forgotten {
		fmt.Fprintf(out, "\n%s in %s (%s); its session was forgotten, and with it what was asked and answered\n", r.State, history.Span(r.Replied-r.Accepted), r.Outcome)
		return
	}
	fmt.Fprintf(out, ":%s\n", c.quoted(r.Text))
	if r.Done {
		outcome := ""
		if r.Outcome != "" { // a run has none, unless it was cancelled
			outcome = fmt.Sprintf(" (%s)", r.Outcome)
		}
		said := ""
		if r.Kind == "" || r.Reply != "" { // a run may have told nobody anything
			said = ":" + c.quoted(r.Reply)
		}
		fmt.Fprintf(out, "%s in %s%s%s\n", r.State, history.Span(r.Replied-r.Accepted), outcome, said)
	} else {
		fmt.Fprintf(out, "%s\n", standing(r))
	}
}

// quoted returns a text after a space, cut unless --full is given.
func (c *showCmd) quoted(text string) string { return history.Quoted(text, c.textMax()) }

// standing describes the state of an unfinished request.
func standing(r comm.Record) string {
	words := r.Stands()
	if r.Phase != "" && string(r.Phase) != words {
		words += ", " + string(r.Phase)
	}
	if r.Inference != "" && r.Asks == nil {
		words += ", " + string(r.Inference)
	}
	return words
}

// sub returns the indentation of a step that is about a subagent.
func sub(b comm.HistoryBody[history.Step], s history.Step) string {
	if len(b.Handles) > 0 && slices.Contains(b.Handles[1:], s.Handle) && s.About {
		return fmt.Sprintf("  [subagent %d] ", s.Handle)
	}
	return ""
}

// tellOne prints one step: its input, then what it led to.
func (c *showCmd) tellOne(out *strings.Builder, margin, sub string, s history.Step, told history.Told) {
	indent := strings.Repeat(" ", len([]rune(margin)))
	if sub != "" {
		indent += "  "
	}
	line := func(words string) {
		out.WriteString(strings.TrimRight(strings.ReplaceAll(words, "\n", "\n"+indent), " ") + "\n")
	}
	line(margin + sub + told.What)
	if s.Differs {
		line(fmt.Sprintf("%s! today's code decides differently: it was %016x, it is %016x", indent, s.Recorded, s.Today))
	}
	for _, m := range told.Moves {
		line(indent + m)
	}
	for i, e := range told.Effects {
		if c.Full || !history.Minor(s.Effects[i]) {
			line(indent + "→ " + e)
		}
	}
}

// tellStep prints one step in full.
func tellStep(out io.Writer, b comm.HistoryBody[history.Step], told history.Told) error {
	s := b.Steps[0]
	fmt.Fprintf(out, "step %d, record %d, epoch %d, %s after the acceptance\n%s\n", s.N, s.Index, s.Epoch, history.Span(s.Input.At-b.Request.Accepted), terminal.Printable(told.What))
	if s.Differs {
		fmt.Fprintf(out, "! today's code decides differently: it was %016x, it is %016x\n", s.Recorded, s.Today)
	}
	input, err := fsm.MarshalInput(s.Input)
	if err == nil {
		err = printNamed(out, "input", json.RawMessage(input))
	}
	for _, m := range told.Moves {
		fmt.Fprintf(out, "move: %s\n", m)
	}
	for i, e := range s.Effects {
		body, wrong := fsm.MarshalEffect(e)
		err = errors.Join(err, wrong, printNamed(out, fmt.Sprintf("effect %d", i+1), json.RawMessage(body)))
	}
	if b.State == nil {
		fmt.Fprintln(out, "state: the handle has ended")
		return err
	}
	return errors.Join(err, printNamed(out, "state", b.State))
}

// printNamed prints a value as JSON under its name.
func printNamed(out io.Writer, name string, v any) error {
	body, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(terminal.Escaping(out), "%s: %s\n", name, body)
	return err
}

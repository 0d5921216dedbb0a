package request

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/alecthomas/kong"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/moment"
	"shelly/cmd/shelly/internal/output"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/cmd/shelly/request/replay"
	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/wording"
	"shelly/sim/history"
	"shelly/sim/history/redact"
)

type replayCmd struct {
	ID    []string `arg:"" optional:"" help:"Requests or runs (h12); without a model, one."`
	All   bool     `help:"Replay all requests and print totals."`
	Since string   `placeholder:"WHEN" help:"With --all: since a date, or the last 7d, 12h."`
	flags.AsJSON
	HTML   string   `name:"html" placeholder:"FILE" help:"Also write an HTML file with both sides."`
	Secret []string `placeholder:"VALUE|@FILE" sep:"none" help:"With --html: a text to remove, too; repeatable."`
	replay.Flags
	journalled
}

// Help is the text after the usage.
func (replayCmd) Help() string {
	return "Exit code 1 if today's code decides differently. " +
		"With --model, or --set of brain.* or prompts.* (KEY=TEXT or KEY=@FILE), a model is asked the recorded questions " +
		"and the decisions are compared; no tool runs. A second run continues."
}

// Run implements the subcommand (CLI-17).
func (c *replayCmd) Run(t *terminal.Terminal, line *kong.Context) (err error) {
	if err := cmp.Or(output.Other("--html", c.HTML, "the replay"), output.Other("--out", c.Out, "the replay"),
		(output.File{Name: c.HTML, Force: true}).Free()); err != nil {
		return err
	}
	switch {
	case c.All == (len(c.ID) > 0):
		return exit.Errorf(exit.Usage, "name a request, or give --all")
	case c.Since != "" && !c.All:
		return exit.Errorf(exit.Usage, "--since belongs to --all")
	case c.Asks(c.Set):
		return (&replay.Asking{
			Flags: c.Flags, Place: c.Place, IDs: c.ID, Since: c.Since, Channel: c.Channel, JSON: c.JSON, Find: c.recorded,
			HTML: c.HTML, Redactor: func() (*redact.Redactor, error) { return c.redactor(c.Secret) },
		}).Run(t)
	case c.HTML != "" && c.All:
		return exit.Errorf(exit.Usage, "--html without a model shows one request; name it")
	case aboutAsking(line) != "":
		return exit.Errorf(exit.Usage, "--%s is about asking a model; add --model, or --set of brain.* or prompts.*", aboutAsking(line))
	case len(c.ID) > 1:
		return exit.Errorf(exit.Usage, "without --model, or --set of brain.* or prompts.*, no model is asked; name one request, or give --all")
	}
	if key, ok := c.unreplayed(); ok {
		return exit.Errorf(exit.Usage, "--set %s changes nothing: recorded steps are decided under their recorded configuration; see shelly request fork --help", key)
	}
	j, err := c.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	if c.All {
		return c.all(t, j)
	}
	h, err := c.history(j, c.ID[0])
	if err != nil {
		return err
	}
	if c.HTML != "" {
		if err := c.report(t, j, h, output.File{Name: c.HTML, Force: true}, c.Secret, true); err != nil {
			return err
		}
	}
	return c.one(t, h)
}

// unreplayed returns a key of --set that would change decisions, were they not replayed.
func (c *replayCmd) unreplayed() (key string, ok bool) {
	for _, kv := range c.Set {
		key, _, _ := strings.Cut(kv, "=")
		if key == "profile" || strings.HasPrefix(key, "limits.") || strings.HasPrefix(key, "switches.") {
			return key, true
		}
	}
	return "", false
}

// aboutAsking returns the first flag of the line that applies only to asking a model, or "".
func aboutAsking(line *kong.Context) string {
	for _, p := range line.Path {
		if p.Flag != nil && p.Flag.Tag.Has("asking") {
			return p.Flag.Name
		}
	}
	return ""
}

// one prints the replay of a request, step by step.
func (c *replayCmd) one(t *terminal.Terminal, h history.History) error {
	differ := 0
	for _, s := range h.Steps {
		if s.Differs {
			differ++
		}
	}
	if c.JSON {
		if err := t.JSON(struct {
			Request engine.Request `json:"request"`
			Steps   []history.Step `json:"steps"`
			Differ  int            `json:"differ"`
		}{h.Request, h.Steps, differ}); err != nil {
			return err
		}
		return differing(differ)
	}
	for i, told := range history.Tell(h.Steps, replayTextMax) {
		fmt.Fprintln(t.Out, terminal.Printable(replayLine(h.Steps[i], told)))
	}
	if differ == 0 {
		fmt.Fprintf(t.Out, "%s: today's code decides each of %s as recorded\n", h.Name(), wording.Count(len(h.Steps), "step"))
	} else {
		fmt.Fprintf(t.Out, "%s: today's code decides %d of %s differently\n", h.Name(), differ, wording.Count(len(h.Steps), "step"))
	}
	return differing(differ)
}

// replayTextMax is how many bytes of a text a line shows.
const replayTextMax = 60

// replayLine is a step in one line. If it differs, the next lines show what was recorded (only
// the hash is) and what today's code does.
func replayLine(s history.Step, told history.Told) string {
	line := fmt.Sprintf("%4d  record %-6d %s", s.N, s.Index, told.What)
	if len(told.Moves) > 0 {
		line += "  (" + strings.Join(told.Moves, ", ") + ")"
	}
	if !s.Differs {
		return line
	}
	effects := "nothing for this request"
	if len(told.Effects) > 0 {
		effects = strings.Join(told.Effects, "; ")
	}
	return line + "  DIFFERS\n" +
		fmt.Sprintf("      recorded: effects %016x\n", s.Recorded) +
		fmt.Sprintf("      today:    effects %016x: %s", s.Today, effects)
}

// replayedAll is the totals as --json prints them.
type replayedAll struct {
	Requests []replayedRequest `json:"requests"`
	Same     int               `json:"same"`
	Differ   int               `json:"differ"`
	Gone     int               `json:"gone"`    // no longer kept in full
	Records  int               `json:"records"` // stepped
	Others   []uint64          `json:"others,omitempty"`
}

type replayedRequest struct {
	Key     fsm.RequestKey `json:"key"`
	Index   uint64         `json:"index"`
	Steps   int            `json:"steps"`
	Differs []uint64       `json:"differs,omitempty"` // the records
}

// all prints which requests differ, and totals.
func (c *replayCmd) all(t *terminal.Terminal, j engine.Reader) error {
	since, err := moment.At("--since", c.Since)
	if err != nil {
		return err
	}
	requests, err := requestsSince(j, since)
	if err != nil {
		return err
	}
	if len(requests) == 0 {
		return exit.Errorf(exit.NoMatch, "there is no request to replay")
	}
	checked, err := history.Check(j, requests)
	if err != nil {
		return exit.History(err)
	}
	out := replayedAll{Gone: checked.Gone, Records: checked.Records, Others: checked.Others}
	for _, r := range checked.Requests {
		if out.Requests = append(out.Requests, replayedRequest{r.Request.Key, r.Request.Index, r.Steps, r.Differs}); len(r.Differs) > 0 {
			out.Differ++
		} else {
			out.Same++
		}
	}
	if c.JSON {
		err = t.JSON(out)
	} else {
		out.print(t)
	}
	return errors.Join(err, differing(out.Differ+len(out.Others)))
}

func (a replayedAll) print(t *terminal.Terminal) {
	for _, r := range a.Requests {
		if len(r.Differs) > 0 {
			fmt.Fprintf(t.Out, "request %s of %s: %d of %s, first at record %d; see shelly request replay %s\n",
				r.Key.ID, r.Key.Channel, len(r.Differs), wording.Count(r.Steps, "step"), r.Differs[0], wording.ShellArgument(r.Key.ID))
		}
	}
	if n := len(a.Others); n > 0 {
		fmt.Fprintf(t.Out, "outside the requests: %s, first record %d\n", wording.Count(n, "record"), a.Others[0])
	}
	fmt.Fprintf(t.Out, "%s: %d decided as recorded, %d differently; %s stepped", wording.Count(len(a.Requests), "request"), a.Same, a.Differ, wording.Count(a.Records, "record"))
	if a.Gone > 0 {
		fmt.Fprintf(t.Out, "; %s no longer kept", wording.Count(a.Gone, "request"))
	}
	fmt.Fprintln(t.Out)
}

// differing ends with exit code 1 if something differs.
func differing(n int) error {
	if n > 0 {
		return exit.Silent(exit.Failed)
	}
	return nil
}

package journal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/flags"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/wording"
	"shelly/runtime/store"
	"shelly/sim/history"
)

type verifyCmd struct {
	File string `arg:"" optional:"" help:"Backup, journal file or data folder. Default: the data folder, or the daemon that uses it."`
	flags.AsJSON
	flags.Place
}

// Help is the text after the usage.
func (c *verifyCmd) Help() string {
	return "Each record is stepped with the current code and checked against the tables, the invariants, the hash of its effects and the snapshots. " +
		"Nothing is changed. Exit codes: 1 for a mismatch, 6 if the journal is damaged."
}

// Run implements the subcommand (CLI-14, JRN-26).
func (c *verifyCmd) Run(t *terminal.Terminal) error {
	if c.File != "" {
		return Verify(t, c.File, c.JSON)
	}
	cfg, err := c.Load()
	if err != nil {
		return err
	}
	return tell(t, cfg.Data, c.JSON, openFolder)
}

// Verify replays the journal at a path and prints what it finds.
func Verify(t *terminal.Terminal, path string, asJSON bool) error {
	return tell(t, path, asJSON, openJournal)
}

// tell replays a journal and prints what it finds.
func tell(t *terminal.Terminal, path string, asJSON bool, open opening) error {
	ctx, stop := exit.Interruptible()
	defer stop()
	p, end := show(t, "reading the store")
	v, err := verifyAt(ctx, path, open, p)
	end()
	switch {
	case err != nil && ctx.Err() != nil:
		return exit.Interrupted(ctx, "nothing was changed; run it again to verify all of it")
	case err != nil:
		return unread(path, err)
	case v.Wrong == nil && v.last == 0 && v.sound():
		return exit.Errorf(exit.NoMatch, "%s: holds no record", path)
	case asJSON:
		if err := t.JSON(v); err != nil {
			return err
		}
	default:
		v.print(t.Out)
	}
	switch {
	case !v.sound():
		return exit.Errorf(exit.Data, "%s is partly damaged; %s", path, store.Repair)
	case v.Wrong != nil:
		return exit.Errorf(exit.Failed, "%s: the first record that differs is %d", path, v.Wrong.Step.Index)
	}
	return nil
}

// unread words an error of reading a journal: whatever the reason, there is nothing to verify.
func unread(path string, err error) error {
	coded := exit.Error{}
	if errors.As(err, &coded) {
		return err
	}
	if errors.As(failed(err), &coded) && coded.Code != exit.Failed {
		return exit.Errorf(coded.Code, "%s: %w", path, err)
	}
	return exit.Errorf(exit.Data, "%s: %w", path, err)
}

// verifyAt reads all of what a path names, and folds its journal where all is sound.
func verifyAt(ctx context.Context, path string, open opening, p *progress) (v verified, err error) {
	v.Held = []doubt{}
	j, err := open(ctx, path)
	if err != nil {
		return v, err
	}
	defer func() { err = errors.Join(err, j.close()) }()
	var x *store.Examination
	if j.examine != nil {
		found, err := j.examine(ctx)
		if err != nil {
			return v, err
		}
		x = &found
	}
	if x == nil || x.Err() == nil {
		v, err = verify(j, p)
	}
	v.Journal, v.Examined = path, x
	return v, err
}

// verified is what was found of a journal, as it is printed.
type verified struct {
	Journal     string  `json:"journal"`
	First       uint64  `json:"first"` // the first record that was checked; 0: none
	Records     int     `json:"records"`
	InPlace     int     `json:"in_place,omitempty"` // of these, those that a repair has put in place of lost ones (JRN-33)
	Transitions int     `json:"transitions"`
	Snapshots   int     `json:"snapshots"`
	Unfinished  int     `json:"unfinished"` // requests without a reply at its end
	Diverging   int     `json:"diverging"`  // records that cause other effects with today's code
	Wrong       *wrong  `json:"wrong,omitempty"`
	Held        []doubt `json:"held"` // what a start would hold for a person (JRN-6)

	Examined *store.Examination `json:"examined,omitempty"` // of a store: what a reading of all of it has found

	last uint64
}

// sound reports whether nothing is damaged.
func (v verified) sound() bool { return v.Examined == nil || v.Examined.Err() == nil }

// wrong is the first record that is not as it should be.
type wrong struct {
	Step     history.Step    `json:"step"`
	Kind     string          `json:"kind"` // of the input
	Request  *fsm.RequestKey `json:"request,omitempty"`
	Expected string          `json:"expected"`
	Got      string          `json:"got"`
}

// doubt is a handle that a start would hold.
type doubt struct {
	Handle fsm.HandleID `json:"handle"`
	Record uint64       `json:"record"` // its first record that diverges
}

// verify checks a journal against the tables, and finds what a start would do.
func verify(j engine.Reader, p *progress) (verified, error) {
	checked, err := engine.Validate(p.checking(j))
	if err != nil {
		return verified{}, err
	}
	v := verified{
		First: checked.First, Records: checked.Records, Transitions: checked.Moves, Snapshots: checked.Snapshots, Diverging: checked.Diverging,
		Held: []doubt{},
	}
	if w := checked.Wrong; w != nil {
		v.Wrong = &wrong{Kind: fsm.InputKind(w.Input), Expected: w.Expected, Got: w.Got, Step: history.Step{
			N: 1, Index: w.Index, Epoch: w.Epoch, Handle: w.Handle, Input: w.Input, About: w.Handle != 0, Effects: w.Caused, Moves: w.Moves,
			Recorded: w.Effects, Today: fsm.HashEffects(w.Caused), Differs: fsm.HashEffects(w.Caused) != w.Effects,
		}}
		if w.Request != (fsm.RequestKey{}) {
			v.Wrong.Request = &w.Request
		}
	}
	p.doing("finding what a start would do")
	if checked.Records > 0 && checked.Wrong == nil {
		if v.InPlace, err = inPlace(j, checked.First); err != nil {
			return v, err
		}
	}
	start, err := engine.Recover(j)
	if err != nil {
		if v.Wrong != nil {
			return v, nil // a journal with a gap cannot be started
		}
		return v, err
	}
	v.last = start.Last
	for _, d := range start.Doubts() {
		i := slices.IndexFunc(start.Diverging, func(v engine.Divergence) bool { return v.Handle == d.Handle })
		v.Held = append(v.Held, doubt{d.Handle, start.Diverging[i].Index})
	}
	for _, h := range start.Machine.View().Handles {
		if h.Kind == fsm.KindUser && !h.Replied {
			v.Unfinished++
		}
	}
	return v, nil
}

// inPlace counts the records of a timer without a number, which no machine has.
func inPlace(j engine.Reader, first uint64) (n int, err error) {
	err = j.Replay(first-1, func(r engine.Record) error {
		if r.Input.Fact == fsm.Fact(fsm.TimerFired{}) {
			n++
		}
		return nil
	})
	return n, err
}

// tellMax is how many characters of a text are shown.
const tellMax = 160

func (v verified) print(w io.Writer) {
	if x := v.Examined; !v.sound() {
		for _, part := range []struct {
			what string
			list []string
		}{{"not as it was written", x.Damage}, {"lost", x.Missing}, {"it may have held", x.Held}} {
			for _, text := range part.list {
				fmt.Fprintf(w, "%s: %s: %s\n", v.Journal, part.what, text)
			}
		}
		return
	}
	last := v.First + uint64(max(0, v.Records-1))
	if v.Wrong == nil {
		if v.Records > 0 {
			lost := ""
			if v.InPlace > 0 {
				lost = fmt.Sprintf(" (%d in place of lost ones)", v.InPlace)
			}
			fmt.Fprintf(w, "%s: records %d to %d%s, %s, %s: each as the tables say\n", v.Journal, v.First, last, lost, wording.Count(v.Transitions, "transition"), wording.Count(v.Snapshots, "snapshot"))
		} else if v.last > 0 {
			fmt.Fprintf(w, "%s: a snapshot at record %d, and no record after it\n", v.Journal, v.last)
		}
		fmt.Fprintf(w, "unfinished: %s\n", wording.Count(v.Unfinished, "request"))
		return
	}
	of := ""
	if s := v.Wrong.Step; s.Handle != 0 {
		of = fmt.Sprintf(", handle %d", s.Handle)
	}
	if r := v.Wrong.Request; r != nil {
		of += fmt.Sprintf(", request %q of channel %s", r.ID, r.Channel)
	}
	fmt.Fprintf(w, "%s: record %d (%s)%s\n", v.Journal, v.Wrong.Step.Index, v.Wrong.Kind, of)
	fmt.Fprintf(w, "  expected  %s\n  got       %s\n", v.Wrong.Expected, v.Wrong.Got)
	told := history.Tell([]history.Step{v.Wrong.Step}, tellMax)[0]
	fmt.Fprintf(w, "  it told   %s\n", terminal.Printable(told.What))
	for _, effect := range told.Effects {
		fmt.Fprintf(w, "  and today %s\n", terminal.Printable(effect))
	}
	before := 0
	if v.First > 0 {
		before = int(v.Wrong.Step.Index - v.First)
	}
	fmt.Fprintf(w, "as the tables say before it: %s; different effects with the current code: %d of %s\n",
		wording.Count(before, "record"), v.Diverging, wording.Count(v.Records, "record"))
	v.printHeld(w)
}

func (v verified) printHeld(w io.Writer) {
	var list []string
	for _, d := range v.Held {
		list = append(list, fmt.Sprintf("handle %d (record %d)", d.Handle, d.Record))
	}
	if len(list) == 0 {
		fmt.Fprintln(w, "a start would hold nothing for a person")
		return
	}
	fmt.Fprintf(w, "a start would hold for a person: %s\n", strings.Join(list, ", "))
}

package suite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/sim/report"
	"shelly/sim/scenario"
	"shelly/sim/scenario/judge"
	"shelly/sim/strict"
)

// files returns n cases whose names are their numbers from 0.
func files(t *testing.T, n int) []*scenario.File {
	t.Helper()
	var list []*scenario.File
	for i := range n {
		name := fmt.Sprintf("%d.scenario.yaml", i)
		source := fmt.Sprintf("scenario: 1\nname: %q\nexpect: {ends: serving}\n", fmt.Sprint(i))
		f, err := scenario.LoadOne(fstest.MapFS{name: {Data: []byte(source)}}, name)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, f)
	}
	return list
}

// won returns a case that passed, lost one that failed.
func won(f *scenario.File) report.Case {
	return report.Case{Outcome: scenario.Outcome{Name: f.Name, File: f.Path()}}
}

func lost(f *scenario.File) report.Case {
	c := won(f)
	c.Failures = []judge.Failure{{Name: f.Name}}
	return c
}

// toldOf plays cases and returns the names of the reported ones, in the order of the reports.
func toldOf(p player, list []*scenario.File) (told []string) {
	p.play(context.Background(), list, func(c report.Case) { told = append(told, c.Name) })
	return told
}

// Case 0 ends last, but the results are reported in the order of the cases.
func TestSCN38CasesAreReportedInTheirOrder(t *testing.T) {
	last := make(chan struct{})
	run := func(f *scenario.File) report.Case {
		switch f.Name {
		case "0":
			<-last
		case "7":
			close(last)
		}
		return won(f)
	}
	want := strings.Fields("0 1 2 3 4 5 6 7 8 9")
	if told := toldOf(player{workers: 3, run: run}, files(t, 10)); !slices.Equal(told, want) {
		t.Errorf("reported %v", told)
	}
}

// A result is reported before the end of the run: case 1 runs only once case 0 was reported.
func TestSCN38ACaseIsReportedWhileOthersRun(t *testing.T) {
	told := make(chan struct{})
	run := func(f *scenario.File) report.Case {
		if f.Name == "1" {
			<-told
		}
		return won(f)
	}
	p := player{workers: 1, run: run}
	p.play(context.Background(), files(t, 2), func(c report.Case) {
		if c.Name == "0" {
			close(told)
		}
	})
}

// With several workers case 3 fails before case 1 does, but the report still ends with case 1.
func TestSCN38FailFastEndsWithTheFirstFailureInOrder(t *testing.T) {
	for _, workers := range []int{1, 4} {
		third := make(chan struct{})
		run := func(f *scenario.File) report.Case {
			switch {
			case f.Name == "1" && workers > 1:
				<-third
				return lost(f)
			case f.Name == "3":
				close(third)
				return lost(f)
			case f.Name == "1":
				return lost(f)
			}
			return won(f)
		}
		if told := toldOf(player{workers: workers, failuresMax: 1, run: run}, files(t, 20)); !slices.Equal(told, []string{"0", "1"}) {
			t.Errorf("%d workers reported %v", workers, told)
		}
	}
}

func TestSCN38APanicIsAnErrorOfItsCase(t *testing.T) {
	run := func(f *scenario.File) report.Case {
		if f.Name == "1" {
			panic("at the disco")
		}
		return won(f)
	}
	var told []report.Case
	p := player{workers: 2, run: run}
	p.play(context.Background(), files(t, 3), func(c report.Case) { told = append(told, c) })
	if len(told) != 3 || told[0].Err != nil || told[2].Err != nil {
		t.Fatalf("reported %+v", told)
	}
	err := told[1].Err
	if err == nil || !strings.HasPrefix(err.Error(), "1.scenario.yaml: panic: at the disco\n  shelly/cmd/shelly/internal/suite.TestSCN38APanic") {
		t.Errorf("the case that panics: %v", err)
	}
}

// Case 1 never ends; what has ended is reported.
func TestSCN38AnInterruptedRunTellsWhatIsThere(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	forever := make(chan struct{})
	defer close(forever)
	run := func(f *scenario.File) report.Case {
		if f.Name == "1" {
			<-forever
		}
		return won(f)
	}
	var told []string
	p := player{workers: 2, run: run}
	p.play(ctx, files(t, 3), func(c report.Case) {
		told = append(told, c.Name)
		cancel()
	})
	if !slices.Contains(told, "0") || slices.Contains(told, "1") {
		t.Errorf("reported %v", told)
	}
}

// told reports cases, and returns the exit code and the output.
func told(t *testing.T, c *Command, broken []report.Case, cases ...report.Case) (code int, out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	c.Format = "pretty"
	term := &terminal.Terminal{Out: &stdout, Err: &stderr}
	teller := c.teller(term, len(cases), broken)
	for _, one := range cases {
		teller.tell(one)
	}
	code = exit.Code(teller.end(context.Background(), len(cases)), term.Err)
	return code, stdout.String(), stderr.String()
}

// The codes in the order of their precedence. No file can make a case differ or panic, so the
// scripts cannot test these codes.
func TestSCN9TheGravestCodeWins(t *testing.T) {
	f := files(t, 1)[0]
	passed, failed := won(f), lost(f)
	skipped, different, errored := won(f), won(f), won(f)
	skipped.Skipped, different.Differs, errored.Err = "no model", true, errors.New("no rest")
	broken := []report.Case{{Outcome: scenario.Outcome{File: "x", Err: &strict.Error{}}}}
	for _, test := range []struct {
		name   string
		broken []report.Case
		cases  []report.Case
		want   int
	}{
		{"nothing", nil, nil, exit.OK},
		{"passed", nil, []report.Case{passed}, exit.OK},
		{"one was skipped", nil, []report.Case{passed, skipped}, exit.OK},
		{"failed", nil, []report.Case{passed, failed, skipped}, exit.Failed},
		{"differs", nil, []report.Case{failed, different}, exit.Differs},
		{"does not load", broken, []report.Case{failed, different}, exit.Usage},
		{"an error", broken, []report.Case{failed, different, errored}, exit.Internal},
	} {
		if code, out, _ := told(t, &Command{}, test.broken, test.cases...); code != test.want {
			t.Errorf("%s: %d, want %d:\n%s", test.name, code, test.want, out)
		}
	}
}

func TestSCN40WhatIsSkippedHasNotPassed(t *testing.T) {
	f := files(t, 1)[0]
	skipped := won(f)
	skipped.Skipped = "no model answers"
	if skipped.OK() || skipped.Status() != report.Skipped {
		t.Error("a skipped case has passed")
	}
	code, out, errs := told(t, &Command{}, nil, skipped, skipped)
	if code != exit.NoMatch || !strings.HasPrefix(out, "0 passed, 0 failed, 2 skipped") || errs != "shelly: nothing was played: no model answers\n" {
		t.Errorf("all skipped: %d, %q, %q", code, out, errs)
	}
	code, out, _ = told(t, &Command{Verbose: true}, nil, skipped, won(f))
	if code != exit.OK || !strings.Contains(out, "skip 0.scenario.yaml  0: no model answers\n") || !strings.Contains(out, "\n1 passed, 0 failed, 1 skipped") {
		t.Errorf("one skipped: %d, %q", code, out)
	}
}

// A run depends only on its file and seed, so only two different files can give the difference
// that --twice looks for.
func TestSCN11TwoTracesDiffer(t *testing.T) {
	source := "scenario: 1\nname: x\n%s\nexpect: {ends: serving}\n"
	run := func(timeline string) scenario.Outcome {
		f, err := scenario.Parse("x.scenario.yaml", fmt.Appendf(nil, source, timeline))
		if err != nil {
			t.Fatal(err)
		}
		return f.Run(options(new(uint64(7))))
	}
	one, other := run(""), run("clock: {start: \"2026-02-01T00:00:00Z\"}")
	failed := one
	failed.Err = errors.New("no rest")
	if same := run(""); one.Differs(&same) || !one.Differs(&other) || !one.Differs(&failed) {
		t.Error("two different traces count as the same, or the other way round")
	}
	c := report.Case{Outcome: one, Differs: true}
	seeded(&c, 7)
	if code, out, _ := told(t, &Command{}, nil, c); code != exit.Differs ||
		!strings.Contains(out, "DIFFERS x (seed 7)\n  x.scenario.yaml:1: two runs gave two traces\n  again: shelly test x.scenario.yaml:1 --seed 7 --twice\n") {
		t.Errorf("got %d, %s; want 5, with %q", code, out, "DIFFERS x (seed 7)\n  x.scenario.yaml:1: two runs gave two traces\n  again: shelly test x.scenario.yaml:1 --seed 7 --twice\n")
	}
}

package report

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"shelly/sim/scenario"
	"shelly/sim/scenario/judge"
	"shelly/sim/strict"
)

// cases is one case of each kind.
func cases(t *testing.T) []Case {
	t.Helper()
	_, bad := scenario.Parse("bad.scenario.yaml", []byte("scenario: 1\nname: x\nexpekt: {}\nexpect: {ends: serving}\n"))
	var load *strict.Error
	if !errors.As(bad, &load) {
		t.Fatalf("the bad file has %v", bad)
	}
	load.Problems = append(load.Problems, strict.Problem{Pos: strict.Pos{File: "lib.yaml", Line: 5, Col: 2}, Text: "a tab"})
	return []Case{
		{Took: time.Second, Outcome: scenario.Outcome{
			Name: "holds", File: "a.scenario.yaml", Line: 1, Tags: []string{"smoke"}, Covers: []string{"INF-4"},
			Steps: 9, TraceHash: 0xabc, Points: 40, Unknown: 3, Raced: 2, StraightOnly: []string{"expect.handle"}, Live: &scenario.Live{
				Model: "small:1b", Digest: "0123456789abcdef", Server: "0.17.4", Runs: 3, Held: 2,
				Options: scenario.LiveOptions{NumCtx: 8192, NumPredict: 1024, Temperature: new(0.7)},
			},
		}},
		{Outcome: scenario.Outcome{Name: "fails", File: "b.scenario.yaml", Line: 1, Seed: new(uint64(7)), Steps: 1, TraceHash: 1, Failures: []judge.Failure{{
			Name: "fails", File: "b.scenario.yaml", Pos: strict.Pos{Line: 7, Col: 13}, Path: "expect.replies[0]",
			Want: `"<a>"`, Got: `"b"`, Hint: `nearest: [1], {tool: "<a>"}: args is missing`, Frame: "     7 |   replies: [\"<a>\"]\n       |             ^\n",
			Trace: []string{"  1  +0s boot"}, Again: "shelly test b.scenario.yaml:1 --seed 7",
		}, {Name: "fails", File: "b.scenario.yaml", Pos: strict.Pos{File: "lib.yaml", Line: 2, Col: 1}, Text: "and 2 more failures", Diff: "--- a\n+++ b\n", Again: "shelly test b.scenario.yaml:1"}}}},
		{Outcome: scenario.Outcome{File: "bad.scenario.yaml", Err: bad}},
		{Outcome: scenario.Outcome{Name: "breaks", File: "c.scenario.yaml", Line: 2, Err: errors.New("c.scenario.yaml: no rest")}},
		{Outcome: scenario.Outcome{Name: "waits", File: "d.scenario.yaml", Line: 1, Skipped: "no model answers"}},
		{Differs: true, Outcome: scenario.Outcome{Name: "varies", File: "e.scenario.yaml", Line: 1, Steps: 2, TraceHash: 2}},
	}
}

const prettyFailed = `FAIL fails (seed 7)
  b.scenario.yaml:7:13: expect.replies[0]
     7 |   replies: ["<a>"]
       |             ^
  - want "<a>"
  + got  "b"
  nearest: [1], {tool: "<a>"}: args is missing
  the last steps before it:
      1  +0s boot
  again: shelly test b.scenario.yaml:1 --seed 7

  lib.yaml:2:1: and 2 more failures
  --- a
  +++ b
  again: shelly test b.scenario.yaml:1

`

const prettyBroken = `ERROR bad.scenario.yaml
  bad.scenario.yaml:3:1: expekt: unknown key expekt; did you mean expect?
       1 | scenario: 1
       2 | name: x
       3 | expekt: {}
         | ^
  lib.yaml:5:2: a tab

`

const prettyError = `ERROR breaks
  c.scenario.yaml: no rest

`

const prettyDiffers = `DIFFERS varies
  e.scenario.yaml:1: two runs gave two traces
  again: shelly test e.scenario.yaml:1 --twice

`

const prettyList = `failed:
  shelly test b.scenario.yaml:1 --seed 7  # fails (seed 7)
  shelly test bad.scenario.yaml  # bad.scenario.yaml
  shelly test c.scenario.yaml:2  # breaks
  shelly test e.scenario.yaml:1 --twice  # varies

`

const prettyCounts = "1 case crashed at each of 40 points; outcome not compared: 3 unknown, 2 met by another input\nheld only without a crash: 1 expectation (-v names them)\n1 passed, 1 failed, 1 with two traces, 2 not judged, 1 skipped"

// What was skipped has not passed (SCN-40).
func TestPrettyTellsWhatDidNotPassAndCounts(t *testing.T) {
	for _, test := range []struct {
		name    string
		took    time.Duration
		options Options
		want    string
	}{
		{"short", 0, Options{}, prettyFailed + prettyError + prettyDiffers + prettyList + prettyCounts + "\n"},
		{"with what does not load", 0, Options{Broken: true}, prettyFailed + prettyBroken + prettyError + prettyDiffers + prettyList + prettyCounts + "\n"},
		{"verbose and timed", 1234567 * time.Microsecond, Options{Verbose: true},
			"ok   a.scenario.yaml  holds (9 steps, 40 crash points, held 2 of 3, model small:1b 0123456789ab, Ollama 0.17.4, num_ctx 8192, num_predict 1024, temperature 0.7; held only without a crash: expect.handle)\n" + prettyFailed + prettyError +
				"skip d.scenario.yaml  waits: no model answers\n" + prettyDiffers + prettyList + strings.Replace(prettyCounts, " (-v names them)", "", 1) + " in 1.235s\n"},
		{"coloured", 0, Options{Color: true}, strings.NewReplacer("FAIL", "\x1b[31mFAIL\x1b[0m", "ERROR", "\x1b[31mERROR\x1b[0m", "DIFFERS", "\x1b[31mDIFFERS\x1b[0m").
			Replace(prettyFailed+prettyError+prettyDiffers) + prettyList + prettyCounts + "\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out bytes.Buffer
			must(t, pretty(&out, &Run{Cases: cases(t), Took: test.took}, test.options))
			if diff := cmp.Diff(test.want, out.String()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// Few failures need no list of them, and a list is bounded; a name cannot break a
// line of it.
func TestPrettyListsManyFailuresOnce(t *testing.T) {
	failing := func(n int) *Run {
		r := &Run{}
		for range n {
			r.Cases = append(r.Cases, Case{Differs: true, Outcome: scenario.Outcome{Name: "a\nname\x1b[2J", File: "a.scenario.yaml", Line: 3}})
		}
		return r
	}
	for _, test := range []struct {
		failing, lines int
		more           string
	}{{listFrom - 1, 0, ""}, {listFrom, listFrom, ""}, {listMax, listMax, ""}, {listMax + 2, listMax, "  and 2 more\n"}} {
		var out bytes.Buffer
		must(t, PrettyEnd(&out, failing(test.failing), Options{}))
		lines := strings.Count(out.String(), "  shelly test a.scenario.yaml:3 --twice  # a name\uFFFD[2J\n")
		if lines != test.lines || !strings.Contains(out.String(), test.more) || (lines == 0) == strings.Contains(out.String(), "failed:") {
			t.Errorf("%d failures: %d lines:\n%s", test.failing, lines, out.String())
		}
	}
}

func TestJSONIsTheSameForTheSameOutcomes(t *testing.T) {
	var out, again bytes.Buffer
	one, two := &Run{Cases: cases(t)}, &Run{Cases: cases(t), Took: time.Hour}
	two.Cases[0].Took = time.Minute
	must(t, errors.Join(JSON(&out, one), JSON(&again, two)))
	want, err := os.ReadFile("testdata/report.json")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), out.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if !bytes.Equal(out.Bytes(), again.Bytes()) {
		t.Error("a time changes the bytes")
	}
	out.Reset()
	if err := JSON(&out, &Run{}); err != nil || !strings.Contains(out.String(), `"cases": []`) {
		t.Errorf("nothing: %s, %v", out.String(), err)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("no paper") }

func TestReportsTellThatTheyCouldNotBeWritten(t *testing.T) {
	r := &Run{Cases: cases(t)}
	if pretty(broken{}, r, Options{}) == nil || PrettyEnd(broken{}, r, Options{}) == nil || JSON(broken{}, r) == nil {
		t.Error("a write that failed is no error")
	}
}

// pretty writes a whole report for people, as the command does case by case.
func pretty(w io.Writer, r *Run, o Options) error {
	for i := range r.Cases {
		if err := PrettyCase(w, &r.Cases[i], o); err != nil {
			return err
		}
	}
	return PrettyEnd(w, r, o)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

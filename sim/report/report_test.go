package report

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"shelly/sim/scenario"
)

// outcomes is one case of each kind.
func outcomes(t *testing.T) []scenario.Outcome {
	t.Helper()
	_, bad := scenario.Parse("bad.scenario.yaml", []byte("scenario: 1\nname: x\nexpekt: {}\nexpect: {ends: serving}\n"))
	if bad == nil {
		t.Fatal("the bad file loads")
	}
	return []scenario.Outcome{
		{Name: "holds", File: "a.scenario.yaml", Line: 1, Steps: 9, TraceHash: 0xabc, Points: 40},
		{Name: "fails", File: "b.scenario.yaml", Line: 1, Steps: 1, TraceHash: 1, Failures: []scenario.Failure{{
			Name: "fails", File: "b.scenario.yaml", Pos: scenario.Pos{Line: 7, Col: 13}, Path: "expect.replies[0]",
			Want: `"<a>"`, Got: `"b"`, Frame: "     7 |   replies: [\"<a>\"]\n       |             ^\n",
			Trace: []string{"  1  +0s boot"}, Again: "shelly test b.scenario.yaml:1",
		}}},
		{File: "bad.scenario.yaml", Err: bad},
		{Name: "breaks", File: "c.scenario.yaml", Line: 2, Err: errors.New("c.scenario.yaml: no rest")},
	}
}

const prettyFailures = `FAIL fails
  b.scenario.yaml:7:13: expect.replies[0]
     7 |   replies: ["<a>"]
       |             ^
  - want "<a>"
  + got  "b"
  the last steps before it:
      1  +0s boot
  again: shelly test b.scenario.yaml:1

ERROR bad.scenario.yaml
  bad.scenario.yaml:3:1: expekt: unknown key expekt; did you mean expect?

ERROR breaks
  c.scenario.yaml: no rest

`

func TestPrettyTellsFailuresAndCounts(t *testing.T) {
	for _, test := range []struct {
		name    string
		options Options
		want    string
	}{
		{"short", Options{}, prettyFailures + "1 passed, 1 failed, 2 not judged\n"},
		{"verbose and timed", Options{Verbose: true, Elapsed: 1234567 * time.Microsecond},
			"ok   a.scenario.yaml  holds (9 steps, 40 crash points)\n" + prettyFailures + "1 passed, 1 failed, 2 not judged in 1.235s\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out bytes.Buffer
			if err := Pretty(&out, outcomes(t), test.options); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, out.String()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
	var out bytes.Buffer
	if err := Pretty(&out, outcomes(t)[:1], Options{}); err != nil || out.String() != "1 passed, 0 failed\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
}

const wantJSON = `{
  "version": 1,
  "passed": 1,
  "failed": 1,
  "errors": 1,
  "cases": [
    {
      "name": "holds",
      "file": "a.scenario.yaml",
      "line": 1,
      "ok": true,
      "steps": 9,
      "crash_points": 40,
      "trace_hash": "0000000000000abc"
    },
    {
      "name": "fails",
      "file": "b.scenario.yaml",
      "line": 1,
      "ok": false,
      "steps": 1,
      "trace_hash": "0000000000000001",
      "failures": [
        {
          "line": 7,
          "col": 13,
          "path": "expect.replies[0]",
          "want": "\"<a>\"",
          "got": "\"b\"",
          "trace": [
            "  1  +0s boot"
          ],
          "again": "shelly test b.scenario.yaml:1"
        }
      ]
    },
    {
      "name": "",
      "file": "bad.scenario.yaml",
      "line": 0,
      "ok": false,
      "steps": 0,
      "error": "bad.scenario.yaml:3:1: expekt: unknown key expekt; did you mean expect?",
      "problems": [
        {
          "line": 3,
          "col": 1,
          "path": "expekt",
          "text": "unknown key expekt; did you mean expect?"
        }
      ]
    }
  ]
}
`

func TestJSONIsTheSameForTheSameOutcomes(t *testing.T) {
	list := outcomes(t)[:3]
	var out, again bytes.Buffer
	if err := errors.Join(JSON(&out, list, Options{}), JSON(&again, list, Options{Verbose: true, Elapsed: time.Hour})); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(wantJSON, out.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if !bytes.Equal(out.Bytes(), again.Bytes()) {
		t.Error("a time or an option changes the bytes")
	}
	out.Reset()
	if err := JSON(&out, nil, Options{}); err != nil || !strings.Contains(out.String(), `"cases": []`) {
		t.Errorf("nothing: %s, %v", out.String(), err)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("no paper") }

func TestReportsTellThatTheyCouldNotBeWritten(t *testing.T) {
	if Pretty(broken{}, nil, Options{}) == nil || JSON(broken{}, nil, Options{}) == nil {
		t.Error("a write that failed is no error")
	}
}

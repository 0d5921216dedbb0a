package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"shelly/sim/scenario"
)

// document is the JSON report. Its shape is versioned: a program that reads
// version 1 reads every later report of version 1.
type document struct {
	Version int        `json:"version"`
	Passed  int        `json:"passed"`
	Failed  int        `json:"failed"`
	Errors  int        `json:"errors"` // cases that could not be loaded or played
	Cases   []caseJSON `json:"cases"`
}

type caseJSON struct {
	Name      string        `json:"name"`
	File      string        `json:"file"`
	Line      int           `json:"line"`
	OK        bool          `json:"ok"`
	Steps     int           `json:"steps"`
	Points    int           `json:"crash_points,omitempty"`
	TraceHash string        `json:"trace_hash,omitempty"` // 16 hexadecimal digits
	Error     string        `json:"error,omitempty"`
	Problems  []problemJSON `json:"problems,omitempty"` // of a file that does not load
	Failures  []failureJSON `json:"failures,omitempty"`
}

type problemJSON struct {
	File string `json:"file,omitempty"` // where it is a fragment, not the case's file
	Line int    `json:"line"`
	Col  int    `json:"col"`
	Path string `json:"path,omitempty"`
	Text string `json:"text"`
}

type failureJSON struct {
	File  string   `json:"file,omitempty"` // where it is a fragment, not the case's file
	Line  int      `json:"line"`
	Col   int      `json:"col"`
	Path  string   `json:"path,omitempty"`
	Text  string   `json:"text,omitempty"`
	Want  string   `json:"want,omitempty"`
	Got   string   `json:"got,omitempty"`
	Trace []string `json:"trace,omitempty"`
	Again string   `json:"again,omitempty"`
}

// JSON writes a report for programs. Equal outcomes give equal bytes.
func JSON(w io.Writer, outcomes []scenario.Outcome, _ Options) error {
	c := count(outcomes)
	doc := document{Version: 1, Passed: c.passed, Failed: c.failed, Errors: c.errors, Cases: []caseJSON{}}
	for i := range outcomes {
		doc.Cases = append(doc.Cases, caseOf(&outcomes[i]))
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(doc)
}

func caseOf(out *scenario.Outcome) caseJSON {
	c := caseJSON{Name: out.Name, File: out.File, Line: out.Line, OK: out.OK(), Steps: out.Steps, Points: out.Points}
	if out.TraceHash != 0 {
		c.TraceHash = fmt.Sprintf("%016x", out.TraceHash)
	}
	if out.Err != nil {
		c.Error = out.Err.Error()
	}
	var load *scenario.LoadError
	if errors.As(out.Err, &load) {
		for _, p := range load.Problems {
			c.Problems = append(c.Problems, problemJSON{File: p.Pos.File, Line: p.Pos.Line, Col: p.Pos.Col, Path: p.Path, Text: p.Text})
		}
	}
	for _, f := range out.Failures {
		c.Failures = append(c.Failures, failureJSON{
			File: f.Pos.File, Line: f.Pos.Line, Col: f.Pos.Col, Path: f.Path, Text: f.Text,
			Want: f.Want, Got: f.Got, Trace: f.Trace, Again: f.Again,
		})
	}
	return c
}

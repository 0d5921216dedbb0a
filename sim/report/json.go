package report

import (
	"encoding/json"
	"fmt"
	"io"

	"shelly/sim/scenario"
)

// jsonVersion is the version of the JSON report's shape. A field may join a version;
// one that goes or changes its meaning makes another.
const jsonVersion = 1

// document is the JSON report, version 1. The table of SCN-41 tells what each field
// means. What is empty is left out, but for the fields without omitempty: an empty list
// among them is [], not null.
type document struct {
	Version int        `json:"version"`
	Passed  int        `json:"passed"`
	Failed  int        `json:"failed"`
	Differ  int        `json:"differ"`
	Errors  int        `json:"errors"`
	Skipped int        `json:"skipped"`
	ByFile  int        `json:"skipped_by_file,omitempty"`
	TookUS  *int64     `json:"took_us,omitempty"`
	Shard   string     `json:"shard,omitempty"`
	LeftOut int        `json:"left_out,omitempty"`
	Cases   []caseJSON `json:"cases"`

	Coverage *coverageJSON `json:"coverage,omitempty"`
}

type coverageJSON struct {
	Transitions Share  `json:"transitions"`
	States      Share  `json:"states"`
	Faults      Share  `json:"faults"`
	Rules       *Share `json:"rules,omitempty"`
}

type caseJSON struct {
	File      string         `json:"file"`
	Line      int            `json:"line,omitempty"`
	Name      string         `json:"name,omitempty"`
	Status    Status         `json:"status"`
	Tags      []string       `json:"tags,omitempty"`
	Covers    []string       `json:"covers,omitempty"`
	Skipped   string         `json:"skipped,omitempty"`
	ByFile    bool           `json:"skipped_by_file,omitempty"`
	TookUS    *int64         `json:"took_us,omitempty"`
	Seed      *uint64        `json:"seed,omitempty"`
	Steps     int            `json:"steps,omitempty"`
	Points    int            `json:"crash_points,omitempty"`
	Unknown   int            `json:"crash_unknown,omitempty"`
	Raced     int            `json:"crash_raced,omitempty"`
	Straight  []string       `json:"crash_not_judged,omitempty"`
	TraceHash string         `json:"trace_hash,omitempty"`
	Live      *scenario.Live `json:"live,omitempty"`
	Error     string         `json:"error,omitempty"`
	Problems  []problemJSON  `json:"problems,omitempty"`
	Failures  []failureJSON  `json:"failures,omitempty"`
	Again     string         `json:"again,omitempty"`
	Property  *Property      `json:"property,omitempty"`
}

type problemJSON struct {
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	Col  int    `json:"col,omitempty"`
	Path string `json:"path,omitempty"`
	Text string `json:"text"`
}

type failureJSON struct {
	File  string   `json:"file,omitempty"`
	Line  int      `json:"line,omitempty"`
	Col   int      `json:"col,omitempty"`
	Path  string   `json:"path,omitempty"`
	Text  string   `json:"text,omitempty"`
	Want  string   `json:"want,omitempty"`
	Got   string   `json:"got,omitempty"`
	Hint  string   `json:"hint,omitempty"`
	Diff  string   `json:"diff,omitempty"`
	Frame string   `json:"frame,omitempty"`
	Trace []string `json:"trace,omitempty"`
	Again string   `json:"again,omitempty"`
}

// JSON writes a report for programs (SCN-41). Equal outcomes give equal bytes.
func JSON(w io.Writer, r *Run) error {
	n := r.Count()
	doc := document{
		Version: jsonVersion, Passed: n.Passed, Failed: n.Failed, Differ: n.Differ, Errors: n.Errors, Skipped: n.Skipped,
		Cases: []caseJSON{}, ByFile: n.ByFile, Shard: r.Shard, LeftOut: r.LeftOut,
	}
	for i := range r.Cases {
		doc.Cases = append(doc.Cases, jsonCase(&r.Cases[i]))
	}
	if r.Times {
		doc.addTimes(r)
	}
	if r.Coverage != nil {
		doc.Coverage = jsonCoverage(r.Coverage)
	}
	return Document(w, doc)
}

// Document writes a document for programs, which a person can read too.
func Document(w io.Writer, doc any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(doc)
}

// addTimes adds how long the run and its cases took on the wall.
func (d *document) addTimes(r *Run) {
	all := r.Took.Microseconds()
	d.TookUS = &all
	for i := range d.Cases {
		us := r.Cases[i].Took.Microseconds()
		d.Cases[i].TookUS = &us
	}
}

func jsonCase(c *Case) caseJSON {
	out := caseJSON{
		File: c.File, Line: c.Line, Name: c.Name, Status: c.Status(), Tags: c.Tags, Covers: c.Covers,
		Skipped: c.Skipped, ByFile: c.ByFile, Seed: c.Seed, Steps: c.Steps, Points: c.Points, Unknown: c.Unknown, Raced: c.Raced, Straight: c.StraightOnly,
		Live: c.Live,
	}
	if hash := c.Hash(); hash != 0 {
		out.TraceHash = fmt.Sprintf("%016x", hash)
	}
	if c.Err != nil {
		out.Error = c.Err.Error()
	}
	if load := c.loadError(); load != nil {
		for _, p := range load.Problems {
			out.Problems = append(out.Problems, problemJSON{File: p.Pos.File, Line: p.Pos.Line, Col: p.Pos.Col, Path: p.Path, Text: p.Text})
		}
	}
	if out.Status != Passed {
		out.Again = c.again()
	}
	if p := c.Property; p != nil {
		whole := *p
		whole.Cover = append([]Reached{}, p.Cover...)
		out.Property = &whole
	}
	for _, f := range c.Failures {
		out.Failures = append(out.Failures, failureJSON{
			File: f.Pos.File, Line: f.Pos.Line, Col: f.Pos.Col, Path: f.Path, Text: f.Text,
			Want: f.Want, Got: f.Got, Hint: f.Hint, Diff: f.Diff, Frame: f.Frame, Trace: f.Trace, Again: f.Again,
		})
	}
	return out
}

func jsonCoverage(c *Coverage) *coverageJSON {
	share := func(s Share) Share {
		s.Missing = append([]string{}, s.Missing...)
		return s
	}
	out := &coverageJSON{Transitions: share(c.Transitions), States: share(c.States), Faults: share(c.Faults)}
	if c.NoRules == "" {
		rules := share(c.Rules)
		out.Rules = &rules
	}
	return out
}

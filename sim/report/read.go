package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"shelly/sim/scenario"
	"shelly/sim/scenario/choose"
	"shelly/sim/scenario/judge"
	"shelly/sim/strict"
)

// Read reads a JSON report (SCN-41) back. What it does not hold, the steps of a run and
// the source of files that do not load, is missing. Fields that it does not know are
// passed over, since a later version 1 may have them.
func Read(text []byte) (*Run, error) {
	var doc document
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, errors.New("is not a JSON report of shelly test: " + err.Error())
	}
	if doc.Version != jsonVersion {
		return nil, fmt.Errorf("is not a JSON report of version %d", jsonVersion)
	}
	if _, err := choose.ParseShard(doc.Shard); doc.Shard != "" && err != nil {
		return nil, errors.New("is not a JSON report of shelly test: shard " + err.Error())
	}
	r := &Run{Shard: doc.Shard, LeftOut: doc.LeftOut, Times: doc.TookUS != nil}
	if r.Times {
		r.Took = time.Duration(*doc.TookUS) * time.Microsecond
	}
	for i := range doc.Cases {
		c, err := doc.Cases[i].read()
		if err != nil {
			return nil, fmt.Errorf("cases[%d]: %w", i, err)
		}
		r.Cases = append(r.Cases, c)
	}
	says := Counts{Passed: doc.Passed, Failed: doc.Failed, Errors: doc.Errors, Skipped: doc.Skipped, Differ: doc.Differ, ByFile: doc.ByFile}
	if n := r.Count(); doc.Cases == nil || n != says {
		return nil, errors.New("is not a whole JSON report: it counts other cases than it has")
	}
	if c := doc.Coverage; c != nil {
		r.Coverage = &Coverage{Transitions: c.Transitions, States: c.States, Faults: c.Faults, NoRules: "no SPEC.md is above the scenarios"}
		if c.Rules != nil {
			r.Coverage.Rules, r.Coverage.NoRules = *c.Rules, ""
		}
	}
	return r, nil
}

// read makes a case of what the report says of it.
func (j *caseJSON) read() (Case, error) {
	c := Case{Outcome: scenario.Outcome{
		File: j.File, Line: j.Line, Name: j.Name, Tags: j.Tags, Covers: j.Covers, Skipped: j.Skipped, ByFile: j.ByFile, Seed: j.Seed,
		Steps: j.Steps, Points: j.Points, Unknown: j.Unknown, Raced: j.Raced, StraightOnly: j.Straight,
		Live: j.Live,
	}, Differs: j.Status == Differs, Property: j.Property, command: j.Again}
	if j.TookUS != nil {
		c.Took = time.Duration(*j.TookUS) * time.Microsecond
	}
	if j.TraceHash != "" {
		hash, err := strconv.ParseUint(j.TraceHash, 16, 64)
		if err != nil {
			return c, fmt.Errorf("trace_hash: %w", err)
		}
		c.TraceHash = hash
	}
	for _, f := range j.Failures {
		c.Failures = append(c.Failures, judge.Failure{
			Name: j.Name, File: j.File, Pos: strict.Pos{File: f.File, Line: f.Line, Col: f.Col}, Path: f.Path, Text: f.Text,
			Want: f.Want, Got: f.Got, Hint: f.Hint, Diff: f.Diff, Frame: f.Frame, Trace: f.Trace, Again: f.Again,
		})
	}
	switch {
	case len(j.Problems) > 0:
		load := &strict.Error{File: j.File}
		for _, p := range j.Problems {
			load.Problems = append(load.Problems, strict.Problem{Pos: strict.Pos{File: p.File, Line: p.Line, Col: p.Col}, Path: p.Path, Text: p.Text})
		}
		c.Err = load
	case j.Error != "":
		c.Err = errors.New(j.Error)
	}
	if got := c.Status(); got != j.Status {
		return c, fmt.Errorf("%s says %q and is %q by what it holds", c.Title(), j.Status, got)
	}
	return c, nil
}

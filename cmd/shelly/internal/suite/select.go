package suite

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"shelly/cmd/shelly/internal/exit"
	"shelly/sim/scenario"
	"shelly/sim/scenario/choose"
)

// selection says which of the loaded cases are wanted (SCN-37).
type selection struct {
	name  *regexp.Regexp
	tags  *choose.TagExpr // nil: any
	shard choose.Shard
	flags string // as they were given, for messages
}

// selection reads the flags that select.
func (c *Command) selection() (s selection, err error) {
	var flags []string
	if c.Only != "" {
		flags = append(flags, "--run "+c.Only)
	}
	if s.name, err = regexp.Compile(c.Only); err != nil {
		return s, exit.Errorf(exit.Usage, "--run: %w", err)
	}
	if c.Tags != nil {
		flags = append(flags, "--tags "+*c.Tags)
		s.tags, err = choose.ParseTags(*c.Tags)
		var wrong *choose.TagError
		if errors.As(err, &wrong) {
			return s, exit.Errorf(exit.Usage, "--tags: %s", wrong.Detail())
		}
	}
	if c.Shard != nil {
		if s.shard, err = choose.ParseShard(*c.Shard); err != nil {
			return s, exit.Errorf(exit.Usage, "--shard: %w", err)
		}
	}
	s.flags = strings.Join(flags, " and ")
	return s, nil
}

// pick returns the wanted cases in their order. It is an error where none is, but
// not where only the shard has none: there may be more shards than cases.
func (s *selection) pick(files []*scenario.File) ([]*scenario.File, error) {
	var picked []*scenario.File
	matched := 0
	for _, f := range files {
		if !s.matches(f) {
			continue
		}
		matched++
		if s.shard.Has(f.Name) {
			picked = append(picked, f)
		}
	}
	if matched == 0 && len(files) > 0 {
		return nil, exit.Errorf(exit.NoMatch, "no case matches %s%s", s.flags, s.hint(files))
	}
	return picked, nil
}

func (s *selection) matches(f *scenario.File) bool {
	return s.name.MatchString(f.Name) && (s.tags == nil || s.tags.Match(f.Tags))
}

// hint names a tag that no case has.
func (s *selection) hint(files []*scenario.File) string {
	var known []string
	for _, f := range files {
		known = append(known, f.Tags...)
	}
	if s.tags == nil || s.tags.Unknown(known) == "" {
		return ""
	}
	return ": " + s.tags.Unknown(known)
}

// list prints the cases: file and line, name, tags.
func (c *Command) list(w io.Writer, files []*scenario.File) error {
	if c.Format == "json" {
		return listJSON(w, files)
	}
	for _, f := range files {
		tags := ""
		if len(f.Tags) > 0 {
			tags = "  [" + strings.Join(f.Tags, ", ") + "]"
		}
		if _, err := fmt.Fprintf(w, "%s:%d  %s%s\n", f.Path(), f.Line(), f.Name, tags); err != nil {
			return err
		}
	}
	return nil
}

// listing is the JSON list, version 1. Its fields are those of the JSON report.
type listing struct {
	Version int      `json:"version"`
	Cases   []listed `json:"cases"`
}

type listed struct {
	File string   `json:"file"`
	Line int      `json:"line"`
	Name string   `json:"name"`
	Tags []string `json:"tags"`
}

func listJSON(w io.Writer, files []*scenario.File) error {
	l := listing{Version: 1, Cases: []listed{}}
	for _, f := range files {
		l.Cases = append(l.Cases, listed{f.Path(), f.Line(), f.Name, append([]string{}, f.Tags...)})
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(l)
}

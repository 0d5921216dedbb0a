package suite

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm/wording"
	"shelly/sim/report"
	"shelly/sim/scenario"
	"shelly/sim/scenario/choose"
)

// selection selects some of the loaded cases (SCN-37).
type selection struct {
	name *regexp.Regexp
	not  *regexp.Regexp  // nil: no case is left out
	tags *choose.TagExpr // nil: any
	narrow
	shard choose.Shard
	flags string // as they were given, for messages
}

// selection parses the flags that select.
func (c *Command) selection() (s selection, err error) {
	var flags []string
	if c.Only != "" {
		flags = append(flags, "--run "+c.Only)
	}
	if s.name, err = regexp.Compile(c.Only); err != nil {
		return s, exit.Errorf(exit.Usage, "--run: %s", wording.Regexp(err))
	}
	if c.Tags != nil {
		flags = append(flags, "--tags "+*c.Tags)
		s.tags, err = choose.ParseTags(*c.Tags)
		if wrong, ok := errors.AsType[*choose.TagError](err); ok {
			return s, exit.Errorf(exit.Usage, "--tags: %s", wrong.Detail())
		}
	}
	if c.Invert != "" {
		flags = append(flags, "--grep-invert "+c.Invert)
		if s.not, err = regexp.Compile(c.Invert); err != nil {
			return s, exit.Errorf(exit.Usage, "--grep-invert: %s", wording.Regexp(err))
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

// pick returns the selected cases in their order. It is an error if there are none, with two
// exceptions, which none then describes: only the shard has none, as there may be more shards
// than cases, or no case failed last or has changed.
func (s *selection) pick(files []*scenario.File) (picked []*scenario.File, none string, err error) {
	matched, left := 0, 0
	for _, f := range files {
		if !s.matches(f) {
			continue
		}
		matched++
		if !s.narrow.has(f) {
			continue
		}
		left++
		if s.shard.Has(f.Name) {
			picked = append(picked, f)
		}
	}
	switch {
	case len(files) == 0 || len(picked) > 0:
	case matched == 0:
		return nil, "", exit.Errorf(exit.NoMatch, "no case matches %s%s", s.flags, s.hint(files))
	case left == 0:
		none = s.nobody
	default:
		none = fmt.Sprintf("--shard %d/%d holds none of the cases", s.shard.Index, s.shard.Count)
	}
	return picked, none, nil
}

func (s *selection) matches(f *scenario.File) bool {
	return s.name.MatchString(f.Name) && (s.not == nil || !s.not.MatchString(f.Name)) && (s.tags == nil || s.tags.Match(f.Tags))
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
		return listJSON(terminal.Escaping(w), files)
	}
	for _, f := range files {
		tags := ""
		if len(f.Tags) > 0 {
			tags = "  [" + strings.Join(f.Tags, ", ") + "]"
		}
		if _, err := fmt.Fprintf(w, "%s:%d  %s%s\n", terminal.Printable(f.Path()), f.Line(), f.Name, tags); err != nil {
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
	return report.Document(w, l)
}

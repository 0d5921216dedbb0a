package main

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"shelly/cmd/mutants/on"
	"shelly/fsm/state"
	"shelly/sim"
	"shelly/sim/crash"
	"shelly/sim/explore"
	"shelly/sim/scenario/check"
	"shelly/sim/scenario/compile"
	"shelly/sim/scenario/document"
	"shelly/sim/scenario/format"
	"shelly/sim/scenario/golden"
	"shelly/sim/scenario/judge"
	"shelly/sim/strict"
)

// play is a case, and what a run without any change showed of it.
type play struct {
	file   *format.File
	golden golden.Kept
	took   time.Duration
	moves  map[state.Move]bool // moves of any handle
	met    []bool              // the changes in the code that it meets, by number
}

// loadCases reads the cases of all scenario files in a folder that need neither a model nor
// the real tools.
func loadCases(dir string) ([]*play, error) {
	var cases []*play
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, document.Suffix) {
			return err
		}
		some, err := loadFile(dir, path)
		cases = append(cases, some...)
		return err
	})
	return cases, err
}

func loadFile(dir, path string) ([]*play, error) {
	fsys := os.DirFS(dir)
	source, err := strict.ReadFile(fsys, path, strict.FileBytesMax)
	if err != nil {
		return nil, err
	}
	files, err := document.Load(fsys, path, source, format.Read, check.File)
	if err != nil {
		return nil, err
	}
	goldens := golden.Name(files)
	if problems := golden.Read(fsys, files, goldens); len(problems) > 0 {
		return nil, fmt.Errorf("%s: %s", path, problems[0].Text)
	}
	var cases []*play
	for i, f := range files {
		f.Settle()
		f.Name = filepath.Join(dir, path) + f.Label()
		if !f.Script.Live && !f.Tools.Real {
			cases = append(cases, &play{file: f, golden: goldens[i]})
		}
	}
	return cases, nil
}

// rehearse plays the cases without any change, records how long they take and which changes they
// meet, and sorts them, the quickest first. Each must pass. Codes is how many changes are in the
// code.
func rehearse(cases []*play, codes int) error {
	for _, c := range cases {
		if codes > 0 {
			c.met = on.Watch(codes)
		}
		start := time.Now()
		c.moves = map[state.Move]bool{}
		wrong := c.run(true, func(m state.Move) {
			m.Handle = 0
			c.moves[m] = true
		})
		c.took = time.Since(start)
		if wrong != "" {
			return fmt.Errorf("%s fails without any change: %s", c.file.Name, wrong)
		}
	}
	slices.SortStableFunc(cases, func(a, b *play) int { return cmp.Compare(a.took, b.took) })
	return nil
}

// run plays the case and returns what fails; "" if nothing does. The monitor's verdict counts
// only if watched is set.
func (c *play) run(watched bool, moved func(state.Move)) (wrong string) {
	defer func() {
		if r := recover(); r != nil {
			wrong = fmt.Sprintf("panic: %v", r)
		}
	}()
	plan := compile.Plan(c.file)
	result, err := c.result(plan)
	if err != nil {
		return err.Error()
	}
	for _, s := range result.Steps {
		for _, m := range s.Moves {
			moved(m)
		}
	}
	if !watched {
		result.Violations = nil
	}
	if f := judge.Run(c.file, result, c.golden, nil).Failures; len(f) > 0 {
		return told(f[0].Path, cmp.Or(f[0].Text, "got "+f[0].Got))
	}
	if !c.file.EveryCrash() {
		return ""
	}
	matrix, err := crash.Matrix(plan, sim.Options{})
	if err != nil {
		return err.Error()
	}
	for _, f := range matrix.Failures {
		if watched || !ofMonitor(f.Text) {
			return told(fmt.Sprintf("crash at point %d", f.Ordinal), f.Text)
		}
	}
	return ""
}

func (c *play) result(plan sim.Plan) (*sim.Result, error) {
	if c.file.Replay != nil {
		return explore.Replay(compile.From(c.file), compile.Told(c.file)), nil
	}
	return sim.Run(plan, sim.Options{})
}

// ofMonitor reports whether a failure of the crash matrix is a broken invariant that only the
// monitor has seen, and not the world.
func ofMonitor(text string) bool {
	return strings.HasPrefix(text, "INV-") && !strings.Contains(text, ": the world saw ") && !strings.HasSuffix(text, " has no reply")
}

// told returns a failure on one line.
func told(where, what string) string {
	const shown = 160 // approximate bytes
	line := strings.Join(strings.Fields(where+": "+what), " ")
	if len(line) > shown {
		line = strings.ToValidUTF8(line[:shown], "") + "…"
	}
	return line
}

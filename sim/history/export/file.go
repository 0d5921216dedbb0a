package export

import (
	"errors"
	"fmt"
	"strings"

	"shelly/sim"
	"shelly/sim/history/redact"
	"shelly/sim/scenario"
	"shelly/sim/scenario/judge"
	"shelly/sim/strict"
)

// File is a scenario that was written, loaded and played.
type File struct {
	Source []byte
	Hash   uint64 // of its trace
	result *sim.Result
}

// seedsTried are how many seeds a scenario is played under.
const seedsTried = 5

// steady reports whether a scenario holds whatever comes first of what comes at one time, such as where
// times are rounded (SIM-2): in the opposite order, and in that of some seeds.
func (f *File) steady() bool {
	orders := []sim.Chooser{latest{}}
	for seed := range uint64(seedsTried) {
		orders = append(orders, sim.NewSeeded(seed+1))
	}
	for _, order := range orders {
		again, err := scenario.Parse("export.scenario.yaml", f.Source)
		if err != nil {
			return false
		}
		if out := again.Run(sim.Options{Choose: order}); out.Err != nil || len(out.Failures) > 0 {
			return false
		}
	}
	return true
}

// latest chooses of what comes at one time what was set last, where a run without a seed takes the first.
type latest struct{}

// Choose implements [sim.Chooser].
func (latest) Choose(_ string, n int) int { return n - 1 }

// ErrFile says that a file would not load or hold.
var ErrFile = errors.New("what was exported does not hold")

// played loads and plays a scenario. Where it does not hold there is a file all the
// same.
func played(source []byte) (*File, error) {
	f, err := scenario.Parse("export.scenario.yaml", source)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFile, err)
	}
	out := f.Run(sim.Options{})
	if out.Err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFile, out.Err)
	}
	file := &File{Source: source, Hash: out.Hash(), result: out.Result}
	if len(out.Failures) > 0 {
		first := out.Failures[0]
		return file, fmt.Errorf("%w: %s: %s", ErrFile, first.Path, told(first))
	}
	return file, nil
}

// told is what failed, on one line.
func told(f judge.Failure) string {
	if f.Want == "" {
		return f.Text
	}
	return "want " + f.Want + ", got " + f.Got
}

// Check is an error if a secret is in the file (SCN-48): in its bytes in any form, or in
// one of its texts by the shape of a credential. It says which kind it is and not what.
func (f *File) Check(by *redact.Redactor) error {
	if kind, found := by.Known(string(f.Source)); found {
		return leaked(kind)
	}
	for line := range strings.Lines(string(f.Source)) {
		if comment, ok := strings.CutPrefix(strings.TrimSpace(line), "#"); ok {
			if kind, found := by.Find(comment); found {
				return leaked(kind)
			}
		}
	}
	root, problem := strict.Parse(f.Source, "a scenario", "")
	if problem != nil {
		return strict.Failed("", nil, []strict.Problem{*problem})
	}
	return checkNode(root, by)
}

func checkNode(n *strict.Node, by *redact.Redactor) error {
	if kind, found := by.Find(strings.ReplaceAll(n.Value, "$${", "${")); found { // as the text has it
		return leaked(kind)
	}
	for _, c := range n.Content {
		if err := checkNode(c, by); err != nil {
			return err
		}
	}
	return nil
}

func leaked(kind string) error {
	return fmt.Errorf("a secret is still in the file, and nothing is written: %s", kind)
}

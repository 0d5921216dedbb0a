package scenario

import (
	"os"
	"slices"
	"testing"

	"shelly/sim"
	"shelly/sim/coverage"
	"shelly/sim/scenario/choose"
	"shelly/sim/scenario/format"
	"shelly/sim/strict"
)

// Every scenario of the project holds, and running it again is the same run
// (SCN-11).
func TestScenariosOfTheProjectHold(t *testing.T) {
	covered := coverage.New()
	for _, f := range projectCases(t) {
		t.Run(f.Path()+"/"+f.Name, func(t *testing.T) {
			o := f.Run(sim.Options{})
			if o.Err != nil {
				t.Fatal(o.Err)
			}
			if o.Skipped != "" {
				t.Skip(o.Skipped)
			}
			for _, failure := range o.Failures {
				t.Error("\n" + failure.String())
			}
			for _, s := range o.Result.Steps {
				covered.Add(s.Moves)
			}
			if again := uncrashed(f).Run(sim.Options{}); again.Hash() != o.Hash() {
				t.Errorf("trace hash %x, then %x", o.Hash(), again.Hash())
			}
			if len(f.Covers) == 0 {
				t.Error("covers no rule")
			}
		})
	}
	for _, row := range covered.Missing() {
		t.Errorf("no scenario reaches row %s: %s on %s → %s (%s)", row.Table, row.From, row.On, row.To, row.Rule)
	}
}

// No scenario of the project rests on what happens first of what is due at once,
// so each also holds where a seed chooses that.
func TestScenariosHoldInAnyOrderOfWhatIsDueAtOnce(t *testing.T) {
	for _, f := range projectCases(t) {
		for seed := range uint64(8) {
			for _, failure := range uncrashed(f).Run(sim.Options{Choose: sim.NewSeeded(seed)}).Failures {
				t.Errorf("seed %d:\n%s", seed, failure)
			}
		}
	}
}

// uncrashed returns a case for one run, where it asks for one at each crash point, too.
func uncrashed(f *File) *File {
	f.Faults.Crash = slices.DeleteFunc(f.Faults.Crash, func(c format.Crash) bool { return c.At == format.EveryPoint })
	return f
}

// projectCases are all cases of the project's scenario files; a file that does not
// load fails the test.
func projectCases(t *testing.T) []*File {
	t.Helper()
	fsys := os.DirFS("../../scenarios")
	files, err := choose.Find(fsys, []string{"."})
	if err != nil {
		t.Fatal(err)
	}
	var all []*File
	for _, file := range files {
		cases, err := Load(fsys, file.Path)
		if err != nil {
			t.Error("\n" + err.(*strict.Error).Detail())
		}
		all = append(all, slices.DeleteFunc(cases, func(f *File) bool { return f.Property() != nil })...)
	}
	return all
}

// Nothing in the project's scenarios is doubtful (SCN-21).
func TestLintFindsNothingInTheProject(t *testing.T) {
	found, _ := Lint(projectCases(t), nil)
	for _, f := range found {
		t.Errorf("got a finding; want none\n%s", f.Detail())
	}
}

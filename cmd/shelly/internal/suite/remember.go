package suite

import (
	"path/filepath"

	"shelly/cmd/shelly/internal/lastrun"
	"shelly/sim/report"
	"shelly/sim/scenario"
	"shelly/sim/scenario/choose"
)

// remember keeps which cases failed for --last-failed (SCN-62). A failure to keep them does not
// fail the run: the next --last-failed then reports that it knows of none. Of a file of which a
// pattern names lines, all has some of the cases: the others are not forgotten.
func remember(patterns []string, all []*scenario.File, broken, played []report.Case) {
	last, err := lastrun.Of(".")
	if err != nil {
		return
	}
	names := map[string][]string{}
	for _, f := range all {
		names[f.Path()] = append(names[f.Path()], f.Name)
	}
	for _, p := range patterns {
		if file, line := choose.SplitLine(p); line > 0 {
			delete(names, filepath.Clean(file))
		}
	}
	for file, of := range names { // order-free: each file is independent
		last.Loaded(whole(file), of)
	}
	for i := range broken {
		last.Played(lastrun.Case{File: whole(broken[i].File)}, true)
	}
	for i := range played {
		if p := &played[i]; p.Status() != report.Skipped {
			last.Played(lastrun.Case{File: whole(p.File), Name: p.Name}, p.Status().Fails())
		}
	}
	_ = last.Save()
}

package suite

import (
	"shelly/cmd/shelly/internal/lastrun"
	"shelly/sim/report"
	"shelly/sim/scenario"
)

// remember keeps which cases failed for --last-failed (SCN-62). A failure to keep them does not
// fail the run: the next --last-failed then reports that it knows of none.
func remember(all []*scenario.File, broken, played []report.Case) {
	last, err := lastrun.Of(".")
	if err != nil {
		return
	}
	names := map[string][]string{}
	for _, f := range all {
		names[f.Path()] = append(names[f.Path()], f.Name)
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

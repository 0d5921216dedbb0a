package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
)

// settings are the flags.
type settings struct {
	sample  int
	seed    uint64
	only    string
	dir     string
	verbose bool
	workers int
	serve   int
}

func main() {
	var s settings
	flag.IntVar(&s.sample, "n", 0, "draw this many changes of the machine's code; 0: change the tables")
	flag.Uint64Var(&s.seed, "seed", 1, "of the draw")
	flag.StringVar(&s.only, "run", "", "only the mutants whose names match this regular expression")
	flag.StringVar(&s.dir, "scenarios", "scenarios", "the folder of the scenario files")
	flag.BoolVar(&s.verbose, "v", false, "print what killed each mutant")
	flag.IntVar(&s.workers, "workers", 2, "how many processes run at once")
	flag.IntVar(&s.serve, "serve", -1, "give verdicts on mutants whose numbers come on standard input; the value is how many are built in")
	flag.Parse()
	if err := run(s); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func run(s settings) error {
	only, err := regexp.Compile(s.only)
	switch {
	case err != nil:
		return err
	case s.serve >= 0:
		return serve(s.dir, s.serve)
	case s.sample > 0:
		return sampled(s, only)
	default:
		return tables(s, only)
	}
}

// tables judges the mutants of the tables.
func tables(s settings, only *regexp.Regexp) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	var names []string
	for _, m := range tableMutants() {
		names = append(names, m.name)
	}
	r := report{scope: "tables", names: names, there: names, verbose: s.verbose}
	chosen := matching(names, only)
	if err := judged(s.workers, []string{self, "-scenarios", s.dir, "-serve", "0"}, chosen, r.take); err != nil {
		return err
	}
	return r.end(fmt.Sprintf("%d changes of the tables and phases", len(chosen)))
}

// matching returns the numbers of the selected mutants.
func matching(names []string, only *regexp.Regexp) []int {
	var chosen []int
	for i, name := range names {
		if only.MatchString(name) {
			chosen = append(chosen, i+1)
		}
	}
	return chosen
}

// report collects verdicts.
type report struct {
	scope   string   // the heading in the list of equivalents
	names   []string // of the mutants; mutant n is at n-1
	there   []string // all mutants
	verbose bool
	lived   []verdict
	killed  []verdict
}

func (r *report) name(v verdict) string { return r.names[v.Mutant-1] }

func (r *report) take(v verdict) {
	if v.By == "" {
		r.lived = append(r.lived, v)
		if r.verbose {
			fmt.Printf("%s\n    lives; cases that meet it: %d\n", r.name(v), v.Met)
		}
		return
	}
	r.killed = append(r.killed, v)
	if r.verbose {
		fmt.Printf("%s\n    %s\n    %s\n", r.name(v), v.By, v.Why)
	}
}

// end prints the mutants that have survived, and returns an error if they are not those in the
// list of equivalents.
func (r *report) end(what string) error {
	slices.SortFunc(r.lived, func(a, b verdict) int { return cmp.Compare(a.Mutant, b.Mutant) })
	equivalent, err := equivalents(r.scope)
	if err != nil {
		return err
	}
	wrong, known := 0, 0
	for _, v := range r.lived {
		if _, ok := equivalent[r.name(v)]; ok {
			known++
			continue
		}
		wrong++
		fmt.Printf("survives: %s\n    cases that meet it: %d; add a scenario that it breaks, or say in cmd/mutants/equivalents.txt why none can be\n", r.name(v), v.Met)
	}
	for _, v := range r.killed {
		if _, ok := equivalent[r.name(v)]; ok {
			wrong++
			fmt.Printf("not equivalent: %s\n    killed by %s: %s\n", r.name(v), v.By, v.Why)
		}
	}
	for name := range equivalent {
		if !slices.Contains(r.there, name) {
			wrong++
			fmt.Printf("no such mutant: %s (in cmd/mutants/equivalents.txt)\n", name)
		}
	}
	tests := 0
	for _, v := range r.killed {
		if v.Tested {
			tests++
		}
	}
	fmt.Printf("%s: %d killed by scenarios, %d more by tests, %d equivalent\n", what, len(r.killed)-tests, tests, known)
	if wrong > 0 {
		return errors.New("see above")
	}
	return nil
}

// command runs a command and returns what it writes.
func command(name string, args ...string) ([]byte, error) {
	cmd := exec.Command(name, args...)
	cmd.Stderr = os.Stderr
	return cmd.Output()
}

package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"shelly/cmd/mutants/on"
)

// testTime is how long the tests of a package may take; without a change the longest take about
// fifteen seconds on an idle machine.
const testTime = "10m"

// sampled judges changes of the code, drawn by a seed: by the scenarios and, if a change
// survives them, by the tests of package fsm and those below it.
func sampled(s settings, only *regexp.Regexp) error {
	src, err := readSources()
	if err != nil {
		return err
	}
	var all []change
	for _, f := range src.files {
		all = append(all, changesIn(f)...)
	}
	r := report{scope: "code", verbose: s.verbose}
	for _, c := range all {
		r.there = append(r.there, c.name)
	}
	drawn, err := src.draw(matchingChanges(all, only), s.sample, s.seed)
	if err != nil {
		return err
	}
	for _, c := range drawn {
		r.names = append(r.names, c.name)
	}
	dir, err := os.MkdirTemp("", "mutants-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	overlay, err := src.overlay(dir, drawn)
	if err != nil {
		return err
	}
	program := filepath.Join(dir, "mutants")
	if _, err := command("go", "build", "-overlay", overlay, "-o", program, "./cmd/mutants"); err != nil {
		return fmt.Errorf("go build: %w", err)
	}
	serve := []string{program, "-scenarios", s.dir, "-serve", strconv.Itoa(len(drawn))}
	if err := judged(s.workers, serve, matching(r.names, only), r.take); err != nil {
		return err
	}
	if err := r.test(s.workers, dir, overlay); err != nil {
		return err
	}
	return r.end(fmt.Sprintf("%d of %d changes of the code, seed %d", len(drawn), len(all), s.seed))
}

func matchingChanges(all []change, only *regexp.Regexp) []change {
	return slices.DeleteFunc(slices.Clone(all), func(c change) bool { return !only.MatchString(c.name) })
}

// draw draws n changes with which the code still compiles, or all such changes if there are
// fewer.
func (s *sources) draw(all []change, n int, seed uint64) ([]change, error) {
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for take := min(n, len(all)); ; {
		fit, err := s.fitting(all[:take])
		if err != nil || len(fit) >= n || take == len(all) {
			return fit, err
		}
		take = min(take+n-len(fit), len(all))
	}
}

// test judges the survivors of the scenarios by tests.
func (r *report) test(workers int, dir, overlay string) error {
	lived := r.lived
	r.lived = nil
	if len(lived) == 0 {
		return nil
	}
	out, err := command("go", "list", "-f", "{{if or .TestGoFiles .XTestGoFiles}}{{.Dir}}{{end}}", "./fsm/...")
	if err != nil {
		return fmt.Errorf("go list: %w", err)
	}
	var tests []test
	for i, folder := range strings.Fields(string(out)) {
		t := test{folder, filepath.Join(dir, strconv.Itoa(i)+".test")}
		if _, err := command("go", "test", "-c", "-overlay", overlay, "-o", t.program, folder); err != nil {
			return fmt.Errorf("go test -c: %w", err)
		}
		tests = append(tests, t)
	}
	next, verdicts := make(chan verdict, len(lived)), make(chan verdict)
	for _, v := range lived {
		next <- v
	}
	close(next)
	for range workers {
		go func() {
			for v := range next {
				verdicts <- tested(v, nearest(tests, r.name(v)))
			}
		}()
	}
	for range lived {
		r.take(<-verdicts)
	}
	return nil
}

// nearest returns the tests in the order in which they judge a change, that of its own package
// first.
func nearest(tests []test, change string) []test {
	file, _, _ := strings.Cut(change, " ")
	own := func(t test) bool { return strings.HasSuffix(t.folder, string(filepath.Separator)+filepath.Dir(file)) }
	return append(slices.DeleteFunc(slices.Clone(tests), func(t test) bool { return !own(t) }), slices.DeleteFunc(slices.Clone(tests), own)...)
}

// tested returns the tests' verdict on a mutant.
func tested(v verdict, tests []test) verdict {
	for _, t := range tests {
		if why := t.fails(v.Mutant); why != "" {
			v.By, v.Why, v.Tested = t.folder, why, true
			break
		}
	}
	return v
}

// test is the compiled test program of a package.
type test struct{ folder, program string }

// fails returns what fails with mutant n on; "" if nothing does.
func (t test) fails(n int) string {
	cmd := exec.Command(t.program, "-test.failfast", "-test.timeout", testTime)
	cmd.Dir = t.folder
	cmd.Env = append(os.Environ(), on.Variable+"="+strconv.Itoa(n))
	out, err := cmd.CombinedOutput()
	if err == nil {
		return ""
	}
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "--- FAIL: ") {
			return strings.TrimSpace(line)
		}
	}
	return err.Error()
}

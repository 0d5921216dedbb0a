package main

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"shelly/cmd/mutants/on"
)

// test is a test of a package, or several of them, and what a run without any change showed.
type test struct {
	folder, program string
	name            string // several: with | between them
	took            time.Duration
	met             []byte // by number of a change: not 0 if the test meets it
}

// test judges the survivors of the scenarios by the tests of package fsm and the packages below
// it. Codes is how many changes are built in.
func (r *report) test(workers int, dir, overlay string, codes int) error {
	lived := r.lived
	r.lived = nil
	if len(lived) == 0 {
		return nil
	}
	tests, err := loadTests(dir, overlay)
	if err != nil {
		return err
	}
	watched, err := each(workers, tests, func(t test) (test, error) { return t.watched(dir, codes) })
	if err != nil {
		return err
	}
	verdicts, err := each(workers, lived, func(v verdict) (verdict, error) { return tested(v, watched), nil })
	for _, v := range verdicts {
		r.take(v)
	}
	return err
}

// each has a number of workers do something to all of a list.
func each[T any](workers int, list []T, do func(T) (T, error)) ([]T, error) {
	next, failed := make(chan int, len(list)), make(chan error)
	done := make([]T, len(list))
	for i := range list {
		next <- i
	}
	close(next)
	for range workers {
		go func() {
			var err error
			for i := range next {
				if done[i], err = do(list[i]); err != nil {
					break
				}
			}
			failed <- err
		}()
	}
	var err error
	for range workers {
		err = cmp.Or(<-failed, err)
	}
	return done, err
}

// loadTests compiles the tests of each package and returns all of them.
func loadTests(dir, overlay string) ([]test, error) {
	out, err := command("go", "list", "-f", "{{if or .TestGoFiles .XTestGoFiles}}{{.Dir}}{{end}}", "./fsm/...")
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	var tests []test
	for i, folder := range strings.Fields(string(out)) {
		program := filepath.Join(dir, strconv.Itoa(i)+".test")
		if _, err := command("go", "test", "-c", "-overlay", overlay, "-o", program, folder); err != nil {
			return nil, fmt.Errorf("go test -c: %w", err)
		}
		names, err := command(program, "-test.list", "^(Test|Fuzz|Example)")
		if err != nil {
			return nil, fmt.Errorf("the tests of %s: %w", folder, err)
		}
		for _, name := range strings.Fields(string(names)) {
			tests = append(tests, test{folder: folder, program: program, name: name})
		}
	}
	return tests, nil
}

// watched runs the test without any change and returns it with what that showed.
func (t test) watched(dir string, codes int) (test, error) {
	path := filepath.Join(dir, filepath.Base(t.program)+"."+t.name)
	if err := os.WriteFile(path, make([]byte, codes+1), 0o600); err != nil {
		return t, err
	}
	start := time.Now()
	if why := t.fails(on.WatchVariable+"="+path, time.Hour); why != "" {
		return t, fmt.Errorf("%s fails without any change: %s", t.name, why)
	}
	t.took = time.Since(start)
	var err error
	t.met, err = os.ReadFile(path)
	return t, err
}

// quick is how long a test may take to run together with the others of its package.
const quick = 300 * time.Millisecond

// tested returns the verdict of the tests that meet a mutant, those that take less time first.
func tested(v verdict, tests []test) verdict {
	for _, b := range batches(v.Mutant, tests) {
		most := time.Minute + 20*b.took // in case the change makes it run without end
		if why := b.fails(on.Variable+"="+strconv.Itoa(v.Mutant), most); why != "" {
			v.By, v.Why, v.Tested = b.folder, why, true
			break
		}
	}
	return v
}

// batches returns the tests that meet a mutant: the quick ones of each package as one, then each
// of the others.
func batches(mutant int, tests []test) []test {
	var some, single []test
	for _, t := range tests {
		at := slices.IndexFunc(some, func(b test) bool { return b.program == t.program })
		switch {
		case t.met[mutant] == 0:
		case t.took > quick:
			single = append(single, t)
		case at < 0:
			some = append(some, t)
		default:
			some[at].name += "|" + t.name
			some[at].took += t.took
		}
	}
	sooner := func(a, b test) int { return cmp.Compare(a.took, b.took) }
	slices.SortStableFunc(some, sooner)
	slices.SortStableFunc(single, sooner)
	return append(some, single...)
}

// fails runs the test with a variable of the environment, and returns what fails; "" if nothing
// does.
func (t test) fails(variable string, most time.Duration) string {
	cmd := exec.Command(t.program, "-test.run", "^("+t.name+")$", "-test.failfast", "-test.timeout", most.String())
	cmd.Dir = t.folder
	cmd.Env = append(os.Environ(), variable)
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

package suite

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"shelly/sim/report"
	"shelly/sim/scenario"
)

// player runs cases concurrently (SCN-38).
type player struct {
	workers     int // at least 1
	failuresMax int // after which it stops; 0: never
	run         func(*scenario.File) report.Case
	progress    *progress
}

// play reports the results of cases in their order, each as soon as those before it are reported.
// With failuresMax, the last result that it reports is that failure in this order, whatever else
// is running. When ctx ends, it reports the results so far and does not wait for running cases.
func (p *player) play(ctx context.Context, files []*scenario.File, tell func(report.Case)) {
	next, results := make(chan int), make(chan played, len(files)) // buffered, so that no case waits to report its result
	defer close(next)
	for range min(p.workers, len(files)) {
		go p.work(files, next, results)
	}
	waiting := make([]*report.Case, len(files)) // results that wait for those before them
	seen, failures := 0, 0                      // failures that have arrived, and those reported
	for sent, told := 0, 0; told < len(files); {
		feed := next
		if sent == len(files) {
			feed = nil
		}
		select {
		case feed <- sent:
			sent++
			continue
		case r := <-results:
			waiting[r.nth] = &r.Case
			if r.Status().Fails() {
				seen++
			}
			if seen == p.failuresMax && seen > 0 {
				sent = len(files) // those before it are running
			}
		case <-ctx.Done():
			for _, out := range waiting[told:] {
				if out != nil {
					tell(*out)
				}
			}
			return
		}
		for ; told < len(files) && waiting[told] != nil; told++ {
			tell(*waiting[told])
			if waiting[told].Status().Fails() {
				failures++
			}
			if failures == p.failuresMax && failures > 0 {
				return
			}
			waiting[told] = nil // the outcome is large: it holds a whole run
		}
	}
}

// played is the result of the n-th case.
type played struct {
	nth int
	report.Case
}

func (p *player) work(files []*scenario.File, next <-chan int, results chan<- played) {
	for i := range next {
		p.progress.begin(i, files[i].Name)
		out := p.guarded(files[i])
		p.progress.end(i, out.Status().Fails())
		results <- played{i, out}
	}
}

// guarded runs a case. A panic is an error of that case alone.
func (p *player) guarded(f *scenario.File) (out report.Case) {
	defer func() {
		if r := recover(); r != nil {
			out.Outcome = f.Unplayed()
			out.Err = fmt.Errorf("%s: panic: %v\n%s", f.Path(), r, panicked())
		}
	}()
	return p.run(f)
}

const panicFramesMax = 10

// panicked lists the calls that led to the recovered panic, the innermost first.
func panicked() string {
	calls := make([]uintptr, 64)
	frames := runtime.CallersFrames(calls[:runtime.Callers(3, calls)]) // without this function and the recovering one
	var lines []string
	for more := true; more && len(lines) < panicFramesMax; {
		var f runtime.Frame
		f, more = frames.Next()
		if !strings.HasPrefix(f.Function, "runtime.") {
			lines = append(lines, fmt.Sprintf("  %s %s:%d", f.Function, filepath.Base(f.File), f.Line))
		}
	}
	return strings.Join(lines, "\n")
}

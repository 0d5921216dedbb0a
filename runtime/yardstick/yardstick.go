package yardstick

import (
	"testing"
	"time"
)

// leastRuns is the least number of runs of a yardstick.
const leastRuns = 3

// Of reports the time of an iteration of b relative to one call of run, as the metric
// "of-" and name: 2 means twice its time. Call it after the loop of b; it measures for a
// tenth of the time that the loop took.
func Of(b *testing.B, name string, run func()) {
	b.Helper()
	took := b.Elapsed()
	b.ReportMetric(float64(took)/float64(b.N)/float64(Mean(took/10, run)), "of-"+name)
}

// Mean returns the mean time of a run, over as many runs as fit into about the given time, but
// at least three.
func Mean(about time.Duration, run func()) time.Duration {
	for runs := leastRuns; ; runs *= 2 {
		start := time.Now()
		for range runs {
			run()
		}
		if took := time.Since(start); took >= about/2 {
			return max(1, took/time.Duration(runs))
		}
	}
}

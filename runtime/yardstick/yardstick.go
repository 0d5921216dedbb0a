package yardstick

import (
	"testing"
	"time"
)

// leastRuns is how often a yardstick is measured at least.
const leastRuns = 3

// Of reports what an iteration of b took beside one run of yardstick, as the metric
// "of-" and name: 2 is twice its time. It is called after the loop of b, and measures for a
// tenth of the time that the loop took.
func Of(b *testing.B, name string, run func()) {
	b.Helper()
	took := b.Elapsed()
	b.ReportMetric(float64(took)/float64(b.N)/float64(Mean(took/10, run)), "of-"+name)
}

// Mean returns the mean time of a run of those that fit into about that long, or of three.
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

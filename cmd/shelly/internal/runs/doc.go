// Package runs keeps what the runs of cases did, step by step, until it is printed (CLI-160)
// or written into an HTML file (CLI-162). Without a [Recorder] nothing is kept: a run is
// large.
package runs

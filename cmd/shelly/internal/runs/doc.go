// Package runs keeps the steps of the runs of cases until they are printed (CLI-160) or written
// into an HTML file (CLI-162). Without a [Recorder] nothing is kept, because a run is large.
package runs

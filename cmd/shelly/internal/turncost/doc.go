// Package turncost measures what a turn costs beside its model: the real daemon as a process
// of its own, over real HTTP and a store on the disk, against bare loops that ask the very same
// instant model, which is a third process, and against the agent loop of eino, which is a fourth
// and a module of its own, .ci/bench (see BenchmarkTurn).
package turncost

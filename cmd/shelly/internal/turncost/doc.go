// Package turncost measures what a turn costs besides its model. It compares the real daemon, a
// process of its own with real HTTP and a store on disk, with bare loops that ask the same
// instant model, which is a third process, and with the agent loop of eino, which is a fourth
// process and a module of its own, .ci/bench (see BenchmarkTurn).
package turncost

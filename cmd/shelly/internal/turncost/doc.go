// Package turncost measures what a turn costs in addition to its model: the real daemon as a
// process of its own, over real HTTP and with a store on disk, against bare loops that ask the
// same instant model, which is a third process, and against the agent loop of eino, which is a
// fourth process and a module of its own, .ci/bench (see BenchmarkTurn).
package turncost

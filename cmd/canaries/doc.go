// Command canaries puts known bugs back into the code, for the builds in which the proof must
// find each of them (SIM-12): a canary that survives is a hole in the proof. It writes the
// changed files into a folder, with an overlay.json for the flag -overlay of go build, go test
// and go vet. The code itself has no trace of them.
//
// Each file of testdata is a canary, in the folder of the tests that find it: "machine" is for
// every part of the proof, "twice" for a second run, "store" for the tests of the store. It
// describes the bug, and then names a file, the text to replace and its replacement. That text
// must be in the file exactly once; space around it does not count. All canaries are in one
// build, asleep until fsm.SetCanary wakes one. The files of testdata/added are new in that build, and
// so are the tests with the build tag canary, without it.
//
//	canaries DIR
package main

// Package lockstep plays scenarios with the real adapters: the Ollama client over a
// real socket, the tool runner, the memory, the sessions, the skills and the Pebble
// store. It is what `shelly test --on runtime` does.
//
// The simulator keeps its schedule and its virtual clock: it decides what happens next, and
// what the world answers. [sim.Run] passes each effect to a [sim.Backend], which performs it
// for real, one at a time. Here that is the type live. Its parts:
//
//	live.go    what is started for a case, and the effects of the model and of tools
//	server.go  the server that the client asks: it says what the simulator decided, and
//	           notes how what it was sent differs from what the machine asked
//	spoken.go  a script's line as that server says it, and that comparison
//	stream.go  the pieces of an answer, and calls that hang or are given up
//	memory.go  recall, embedding and storing
//	kept.go    skills, sessions, MEMORY.md and HISTORY.md
//	disk.go    a crashable file system in memory for the store, and its faults
//	model.go   a real model in the script's place
//
// There are two entry points. [Compare] plays a case in the simulator alone and then with the
// adapters, and fails it at the first step, record, entry, file or piece in which the two
// differ (compare.go). [Models] plays a case with `brain: live`, whose answers come from a
// model, so that only its stored records can be compared (models.go). [Spoken] serves a script
// to any other client.
//
// A difference is a failure of the case; an error of the outcome reports that the case could
// not be played at all.
package lockstep

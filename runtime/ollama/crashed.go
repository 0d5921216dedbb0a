package ollama

import (
	"strings"

	"shelly/fsm"
)

// A server runs each model in a process of its own and starts that again at the next call
// (BRN-31). What it says of one that died differs by how it noticed.
var deadRunner = []string{
	"llama runner process has terminated",
	"llama runner process no longer running",
	"runner has unexpectedly stopped",
	"an error was encountered while running the model",
	"unexpected EOF",
}

// runnerDied reports whether the server says that the process of the model has died.
func runnerDied(text string) bool { return saysOneOf(text, deadRunner) }

// A server answers 500 also to what it will refuse each time: asking again would only
// make a person wait.
var refusedEachTime = []string{
	`option "`,
	"invalid format",
	"invalid JSON schema",
	"requires more system memory",
	"unable to load model",
	"unknown model architecture",
	"no such file or directory",
	"permission denied",
	"template: ",
}

// ourFault reports whether a 500 is one that asking again cannot help. A runner that died
// is never.
func ourFault(text string) bool { return !runnerDied(text) && saysOneOf(text, refusedEachTime) }

func saysOneOf(text string, parts []string) bool {
	for _, part := range parts {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}

func (c *Client) crashed(text string) *Error {
	if !runnerDied(text) {
		return failure(fsm.BrainCrashed, "the Ollama server at %s failed by itself (status 500: %s): look at its log if this goes on", c.base, text)
	}
	return failure(fsm.BrainCrashed, "the Ollama server at %s has lost its model (%s): it loads it again at the next call; if this goes on, look at the server's log", c.base, text)
}

package ollama

import (
	"slices"
	"strings"

	"shelly/fsm"
)

// A server runs each model in a process of its own, and starts that again at the next call
// (BRN-31). How it reports one that died depends on how it noticed.
var deadRunner = []string{
	"llama runner process has terminated",
	"llama runner process no longer running",
	"llama-server process has terminated",
	"llama-server process no longer running",
	"runner has unexpectedly stopped",
	"an error was encountered while running the model",
	"error reading llama-server",
	"error unmarshalling llama-server", // its last words were cut off
	"unexpected EOF",
}

// runnerDied reports whether the server says that the process of the model died.
func runnerDied(text string) bool { return saysOneOf(text, deadRunner) }

// A server also answers 500 to what it will refuse every time: asking again would only make a
// person wait.
var refusedEachTime = []string{
	`option "`,
	"invalid format",
	"invalid JSON schema",
	"no such file or directory",
	"permission denied",
	"llama-server binary not found",
	"template: ",
}

// cannotLoad are the words for a model that the server cannot load as it is, whether it says that
// before it starts a process for it or reports what the process died of.
var cannotLoad = []string{
	"requires more system memory",
	"out-of-memory during startup",
	"unable to load model",
	"error loading model",
	"unknown model architecture",
	"exceeds file size",
	"incompatible with your version of Ollama",
}

// noMemory are the last words of a process that found too little memory. A server with other models
// in memory has dropped those and tried again before it reports them.
var noMemory = []string{
	"out of memory",
	"cudaMalloc failed",
	"hipMalloc failed",
	"failed to allocate",
	"ErrorOutOfDeviceMemory",
}

// diedLoading are the words for a process that died while it loaded its model, as opposed to later.
const diedLoading = "process has terminated"

// ourFault reports whether a 500 would come again however often one asks. If the runner died, that
// is so only if it died of loading.
func ourFault(text string) bool {
	if runnerDied(text) {
		return saysOneOf(text, cannotLoad) || strings.Contains(text, diedLoading) && saysOneOf(text, noMemory)
	}
	return saysOneOf(text, cannotLoad) || saysOneOf(text, refusedEachTime)
}

func saysOneOf(text string, parts []string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(text, part) })
}

func (c *Client) crashed(text string) *Error {
	if !runnerDied(text) {
		return failure(fsm.BrainCrashed, "the Ollama server at %s failed (status 500: %s): see its log if this keeps happening", c.base, text)
	}
	return failure(fsm.BrainCrashed, "the Ollama server at %s lost its model (%s) and loads it again at the next call; see its log if this keeps happening", c.base, text)
}

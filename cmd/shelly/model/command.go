// Package model is shelly model, which lists and pulls the models of the server.
package model

import (
	"errors"
	"time"

	"shelly/cmd/shelly/internal/exit"
	"shelly/fsm"
	"shelly/runtime/ollama"
)

// Command lists and pulls models of the Ollama server (CLI-19).
type Command struct {
	List listCmd `cmd:"" help:"List the installed models, what they can do, and which of them shelly uses."`
	Pull pullCmd `cmd:"" help:"Have the Ollama server download a model."`
}

// listTimeout bounds the listing.
const listTimeout = 30 * time.Second

// failed words an error of a pull, chooses its exit code, and says what can be done.
func failed(name string, err error) error {
	failed := (*ollama.Error)(nil)
	switch {
	case errors.Is(err, ollama.ErrNoSuchModel):
		return exit.Errorf(exit.NoMatch, "%w: https://ollama.com/library lists those there are", err)
	case errors.Is(err, ollama.ErrDiskFull):
		return exit.Errorf(exit.Disk, "%w: remove models with \"ollama rm NAME\", or set OLLAMA_MODELS there to a folder on a larger disk", err)
	case errors.Is(err, ollama.ErrOffline):
		return exit.Errorf(exit.Unreachable, "%w: pull %s on a machine that has access and copy its folder of models (~/.ollama/models, or OLLAMA_MODELS) into the server's; "+
			"or copy a GGUF file there and create the model from it: \"ollama create %s -f Modelfile\", where the file says FROM ./FILE.gguf", err, name, name)
	case errors.As(err, &failed) && failed.Class == fsm.BrainUnreachable:
		return exit.With(exit.Unreachable, err)
	default:
		return exit.With(exit.Failed, err)
	}
}

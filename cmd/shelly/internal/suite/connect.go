package suite

import (
	"fmt"

	"shelly/cmd/shelly/internal/brain"
	"shelly/cmd/shelly/internal/flags"
	"shelly/runtime/ollama"
)

// connectModel connects to the Ollama that shelly run would ask in a profile, or returns why
// there is none.
func connectModel(profile string) (_ *ollama.Client, why string, err error) {
	cfg, err := new(flags.Place).Load(flags.Given("--profile", "profile", profile)...)
	if err != nil {
		return nil, "", err
	}
	if cfg.Brain.Kind == "demo" {
		return nil, "the configuration has the demo brain, which is a script, not a model (brain.kind)", nil
	}
	client, err := ollama.New(brain.Options(cfg.Brain))
	if err != nil {
		return nil, "", fmt.Errorf("brain.url: %w", err)
	}
	return client, "", nil
}

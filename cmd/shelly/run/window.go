package run

import (
	"errors"
	"log/slog"

	"shelly/cmd/shelly/internal/exit"
	"shelly/fsm/prompt"
	"shelly/runtime/config"
)

// openBench opens tools and skills as cfg says, if the window has room for them (CTX-16).
func openBench(cfg config.Config, log *slog.Logger, more further) (*bench, error) {
	b, err := benchOf(cfg, log, more)
	if err != nil {
		return nil, err
	}
	if least := b.windowMin(cfg); cfg.Limits.ContextTokens < least {
		return nil, errors.Join(exit.Errorf(exit.Usage, "a window of %d tokens is too small for this system prompt and these tools, which need at least %d (brain.num_ctx, limits.context_tokens)",
			cfg.Limits.ContextTokens, least), b.close())
	}
	return b, nil
}

// WindowMin returns the smallest window, in tokens, in which the daemon can serve with a
// configuration and the tools and skills of its workspace; 0: any (CTX-16). The tools of MCP
// servers are not counted: they are unknown until the servers run.
func WindowMin(cfg config.Config) (int, error) {
	cfg, _ = withoutUnset(cfg)
	b, err := benchOf(cfg, slog.New(slog.DiscardHandler), declaring(cfg))
	if err != nil {
		return 0, err
	}
	return b.windowMin(cfg), b.close()
}

func (b *bench) windowMin(cfg config.Config) int {
	return prompt.WindowMin(cfg.Machine(b.tools.Declarations(), b.skills.Decls()))
}

package run

import (
	"context"
	"time"

	"shelly/cmd/shelly/internal/past"
	"shelly/cmd/shelly/internal/version"
	"shelly/fsm"
	"shelly/runtime/comm"
	"shelly/runtime/config"
	"shelly/runtime/front/mcpserver"
	"shelly/runtime/front/ollama"
	"shelly/runtime/front/openai"
)

// others are the listeners for clients of other protocols.
type others struct {
	routes   []comm.Route
	dialects []comm.Dialect
}

// fronts opens the listeners for clients of other protocols (FRT-1).
func (s *starting) fronts() (o others) {
	limit := int(s.cfg.RequestBytesMax)
	spoken := func(ctx context.Context, key fsm.RequestKey) (openai.Past, error) {
		return past.Spoken(ctx, s.daemon.Recorded, key)
	}
	if s.cfg.Comm.OpenAI == config.On {
		var models []string
		if s.cfg.Brain.Model != "" {
			models = append(models, s.cfg.Brain.Model)
		}
		o.routes = append(o.routes, openai.New(s.daemon, openai.Options{RequestBytesMax: limit, Models: models, Past: spoken}).Routes()...)
		o.dialects = append(o.dialects, openai.Dialect())
	}
	if s.cfg.Comm.Ollama == config.On {
		tokens := func(ctx context.Context, key fsm.RequestKey) (prompt, answer int, err error) {
			p, err := spoken(ctx, key)
			return p.Prompt, p.Answer, err
		}
		o.routes = append(o.routes, ollama.New(s.daemon, ollama.Options{RequestBytesMax: limit, Started: time.Now(), Tokens: tokens}).Routes()...)
		o.dialects = append(o.dialects, ollama.Dialect())
	}
	if s.cfg.Comm.MCP == config.On {
		front := mcpserver.New(s.daemon, mcpserver.Options{Version: version.Text(), RequestBytesMax: int64(limit), Log: s.log})
		o.routes = append(o.routes, front.Routes()...)
		o.dialects = append(o.dialects, mcpserver.Dialect())
	}
	return o
}

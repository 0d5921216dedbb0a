package run

import (
	"fmt"
	"os"

	"shelly/runtime/config"
	"shelly/runtime/egress"
	"shelly/runtime/tool"
	"shelly/runtime/tool/web"
)

// webTools are web_fetch and web_search, where cfg offers them (TOL-70).
func webTools(cfg config.Config) ([]tool.Added, error) {
	w := cfg.Tools.Web
	o := web.Options{
		Fetch: w.Allow, Guard: &egress.Guard{}, Timeout: w.Timeout, BytesMax: int(w.BytesMax),
	}
	for _, text := range w.AllowAddresses {
		a, err := egress.ParseAllowed(text)
		if err != nil {
			return nil, fmt.Errorf("tools.web.allow_addresses: %w", err)
		}
		o.Guard.Allow = append(o.Guard.Allow, a)
	}
	if w.Search.Kind != "off" {
		o.Search = web.Search{Kind: w.Search.Kind, URL: w.Search.URL, Key: os.Getenv(w.Search.KeyFrom)}
	}
	return web.Tools(o)
}

package doctor

import (
	"fmt"
	"os"

	"shelly/runtime/config"
)

// web says what of the web the model is offered, and how to change that (TOL-70).
func (x *examination) web(cfg config.Config) {
	w := cfg.Tools.Web
	if w.Allow {
		x.ok("web_fetch", fmt.Sprintf("reads public pages, and what %d entries of tools.web.allow_addresses allow", len(w.AllowAddresses)))
	} else {
		x.ok("web_fetch", "is not offered to the model (tools.web.allow)")
	}
	switch {
	case w.Search.Kind == "off":
		x.ok("web_search", "is not offered to the model (tools.web.search.kind and tools.web.search.url, or a key for brave)")
	case w.Search.Kind == "brave" && os.Getenv(w.Search.KeyFrom) == "":
		x.fail("web_search", "the environment has no "+w.Search.KeyFrom, "put Brave's key there, or name another variable with tools.web.search.key_from")
	default:
		x.ok("web_search", "asks "+w.Search.Kind)
	}
}

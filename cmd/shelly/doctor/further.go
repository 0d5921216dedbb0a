package doctor

import (
	"errors"
	"fmt"
	"os"

	"shelly/cmd/shelly/internal/channels"
	"shelly/runtime/config"
	"shelly/runtime/tool/program"
)

// allowing says what web_fetch reaches, with a number of entries of tools.web.allow_addresses.
func allowing(entries int) string {
	switch entries {
	case 0:
		return "reads public pages"
	case 1:
		return "reads public pages, and what the entry of tools.web.allow_addresses allows"
	default:
		return fmt.Sprintf("reads public pages, and what the %d entries of tools.web.allow_addresses allow", entries)
	}
}

// web says what of the web the model is offered, and how to change that (TOL-70).
func (x *examination) web(cfg config.Config) {
	w := cfg.Tools.Web
	if w.Allow {
		x.ok("web_fetch", allowing(len(w.AllowAddresses)))
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

// talks says whether the channels have their secrets, and whether anybody may talk (CHN-4). It
// connects to none.
func (x *examination) talks(cfg config.Config) {
	for _, n := range cfg.Channels {
		key := "channels." + n.Name
		switch err := channels.Check(n.Value); {
		case err != nil:
			x.fail(key, err.Error(), "set the variable for the daemon, or write the file")
		case len(n.Value.Allow) == 0:
			x.warn(key, "nobody may talk", "name those who may in "+key+".allow")
		default:
			x.ok(key, n.Value.Kind+": its secrets are at hand; shelly channel list says whether it works")
		}
	}
}

// further says which programs and servers are configured as tools, and which cannot be
// (TOL-80, TOL-90). It starts none.
func (x *examination) further(cfg config.Config) {
	for _, p := range cfg.Tools.Custom {
		x.program("tools.custom."+p.Name, p.Value.Command, p.Value.Env, cfg.Workspace)
	}
	for _, s := range cfg.Tools.MCP {
		if s.Value.URL == "" {
			x.program("tools.mcp."+s.Name, s.Value.Command, s.Value.Env, cfg.Workspace)
		} else if err := filled(s.Value.Headers); err != nil {
			x.fail("tools.mcp."+s.Name, err.Error(), "set the variable for the daemon")
		} else {
			x.ok("tools.mcp."+s.Name, s.Value.URL)
		}
	}
}

func (x *examination) program(key string, command []string, env config.Variables, workspace string) {
	args, err := program.Find(command, workspace, program.Path)
	switch {
	case err != nil:
		x.fail(key, err.Error(), "install it, or correct "+key+".command")
	case filled(env) != nil:
		x.fail(key, filled(env).Error(), "set the variable for the daemon")
	default:
		x.ok(key, args[0])
	}
}

// filled says which variables of the environment are missing.
func filled(vars config.Variables) error {
	var missing []error
	for _, v := range vars {
		_, err := config.Fill(v.Value, os.LookupEnv)
		missing = append(missing, err)
	}
	return errors.Join(missing...)
}

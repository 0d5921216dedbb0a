package doctor

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"shelly/cmd/shelly/internal/box"
	"shelly/cmd/shelly/internal/channels"
	"shelly/cmd/shelly/internal/watched"
	"shelly/cmd/shelly/run"
	"shelly/fsm"
	"shelly/fsm/wording"
	"shelly/runtime/channel/gate"
	"shelly/runtime/comm"
	"shelly/runtime/config"
	"shelly/runtime/tool/program"
)

// allowing describes what web_fetch reaches with a number of entries in
// tools.web.allow_addresses.
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

// web reports which web tools the model is offered, and how to change that (TOL-70).
func (x *examination) web(cfg config.Config, running *comm.Status) {
	w := cfg.Tools.Web
	has := func(name string) bool { return running != nil && slices.Contains(running.Tools, name) }
	switch {
	case w.Allow && tells(running) && !has("web_fetch"):
		x.withheld("web_fetch", "is allowed")
	case w.Allow:
		x.ok("web_fetch", allowing(len(w.AllowAddresses)))
	case has("web_fetch"):
		x.ok("web_fetch", offeredElse)
	default:
		x.ok("web_fetch", "is not offered to the model (tools.web.allow)")
	}
	switch {
	case w.Search.Kind == "off" && has("web_search"):
		x.ok("web_search", offeredElse)
	case w.Search.Kind == "off":
		x.ok("web_search", "is not offered to the model (tools.web.search.kind and tools.web.search.url, or a key for brave)")
	case w.Search.Kind == "brave" && os.Getenv(w.Search.KeyFrom) == "":
		x.unset(running, "web_search", errors.New("the environment has no "+w.Search.KeyFrom), "put Brave's key there, or name another variable with tools.web.search.key_from")
	case tells(running) && !has("web_search"):
		x.withheld("web_search", "asks "+w.Search.Kind)
	default:
		x.ok("web_search", "asks "+w.Search.Kind)
	}
}

// talks reports whether the channels have their secrets, and whether anybody may talk (CHN-4).
// It does not connect.
func (x *examination) talks(cfg config.Config, running *comm.Status) {
	for _, n := range cfg.Channels {
		key := "channels." + n.Name
		switch err := channels.Check(n.Value); {
		case err != nil:
			x.unset(running, key, err, "set the variable for the daemon, or write the file")
		case len(n.Value.Allow) == 0:
			x.warn(key, "nobody may talk", "list those who may in "+key+".allow")
		default:
			x.ok(key, n.Value.Kind+": its secrets are set; shelly channel list shows whether it works")
		}
	}
}

// told reports which events and beats have an answer that reaches nobody (CLI-10).
func (x *examination) told(cfg config.Config) {
	for _, s := range watched.Sources(cfg) {
		x.reaches("events."+s.Kind+"."+s.Name, s.To, cfg)
	}
	if beat := cfg.Events.Heartbeat; beat.Every > 0 {
		x.reaches("events.heartbeat", cfg.Named(config.Telling{Tell: beat.Tell}.Chat()), cfg)
	}
}

// reaches reports if a chat gets no messages: those over XMPP go only to people who may talk (CHN-9).
func (x *examination) reaches(key string, to fsm.Origin, cfg config.Config) {
	if to.Channel != "" && !cfg.KnowsChannel(to.Channel) {
		x.warn(key, fmt.Sprintf("tells %s, and no channel %s is configured: only shelly messages shows it", to.Key(), to.Channel), "correct "+key+".tell, or add the channel")
	}
	for _, n := range cfg.Channels {
		allowed := gate.Rules{Allow: strings.Split(strings.ToLower(strings.Join(n.Value.Allow, "\n")), "\n")} // as XMPP compares them
		if n.Name == to.Channel && n.Value.Kind == config.ChannelXMPP && !allowed.Allows(strings.ToLower(to.Chat)) {
			x.warn(key, fmt.Sprintf("tells %s, who is not in channels.%s.allow and gets no messages", to.Chat, n.Name), "correct "+key+".tell, or list the person there")
		}
	}
}

// zone reports that times are in UTC because TZ names no zone that is known (CFG-18).
func (x *examination) zone(cfg config.Config) {
	if tz := cfg.UnknownZone(); tz != "" {
		x.warn("zone", fmt.Sprintf("TZ is %q, which names no zone of the zone database, so times are in UTC", tz), "give about.zone a name such as Europe/Berlin")
	}
}

// further reports which programs and servers are configured as tools, and which of them cannot
// work (TOL-80, TOL-90). It starts none.
func (x *examination) further(cfg config.Config, running *comm.Status) {
	for _, p := range cfg.Tools.Custom {
		x.program("tools.custom."+p.Name, p.Value.Command, p.Value.Env, cfg, running)
	}
	for _, s := range cfg.Tools.MCP {
		if s.Value.URL == "" {
			x.program("tools.mcp."+s.Name, s.Value.Command, s.Value.Env, cfg, running)
		} else if err := filled(s.Value.Headers); err != nil {
			x.unset(running, "tools.mcp."+s.Name, err, "set the variable for the daemon")
		} else {
			x.ok("tools.mcp."+s.Name, wording.Address(s.Value.URL))
		}
	}
}

// tools reports why the daemon would not start with these tools, such as a name in tools.approve
// that no tool has (CFG-13).
func (x *examination) tools(cfg config.Config) {
	if info, err := os.Stat(cfg.Workspace); err != nil || !info.IsDir() {
		return // workspace says so
	}
	if _, err := run.WindowMin(cfg); err != nil && !x.hasFailed(err.Error()) {
		x.fail("tools", err.Error(), "correct it; shelly does not start with it")
	}
}

// hasFailed reports whether what is wrong with a setting was found before.
func (x *examination) hasFailed(wrong string) bool {
	return slices.ContainsFunc(x.findings, func(f finding) bool {
		return f.Level == "fail" && strings.HasPrefix(wrong, f.What+".") && strings.Contains(wrong, f.Found)
	})
}

func (x *examination) program(key string, command []string, env config.Variables, cfg config.Config, running *comm.Status) {
	args, err := program.Find(command, cfg.Workspace)
	switch {
	case err != nil:
		x.fail(key, err.Error(), "install it, or correct "+key+".command")
	case filled(env) != nil:
		x.unset(running, key, filled(env), "set the variable for the daemon")
	case unseen(cfg, args) != "":
		x.warn(key, unseen(cfg, args)+" exists, but the sandbox does not show it to commands", "put it into the workspace, or its folder into tools.exec.reads")
	default:
		x.ok(key, args[0])
	}
}

// unseen returns the first of a command's words that is a path which its program will not find in the
// sandbox, or "".
func unseen(cfg config.Config, args []string) string {
	o, err := box.Options(cfg)
	if err != nil || cfg.Tools.Exec.Allow == config.Unsandboxed {
		return ""
	}
	for _, word := range args {
		if _, err := os.Stat(word); err == nil && filepath.IsAbs(word) && !o.Shows(word) {
			return word
		}
	}
	return ""
}

// unset reports a secret or a variable that cannot be read here. A daemon that is running may
// have it, as services have an environment of their own: then nothing need be wrong.
func (x *examination) unset(running *comm.Status, what string, err error, mend string) {
	if running == nil {
		x.fail(what, err.Error(), mend)
		return
	}
	x.warn(what, err.Error()+" here; the running daemon's own environment may differ", "if it does not work in the daemon either, "+mend)
}

// filled returns an error that names the missing variables of the environment.
func filled(vars config.Variables) error {
	var values strings.Builder
	for _, v := range vars {
		values.WriteString(v.Value)
	}
	_, err := config.Fill(values.String(), os.LookupEnv)
	return err
}

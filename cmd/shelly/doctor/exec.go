package doctor

import (
	"context"
	"fmt"
	"os"
	"strings"

	"shelly/cmd/shelly/internal/box"
	"shelly/fsm/wording"
	"shelly/runtime/comm"
	"shelly/runtime/config"
	"shelly/runtime/sandbox"
)

// exec reports what contains the commands of exec, or would, and why nothing better does
// (TOL-42).
func (x *examination) exec(ctx context.Context, cfg config.Config, running *comm.Status) {
	if x.otherExec(cfg, running) {
		return
	}
	if cfg.Tools.Exec.Allow == config.Unsandboxed {
		x.warn("exec", "is allowed, and nothing contains it; a command has all rights of the daemon's user", "set tools.exec.allow to true, or to false")
		return
	}
	keeper, err := box.Open(ctx, cfg)
	if err != nil {
		return // the workspace's problem is reported already
	}
	x.surroundings(cfg, running)
	better, mend := notTaken(keeper)
	switch {
	case !cfg.Tools.Exec.Allowed() && keeper.Rung() != "":
		x.ok("exec", fmt.Sprintf("is not offered to the model (tools.exec.allow); %s would contain it", keeper.Rung()))
	case !cfg.Tools.Exec.Allowed():
		x.ok("exec", "is not offered to the model (tools.exec.allow), and nothing would contain it")
	case keeper.Rung() == "":
		x.fail("exec", "is refused: "+keeper.Refusal().Error(), mend)
	case tells(running) && running.Contained == "":
		x.withheld("exec", fmt.Sprintf("is allowed, and %s would contain it", keeper.Rung()))
	case keeper.Rung() == sandbox.Landlock:
		x.warn("exec", "commands are contained by landlock, which does not contain everything (docs/sandbox.md)"+better, mend)
	case better != "":
		x.add("ok", "exec", fmt.Sprintf("commands are contained by %s%s", keeper.Rung(), better), mend)
	default:
		x.ok("exec", fmt.Sprintf("commands are contained by %s", keeper.Rung()))
	}
}

// surroundings reports folders of commands that are none, and variables that cannot be read (TOL-103).
func (x *examination) surroundings(cfg config.Config, running *comm.Status) {
	for _, of := range []struct {
		key     string
		folders []string
	}{{"tools.exec.reads", cfg.Tools.Exec.Reads}, {"tools.exec.path", cfg.Tools.Exec.Path}} {
		for _, folder := range of.folders {
			if info, err := os.Stat(folder); err != nil || !info.IsDir() {
				x.warn(of.key, wording.Path(folder)+" is no folder that shelly can see", "make it, or correct "+of.key)
			}
		}
	}
	if err := filled(cfg.Tools.Exec.Env); err != nil && cfg.Tools.Exec.Allowed() {
		x.unset(running, "tools.exec.env", err, "set the variable for the daemon")
	}
}

// otherExec reports what the running daemon does with exec, if these settings, which are not those
// that it was started with, say otherwise: that it offers exec to the model, does not, or contains
// its commands or not.
func (x *examination) otherExec(cfg config.Config, running *comm.Status) bool {
	if !tells(running) {
		return false
	}
	bare := cfg.Tools.Exec.Allow == config.Unsandboxed
	switch by := running.Contained; {
	case by == "" && bare:
		x.withheld("exec", "is allowed, and nothing would contain it")
	case by == string(sandbox.None) && !bare:
		x.warn("exec", offeredElse+", and nothing contains it; a command has all rights of the daemon's user", "start the daemon with tools.exec.allow true, or false")
	case by != "" && by != string(sandbox.None) && (bare || !cfg.Tools.Exec.Allowed()):
		x.ok("exec", offeredElse+"; its commands are contained by "+by)
	default:
		return false
	}
	return true
}

// offeredElse is found of a tool that the model is offered, but not with these settings.
const offeredElse = "is offered to the model by the daemon, which was started with other settings"

// withheld reports a tool that the model is offered with these settings, but not by the running daemon.
func (x *examination) withheld(tool, found string) {
	x.warn(tool, found+", but the daemon does not offer it to the model: it was started with other settings", "restart shelly, or send it SIGHUP")
}

// tells reports whether a running daemon says which tools it offers, which an older one does not.
func tells(running *comm.Status) bool { return running != nil && len(running.Tools) > 0 }

// notTaken returns why the rungs above the chosen one were not chosen, and what to do.
func notTaken(k *sandbox.Keeper) (why, mend string) {
	var reasons, mends []string
	for _, a := range k.Tried() {
		if a.Err == nil {
			continue
		}
		reasons = append(reasons, fmt.Sprintf("%s does not hold: %v", a.Rung, a.Err))
		if a.Mend != "" {
			mends = append(mends, fmt.Sprintf("for %s: %s", a.Rung, a.Mend))
		}
	}
	if len(reasons) == 0 {
		return "", ""
	}
	return "; " + strings.Join(reasons, "; "), strings.Join(mends, "; ")
}

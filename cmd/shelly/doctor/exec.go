package doctor

import (
	"context"
	"fmt"
	"strings"

	"shelly/cmd/shelly/internal/box"
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
	better, mend := notTaken(keeper)
	switch {
	case !cfg.Tools.Exec.Allowed() && keeper.Rung() != "":
		x.ok("exec", fmt.Sprintf("is not offered to the model (tools.exec.allow); %s would contain it", keeper.Rung()))
	case !cfg.Tools.Exec.Allowed():
		x.ok("exec", "is not offered to the model (tools.exec.allow), and nothing would contain it")
	case keeper.Rung() == "":
		x.fail("exec", "is refused: "+keeper.Refusal().Error(), mend)
	case running != nil && running.Contained == "":
		x.warn("exec", fmt.Sprintf("is allowed, and %s would contain it, but the daemon does not offer it to the model: it was started with other settings", keeper.Rung()), "restart shelly, or send it SIGHUP")
	case keeper.Rung() == sandbox.Landlock:
		x.warn("exec", "commands are contained by landlock, which does not contain everything (docs/sandbox.md)"+better, mend)
	case better != "":
		x.add("ok", "exec", fmt.Sprintf("commands are contained by %s%s", keeper.Rung(), better), mend)
	default:
		x.ok("exec", fmt.Sprintf("commands are contained by %s", keeper.Rung()))
	}
}

// otherExec reports that the running daemon, started with other settings, offers exec to the model
// though these do not, or runs its commands uncontained.
func (x *examination) otherExec(cfg config.Config, running *comm.Status) bool {
	switch {
	case running == nil || running.Contained == "":
		return false
	case running.Contained == string(sandbox.None):
		if cfg.Tools.Exec.Allow == config.Unsandboxed {
			return false
		}
		x.warn("exec", "is offered to the model by the daemon, which was started with other settings, and nothing contains it; a command has all rights of the daemon's user",
			"start the daemon with tools.exec.allow true, or false")
		return true
	case cfg.Tools.Exec.Allowed():
		return false
	default:
		x.ok("exec", "is offered to the model by the daemon, which was started with other settings; its commands are contained by "+running.Contained)
		return true
	}
}

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

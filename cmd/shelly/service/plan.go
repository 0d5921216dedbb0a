package service

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"shelly/cmd/shelly/internal/exit"
	"shelly/fsm/wording"
)

// plan is what an install writes and runs, and what an uninstall reverses.
type plan struct {
	files  []unitFile
	left   string     // the unit of a socket that these flags do not have; an earlier install may have written it
	drop   []string   // the command that an install runs before removing it
	start  [][]string // commands that an install runs after writing the files
	stop   [][]string // commands that an uninstall runs before removing the files
	after  [][]string // commands that an uninstall runs after that
	look   []string   // the command that shows the service's state
	manual string     // why these commands cannot run here; "" if they can
	notes  []string   // for a person
}

// unitFile is one file of the service manager.
type unitFile struct{ path, text string }

// planFor returns what to do on a host.
func planFor(h host, u unit, socket bool) (plan, error) {
	switch h.system {
	case "linux":
		return systemdPlan(h, u, socket)
	case "darwin":
		return launchdPlan(h, u)
	default:
		return plan{}, exit.Errorf(exit.Usage, "services need systemd or launchd, which %s does not have; have its task scheduler or another supervisor run\n  %s", h.system, shellLine(u.Command))
	}
}

// shellLine returns words as a shell takes them (CLI-217).
func shellLine(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = wording.ShellWord(w)
	}
	return strings.Join(quoted, " ")
}

func systemdPlan(h host, u unit, socket bool) (p plan, err error) {
	folder, systemctl := filepath.Join(h.root, "etc/systemd/system"), []string{"systemctl"}
	if u.User {
		folder, systemctl = filepath.Join(h.config, "systemd/user"), []string{"systemctl", "--user"}
	}
	do := func(words ...string) []string { return append(systemctl[:len(systemctl):len(systemctl)], words...) }
	text, err := render("service", u)
	if err != nil {
		return p, exit.With(exit.Usage, err)
	}
	p.files = []unitFile{{filepath.Join(folder, serviceName), text}}
	socketFile := filepath.Join(folder, socketName)
	if socket {
		if text, err = render("socket", u); err != nil {
			return p, exit.With(exit.Usage, err)
		}
		p.files = append(p.files, unitFile{socketFile, text})
		// systemd starts no socket whose service runs already.
		p.start = [][]string{do("daemon-reload"), do("enable", socketName, serviceName), do("stop", socketName, serviceName), do("start", socketName, serviceName)}
		p.stop = [][]string{do("disable", "--now", socketName, serviceName)}
	} else {
		p.left, p.drop = socketFile, do("disable", "--now", socketName)
		p.start = [][]string{do("daemon-reload"), do("enable", serviceName), do("restart", serviceName)}
		p.stop = [][]string{do("disable", "--now", serviceName)}
	}
	p.after = [][]string{do("daemon-reload")}
	p.look = do("show", serviceName, "--property=ActiveState,SubState,StatusText,Result,ExecMainStatus,NRestarts,MainPID,UnitFileState")
	if !h.booted {
		p.manual = "systemd does not run here; have another supervisor run, as the user to run shelly as,\n  " + shellLine(u.Command) +
			"\nIt stays in the foreground, logs to standard error, stops at SIGTERM within " + strconv.Itoa(int(u.Stop.Seconds())) + " s, and speaks sd_notify if NOTIFY_SOCKET is set."
	}
	if u.User && !h.lingers() {
		p.notes = append(p.notes, fmt.Sprintf("the service runs while %s is logged in; to start it with the machine: loginctl enable-linger %s", h.name, h.name))
	}
	if !u.User && !h.knows(u.As) {
		p.notes = append(p.notes, fmt.Sprintf("/etc/passwd has no user %s: unless another directory has, create the user before the service starts", u.As))
	}
	return p, nil
}

// leaves reports whether an earlier install wrote the unit of a socket, which these flags do not have.
func (p plan) leaves() (bool, error) {
	if p.left == "" {
		return false, nil
	}
	now, err := readFile(p.left)
	return strings.Contains(now, writtenMark), err
}

func launchdPlan(h host, u unit) (p plan, err error) {
	if !u.User {
		return p, exit.Errorf(exit.Usage, "--system needs systemd; on macOS install the user's own service")
	}
	path := filepath.Join(h.home, "Library/LaunchAgents", launchLabel+".plist")
	text, err := render("launchd", u)
	if err != nil {
		return p, exit.With(exit.Usage, err)
	}
	domain := "gui/" + strconv.Itoa(h.uid)
	return plan{
		files: []unitFile{{path, text}},
		start: [][]string{{"launchctl", "bootstrap", domain, path}},
		stop:  [][]string{{"launchctl", "bootout", domain + "/" + launchLabel}},
		look:  []string{"launchctl", "print", domain + "/" + launchLabel},
		notes: []string{"launchd has no watchdog and no readiness; shelly status shows its state"},
	}, nil
}

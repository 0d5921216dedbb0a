package service

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// runTimeout bounds a command of the service manager beside a start or a stop, which take
// what the unit allows.
const runTimeout = 20 * time.Minute

// host is the machine that a service is installed on.
type host struct {
	system string // GOOS
	booted bool   // systemd is the system's manager
	uid    int
	name   string // of the user
	home   string
	config string // the user's configuration folder
	root   string // of the system's folders: /
	run    func(ctx context.Context, args ...string) (string, error)
}

// thisHost is the machine that the process runs on.
func thisHost() host {
	h := host{system: runtime.GOOS, uid: os.Getuid(), root: "/", run: command}
	_, err := os.Lstat("/run/systemd/system") // as sd_booted(3) does
	h.booted = err == nil
	h.home, _ = os.UserHomeDir()
	h.config, _ = os.UserConfigDir()
	if u, err := user.Current(); err == nil {
		h.name = u.Username
	}
	return h
}

// command runs a command of the service manager and returns what it prints.
func command(ctx context.Context, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, runTimeout)
	defer cancel()
	out, err := exec.CommandContext(ctx, args[0], args[1:]...).CombinedOutput()
	text := strings.TrimSpace(string(out))
	if err != nil {
		return text, fmt.Errorf("%s: %w: %s", strings.Join(args, " "), err, text)
	}
	return text, nil
}

// lingers reports whether the user's manager runs without the user being logged in.
func (h host) lingers() bool {
	_, err := os.Stat(filepath.Join(h.root, "var/lib/systemd/linger", h.name))
	return err == nil
}

// readFile returns what a file holds; where there is none, "".
func readFile(name string) (string, error) {
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return string(text), err
}

// homeOf is the home of the user that a service runs as; "": of this one. Of one who is not
// known it is taken to be below /home.
func (h host) homeOf(name string) string {
	if name == "" {
		return h.home
	}
	u, err := user.Lookup(name)
	if err != nil {
		return "/home"
	}
	return u.HomeDir
}

// lost are the variables of this shell that change shelly's configuration, and that a service
// does not have.
func lost(environ []string) (names []string) {
	for _, kv := range environ {
		name, _, _ := strings.Cut(kv, "=")
		if strings.HasPrefix(name, "SHELLY_") || name == "OLLAMA_HOST" || name == "XDG_CONFIG_HOME" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

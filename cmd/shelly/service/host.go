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
	"strconv"
	"strings"
	"time"
)

// runTimeout bounds a command of the service manager. It must be longer than a start or a stop,
// whose limits are in the unit.
const runTimeout = 20 * time.Minute

// host is the machine that a service is installed on.
type host struct {
	system string // GOOS
	booted bool   // systemd is the system's manager
	uid    int
	name   string // the user's name
	home   string
	config string // the user's configuration folder
	root   string // of the system's folders, normally /
	run    func(ctx context.Context, args ...string) (string, error)
}

// thisHost returns the machine that the process runs on.
func thisHost() host {
	h := host{system: runtime.GOOS, uid: os.Getuid(), root: "/", run: command}
	_, unbooted := os.Lstat("/run/systemd/system") // like sd_booted(3)
	h.booted = unbooted == nil
	h.home, _ = os.UserHomeDir()
	if h.config, _ = os.UserConfigDir(); !filepath.IsAbs(h.config) {
		h.config = "" // HOME is relative
	}
	u, err := user.Current()
	h.name = nameOf(u, err, h.uid)
	return h
}

// nameOf returns the name of a user that was looked up, or the number, which loginctl takes, too,
// where there is none.
func nameOf(u *user.User, err error, uid int) string {
	if err != nil {
		return strconv.Itoa(uid)
	}
	return u.Username
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

// lingers reports whether the user's manager also runs while the user is not logged in.
func (h host) lingers() bool {
	_, err := os.Stat(filepath.Join(h.root, "var/lib/systemd/linger", h.name))
	return err == nil
}

// knows reports whether the machine's own list has a user; true if it cannot be read.
func (h host) knows(name string) bool {
	list, err := os.ReadFile(filepath.Join(h.root, "etc/passwd"))
	return err != nil || strings.Contains("\n"+string(list), "\n"+name+":")
}

// finds reports whether a user is known to the machine, or to a directory that it asks; true if
// that cannot be told.
func (h host) finds(name string) bool {
	if h.knows(name) {
		return true
	}
	_, err := h.run(context.Background(), "getent", "passwd", name)
	status, ended := errors.AsType[*exec.ExitError](err)
	return err == nil || !ended || status.ExitCode() != 2 // getent(1): the key was not found
}

// readFile returns the content of a file; "" if it does not exist.
func readFile(name string) (string, error) {
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return string(text), err
}

// homeOf returns the home of the user that a service runs as; an empty name is the current
// user. An unknown user's home is assumed to be in /home.
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

// lost returns the names of the variables of this shell that change shelly's configuration but
// that a service will not have.
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

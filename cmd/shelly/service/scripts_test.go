//go:build linux

package service

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// machine is where a package's scripts run: programs that only record how they were called, and
// a folder as on a system where systemd runs.
type machine struct {
	sysusers bool   // systemd-sysusers is installed
	user     bool   // the user shelly is there
	systemd  bool   // it runs
	fails    string // the program that fails
}

// run runs a script and returns the calls that it made, and whether it failed.
func (m machine) run(t *testing.T, script string, args ...string) (calls []string, failed bool) {
	t.Helper()
	dir := t.TempDir()
	bin, log, systemd := filepath.Join(dir, "bin"), filepath.Join(dir, "log"), filepath.Join(dir, "systemd")
	text, err := os.ReadFile(filepath.Join("package", script))
	if err == nil {
		err = os.Mkdir(bin, 0o755)
	}
	if err == nil && m.systemd {
		err = os.Mkdir(systemd, 0o755)
	}
	const there = "/run/systemd/system"
	if err != nil || !strings.Contains(string(text), there) {
		t.Fatalf("%s: got %v and\n%s; want it to look at %s", script, err, text, there)
	}
	names := []string{"systemctl", "getent", "useradd", "install", "chgrp"}
	if m.sysusers {
		names = append(names, "systemd-sysusers", "systemd-tmpfiles")
	}
	for _, name := range names {
		status := "0"
		if name == "getent" && !m.user || name == m.fails {
			status = "1"
		}
		body := "#!/bin/sh\necho \"" + name + " $*\" >>'" + log + "'\nexit " + status + "\n"
		if err := os.WriteFile(filepath.Join(bin, name), []byte(body), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	c := exec.Command("/bin/sh", append([]string{"-c", strings.ReplaceAll(string(text), there, systemd), script}, args...)...)
	c.Env = []string{"PATH=" + bin}
	out, err := c.CombinedOutput()
	if len(out) > 0 {
		t.Errorf("%s says %q", script, out)
	}
	said, _ := os.ReadFile(log) // nothing was called: there is none
	return strings.Split(strings.TrimSpace(string(said)), "\n"), err != nil
}

const folders = "install -d -o shelly -g shelly -m 0750 /var/lib/shelly /var/lib/shelly/workspace\n" +
	"install -d -o shelly -g shelly -m 0700 /var/lib/shelly/data\nchgrp shelly /etc/shelly/config.yaml"

// The scripts of the packages create the user and its folders, restart a running service with
// the new program, and stop it when the package is removed; they start nothing (DEP-10).
func TestDEP10TheScriptsOfThePackagesStartNothing(t *testing.T) {
	const made = "systemd-sysusers shelly.conf\nsystemd-tmpfiles --create shelly.conf\n" + folders
	const restarted = "\nsystemctl daemon-reload\nsystemctl try-restart shelly.service"
	for name, c := range map[string]struct { // order-free: each for itself
		machine machine
		script  string
		args    []string
		calls   string
		fails   bool
	}{
		"installed where systemd runs":       {machine{sysusers: true, systemd: true}, "postinstall.sh", []string{"configure"}, made + restarted, false},
		"installed in a container's build":   {machine{sysusers: true}, "postinstall.sh", []string{"1"}, made, false},
		"installed without systemd":          {machine{}, "postinstall.sh", nil, "getent passwd shelly\nuseradd --system --home-dir /var/lib/shelly --shell /usr/sbin/nologin shelly\n" + folders, false},
		"replaced without systemd":           {machine{user: true}, "postinstall.sh", nil, "getent passwd shelly\n" + folders, false},
		"the user cannot be made":            {machine{fails: "useradd"}, "postinstall.sh", nil, "getent passwd shelly\nuseradd --system --home-dir /var/lib/shelly --shell /usr/sbin/nologin shelly", true},
		"removed by dpkg":                    {machine{systemd: true}, "preremove.sh", []string{"remove"}, "systemctl disable --now shelly.service", false},
		"removed by rpm":                     {machine{systemd: true}, "preremove.sh", []string{"0"}, "systemctl disable --now shelly.service", false},
		"replaced by dpkg":                   {machine{systemd: true}, "preremove.sh", []string{"upgrade", "2"}, "", false},
		"replaced by rpm":                    {machine{systemd: true}, "preremove.sh", []string{"1"}, "", false},
		"removed where no systemd runs":      {machine{}, "preremove.sh", []string{"remove"}, "", false},
		"gone":                               {machine{systemd: true}, "postremove.sh", []string{"remove"}, "systemctl daemon-reload", false},
		"gone where no systemd runs":         {machine{}, "postremove.sh", []string{"purge"}, "", false},
		"the service does not take its stop": {machine{systemd: true, fails: "systemctl"}, "preremove.sh", []string{"remove"}, "systemctl disable --now shelly.service", true},
	} {
		t.Run(name, func(t *testing.T) {
			calls, failed := c.machine.run(t, c.script, c.args...)
			if want := strings.Split(c.calls, "\n"); !slices.Equal(calls, want) || failed != c.fails {
				t.Errorf("failed %v, called\n%s\nwant\n%s", failed, strings.Join(calls, "\n"), c.calls)
			}
		})
	}
}

package service

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/terminal"
	"shelly/fsm"
	"shelly/runtime/config"
)

var update = flag.Bool("update", false, "rewrite the example units")

func example() config.Config {
	return config.Config{
		Data: "/home/ann/.local/share/shelly", Workspace: "/home/ann/my work", Comm: config.Comm{HTTP: "127.0.0.1:7433"},
		Limits: fsm.Limits{Grace: 30_000, ShutdownTimeout: 60_000, AbortTimeout: 5_500},
	}
}

// The units are those in testdata, which are examples.
// Some users, as of containers, have no name: loginctl takes their number.
func TestCLI201AUserWithoutANameIsNamedByTheNumber(t *testing.T) {
	if name := nameOf(nil, user.UnknownUserIdError(1002), 1002); name != "1002" {
		t.Errorf("without a name: %q", name)
	}
	if name := nameOf(&user.User{Username: "ann"}, nil, 1002); name != "ann" {
		t.Errorf("with one: %q", name)
	}
}

func TestDEP5TheUnitsAreAsTheirExamples(t *testing.T) {
	command := []string{"/home/ann/bin/shelly", "run", "--workspace", "/home/ann/my work", "--set", `about.persona=50% "x" $HOME \`}
	user := unitOf(example(), command, "/home/ann")
	user.User = true
	system := example()
	system.Data, system.Workspace = "/var/lib/shelly/data", "/var/lib/shelly/workspace"
	whole := unitOf(system, []string{"/usr/bin/shelly", "run"}, "/var/lib/shelly")
	whole.As = "shelly"
	for name, c := range map[string]struct {
		template string
		unit     unit
	}{
		"user.service": {"service", user}, "system.service": {"service", whole}, "shelly.socket": {"socket", user}, "system.socket": {"socket", whole}, "local.shelly.plist": {"launchd", user},
	} {
		got, err := render(c.template, c.unit)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if diff := cmp.Diff(string(want), got); diff != "" || err != nil {
			t.Errorf("%s, %v (-want +got):\n%s", name, err, diff)
		}
	}
}

// The package's unit is made like all others, from the package's configuration.
func TestDEP10ThePackagesUnitIsUpToDate(t *testing.T) {
	const settings, file = "/etc/shelly/config.yaml", "package/shelly.service"
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Load(config.Sources{File: "package/config.yaml", Dir: here})
	if err != nil {
		t.Fatal(err)
	}
	u := unitOf(cfg, []string{"/usr/bin/shelly", "run", "--config", settings}, settings, "/var/lib/shelly")
	u.As, u.Packaged = "shelly", true
	got, err := render("service", u)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if diff := cmp.Diff(string(want), got); diff != "" || err != nil {
		t.Errorf("%s, %v (-want +got):\n%s", file, err, diff)
	}
}

// No unit has a setting that would break a way of containing commands.
func TestDEP5NothingBreaksTheSandbox(t *testing.T) {
	for _, name := range []string{"user.service", "system.service"} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		for _, breaks := range []string{"RestrictNamespaces", "ProtectKernelTunables", "ProtectKernelLogs", "ProtectProc", "ProcSubset", "MemoryDenyWriteExecute", "PrivateUsers"} {
			if strings.Contains(string(text), "\n"+breaks) {
				t.Errorf("%s has %s, which the sandbox of the tools does not bear", name, breaks)
			}
		}
	}
}

// The service manager waits for a stop as long as the stop may take, in whole seconds rounded
// up.
func TestDEP6AStopHasTheTimeThatItMayTake(t *testing.T) {
	u := unitOf(example(), []string{"/shelly"})
	text, err := render("service", u)
	if err != nil || u.Stop != 105_500*time.Millisecond || !strings.Contains(text, "\nTimeoutStopSec=106\n") {
		t.Errorf("got %v, %v, %q; want %v, text with %q", u.Stop, err, text, 105_500*time.Millisecond, "\nTimeoutStopSec=106\n")
	}
	if !strings.Contains(text, "\nRestartPreventExitStatus=2 6\n") || exit.Usage != 2 || exit.Data != 6 {
		t.Error("the statuses that no start heals are others")
	}
}

// Settings that hide folders leave those that the service needs.
func TestDEP5WhatItNeedsIsNotHidden(t *testing.T) {
	for name, c := range map[string]struct {
		data, binary, config string
		home, tmp            bool
	}{
		"elsewhere":             {"/srv/data", "/usr/bin/shelly", "", true, true},
		"data at home":          {"/home/ann/data", "/usr/bin/shelly", "", false, true},
		"binary at home":        {"/srv/data", "/home/ann/shelly", "", false, true},
		"configuration of root": {"/srv/data", "/usr/bin/shelly", "/root/c.yaml", false, true},
		"data in /tmp":          {"/tmp/data", "/usr/bin/shelly", "", true, false},
		"a like name":           {"/homes/data", "/tmpx/shelly", "", true, true},
	} {
		u := unitOf(config.Config{Data: c.data, Workspace: "/srv/work"}, []string{c.binary}, c.config)
		if u.HideHome != c.home || u.OwnTmp != c.tmp {
			t.Errorf("%s: home hidden %v, own /tmp %v", name, u.HideHome, u.OwnTmp)
		}
	}
}

// A service that cannot see a watched folder says that there is none.
func TestDEP5WhatTheConfigurationNamesIsNotHidden(t *testing.T) {
	for _, c := range []struct {
		yaml      string
		home, tmp bool
	}{
		{"events: {files: {inbox: {path: /home/ann/inbox}}}", false, true},
		{"events: {files: {inbox: {path: /srv/inbox}}}", true, true},
		{"events: {files: {inbox: {path: /tmp/drop}}}", true, false},
		{"events: {disk: {home: {path: /home}}}", false, true},
		{"tools: {custom: {report: {command: [python3, /home/ann/report.py], description: x}}}", false, true},
		{"tools: {custom: {report: {command: [make, -C, build], probe: [/root/probe], description: x}}}", false, true},
		{"tools: {mcp: {notes: {command: [/home/ann/bin/notes]}}}", false, true},
		{"tools: {exec: {reads: [/home/ann/lib]}}", false, true},
	} {
		file := filepath.Join(t.TempDir(), "config.yaml")
		if err := os.WriteFile(file, []byte(c.yaml), 0o600); err != nil {
			t.Fatal(err)
		}
		cfg, err := config.Load(config.Sources{File: file, Dir: "/srv/work", Home: "/nonexistent"})
		if err != nil {
			t.Fatal(err)
		}
		cfg.Data, cfg.Workspace = "/srv/data", "/srv/work"
		if u := unitOf(cfg, []string{"/usr/bin/shelly"}, "/etc/shelly/config.yaml"); u.HideHome != c.home || u.OwnTmp != c.tmp {
			t.Errorf("%s: home hidden %v, own /tmp %v", c.yaml, u.HideHome, u.OwnTmp)
		}
	}
}

// bench is a host whose service manager records its commands.
type bench struct {
	host
	asked []string
	fails string // the word of the command that fails
	says  string // what it then says
	shows string
	out   bytes.Buffer
}

func newBench(t *testing.T) *bench {
	dir := t.TempDir()
	b := &bench{says: "it fails", shows: "ActiveState=active\nStatusText=serving: idle"}
	b.host = host{system: "linux", booted: true, uid: 1000, name: "ann", home: dir, config: filepath.Join(dir, ".config"), root: filepath.Join(dir, "root")}
	b.run = func(_ context.Context, args ...string) (string, error) {
		b.asked = append(b.asked, strings.Join(args, " "))
		if b.fails != "" && slices.Contains(args, b.fails) {
			return "", errors.New(b.says)
		}
		if slices.Contains(args, "show") {
			return b.shows, nil
		}
		return "", nil
	}
	t.Setenv("HOME", dir)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(dir, ".config"))
	return b
}

func (b *bench) terminal() *terminal.Terminal {
	b.out.Reset()
	return &terminal.Terminal{Out: &b.out, Err: &b.out}
}

// place is where a test's service has its folders.
func (b *bench) place() (p place) {
	p.Data, p.Workspace = filepath.Join(b.home, "data"), b.home
	return p
}

func code(err error) int { return exit.Code(err, &bytes.Buffer{}) }

// An install writes, enables and starts; a second one writes nothing; a status shows the state;
// an uninstall removes what an install made, once.
func TestCLI201AServiceIsInstalledAndRemoved(t *testing.T) {
	b := newBench(t)
	status := func() int { return code((&statusCmd{b.place()}).status(b.host, b.terminal())) }
	if got := status(); got != exit.NoMatch {
		t.Errorf("CLI-202: status ends with %d before there is a service", got)
	}
	install := &installCmd{place: b.place()}
	install.Socket = true
	install.Set = []string{"comm.http=127.0.0.1:18701"}
	for _, want := range []string{"written", "as it is"} {
		b.asked = nil
		if err := install.install(b.host, b.terminal()); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(b.out.String(), want+" "+b.config); n != 2 {
			t.Errorf("%d files %s:\n%s", n, want, b.out.String())
		}
		asked := []string{"systemctl --user daemon-reload", "systemctl --user enable shelly.socket shelly.service", "systemctl --user stop shelly.socket shelly.service", "systemctl --user start shelly.socket shelly.service"}
		if diff := cmp.Diff(asked, b.asked); diff != "" {
			t.Errorf("commands (-want +got):\n%s", diff)
		}
	}
	if info, err := os.Stat(install.Data); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the data folder: %v, %v", info, err)
	}
	if got := status(); got != exit.OK || !strings.Contains(b.out.String(), "differs") {
		t.Errorf("CLI-202: status of a service with other flags ends with %d: %s", got, b.out.String())
	}
	b.shows = "ActiveState=failed"
	if got := status(); got != exit.Unreachable {
		t.Errorf("CLI-202: status ends with %d where it does not run", got)
	}
	remove := func() error { return (&uninstallCmd{place: b.place()}).uninstall(b.host, b.terminal()) }
	b.asked = nil
	if err := (&uninstallCmd{}).uninstall(b.host, b.terminal()); err != nil || !strings.Contains(b.out.String(), "data and configuration stay: "+b.place().Data+"\n") || len(b.asked) != 2 || b.asked[0] != "systemctl --user disable --now shelly.socket shelly.service" {
		t.Errorf("CLI-203: %v, %q", err, b.asked)
	}
	if left, _ := filepath.Glob(filepath.Join(b.config, "systemd/user/*")); len(left) > 0 {
		t.Errorf("CLI-203: it leaves %q", left)
	}
	if err := remove(); err != nil || !strings.Contains(b.out.String(), "not installed") {
		t.Errorf("CLI-203: a second time: %v: %s", err, b.out.String())
	}
}

// A socket that these flags do not have would still give the service its address (DEP-3).
func TestCLI201AnInstallWithoutASocketRemovesTheEarlierOne(t *testing.T) {
	b := newBench(t)
	socket := filepath.Join(b.config, "systemd/user", socketName)
	install := func(with, dry bool) error {
		c := &installCmd{place: b.place(), DryRun: dry}
		c.Socket = with
		b.asked = nil
		return c.install(b.host, b.terminal())
	}
	if err := install(true, false); err != nil {
		t.Fatal(err)
	}
	if err := install(false, true); err != nil || !strings.Contains(b.out.String(), "# note: "+socket+" is of an install with --socket") {
		t.Errorf("a dry run: %v\n%s", err, &b.out)
	}
	if err := (&statusCmd{b.place()}).status(b.host, b.terminal()); err != nil || !strings.Contains(b.out.String(), socket+" is of an install with --socket") {
		t.Errorf("CLI-202: status: %v\n%s", err, &b.out)
	}
	if err := install(false, false); err != nil || !strings.Contains(b.out.String(), "removed "+socket) {
		t.Errorf("the install: %v\n%s", err, &b.out)
	}
	asked := []string{"systemctl --user disable --now shelly.socket", "systemctl --user daemon-reload", "systemctl --user enable shelly.service", "systemctl --user restart shelly.service"}
	if diff := cmp.Diff(asked, b.asked); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
	if _, err := os.Stat(socket); err == nil {
		t.Error("the socket's unit is still there")
	}
	if err := os.WriteFile(socket, []byte("[Socket]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := install(false, false); err != nil || strings.Contains(b.out.String(), socket) {
		t.Errorf("beside a person's own socket: %v\n%s", err, &b.out)
	}
	if _, err := os.Stat(socket); err != nil {
		t.Errorf("a person's own socket: %v", err)
	}
}

// What another supervisor, or a person, has to run is written for a shell.
func TestCLI217TheCommandForAnotherSupervisorIsAShells(t *testing.T) {
	for _, system := range []string{"linux", "windows"} {
		b := newBench(t)
		b.booted, b.system = false, system
		c := &installCmd{place: b.place()}
		c.Set = []string{"about.persona=50% of $HOME"}
		if err := c.install(b.host, b.terminal()); err == nil || !strings.Contains(err.Error(), "--set 'about.persona=50% of $HOME'") {
			t.Errorf("%s: %v", system, err)
		}
	}
}

// Without a folder to look in, nobody knows whether there is a service.
func TestCLI203NothingIsRemovedWithoutAHome(t *testing.T) {
	b := newBench(t)
	if err := (&installCmd{place: b.place()}).install(b.host, b.terminal()); err != nil {
		t.Fatal(err)
	}
	t.Chdir(b.config)
	b.config = ""
	err := (&uninstallCmd{place: b.place()}).uninstall(b.host, b.terminal())
	if code(err) != exit.Usage || !strings.Contains(err.Error(), "set HOME") {
		t.Errorf("got %v (%d)", err, code(err))
	}
	t.Setenv("HOME", "relative")
	t.Setenv("XDG_CONFIG_HOME", "")
	if h := thisHost(); h.config != "" {
		t.Errorf("below a home that is not absolute, the units are looked for in %q", h.config)
	}
}

// What an install would refuse is told before.
func TestCLI201ADryRunNamesTheFoldersThatAreMissing(t *testing.T) {
	b := newBench(t)
	for _, system := range []bool{false, true} {
		install := &installCmd{place: b.place(), DryRun: true}
		if install.Workspace = filepath.Join(b.home, "none"); system {
			install.System, install.As = true, "nobody"
		}
		if err := install.install(b.host, b.terminal()); err != nil {
			t.Fatal(err)
		}
		for folder, want := range map[string]bool{install.Data: system, install.Workspace: true} {
			if note := "# note: there is no folder " + folder + ";"; strings.Contains(b.out.String(), note) != want {
				t.Errorf("system %t: got %s; want %q in it: %t", system, b.out.String(), note, want)
			}
		}
	}
}

// The service has another current folder than the shell of the install.
func TestCLI201RelativePathsAreThoseOfTheInstall(t *testing.T) {
	b := newBench(t)
	folder := t.TempDir()
	t.Chdir(folder)
	if err := os.WriteFile("me.md", []byte("You are me."), 0o600); err != nil {
		t.Fatal(err)
	}
	install := &installCmd{place: b.place(), DryRun: true}
	install.Set = []string{"prompts.identity_file=me.md", "skills.folders=skills,~/more", "events.files={inbox: {path: in}}", "brain.model=a/b"}
	if err := install.install(b.host, b.terminal()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"--set prompts.identity_file=" + folder + "/me.md", `--set "skills.folders=[` + folder + `/skills, ~/more]"`,
		`--set "events.files={\"inbox\":{\"path\":\"` + folder + `/in\"}}"`, "--set brain.model=a/b\n",
	} {
		if !strings.Contains(b.out.String(), want) {
			t.Errorf("got %s; want %q in it", b.out.String(), want)
		}
	}
}

// CLI-203: where the data stays is said on macOS, too, as the agent names it and not the flags.
func TestCLI203AnUninstallOfAnAgentNamesTheDataFolder(t *testing.T) {
	b := newBench(t)
	b.system = "darwin"
	install := &installCmd{place: b.place()}
	install.Data = filepath.Join(b.home, "Tom & Ann's data")
	if err := install.install(b.host, b.terminal()); err != nil {
		t.Fatal(err)
	}
	if err := (&uninstallCmd{}).uninstall(b.host, b.terminal()); err != nil || !strings.Contains(b.out.String(), "data and configuration stay: "+install.Data+"\n") {
		t.Errorf("got %v and\n%s\nwant the folder %s", err, &b.out, install.Data)
	}
}

// CLI-203: an uninstall needs no configuration that is right, names the data folder as it is called, and a dry
// one says what it would remove.
func TestCLI203AnUninstallNamesTheDataFolderOfTheUnit(t *testing.T) {
	for _, name := range []string{"data", "50% of $HOME", `Tom's "big" data\`, `x\y;%h --workspace z`, "größer"} {
		b := newBench(t)
		install := &installCmd{place: b.place()}
		install.Data = filepath.Join(b.home, name)
		if err := install.install(b.host, b.terminal()); err != nil {
			t.Fatal(err)
		}
		wrong := filepath.Join(b.home, "wrong.yaml")
		if err := os.WriteFile(wrong, []byte("brian: {}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		unit := filepath.Join(b.config, "systemd/user", serviceName)
		for _, dry := range []bool{true, false} {
			b.out.Reset()
			c := &uninstallCmd{DryRun: dry}
			c.ConfigFile = wrong
			err := c.uninstall(b.host, b.terminal())
			if err != nil || !strings.Contains(b.out.String(), "data and configuration stay: "+install.Data+"\n") {
				t.Errorf("got %v and\n%s\nwant the folder %s", err, &b.out, install.Data)
			}
			if strings.Contains(b.out.String(), "removed "+unit) == dry || !strings.Contains(b.out.String(), unit) {
				t.Errorf("dry: %v, and it is said:\n%s", dry, &b.out)
			}
		}
	}
}

// A unit that somebody else wrote is neither replaced nor removed.
func TestCLI203AForeignUnitStays(t *testing.T) {
	b := newBench(t)
	file := filepath.Join(b.config, "systemd/user", serviceName)
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte("[Unit]\n"), 0o644)); err != nil {
		t.Fatal(err)
	}
	install := &installCmd{place: b.place()}
	if err := install.install(b.host, b.terminal()); !errors.Is(err, errDifferent) || code(err) != exit.Usage {
		t.Errorf("install: %v", err)
	}
	if err := (&uninstallCmd{place: b.place()}).uninstall(b.host, b.terminal()); !errors.Is(err, errDifferent) {
		t.Errorf("uninstall: %v", err)
	}
	if len(b.asked) > 0 {
		t.Errorf("and systemctl was asked %q", b.asked)
	}
	install.Force = true
	if err := install.install(b.host, b.terminal()); err != nil {
		t.Errorf("install --force: %v", err)
	}
}

// CLI-203: what cannot be removed is an error, and is not said to be removed.
func TestCLI203WhatStaysIsNotSaidToBeRemoved(t *testing.T) {
	b := newBench(t)
	if err := (&installCmd{place: b.place()}).install(b.host, b.terminal()); err != nil {
		t.Fatal(err)
	}
	unit := filepath.Join(b.config, "systemd/user", serviceName)
	b.run = func(context.Context, ...string) (string, error) { // meanwhile it becomes what no file is
		return "", errors.Join(os.Rename(unit, unit+".old"), os.MkdirAll(filepath.Join(unit, "x"), 0o700))
	}
	err := (&uninstallCmd{place: b.place()}).uninstall(b.host, b.terminal())
	if code(err) != exit.Disk || strings.Contains(b.out.String(), "removed "+unit) {
		t.Errorf("got %v (%d) and\n%s; want the code %d, and nothing removed", err, code(err), &b.out, exit.Disk)
	}
}

func TestCLI201AUserWhomTheMachineDoesNotKnowIsNoted(t *testing.T) {
	b := newBench(t)
	if err := os.MkdirAll(filepath.Join(b.root, "etc"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(b.root, "etc/passwd"), []byte("root:x:0:0::/root:/bin/sh\nann:x:7:7::/:\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for as, noted := range map[string]bool{"ann": false, "an": true, "x": true} {
		install := &installCmd{DryRun: true, place: b.place()}
		install.System, install.As = true, as
		if err := install.install(b.host, b.terminal()); err != nil || strings.Contains(b.out.String(), "/etc/passwd has no user "+as+":") != noted {
			t.Errorf("%s: %v\n%s", as, err, &b.out)
		}
	}
}

// Flags and configurations that a service cannot have are refused before anything is written.
func TestCLI201AUserWhomNobodyKnowsIsRefused(t *testing.T) {
	b := newBench(t)
	for file, text := range map[string]string{"root/etc/passwd": "root:x:0:0::/root:/bin/sh\nann:x:7:7::/:\n", "data/store": ""} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(b.home, file)), 0o700), os.WriteFile(filepath.Join(b.home, file), []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	run := b.run
	b.run = func(ctx context.Context, args ...string) (string, error) {
		if slices.Equal(args, []string{"getent", "passwd", "ghost"}) {
			return "", exec.Command("sh", "-c", "exit 2").Run()
		}
		return run(ctx, args...)
	}
	for as, want := range map[string]int{"ann": exit.OK, "far": exit.OK, "ghost": exit.Usage} {
		install := &installCmd{place: b.place()}
		install.System, install.As, install.Force = true, as, true
		err := install.install(b.host, b.terminal())
		if code(err) != want || err != nil && err.Error() != "there is no user ghost; create the user, or name another one with --as" {
			t.Errorf("%s: %v (%d); want %d", as, err, code(err), want)
		}
	}
}

func TestCLI201WhatAServiceCannotHaveIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*bench, *installCmd)
		code   int
		says   string
	}{
		"root without --system":   {func(b *bench, _ *installCmd) { b.uid = 0 }, exit.Usage, "--system --as USER"},
		"--system without --as":   {func(_ *bench, c *installCmd) { c.System = true }, exit.Usage, "--as USER"},
		"--system without data":   {func(_ *bench, c *installCmd) { c.System, c.As, c.Data = true, "nobody", "" }, exit.Usage, "--data DIR"},
		"--as alone":              {func(_ *bench, c *installCmd) { c.As = "nobody" }, exit.Usage, "add --system, or leave --as out"},
		"a file for a folder":     {func(b *bench, _ *installCmd) { b.config = filepath.Join(os.Args[0], "config") }, exit.Disk, "not a directory"},
		"no home":                 {func(b *bench, c *installCmd) { b.host.config, c.DryRun = "", true }, exit.Usage, "set HOME"},
		"a socket of any port":    {func(_ *bench, c *installCmd) { c.Socket, c.Set = true, []string{"comm.http=127.0.0.1:0"} }, exit.Usage, "a fixed port"},
		"no workspace":            {func(_ *bench, c *installCmd) { c.Workspace = filepath.Join(c.Workspace, "none") }, exit.Usage, "there is no folder"},
		"a line in a setting":     {func(_ *bench, c *installCmd) { c.Set = []string{"about.persona=a\nExecStart=b"} }, exit.Usage, "control character"},
		"no systemd":              {func(b *bench, _ *installCmd) { b.booted = false }, exit.Failed, "another supervisor"},
		"windows":                 {func(b *bench, _ *installCmd) { b.system = "windows" }, exit.Usage, "task scheduler"},
		"a system's one on macOS": {func(b *bench, c *installCmd) { b.system, c.System, c.As = "darwin", true, "nobody" }, exit.Usage, "the user's own"},
		"no manager of the user": {func(b *bench, _ *installCmd) {
			b.fails, b.says = "daemon-reload", "systemctl --user daemon-reload: exit status 1: Failed to connect to bus: No medium found"
		}, exit.Failed, "sudo loginctl enable-linger ann, then repeat the install"},
		"a manager that refuses": {func(b *bench, _ *installCmd) { b.fails = "restart" }, exit.Failed, "journalctl --user -u shelly"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			install := &installCmd{place: b.place()}
			c.change(b, install)
			err := install.install(b.host, b.terminal())
			if code(err) != c.code || err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v (%d); want %q (%d)", err, code(err), c.says, c.code)
			}
			files, _ := filepath.Glob(filepath.Join(b.config, "*/*/*"))
			if len(files) > 0 && b.fails == "" {
				t.Errorf("it wrote %q", files)
			}
		})
	}
}

package corpus

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"shelly/runtime/exhaustive"
	"shelly/runtime/sandbox"
	"shelly/runtime/tool/tree"
)

var (
	all  = flag.Bool("corpus.all", false, "run every case by every way, as root also as nobody")
	by   = flag.String("corpus.by", "", "run them by this way alone")
	only = flag.String("corpus.only", "", "run the cases whose id begins so")
)

// part is what this process does: nothing, be the world without a network, or run cases.
const (
	part      = "SHELLY_CORPUS"
	asWorld   = "world"
	asCases   = "cases"
	userOf    = "SHELLY_CORPUS_USER"
	arguments = "SHELLY_CORPUS_ARGS"
)

func TestMain(m *testing.M) {
	tree.Supervise()
	sandbox.Stage()
	if os.Getenv(part) == asWorld {
		os.Exit(beWorld())
	}
	os.Exit(m.Run())
}

// users are the users as which the cases are run; 0 means the present one.
func users() []int {
	if os.Getuid() == 0 && *all {
		return []int{0, 65534}
	}
	return []int{0}
}

// Targets: nothing escapes, and nothing harmless is refused, but for what is listed.
func TestTOL40CorpusOfCommandsIsContained(t *testing.T) {
	if os.Getenv(part) == asCases {
		runCases(t)
		return
	}
	exhaustive.Test(t)
	binary := shared(t)
	for _, uid := range users() {
		name := "present user"
		if uid != 0 {
			name = fmt.Sprint("user ", uid)
		}
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(filepath.Dir(binary), fmt.Sprint("u", uid))
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			if uid != 0 {
				if err := os.Chown(dir, uid, uid); err != nil {
					t.Fatal(err)
				}
			}
			args := []string{"-test.v", "-test.run=^TestTOL40CorpusOfCommandsIsContained$", fmt.Sprint("-corpus.all=", *all), "-corpus.only=" + *only, "-corpus.by=" + *by, "-test.timeout=0"}
			text, _ := json.Marshal(args)
			cmd := exec.Command(binary, args...)
			cmd.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", part + "=" + asWorld, "TMPDIR=" + dir, arguments + "=" + string(text), fmt.Sprint(userOf, "=", uid)}
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &out
			cmd.SysProcAttr = apart()
			if err := cmd.Run(); err != nil {
				t.Errorf("got %v; want no error", err)
			}
			report(t, out.String())
		})
	}
}

// report shows the output of the cases' process, without the lines that go test adds.
func report(t *testing.T, out string) {
	t.Helper()
	for line := range strings.Lines(out) {
		if line = strings.TrimRight(line, "\n"); strings.HasPrefix(line, "| ") || strings.Contains(line, "panic") || strings.Contains(line, "corpus") && strings.Contains(line, "_test.go") {
			fmt.Println(strings.TrimPrefix(line, "| "))
		}
	}
	if t.Failed() || !strings.Contains(out, "| ") {
		t.Log(out)
	}
}

// apart has namespaces around all cases, so that what a guard lets through meets no network
// and no process of the machine.
func apart() *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNET | unix.CLONE_NEWPID | unix.CLONE_NEWNS | unix.CLONE_NEWIPC, Pdeathsig: syscall.SIGKILL}
	if uid, gid := os.Getuid(), os.Getgid(); uid != 0 {
		a.Cloneflags |= unix.CLONE_NEWUSER
		a.UidMappings = []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}}
		a.GidMappings = []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}}
		a.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN}
	}
	return a
}

// beWorld makes the world without a network, and starts the cases in it.
func beWorld() int {
	check := func(err error) {
		if err != nil {
			fmt.Println("| the world cannot be made:", err)
			os.Exit(3)
		}
	}
	check(unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""))
	check(unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""))
	check(bringUp("lo"))
	var args []string
	check(json.Unmarshal([]byte(os.Getenv(arguments)), &args))
	var uid int
	_, err := fmt.Sscan(os.Getenv(userOf), &uid)
	check(err)
	cmd := exec.Command("/proc/self/exe", args...)
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(e string) bool { return strings.HasPrefix(e, part) }), part+"="+asCases, "API_TOKEN="+token)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if uid != 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}
	}
	if err := cmd.Run(); err != nil {
		return 1
	}
	return 0
}

func bringUp(name string) error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	r, err := unix.NewIfreq(name)
	if err != nil {
		return err
	}
	r.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, r)
}

// shared copies this binary to where another user finds it.
func shared(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "corpus-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	from, err := os.Open("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	binary := filepath.Join(dir, "corpus.test")
	to, err := os.OpenFile(binary, os.O_CREATE|os.O_WRONLY, 0o755)
	if err == nil {
		_, err = io.Copy(to, from)
	}
	if err := errorsOf(err, to.Close(), os.Chmod(dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	cases, err := os.ReadFile("testdata/cases.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "testdata"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "testdata/cases.json"), cases, 0o644); err != nil {
		t.Fatal(err)
	}
	return binary
}

func errorsOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

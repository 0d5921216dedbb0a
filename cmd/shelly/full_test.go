package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"shelly/cmd/shelly/internal/exit"
	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
	"shelly/runtime/mock"
)

// inNamespace is set in the process that has its own mount namespace.
const inNamespace = "TEST_IN_NAMESPACE"

// notPermitted is what that process prints if it may not mount.
const notPermitted = "a file system of its own is not permitted"

// The sizes of the test's disk and the reserve. The ballast takes 16 MiB of the disk.
const (
	diskMiB    = 64
	reserveMiB = 16
)

// A daemon on a disk that others fill refuses requests with no space, finishes what runs, can
// be read, continues when there is space, shuts down in order on a disk without a free byte,
// and starts on one to serve reads (JRN-14, JRN-22, JRN-23, corpus/faults f031 and f032).
func TestJRN14ADiskThatOthersFill(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and starts the real binary")
	}
	if os.Getenv(inNamespace) == "" {
		runInNamespace(t)
		return
	}
	d := newFullDisk(t)
	ctx, cancel := context.WithTimeout(context.Background(), guard)
	defer cancel()

	d.start()
	if got := d.ask(ctx, "first"); got != "I heard first." {
		t.Fatalf("the reply is %q", got)
	}
	running := d.asked(ctx, "running")
	<-d.brain.thinking
	d.fill(reserveMiB / 2)
	d.refuses(ctx, "early")
	d.brain.speak <- struct{}{} // the answer is held
	d.refuses(ctx, "late")
	d.reads(ctx, "running", "")
	d.fill(0)
	add := exec.Command(d.bin, "token", "add", "ci", "--data", d.data)
	if out, _ := add.CombinedOutput(); add.ProcessState.ExitCode() != exit.Disk || !strings.Contains(string(out), "nothing has happened; make room") {
		t.Errorf("a token on a disk without a free byte: %v\n%s", add.ProcessState, out)
	}
	d.empty()
	if got := <-running; got != "I heard running." {
		t.Errorf("when there is space the reply is %q", got)
	}

	d.fill(0)
	if code := d.stop(); code != 0 {
		t.Errorf("on a disk without a free byte it ends with %d:\n%s", code, d.log.text())
	}
	d.empty()
	d.start()
	d.fill(0)
	d.kill()
	doctor, err := exec.Command(d.bin, "doctor", "--brain", "demo", "--data", d.data, "--workspace", d.dir).CombinedOutput()
	if err == nil || !strings.Contains(string(doctor), "free some space") {
		t.Errorf("the doctor says, %v:\n%s", err, doctor)
	}
	d.startUntil("until there is space")
	d.refuses(ctx, "later")
	d.reads(ctx, "first", "I heard first.")
	d.empty()
	if got := d.ask(ctx, "last"); got != "I heard last." {
		t.Errorf("when there is space the reply is %q", got)
	}
	if code := d.stop(); code != 0 {
		t.Errorf("it ends with %d:\n%s", code, d.log.text())
	}
}

// runInNamespace runs the test again in a process that may mount.
func runInNamespace(t *testing.T) {
	t.Helper()
	again := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	again.Env = append(os.Environ(), inNamespace+"=1")
	again.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	out, err := again.CombinedOutput()
	var ended *exec.ExitError
	switch {
	case err != nil && !errors.As(err, &ended):
		t.Skipf("a user and mount namespace is not permitted: %v", err)
	case strings.Contains(string(out), notPermitted):
		t.Skip(notPermitted)
	case err != nil:
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}

// fullDisk is a daemon whose data is on a small disk.
type fullDisk struct {
	*process
	brain  *hesitant
	filler string
}

func newFullDisk(t *testing.T) *fullDisk {
	t.Helper()
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, fmt.Sprintf("size=%dm", diskMiB)); err != nil {
		t.Skipf("%s: %v", notPermitted, err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(disk, syscall.MNT_DETACH) })
	brain := &hesitant{thinking: make(chan struct{}), speak: make(chan struct{})}
	return &fullDisk{brain: brain, filler: filepath.Join(disk, "filler"), process: &process{
		t: t, bin: buildShelly(t), data: filepath.Join(disk, "data"), dir: t.TempDir(),
		env:  []string{"OLLAMA_HOST=" + serveMock(t, brain)},
		args: []string{"--profile", "shelly", "--set", "init=off", "--set", fmt.Sprintf("reserve=%dMiB", reserveMiB)},
	}}
}

// hesitant is a model that repeats what it heard, and for "running" waits until it is released.
type hesitant struct{ thinking, speak chan struct{} }

func (b *hesitant) Answer(ctx context.Context, q mock.Question) (mock.Answer, error) {
	if q.Purpose != string(fsm.PurposeAnswer) {
		return mock.Answer{Text: "Noted."}, nil
	}
	_, heard, _ := strings.Cut(q.Messages[len(q.Messages)-1].Text, "Input:\n")
	heard = strings.TrimSuffix(heard, ".")
	if heard == "running" {
		b.thinking <- struct{}{}
		<-b.speak
	}
	return mock.Answer{Text: "I heard " + heard + "."}, nil
}

// fill writes to the disk until n MiB are free.
func (d *fullDisk) fill(freeMiB int) {
	d.t.Helper()
	f, err := os.OpenFile(d.filler, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		d.t.Fatal(err)
	}
	defer f.Close()
	page := make([]byte, 4096) // a page at a time, so that not a byte is left
	for d.free() > freeMiB<<20 {
		_, err := f.Write(page)
		switch {
		case errors.Is(err, syscall.ENOSPC):
			return
		case err != nil:
			d.t.Fatal(err)
		}
	}
}

// empty removes what fill has written.
func (d *fullDisk) empty() {
	d.t.Helper()
	must(d.t, os.Remove(d.filler))
}

// free returns how many bytes are free on the disk.
func (d *fullDisk) free() int {
	d.t.Helper()
	var s syscall.Statfs_t
	must(d.t, syscall.Statfs(filepath.Dir(d.filler), &s))
	return int(s.Bavail) * int(s.Bsize)
}

// ask asks what its id says, and returns the reply.
func (d *fullDisk) ask(ctx context.Context, id string) string {
	return <-d.asked(ctx, id)
}

// asked is ask without waiting.
func (d *fullDisk) asked(ctx context.Context, id string) <-chan string {
	reply := make(chan string, 1)
	go func() {
		r, err := client.New(d.data, client.Options{}).Ask(ctx, client.AskRequest{ID: id, Text: id}, func(comm.Event) {})
		if err != nil {
			r.Text = err.Error()
		}
		reply <- r.Text
	}()
	return reply
}

// refuses fails the test unless a request is refused with a message, the status gives the
// reason, and the request leaves no trace.
func (d *fullDisk) refuses(ctx context.Context, id string) {
	d.t.Helper()
	c := client.New(d.data, client.Options{})
	_, err := c.Ask(ctx, client.AskRequest{ID: id, Text: id}, func(comm.Event) {})
	if !errors.Is(err, engine.ErrNoSpace) || !strings.Contains(err.Error(), "make room") {
		d.t.Errorf("request %s: %v; want no space, and what to do", id, err)
	}
	if s, err := c.Status(ctx); err != nil || !strings.Contains(s.NoSpace, " left, ") {
		d.t.Errorf("status %+v, %v; want the want of space in words", s, err)
	}
	if r, err := c.Get(ctx, id, "http"); err == nil {
		d.t.Errorf("request %s is kept: %+v", id, r)
	}
}

// reads fails the test unless a request has this reply; "" if it is unfinished.
func (d *fullDisk) reads(ctx context.Context, id, reply string) {
	d.t.Helper()
	r, err := client.New(d.data, client.Options{}).Get(ctx, id, "http")
	if err != nil || r.Reply != reply || (r.Reply == "") != (reply == "") {
		d.t.Errorf("request %s: %+v, %v; want the reply %q", id, r, err, reply)
	}
}

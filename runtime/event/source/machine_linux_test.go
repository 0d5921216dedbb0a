package source_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"shelly/runtime/event"
	"shelly/runtime/event/source"
)

// What doctor says of the machine, too, is read from there.
func TestEVT10AMachineHasMemoryAndSomeOfItIsAvailable(t *testing.T) {
	if u, err := source.SystemMemory(); err != nil || u.Free == 0 || u.Free > u.Size || u.Size%1024 != 0 {
		t.Errorf("got %+v, %v; want whole KiB, some of them free", u, err)
	}
}

// The files of /proc are read as this kernel writes them.
func TestEVT10ThisMachineCanBeMeasured(t *testing.T) {
	program := filepath.Base(os.Args[0])
	program = program[:min(len(program), 15)]
	for name, s := range map[string]event.Source{ // order-free
		"disk": source.Disk{Path: t.TempDir()}, "memory": source.Memory{}, "load": source.Load{}, "pressure": source.Pressure{Of: "cpu"}, "process": source.Process{Name: program},
	} {
		lines, err := looks(t, s, time.Second)
		if name == "pressure" && errors.Is(err, event.ErrNotHere) {
			continue // a kernel without it says so
		}
		want := "level "
		if name == "process" {
			want = "state " + program + " running"
		}
		if err != nil || len(lines) != 2 || !strings.HasPrefix(lines[0], want) {
			t.Errorf("%s: got %v, %q; want 2 of them, [0] beginning with %q", name, err, lines, want)
		}
	}
}

// A process that has ended and was not waited for is not running, and none has a name that nobody has.
func TestEVT11AProcessThatHasEndedDoesNotRun(t *testing.T) {
	program := filepath.Join(t.TempDir(), "ended-at-once") // 13 bytes
	must(t, os.Symlink("/bin/true", program))
	c := exec.Command(program)
	must(t, c.Start())
	defer func() { _ = c.Wait() }()
	must(t, unix.Waitid(unix.P_PID, c.Process.Pid, new(unix.Siginfo), unix.WEXITED|unix.WNOWAIT, nil))
	for _, name := range []string{"ended-at-once", "nobody-has-this"} {
		lines, err := looks(t, source.Process{Name: name}, time.Second)
		if err != nil || len(lines) != 2 || !strings.HasPrefix(lines[0], "state "+name+" gone") || lines[1] != "seen none" {
			t.Errorf("%s: got %v, %q; want that it is gone", name, err, lines)
		}
	}
}

// A machine that has no file left to open for a moment has not stopped having memory.
func TestEVT13TooManyOpenFilesIsNotTheMachinesKind(t *testing.T) {
	var limit syscall.Rlimit
	must(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit))
	none := limit
	none.Cur = 0
	must(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &none))
	var failed []error
	for _, s := range []event.Source{source.Memory{}, source.Load{}, source.Pressure{Of: "cpu"}} {
		failed = append(failed, s.Watch(t.Context(), nil))
	}
	must(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit))
	for _, err := range failed {
		if !errors.Is(err, syscall.EMFILE) || errors.Is(err, event.ErrNotHere) {
			t.Errorf("got %v; want %v, and not %v", err, syscall.EMFILE, event.ErrNotHere)
		}
	}
}

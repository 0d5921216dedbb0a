package sandbox

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/sys/unix"
)

// acting is the only argument with which the test's program does what its variable names.
const acting = "(act in a sandbox)"

// act makes the test's program, in a sandbox, do something that no shell can.
func act() {
	switch what, arg := os.Getenv("ACT"), os.Getenv("ARG"); what {
	case "reach":
		pid, _ := strconv.Atoi(arg)
		reach(uintptr(pid))
	case "watch":
		watch(arg)
	case "send":
		send(arg)
	}
}

// act has a command do what [act] does by that name, and returns what it writes.
func (w *world) act(what, arg string) string {
	w.t.Helper()
	self, err := os.Executable()
	w.must(err)
	program, err := os.ReadFile(self)
	w.must(err)
	w.must(os.WriteFile(w.path("ws/act"), program, 0o700))
	out, end := w.sh(fmt.Sprintf("ACT=%s ARG=%s ./act '%s'", what, arg, acting))
	if !end.Exited || end.Code != 0 {
		w.t.Errorf("%s: %+v\n%s", what, end, out)
	}
	return out
}

// reach tries to change limits, priority and processors of a process, and says what has worked; then
// it does the same to itself, and says what has not.
func reach(pid uintptr) {
	here, _ := arch.GetInfo(runtime.GOARCH)
	limit := unix.Rlimit{Cur: 100, Max: 100}
	var mask [128]byte
	mask[0] = 1
	var zero int32
	turned, _ := unix.Getpriority(unix.PRIO_PROCESS, 0)
	nice := 20 - turned // as it is, so that what works harms nothing
	attr := unix.SchedAttr{Size: unix.SizeofSchedAttr, Nice: int32(nice)}
	me, uid := uintptr(0), uintptr(os.Getuid())
	wide := uint64(1 << 32)
	upper := uintptr(wide) // the kernel ignores the upper half; 0 where there is none
	for _, call := range []struct {
		name   string
		at     int // the argument with the process
		before []uintptr
		after  []uintptr
	}{
		{"prlimit64", 0, nil, []uintptr{unix.RLIMIT_NOFILE, uintptr(unsafe.Pointer(&limit)), 0}},
		{"setpriority", 1, []uintptr{unix.PRIO_PROCESS}, []uintptr{uintptr(nice)}},
		{"ioprio_set", 1, []uintptr{1}, []uintptr{3 << 13}},
		{"sched_setaffinity", 0, nil, []uintptr{unsafe.Sizeof(mask), uintptr(unsafe.Pointer(&mask))}},
		{"sched_setscheduler", 0, nil, []uintptr{0, uintptr(unsafe.Pointer(&zero))}},
		{"sched_setparam", 0, nil, []uintptr{uintptr(unsafe.Pointer(&zero))}},
		{"sched_setattr", 0, nil, []uintptr{uintptr(unsafe.Pointer(&attr)), 0}},
	} {
		try := func(who uintptr, before []uintptr) unix.Errno {
			var a [6]uintptr
			copy(a[:], append(append(append([]uintptr(nil), before...), who), call.after...))
			_, _, errno := unix.RawSyscall6(uintptr(here.SyscallNames[call.name]), a[0], a[1], a[2], a[3], a[4], a[5])
			return errno
		}
		for _, who := range []uintptr{pid, upper | pid} {
			if errno := try(who, call.before); errno == 0 {
				fmt.Printf("%s of the process %x works\n", call.name, who)
			}
		}
		if call.before != nil { // all processes of a user
			kind := uintptr(unix.PRIO_USER) + call.before[0]
			for _, kind := range []uintptr{kind, upper | kind} {
				if errno := try(uid, []uintptr{kind}); errno == 0 {
					fmt.Printf("%s of the user's %x works\n", call.name, kind)
				}
			}
		}
		if errno := try(me, call.before); errno != 0 {
			fmt.Printf("%s of its own: %v\n", call.name, errno)
		}
	}
}

// A daemon whose limit of descriptors or of processor time a command sets is ended by that.
func TestTOL41CommandSetsNothingOfAnotherProcess(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		other := exec.Command("sleep", "600")
		w.must(other.Start())
		t.Cleanup(func() { _ = other.Process.Kill(); _ = other.Wait() })
		var before, after unix.Rlimit
		w.must(unix.Prlimit(other.Process.Pid, unix.RLIMIT_NOFILE, nil, &before))
		if out := w.act("reach", strconv.Itoa(other.Process.Pid)); out != "" {
			t.Errorf("not as it should be:\n%s", out)
		}
		w.must(unix.Prlimit(other.Process.Pid, unix.RLIMIT_NOFILE, nil, &after))
		if after != before {
			t.Errorf("its limit of descriptors was %v and is %v", before, after)
		}
	})
}

// send tries to send to a path from pairs of sockets of all types, and then within each pair.
func send(path string) {
	for _, kind := range []int{unix.SOCK_STREAM, unix.SOCK_DGRAM, unix.SOCK_RAW, unix.SOCK_SEQPACKET} {
		for _, flags := range []int{0, unix.SOCK_CLOEXEC, unix.SOCK_NONBLOCK | unix.SOCK_CLOEXEC} {
			pair, err := unix.Socketpair(unix.AF_UNIX, kind|flags, 0)
			if err != nil {
				fmt.Printf("%d %v\n", kind, err)
				continue
			}
			_ = unix.Sendto(pair[0], []byte("out"), 0, &unix.SockaddrUnix{Name: path})
			if unix.Connect(pair[0], &unix.SockaddrUnix{Name: path}) == nil {
				fmt.Println("connected")
			}
			if n, err := unix.Write(pair[1], []byte("own")); n != 3 || err != nil {
				fmt.Printf("within the pair: %d %v\n", n, err)
			}
		}
	}
}

// A pair of sockets needs no network, but one that sends datagrams sends them to any address.
func TestTOL41APairOfSocketsReachesNoOther(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		address := &net.UnixAddr{Name: w.path("outside/s"), Net: "unixgram"}
		l, err := net.ListenUnixgram("unixgram", address)
		w.must(err)
		defer l.Close()
		want := ""
		if w.options.Rungs[0] == Landlock {
			want = strings.Repeat("2 operation not permitted\n", 3) + strings.Repeat("3 operation not permitted\n", 3)
		}
		if out := w.act("send", address.Name); out != want {
			t.Errorf("got %q, want %q", out, want)
		}
		w.must(l.SetReadDeadline(time.Now()))
		if n, err := l.Read(make([]byte, 9)); err == nil {
			t.Errorf("%d bytes have come out", n)
		}
	})
}

// watch says whether it can watch the folder.
func watch(dir string) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC)
	if err == nil {
		_, err = unix.InotifyAddWatch(fd, dir, unix.IN_ALL_EVENTS)
	}
	fmt.Println(err)
}

// Who watches a folder learns the names of the files in it.
func TestTOL40CommandWatchesNoFolderOutside(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		if out := w.act("watch", w.path("outside")); out != "no such file or directory\n" && out != "operation not permitted\n" {
			t.Errorf("got %q", out)
		}
		want := "<nil>\n"
		if w.options.Rungs[0] == Landlock {
			want = "operation not permitted\n"
		}
		if out := w.act("watch", w.options.Workspace); out != want {
			t.Errorf("its own folder: got %q, want %q", out, want)
		}
	})
}

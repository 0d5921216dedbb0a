package sandbox

import (
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"shelly/runtime/repository"

	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/sys/unix"
)

func TestTOL41CommandHasNoNetworkAndNoRights(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		l, err := net.Listen("tcp4", "127.0.0.1:0")
		w.must(err)
		defer l.Close()
		reached := make(chan struct{})
		go func() {
			if c, err := l.Accept(); err == nil {
				_ = c.Close()
				close(reached)
			}
		}()
		out, _ := w.sh(fmt.Sprintf(`bash -c "echo > /dev/tcp/127.0.0.1/%d" && echo GOT network
unshare -Ur true && echo GOT namespace
mount -t tmpfs none /tmp && echo GOT mount
mknod d b 254 0 && echo GOT device
true`, l.Addr().(*net.TCPAddr).Port))
		if strings.Contains(out, "GOT") {
			t.Errorf("got %s; want no %q", out, "GOT")
		}
		select {
		case <-reached:
			t.Error("the command has reached a server of this machine")
		default:
		}
	})
}

// setting is the only argument with which the test's program calls [setIDs].
const setting = "(make set-id programs)"

// setIDs tries to make set-user-id and set-group-id programs in its folder, by every system call
// that this architecture has, and writes what has become of each; then it makes what is harmless.
func setIDs() {
	here, _ := arch.GetInfo(runtime.GOARCH)
	name := func(text string) uintptr {
		b, _ := unix.BytePtrFromString(text)
		return uintptr(unsafe.Pointer(b))
	}
	const at, write = ^uintptr(99), unix.O_WRONLY // at is AT_FDCWD
	try := func(want unix.Errno, call string, args ...uintptr) {
		number, ok := here.SyscallNames[call]
		if !ok {
			return
		}
		var a [6]uintptr
		copy(a[:], args)
		if _, _, errno := unix.Syscall6(uintptr(number), a[0], a[1], a[2], a[3], a[4], a[5]); errno != want {
			fmt.Printf("%s %o: %v, not %v\n", call, args, errno, want)
		}
	}
	_ = os.WriteFile("old", nil, 0o600)
	old, _ := os.Open("old")
	for _, mode := range []uintptr{0o4755, 0o2755, 0o6755, 1<<20 | 0o4755} {
		try(unix.EPERM, "chmod", name("old"), mode)
		try(unix.EPERM, "fchmod", old.Fd(), mode)
		try(unix.EPERM, "fchmodat", at, name("old"), mode)
		try(unix.EPERM, "fchmodat2", at, name("old"), mode, unix.AT_SYMLINK_NOFOLLOW)
		try(unix.EPERM, "mknod", name("new"), unix.S_IFREG|mode)
		try(unix.EPERM, "mknodat", at, name("new"), unix.S_IFREG|mode)
		try(unix.EPERM, "creat", name("new"), mode)
		try(unix.EPERM, "open", name("new"), unix.O_CREAT|write, mode)
		try(unix.EPERM, "openat", at, name("new"), unix.O_CREAT|write, mode)
		try(unix.EPERM, "open", name("."), unix.O_TMPFILE|write, mode)
		try(unix.EPERM, "openat", at, name("."), unix.O_TMPFILE|write, mode)
		how := unix.OpenHow{Flags: unix.O_CREAT | write, Mode: uint64(mode)}
		try(unix.ENOSYS, "openat2", at, name("new"), uintptr(unsafe.Pointer(&how)), unsafe.Sizeof(how))
	}
	try(0, "fchmodat", at, name("old"), 0o1755)
	try(0, "openat", at, name("old"), unix.O_RDONLY, 0o7777)
	try(0, "openat", at, name("sticky"), unix.O_CREAT|write, 0o1755)
	try(0, "mkdirat", at, name("folder"), 0o6755)
}

func TestTOL41CommandMakesNoSetIDProgram(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		self, err := os.Executable()
		w.must(err)
		program, err := os.ReadFile(self)
		w.must(err)
		w.must(os.WriteFile(w.path("ws/try"), program, 0o700))
		if out, end := w.sh("./try '" + setting + "'"); out != "" || end.Code != 0 {
			t.Errorf("not as it should be: %s%+v", out, end)
		}
		w.sh("cp /bin/true a; chmod u+s a; chmod g+s a; install -m 4755 a b; mkdir -m 2755 d; touch end")
		made, err := os.ReadDir(w.path("ws"))
		w.must(err)
		for _, e := range made {
			if info, err := e.Info(); err != nil || info.Mode()&(os.ModeSetuid|os.ModeSetgid) != 0 {
				t.Errorf("made: %s %v", e.Name(), info.Mode())
			}
		}
		for _, name := range []string{"old", "sticky", "folder", "a", "end"} {
			if _, err := os.Stat(w.path("ws/" + name)); err != nil {
				t.Error(err)
			}
		}
	})
}

func TestTOL42TheRungIsTheFirstThatHoldsOfThoseAllowed(t *testing.T) {
	w := newWorld(t)
	all := w.open()
	for _, a := range all.Tried() {
		w.options.Rungs = []Rung{a.Rung}
		k := w.open()
		if tried := k.Tried(); len(tried) != 1 || tried[0].Rung != a.Rung || (k.Rung() == a.Rung) != (a.Err == nil) {
			t.Errorf("%s alone: took %q, tried %v; before: %v", a.Rung, k.Rung(), tried, a.Err)
		}
	}
	w.options.Rungs, w.options.Hidden = []Rung{Landlock}, []string{w.path("ws/data")}
	if tried := w.open().Tried(); tried[0].Err == nil || !strings.Contains(tried[0].Mend, "out of the workspace") {
		t.Errorf("what is to be hidden is in the workspace, and landlock took it, or says something else: %+v", tried)
	}
	w.options.Hidden, w.options.Readable = []string{w.path("outside/data")}, []string{w.path("outside")}
	if tried := w.open().Tried(); tried[0].Err == nil || !strings.Contains(tried[0].Mend, "tools.exec.reads") {
		t.Errorf("what is to be hidden is in a folder to be read, and landlock took it, or says something else: %+v", tried)
	}
	w.options.Rungs, w.options.Hidden, w.options.Workspace = []Rung{Namespaces}, nil, "/"
	if tried := w.open().Tried(); tried[0].Err == nil || tried[0].Mend != "choose another workspace" {
		t.Errorf("the whole disk is a workspace: %+v", tried)
	}
}

func TestTOL44LimitsEndWhatTakesTooMuch(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.options.Limits.FileSize, w.options.Limits.OpenFiles = 1<<20, 32
		out, _ := w.sh("head -c 9000000 /dev/zero > big; stat -c %s big; ulimit -n")
		if !strings.HasSuffix(out, "1048576\n32\n") {
			t.Errorf("a file and descriptors: %q", out)
		}
		w.options.Limits.Disk = 16 << 20
		_, end := w.sh("i=0; while :; do head -c 1000000 /dev/zero > f$i; i=$((i+1)); done")
		if !end.DiskFull || end.Exited {
			t.Errorf("a full disk: %+v", end)
		}
	})
}

// Without a /tmp of its own a command has a folder where the daemon's data is, which is not to be filled.
func TestTOL44TheDiskOfItsTemporaryFilesCountsToo(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		scratch, err := os.MkdirTemp("/dev/shm", "shelly-test-")
		if err != nil || sameDisk(scratch, w.options.Workspace) {
			t.Skip("there is no other disk: ", err)
		}
		t.Cleanup(func() { _ = os.RemoveAll(scratch) })
		w.options.Scratch, w.options.Limits.Disk = scratch, 16<<20
		_, end := w.sh("test -n \"$TMPDIR\" || exit 9; i=0; while test $i -lt 200; do head -c 1000000 /dev/zero > $TMPDIR/f$i; i=$((i+1)); done; sleep 3")
		if full := w.options.Rungs[0] == Landlock; end.DiskFull != full || end.Exited == full {
			t.Errorf("%+v", end)
		}
	})
}

// Others may fill the disk while the rungs are tried: that is no rung's fault. The other limits
// hold for a trial, because a command has to bear them too.
func TestTOL44ATrialIsNotJudgedByTheDisk(t *testing.T) {
	limits := Limits{Memory: 1, Processes: 2, FileSize: 3, OpenFiles: 4, Disk: 5}
	if got, want := limits.ofTrial(), (Limits{Memory: 1, Processes: 2, FileSize: 3, OpenFiles: 4}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// What is written in days, by whomever, ends no program that is to run for days; what is written in a
// minute does, and ends a command whenever that was.
func TestTOL44WithoutATimeLimitTheLastMinuteCounts(t *testing.T) {
	start := time.Unix(1_700_000_000, 0)
	for name, tt := range map[string]struct {
		timeout time.Duration
		free    map[time.Duration]int64 // after the start, in this order
		ends    time.Duration           // 0: never
	}{
		"a command":                 {time.Hour, map[time.Duration]int64{time.Minute: 95, 2 * time.Minute: 90, 3 * time.Minute: 89}, 3 * time.Minute},
		"a server in days":          {0, map[time.Duration]int64{time.Minute: 95, 2 * time.Minute: 90, 3 * time.Minute: 80, 5 * time.Minute: 70}, 0},
		"a server within a minute":  {0, map[time.Duration]int64{time.Minute: 95, 90 * time.Second: 84}, 90 * time.Second},
		"a server, all but as much": {0, map[time.Duration]int64{30 * time.Second: 90, time.Minute: 91}, 0},
	} {
		f := fillingOf(10, tt.timeout)
		f.free, f.since = 100, start
		ended := time.Duration(0)
		for _, at := range slices.Sorted(maps.Keys(tt.free)) {
			if f.exceeds(tt.free[at], start.Add(at)) {
				ended = at
				break
			}
		}
		if ended != tt.ends {
			t.Errorf("%s: ends after %v, want %v", name, ended, tt.ends)
		}
	}
}

func TestTOL45HooksAndConfigurationOfGitStay(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		if w.options.Rungs[0] == Landlock {
			t.Skip("landlock does not hold it: docs/sandbox.md")
		}
		w.write("ws/.git/config", "[core]\n")
		w.write("ws/.git/hooks/pre-commit", "good\n")
		w.write("ws/shelly.yaml", "tools: {}\n")
		w.write("ws/conf/deep/shelly.yaml", "tools: {}\n")
		w.options.Fixed = []string{w.path("ws/shelly.yaml"), w.path("ws/conf/deep/shelly.yaml")}
		w.sh(`echo evil >> .git/config; echo evil >> .git/hooks/pre-commit; echo evil > .git/hooks/post-commit; rm -f .git/config
mv .git aside && mkdir -p .git/hooks && echo evil > .git/hooks/pre-commit
echo evil >> shelly.yaml; rm -f shelly.yaml; echo other > .git/other
for d in conf conf/deep; do mv $d aside; mkdir -p conf/deep && echo evil > conf/deep/shelly.yaml; done`)
		for name, want := range map[string]string{"ws/.git/config": "[core]\n", "ws/.git/hooks/pre-commit": "good\n", "ws/shelly.yaml": "tools: {}\n", "ws/conf/deep/shelly.yaml": "tools: {}\n", "ws/.git/other": "other\n"} {
			if text, err := os.ReadFile(w.path(name)); err != nil || string(text) != want {
				t.Errorf("%s holds %q, %v; want %q", name, text, err, want)
			}
		}
		if made, _ := filepath.Glob(w.path("ws/.git/hooks/post*")); len(made) > 0 {
			t.Errorf("made: %v", made)
		}
	})
}

func TestTOL45RepositoriesDeeperInTheWorkspaceAreKeptToo(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		if w.options.Rungs[0] == Landlock {
			t.Skip("landlock does not hold it: docs/sandbox.md")
		}
		kept := map[string]string{
			"ws/a/b/.git/config": "[core]\n", "ws/sub/.git": "gitdir: ../.git/modules/sub\n", "ws/.git/modules/sub/config": "[core]\n",
			"ws/.git/worktrees/w/commondir": "../..\n", "ws/bare/config": "[core]\n",
		}
		for name, text := range kept { // order-free
			w.write(name, text)
		}
		for _, dir := range []string{"ws/.git/modules/sub", "ws/bare", "ws/.git"} {
			w.write(dir+"/HEAD", "ref: refs/heads/main\n")
			w.must(os.MkdirAll(w.path(dir+"/objects"), 0o755))
			w.must(os.MkdirAll(w.path(dir+"/refs"), 0o755))
		}
		w.write("ws/.git/worktrees/w/HEAD", "ref: refs/heads/side\n")
		out, _ := w.sh(`for f in a/b/.git/config sub/.git .git/modules/sub/config .git/worktrees/w/commondir bare/config; do
echo evil > $f; rm -f $f; echo evil > $f; echo evil > new; mv new $f; done 2>/dev/null
mv a/b/.git x; mv .git/modules/sub y; rm -rf .git/worktrees/w bare/hooks .git/modules; mkdir -p bare/hooks .git/modules/sub/hooks
for d in a/b/.git bare .git/modules/sub .git; do echo evil > $d/hooks/pre-commit; done
mv a c && mkdir -p a && echo moved`)
		if !strings.Contains(out, "moved") {
			t.Errorf("a folder above a repository cannot be moved: %s", out)
		}
		for name, want := range kept { // order-free
			name = strings.Replace(name, "/a/", "/c/", 1)
			if text, err := os.ReadFile(w.path(name)); err != nil || string(text) != want {
				t.Errorf("%s holds %q, %v; want %q", name, text, err, want)
			}
		}
		for _, dir := range []string{"c/b/.git", "bare", ".git/modules/sub", ".git"} {
			if made, _ := os.ReadFile(w.path("ws/" + dir + "/hooks/pre-commit")); made != nil {
				t.Errorf("a hook was made in %s", dir)
			}
		}
	})
}

func TestTOL45RepositoryOfACommandIsTheCommands(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		if w.options.Rungs[0] == Landlock {
			t.Skip("landlock keeps none")
		}
		w.write("ws/mine/.git/config", "[core]\n")
		k := w.open()
		run := func(script string) {
			t.Helper()
			var out firstBytes
			_, err := k.Run(t.Context(), Spec{Args: []string{"/bin/sh", "-c", script}, Out: &out, Env: []string{"PATH=/usr/bin:/bin"}, Timeout: time.Minute})
			w.must(err)
		}
		run("sleep 0.02; mkdir -p its/.git; echo one > its/.git/config; sleep 0.02")
		run("echo two > its/.git/config; echo two > mine/.git/config")
		for name, want := range map[string]string{"its": "two\n", "mine": "[core]\n"} { // order-free
			if text, err := os.ReadFile(w.path("ws/" + name + "/.git/config")); err != nil || string(text) != want {
				t.Errorf("%s: got %q, %v; want %q", name, text, err, want)
			}
		}
		run("rm -r its")
		if _, err := os.Stat(w.path("ws/its")); err == nil {
			t.Error("what a command has made cannot be removed")
		}
	})
}

func TestTOL45GitIsNotSentElsewhere(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.write("ws/.git/HEAD", "ref: refs/heads/main\n")
		w.write("ws/sub/.git/HEAD", "ref: refs/heads/main\n")
		w.write("outside/git/commondir", "theirs")
		_, end := w.sh("echo ../evil > .git/commondir; echo ../evil > sub/.git/commondir; echo mine > commondir")
		if len(end.Removed) != 2 {
			t.Errorf("removed: %q", end.Removed)
		}
		for name, there := range map[string]bool{"ws/.git/commondir": false, "ws/sub/.git/commondir": false, "ws/commondir": true} { // order-free
			if _, err := os.Lstat(w.path(name)); (err == nil) != there {
				t.Errorf("%s: got %v; want it there %t", name, err, there)
			}
		}
		w.sh("mv sub/.git sub/g; ln -s ../../outside/git sub/.git") // where the folder can be moved, a link leads nowhere
		if _, err := os.Lstat(w.path("outside/git/commondir")); err != nil {
			t.Error("a file outside is gone: ", err)
		}
	})
}

func TestTOL45AResultSaysThatNotEveryRepositoryIsProtected(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		if _, end := w.sh("true"); end.Partly {
			t.Error("an empty workspace is protected only in part")
		}
		for i := range repository.FoldersMax + 1 {
			w.must(os.MkdirAll(w.path(fmt.Sprintf("ws/%d/.git", i)), 0o755))
		}
		protects := w.options.Rungs[0] != Landlock
		if _, end := w.sh("true"); end.Partly != protects {
			t.Errorf("protected only in part: %v, want %v", end.Partly, protects)
		}
	})
}

func TestTOL49OnOtherSystemsCommandsAreRefusedAndItIsSaidWhy(t *testing.T) {
	w := newWorld(t)
	k := refuse(w.options)
	if k.Rung() != "" || len(k.Tried()) != len(Rungs()) || k.Refusal() == nil || !strings.Contains(k.Refusal().Error(), "only on Linux") {
		t.Errorf("%q holds, tried %+v: %v", k.Rung(), k.Tried(), k.Refusal())
	}
	for _, a := range k.Tried() {
		if a.Err == nil || a.Mend == "" {
			t.Errorf("got %+v; want an error, some Mend", a)
		}
	}
	var out firstBytes
	if _, err := k.Run(t.Context(), Spec{Args: []string{"/bin/sh", "-c", "echo ran"}, Out: &out}); err == nil || len(out) > 0 {
		t.Errorf("a command ran: %q, %v", out, err)
	}
}

// So it is on every system where there is no rung.
func TestTOL49WhereNothingContainsCommandsTheyAreRefused(t *testing.T) {
	w := newWorld(t)
	w.options.Rungs = []Rung{}
	k := w.open()
	if _, err := k.Run(t.Context(), Spec{Args: []string{"/bin/true"}}); err == nil || k.Rung() != "" {
		t.Errorf("a command ran by %q", k.Rung())
	}
	var out firstBytes
	end, err := Uncontained(w.options).Run(t.Context(), Spec{Args: []string{"/bin/echo", "bare"}, Out: &out})
	if err != nil || !end.Exited || string(out) != "bare\n" {
		t.Errorf("unsandboxed: %+v, %v, %q", end, err, out)
	}
}

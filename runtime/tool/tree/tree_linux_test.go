package tree

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"shelly/runtime/process"
)

// asDaemon makes this binary run one command until it is killed: the folder of the
// records and the command, a line each.
const asDaemon = "TREE_TEST_DAEMON"

func TestMain(m *testing.M) {
	Supervise()
	if dir, command, ok := strings.Cut(os.Getenv(asDaemon), "\n"); ok {
		_, err := New(dir).Run(context.Background(), Command{Args: shell(command), Dir: filepath.Dir(dir), Out: io.Discard})
		panic(err) // nothing ends the command
	}
	os.Exit(m.Run())
}

func shell(command string) []string { return []string{"/bin/sh", "-c", command} }

// runaway forks twice, leaves its session and its environment, ignores every signal that it can,
// and starts more; each of its processes holds the pipe.
const runaway = `(setsid env -i /bin/sh -c 'trap "" TERM HUP INT; exec 9>alive; sleep 1000 & echo up >&9; while :; do sleep 1000 & sleep 1000; done' &) & `

// site is a folder with the pipe that a command's processes hold.
type site struct {
	t    *testing.T
	dir  string
	in   *bufio.Reader
	pipe *os.File
	own  *os.File // holds the pipe open until the test waits for its end
}

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{t: t, dir: filepath.Join(t.TempDir(), "a site [1]")} // a name may have any characters
	s.must(os.Mkdir(s.dir, 0o700))
	path := filepath.Join(s.dir, "alive")
	s.must(syscall.Mkfifo(path, 0o600))
	var err error
	s.own, err = os.OpenFile(path, os.O_RDWR, 0)
	s.must(err)
	s.pipe, err = os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	s.must(err)
	s.must(s.pipe.SetReadDeadline(time.Now().Add(time.Minute))) // what hangs
	s.in = bufio.NewReader(s.pipe)
	t.Cleanup(func() { _, _ = s.own.Close(), s.pipe.Close() })
	return s
}

func (s *site) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// up waits until a process has said that it runs.
func (s *site) up() {
	s.t.Helper()
	_, err := s.in.ReadString('\n')
	s.must(err)
}

// down waits until no process holds the pipe.
func (s *site) down() {
	s.t.Helper()
	s.must(s.own.Close())
	_, err := io.Copy(io.Discard, s.in)
	s.must(err)
}

func (s *site) records() string { return filepath.Join(s.dir, "processes") }

func (s *site) keeper() *Keeper { return New(s.records()) }

// supervisor is the one of whose command there is a record.
func (s *site) supervisor() int {
	s.t.Helper()
	names, err := fs.Glob(os.DirFS(s.records()), "*.json")
	s.must(err)
	if len(names) != 1 {
		s.t.Fatalf("records: %v", names)
	}
	text, err := os.ReadFile(filepath.Join(s.records(), names[0]))
	s.must(err)
	var r record
	s.must(json.Unmarshal(text, &r))
	return r.PID
}

func (s *site) noRecord() {
	s.t.Helper()
	names, err := fs.Glob(os.DirFS(s.records()), "*.json")
	if err != nil || len(names) > 0 {
		s.t.Errorf("records: %v, %v", names, err)
	}
}

// run runs a command and hands over how it ended.
func (s *site) run(ctx context.Context, c Command) <-chan End {
	ends := make(chan End, 1)
	c.Dir = s.dir
	if c.Out == nil {
		c.Out = io.Discard
	}
	go func() {
		end, err := s.keeper().Run(ctx, c)
		if err != nil {
			s.t.Errorf("not started: %v", err)
		}
		ends <- end
	}()
	return ends
}

func got(t *testing.T, ends <-chan End) End {
	t.Helper()
	select {
	case end := <-ends:
		return end
	case <-time.After(time.Minute):
		t.Fatal("hangs")
		return End{}
	}
}

func TestTOL11WhatACommandHasStartedEndsWithIt(t *testing.T) {
	for _, c := range []struct {
		name, command string
		timeout       time.Duration
		cancel        bool
		want          func(End) bool
	}{
		{"it ends", runaway + "read line <go; exit 3", 0, false, func(e End) bool { return e.Exited && e.Code == 3 }},
		{"it is killed", runaway + "read line <go; kill -SEGV $$", 0, false, func(e End) bool { return strings.HasPrefix(e.Signal, "segmentation fault") }},
		{"it is given up", runaway + "exec sleep 1000", 0, true, func(e End) bool { return e.Signal == "killed" && !e.TimedOut }},
		{"it runs out of time", runaway + "exec sleep 1000", 50 * time.Millisecond, false, func(e End) bool { return e.Signal == "killed" && e.TimedOut }},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSite(t)
			gate := filepath.Join(s.dir, "go")
			s.must(syscall.Mkfifo(gate, 0o600))
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			ends := s.run(ctx, Command{Args: shell(c.command), Timeout: c.timeout})
			if c.timeout == 0 {
				s.up()
			}
			if c.cancel {
				cancel()
			} else if c.timeout == 0 {
				s.must(os.WriteFile(gate, []byte("go\n"), 0))
			}
			end := got(t, ends)
			s.down()
			if !c.want(end) || end.Lost || len(end.Left) > 0 {
				t.Errorf("got %+v; want the end of %s, not Lost, none Left", end, c.name)
			}
			s.noRecord()
		})
	}
}

// A command may kill its own supervisor, which is its parent.
func TestTOL11TheSupervisorAloneIsKilled(t *testing.T) {
	s := newSite(t)
	ends := s.run(t.Context(), Command{Args: shell(runaway + "exec sleep 1000")})
	s.up()
	s.must(syscall.Kill(s.supervisor(), syscall.SIGKILL))
	end := got(t, ends)
	s.down()
	if !end.Lost || end.Exited || len(end.Left) > 0 {
		t.Errorf("got %+v; want Lost, not Exited, none Left", end)
	}
	s.noRecord()
}

// daemon starts a process that runs the command and does nothing else.
func (s *site) daemon(command string) *exec.Cmd {
	s.t.Helper()
	d := exec.Command(os.Args[0])
	d.Env = append(os.Environ(), asDaemon+"="+s.records()+"\n"+command)
	d.Stderr = os.Stderr
	s.must(d.Start())
	s.t.Cleanup(func() { _ = d.Process.Kill() })
	return d
}

func kill9(t *testing.T, d *exec.Cmd) {
	t.Helper()
	if err := d.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = d.Wait() // it says that it was killed
}

func TestTOL11TheDaemonAloneIsKilled(t *testing.T) {
	s := newSite(t)
	d := s.daemon(runaway + "exec sleep 1000")
	s.up()
	kill9(t, d)
	s.down() // by the supervisor
	if _, err := s.keeper().Clear(); err != nil {
		t.Error(err)
	}
	s.noRecord()
}

func TestTOL11BothAreKilledAtOnce(t *testing.T) {
	s := newSite(t)
	d := s.daemon(runaway + "exec sleep 1000")
	s.up()
	s.must(d.Process.Signal(syscall.SIGSTOP)) // so that it does nothing about the next line
	s.must(syscall.Kill(s.supervisor(), syscall.SIGKILL))
	kill9(t, d)
	ended, err := s.keeper().Clear()
	if err != nil || len(ended) < 2 {
		t.Errorf("ended %v, %v; want the shell that ran away and what it has started", ended, err)
	}
	s.down()
	s.noRecord()
	if ended, err := s.keeper().Clear(); err != nil || len(ended) > 0 {
		t.Errorf("and again: %v, %v", ended, err)
	}
}

// A stopped supervisor ends nothing, and is itself ended.
func TestTOL11TheSupervisorIsStoppedAndTheDaemonKilled(t *testing.T) {
	s := newSite(t)
	d := s.daemon(runaway + "exec sleep 1000")
	s.up()
	s.must(syscall.Kill(s.supervisor(), syscall.SIGSTOP))
	kill9(t, d)
	if _, err := s.keeper().Clear(); err != nil {
		t.Error(err)
	}
	s.down()
	s.noRecord()
}

// A record of another boot, of no command, or of processes without its mark ends nothing.
func TestTOL11ARecordOfOthersEndsNobody(t *testing.T) {
	s := newSite(t)
	other := exec.Command("sleep", "1000")
	s.must(other.Start())
	defer func() { _, _ = other.Process.Kill(), other.Wait() }()
	boot, err := process.Boot()
	s.must(err)
	s.must(os.Mkdir(s.records(), 0o700))
	for name, text := range map[string]string{
		"1.json": `{"boot":"another","mark":1099511627777,"pid":1}`,
		"2.json": `{"boot":"` + boot + `","mark":0,"pid":` + "1}",
		"3.json": `{"boot":"` + boot + `","mark":1099511627777,"pid":1}`,
		"4.json": `{"boot":"` + boot,
		"5.json": ``,
	} {
		s.must(os.WriteFile(filepath.Join(s.records(), name), []byte(text), 0o600))
	}
	if ended, err := s.keeper().Clear(); err != nil || len(ended) > 0 {
		t.Errorf("ended %v, %v", ended, err)
	}
	s.must(other.Process.Signal(syscall.Signal(0)))
	s.noRecord()
}

// However fast a command starts others, all end.
func TestTOL11ACommandThatForksWithoutEnd(t *testing.T) {
	s := newSite(t)
	ends := s.run(t.Context(), Command{Args: shell(
		`exec 9>alive; for i in 1 2 3; do (setsid sh -c 'n=0; while [ $n -lt 3000 ]; do (sleep 1000 >/dev/null &) & n=$((n+1)); wait; done' &); done; echo up >&9; read line </dev/null; sleep 1000`), Timeout: 300 * time.Millisecond})
	s.up()
	if end := got(t, ends); !end.TimedOut || len(end.Left) > 0 {
		t.Errorf("got %+v; want TimedOut, none Left", end)
	}
	s.down()
}

func TestWhatCannotBeStarted(t *testing.T) {
	s := newSite(t)
	for _, c := range []struct {
		name, want string
		command    Command
	}{
		{"no program", "no such file or directory", Command{Args: []string{"/nowhere/sh"}, Dir: s.dir}},
		{"no folder", "no such file or directory", Command{Args: shell("true"), Dir: s.dir + "/nowhere"}},
		{"too long", "argument list too long", Command{Args: shell(strings.Repeat("x", 1<<18)), Dir: s.dir}},
	} {
		c.command.Out = io.Discard
		if _, err := s.keeper().Run(t.Context(), c.command); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v; want an error with %q", c.name, err, c.want)
		}
	}
	s.noRecord()
	// If no record can be written, nothing is started.
	s.must(os.RemoveAll(s.records()))
	s.must(os.WriteFile(s.records(), nil, 0o600))
	_, err := s.keeper().Run(t.Context(), Command{Args: shell("touch ran"), Dir: s.dir, Out: io.Discard})
	if _, ran := os.Stat(filepath.Join(s.dir, "ran")); err == nil || strings.Contains(err.Error(), "exit status") || !errors.Is(ran, os.ErrNotExist) {
		t.Errorf("without a record: %v, and it ran: %v", err, ran)
	}
}

// Processes that outlive the command and hold the output may still write for a moment.
func TestTheOutputOfWhatIsLeftForAMomentIsTaken(t *testing.T) {
	s := newSite(t)
	var out bytes.Buffer
	ends := s.run(t.Context(), Command{Args: shell("(read line <alive; echo late) & echo early"), Out: &out})
	_, err := s.own.WriteString("go\n")
	s.must(err)
	if end := got(t, ends); !end.Exited {
		t.Errorf("got %+v; want Exited", end)
	}
	if text := out.String(); text != "early\nlate\n" && text != "late\nearly\n" {
		t.Errorf("output %q", text)
	}
}

func TestAMarkIsReadFromTheLimits(t *testing.T) {
	for limits, want := range map[string]uint64{
		"Max realtime timeout      1099511627777        1099511627778        us        \n": 1099511627778,
		"Max realtime timeout      unlimited            unlimited            us        \n": 0,
		"Max realtime timeout      1                    200000               us        \n": 0,
		"Max realtime timeout":     0,
		"Max realtime priority  0": 0,
		"":                         0,
	} {
		if mark, ok := readMark(limits); mark != want && ok || ok != (want > 0) {
			t.Errorf("%q: got %d, %t; want %d, %t", limits, mark, ok, want, want > 0)
		}
	}
}

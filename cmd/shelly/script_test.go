package main

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"

	"shelly/runtime/comm/client"
	"shelly/runtime/sandbox"
	"shelly/runtime/store"
	"shelly/runtime/tool/tree"
)

// TestMain makes this test binary the command shelly of the scripts: what they
// run is the real main, in a process of its own.
func TestMain(m *testing.M) {
	tree.Supervise()
	sandbox.Stage()
	testscript.Main(runOnce{m}, map[string]func(){"shelly": main})
}

// The scripts of testdata/script are the command line's rules as a person types them. In
// addition to testscript's own commands there are
//
//	ends CODE ARG…           run shelly; it must end with the exit code
//	start NAME ARG…          run shelly in the background
//	await NAME REGEXP [VAR]  wait until its output matches; VAR takes what the first group matched
//	tell NAME SIGNAL         send it TERM, INT, HUP or KILL
//	finish NAME CODE         wait for its end; its output is then stdout
//	raise FILE               post a file to the daemon's /v1/events; the answer is stdout
//	fetch PATH [FILE]        read a route of the daemon, or post a file to it; the body is stdout. Where
//	                         BEARER is set, that is the token
//	datagrams FILE           send each line of a file to the daemon by UDP, TOKEN in it replaced;
//	                         its answers up to the first reply are stdout
//	flip FILE BYTE           flip a bit of a byte of a file; from its end where the number is negative
//	newer FOLDER             make a store look as if newer code had written it
//
// and the conditions [roomy], more than 1 TiB of disk is free, [root], whom no
// permission stops, and [served], a unit of shelly is installed on this machine. UPDATE_SCRIPTS=1
// rewrites what cmp compares with.
func TestScripts(t *testing.T) { runScripts(t, "testdata/script") }

func runScripts(t *testing.T, dir string) {
	commands := commandsOnce(t)
	testscript.Run(t, testscript.Params{
		Dir: dir,
		Setup: func(e *testscript.Env) error {
			e.Values[commandsKey{}] = commands
			if commands != "" {
				e.Setenv("PATH", commands+string(os.PathListSeparator)+e.Getenv("PATH"))
			}
			return setUpScript(e)
		},
		RequireUniqueNames: true,
		Deadline:           time.Now().Add(scriptsEnd),
		UpdateScripts:      os.Getenv("UPDATE_SCRIPTS") != "",
		Condition:          scriptCondition,
		Cmds: commandsOf(map[string]func(*testscript.TestScript, bool, []string){
			"ends":      scriptCommand(1, scriptEnds),
			"start":     scriptCommand(2, scriptStart),
			"await":     scriptCommand(2, scriptAwait),
			"tell":      scriptCommand(2, scriptTell),
			"say":       scriptCommand(1, scriptSay),
			"finish":    scriptCommand(2, scriptFinish),
			"raise":     scriptCommand(1, scriptRaise),
			"fetch":     scriptCommand(1, scriptFetch),
			"bearer":    scriptCommand(1, scriptBearer),
			"datagrams": scriptCommand(1, scriptDatagrams),
			"flip":      scriptCommand(2, scriptFlip),
			"newer":     scriptCommand(1, scriptNewer),
		}),
	})
}

// commandsOnce is the folder put first in PATH for the commands that scripts run and wait for.
// The race detector watches what runs in the background, such as daemons and chats. A thousand
// short commands would cost ten times as much with it, so these are the program as users have
// it; their goroutines belong to packages with tests of their own. So is the mock, though it runs
// in the background: it stands in for a model, and the tests of its package watch it.
func commandsOnce(t *testing.T) string {
	built, ok := debug.ReadBuildInfo()
	if !ok || !slices.Contains(built.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		return ""
	}
	return filepath.Dir(buildShelly(t))
}

// commandsKey is the key of that folder; "" where the test binary itself is the program.
type commandsKey struct{}

// commandsOf adds the commands for terminal windows.
func commandsOf(all map[string]func(*testscript.TestScript, bool, []string)) map[string]func(*testscript.TestScript, bool, []string) {
	maps.Copy(all, windows())
	return all
}

// setUpScript gives a script its own folders, free ports, and no Ollama: nothing listens at
// port 9, discard.
func setUpScript(e *testscript.Env) error {
	checkout, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		return err
	}
	home := filepath.Join(e.WorkDir, ".home")
	for name, value := range map[string]string{
		"HOME":             home,
		"XDG_CONFIG_HOME":  filepath.Join(home, "config"),
		"XDG_DATA_HOME":    filepath.Join(home, "data"),
		"DATA":             filepath.Join(home, "data", "shelly"),
		"CHECKOUT":         checkout,
		"OLLAMA_HOST":      "127.0.0.1:9",
		"SHELLY_COMM_HTTP": "127.0.0.1:0",
		"SHELLY_COMM_UDP":  "127.0.0.1:0",
		"GORACE":           "atexit_sleep_ms=0",
	} {
		e.Setenv(name, value)
	}
	e.Values[tmuxKey{}] = new(string)
	e.Values[jobsKey{}] = &jobs{env: e.Vars, byName: map[string]*job{}}
	return os.MkdirAll(home, 0o700)
}

func scriptCondition(name string) (bool, error) {
	switch name {
	case "root":
		return os.Geteuid() == 0, nil
	case "served":
		units, err := filepath.Glob("/*/systemd/system/shelly.service*")
		more, moreErr := filepath.Glob("/usr/lib/systemd/system/shelly.service*")
		return len(units)+len(more) > 0, errors.Join(err, moreErr)
	case "roomy":
	default:
		return false, errors.New("unknown condition " + name)
	}
	var free unix.Statfs_t
	if err := unix.Statfs(os.TempDir(), &free); err != nil {
		return false, err
	}
	return free.Bavail*uint64(free.Bsize) > 1<<40, nil
}

// scriptCommand is a command with at least argsMin arguments and no negation.
func scriptCommand(argsMin int, run func(*testscript.TestScript, []string)) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		if neg || len(args) < argsMin {
			ts.Fatalf("wants %d or more arguments and no !", argsMin)
		}
		run(ts, args)
	}
}

func scriptEnds(ts *testscript.TestScript, args []string) {
	var exit *exec.ExitError
	code := 0
	if err := ts.Exec("shelly", args[1:]...); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("ended with %d, want %s", code, args[0])
	}
}

type jobsKey struct{}

// jobs are what runs in the background of a script.
type jobs struct {
	env    []string
	byName map[string]*job
}

func jobsOf(ts *testscript.TestScript) *jobs { return ts.Value(jobsKey{}).(*jobs) }

func jobOf(ts *testscript.TestScript, name string) *job {
	j, ok := jobsOf(ts).byName[name]
	if !ok {
		ts.Fatalf("nothing was started as %s", name)
	}
	return j
}

// job is one shelly in the background. It is the writer of both its outputs.
type job struct {
	cmd   *exec.Cmd
	in    io.WriteCloser // of one that serves a client over its input; nil: there is none
	ended chan struct{}

	mu   sync.Mutex
	said bytes.Buffer
	more chan struct{} // closed at the next output
}

// Write implements [io.Writer].
func (j *job) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	close(j.more)
	j.more = make(chan struct{})
	return j.said.Write(p)
}

func (j *job) output() (said string, more <-chan struct{}) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.said.String(), j.more
}

// scriptStart starts a job with the script's environment as it was set up, except for
// OLLAMA_HOST, which await may have set. The end of the script kills it.
func scriptStart(ts *testscript.TestScript, args []string) {
	all := jobsOf(ts)
	j := &job{ended: make(chan struct{}), more: make(chan struct{})}
	bin, err := exec.LookPath("shelly") // testscript.Main put it into PATH
	ts.Check(err)
	if commands := ts.Value(commandsKey{}).(string); commands != "" && args[1] == "mock" {
		bin = filepath.Join(commands, "shelly")
	}
	j.cmd = exec.Command(bin, args[1:]...)
	j.cmd.Dir = ts.MkAbs(".")
	j.cmd.Env = append(all.env[:len(all.env):len(all.env)], "OLLAMA_HOST="+ts.Getenv("OLLAMA_HOST"))
	j.cmd.Stdout, j.cmd.Stderr = j, j
	if args[1] == "acp" || args[1] == "mcp" {
		j.in, err = j.cmd.StdinPipe()
		ts.Check(err)
	}
	ts.Check(j.cmd.Start())
	go func() {
		defer close(j.ended)
		_ = j.cmd.Wait() // finish looks at the exit code
	}()
	ts.Defer(func() {
		_ = j.cmd.Process.Kill() // it may have ended
		<-j.ended
	})
	all.byName[args[0]] = j
}

// scriptHang is how long a script waits for what should happen at once.
const scriptHang = time.Minute

// scriptsEnd is when all scripts of a folder are ended, so that a hang is reported with its
// script before the test itself is killed. All scripts take some 45 s, and four times that with
// the race detector.
const scriptsEnd = 8 * time.Minute

func scriptAwait(ts *testscript.TestScript, args []string) {
	j, want := jobOf(ts, args[0]), regexp.MustCompile(args[1])
	hang := time.NewTimer(scriptHang)
	defer hang.Stop()
	for ended := false; ; {
		said, more := j.output()
		if found := want.FindStringSubmatch(said); found != nil {
			if len(args) > 2 {
				ts.Setenv(args[2], found[1])
			}
			return
		}
		if ended {
			ts.Fatalf("%s has ended and never said %s:\n%s", args[0], want, said)
		}
		select {
		case <-more:
		case <-j.ended:
			ended = true // what it said last may not have been looked at
		case <-hang.C:
			ts.Fatalf("%s does not say %s:\n%s", args[0], want, said)
		}
	}
}

func scriptTell(ts *testscript.TestScript, args []string) {
	signal, ok := map[string]syscall.Signal{"TERM": syscall.SIGTERM, "INT": syscall.SIGINT, "KILL": syscall.SIGKILL, "HUP": syscall.SIGHUP}[args[1]]
	if !ok {
		ts.Fatalf("no signal %s", args[1])
	}
	err := jobOf(ts, args[0]).cmd.Process.Signal(signal)
	if !errors.Is(err, os.ErrProcessDone) { // how it ended is for finish to judge
		ts.Check(err)
	}
}

// scriptSay writes a line to a job that serves a client over its input; without a line it
// closes the input.
func scriptSay(ts *testscript.TestScript, args []string) {
	j := jobOf(ts, args[0])
	if len(args) == 1 {
		ts.Check(j.in.Close())
		return
	}
	_, err := io.WriteString(j.in, args[1]+"\n")
	ts.Check(err)
}

func scriptFinish(ts *testscript.TestScript, args []string) {
	j := jobOf(ts, args[0])
	hang := time.NewTimer(scriptHang)
	defer hang.Stop()
	select {
	case <-j.ended:
	case <-hang.C:
		said, _ := j.output()
		ts.Fatalf("%s does not end:\n%s", args[0], said)
	}
	said, _ := j.output()
	_, err := io.WriteString(ts.Stdout(), said)
	ts.Check(err)
	if code := strconv.Itoa(j.cmd.ProcessState.ExitCode()); code != args[1] {
		ts.Fatalf("%s ended with %s, want %s", args[0], code, args[1])
	}
}

// reach returns the address of the script's daemon, and its token.
func reach(ts *testscript.TestScript) (client.Endpoint, string) {
	at, err := client.ReadEndpoint(ts.Getenv("DATA"))
	ts.Check(err)
	token, err := client.ReadToken(ts.Getenv("DATA"))
	ts.Check(err)
	return at, token
}

func scriptRaise(ts *testscript.TestScript, args []string) {
	answer := call(ts, http.MethodPost, "/v1/events", strings.NewReader(ts.ReadFile(args[0])))
	defer answer.Body.Close()
	_, err := io.WriteString(ts.Stdout(), answer.Status+"\n")
	ts.Check(err)
	_, err = io.Copy(ts.Stdout(), answer.Body)
	ts.Check(err)
}

func scriptFetch(ts *testscript.TestScript, args []string) {
	method, body := http.MethodGet, io.Reader(nil)
	if len(args) > 1 {
		method, body = http.MethodPost, strings.NewReader(ts.ReadFile(args[1]))
	}
	answer := call(ts, method, args[0], body)
	defer answer.Body.Close()
	_, err := io.Copy(ts.Stdout(), answer.Body)
	ts.Check(err)
}

// call asks the script's daemon over HTTP.
func call(ts *testscript.TestScript, method, path string, body io.Reader) *http.Response {
	at, token := reach(ts)
	request, err := http.NewRequest(method, "http://"+at.HTTP+path, body)
	ts.Check(err)
	request.Header.Set("Authorization", "Bearer "+cmp.Or(ts.Getenv("BEARER"), token))
	if method == http.MethodPost {
		request.Header.Set("Content-Type", "application/json")
	}
	direct := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: scriptHang}
	answer, err := direct.Do(request)
	ts.Check(err)
	return answer
}

func scriptDatagrams(ts *testscript.TestScript, args []string) {
	at, token := reach(ts)
	conn, err := net.Dial("udp", at.UDP)
	ts.Check(err)
	defer conn.Close()
	ts.Check(conn.SetDeadline(time.Now().Add(scriptHang)))
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		_, err := conn.Write([]byte(strings.ReplaceAll(strings.TrimSuffix(line, "\n"), "TOKEN", token)))
		ts.Check(err)
	}
	for buffer := make([]byte, 1<<16); ; {
		n, err := conn.Read(buffer)
		ts.Check(err)
		var answer struct{ Type string }
		ts.Check(json.Unmarshal(buffer[:n], &answer))
		_, err = ts.Stdout().Write(append(buffer[:n:n], '\n'))
		ts.Check(err)
		if answer.Type == "reply" {
			return
		}
	}
}

func scriptNewer(ts *testscript.TestScript, args []string) {
	db, err := pebble.Open(ts.MkAbs(args[0]), &pebble.Options{
		FormatMajorVersion: pebble.FormatTableFormatV6, Logger: silentLogger{},
	})
	ts.Check(err)
	err = db.Set([]byte("Mformat"), binary.BigEndian.AppendUint32(nil, store.Format+1), pebble.Sync)
	ts.Check(errors.Join(err, db.Close()))
}

func scriptFlip(ts *testscript.TestScript, args []string) {
	at, err := strconv.Atoi(args[1])
	ts.Check(err)
	file := ts.MkAbs(args[0])
	text, err := os.ReadFile(file)
	ts.Check(err)
	if at < 0 {
		at += len(text)
	}
	text[at] ^= 4
	ts.Check(os.WriteFile(file, text, 0o600))
}

// silentLogger drops what Pebble logs when it opens a store.
type silentLogger struct{}

func (silentLogger) Infof(string, ...any) {}

func (silentLogger) Errorf(string, ...any) {}

func (silentLogger) Fatalf(format string, args ...any) {
	panic("pebble: " + format)
}

// scriptBearer makes the token in a file the one for the calls that follow.
func scriptBearer(ts *testscript.TestScript, args []string) {
	ts.Setenv("BEARER", strings.TrimSpace(ts.ReadFile(args[0])))
}

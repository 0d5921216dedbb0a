package tool

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"shelly/fsm"
	"shelly/fsm/wording"
	"shelly/runtime/exhaustive"
	"shelly/runtime/sandbox"
	"shelly/runtime/tool/tree"
)

func newExecWorld(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.allowExec()
	return w
}

func (w *world) sh(command string) fsm.ToolAnswered {
	w.t.Helper()
	return w.exec(map[string]any{"command": strings.ReplaceAll(command, "{{ws}}", w.workspace)})
}

// exec returns a result without what contained it, which the system decides.
func (w *world) exec(args map[string]any) fsm.ToolAnswered {
	w.t.Helper()
	got := w.call("exec", args)
	if got.Contained == "" && !got.Nothing {
		w.t.Errorf("nothing says what contained the command: %+v", got)
	}
	got.Contained = ""
	return got
}

// In the workspace and without input, among others (TOL-6).
func TestOrdinaryCommandsRun(t *testing.T) {
	exhaustive.Test(t)
	for _, c := range []struct {
		command string
		code    int
		holds   string
		needs   string
	}{
		{"rm old.txt && test ! -e old.txt", 0, "", ""},
		{"rm -r build && test ! -e build", 0, "", ""},
		{`rm -f "{{ws}}/old.txt" && test ! -e old.txt`, 0, "", ""},
		{`echo "rm -rf /"`, 0, "rm -rf /", ""},
		{"echo ':(){ :|:& };:'", 0, ":|:&", ""},
		{"grep -rn 'rm -rf' docs", 0, "rm -rf", ""},
		{"grep -c mkfs docs/readme.md", 0, "1", ""},
		{`cat "rm -rf notes.md"`, 0, "odd name", ""},
		{"ls -la", 0, "notes.txt", ""},
		{"sort notes.txt | uniq | head -n 1", 0, "alpha", ""},
		{"cut -d, -f1 data.csv", 0, "id", ""},
		{"tr a-z A-Z < notes.txt", 0, "ALPHA", ""},
		{"ls src | xargs -n1 echo item", 0, "item main.go", ""},
		{"awk -F, '{print $2}' data.csv", 0, "name", "awk"},
		{"python3 src/util.py", 0, "util ok", "python3"},
		{"echo hi | tee out.txt && grep -q hi out.txt", 0, "hi", ""},
		{"head -c 8 /dev/urandom | od -An -tx1 | wc -l", 0, "1", ""},
		{"echo $(date +%Y)", 0, "20", ""},
		{"for i in 1 2 3; do echo n$i; done", 0, "n3", ""},
		{"sh -c 'echo nested'", 0, "nested", ""},
		{"(echo bg) & wait", 0, "bg", ""},
		{"mkdir -p a/b/c && touch a/b/c/x && ls a/b/c", 0, "x", ""},
		{"ln -s notes.txt n.lnk && cat n.lnk", 0, "alpha", ""},
		{`cat "{{ws}}/notes.txt"`, 0, "alpha", ""},
		{"echo 'a;b|c&d>e<f'", 0, "a;b|c&d>e<f", ""},
		{`printf 'привет 你好 🙂\n'`, 0, "你好", ""},
		{"sort -u -o sorted.txt notes.txt && cat sorted.txt", 0, "alpha", ""},
		{"sha256sum notes.txt | cut -c1-8 | wc -c", 0, "9", "sha256sum"},
		{"false", 1, "(no output)", ""},
		{"ls nope", 2, "nope", ""},
		{"exit 3", 3, "(no output)", ""},
		{"nosuchcommand", 127, "nosuchcommand", ""},
		{"echo to stderr >&2", 0, "to stderr", ""},
		{"i=0; while [ $i -lt 200 ]; do echo line$i; i=$((i+1)); done", 0, "line199", ""},
		{"pwd", 0, "{{ws}}", ""},
		{"cat", 0, "(no output)", ""},
	} {
		t.Run(c.command, func(t *testing.T) {
			if _, err := exec.LookPath(c.needs); c.needs != "" && err != nil {
				t.Skipf("%s is not here", c.needs)
			}
			w := newExecWorld(t)
			got := w.sh(c.command)
			first, rest, _ := strings.Cut(got.Text, "\n")
			holds := strings.ReplaceAll(c.holds, "{{ws}}", w.workspace)
			if got.Failed || first != fmt.Sprintf("exit code: %d", c.code) || !strings.Contains(rest, holds) {
				t.Errorf("got %+v, want code %d and %q", got, c.code, holds)
			}
		})
	}
}

func TestCommandsThatCannotBeRun(t *testing.T) {
	for _, c := range []struct{ name, command, want string }{
		{"empty", "", "command is empty"},
		{"blank", " \n", "command is empty"},
		{"NUL", "echo a\x00b", "command holds a NUL byte"},
		{"in a fence", "```sh\necho touch made\n```", "command is in a fence (```); give it without"},
		{"too long", strings.Repeat("x", commandCharsMax+1), "argument command must be a text of at most 65536 characters"},
		{"too wide", strings.Repeat("你", commandCharsMax), "the command was not started: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := newExecWorld(t).sh(c.command); !got.Failed || !strings.HasPrefix(got.Text, c.want) {
				t.Errorf("got %+v, want %q", got, c.want)
			}
		})
	}
}

func TestTOL6CommandSeesAMinimalEnvironment(t *testing.T) {
	t.Setenv("SHELLY_TOKEN", secret)
	w := newExecWorld(t)
	got := w.sh("env | grep -v -e ^PWD= -e ^OLDPWD= -e ^SHLVL= -e ^_= | sort")
	want := fsm.ToolAnswered{Text: "exit code: 0\nHOME=" + w.workspace + "\nLANG=C.UTF-8\nPATH=/usr/local/bin:/usr/bin:/bin\n"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// Nothing shows who has filled the disk, so the command is not blamed.
func TestTOL44ACommandIsNotBlamedForTheDisk(t *testing.T) {
	r := &Runner{}
	want := Failed("the command was killed because the disk had filled by more than is allowed (tools.exec.disk), whoever has written there; output until then:\nout\n")
	if diff := cmp.Diff(want, r.ended(t.Context(), sandbox.End{DiskFull: true}, time.Second, "out\n")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestDeathByASignalIsReported(t *testing.T) {
	got := newExecWorld(t).sh("echo so far; kill -SEGV $$")
	if got.Failed || !strings.HasPrefix(got.Text, "ended by signal: segmentation fault") || !strings.HasSuffix(got.Text, "\nso far\n") {
		t.Errorf("got %+v; want a Text from %q to %q", got, "ended by signal: segmentation fault", "so far")
	}
}

func TestTOL6LongOutputKeepsBothEnds(t *testing.T) {
	got := newExecWorld(t).sh("echo first; head -c 3000000 /dev/zero | tr '\\0' x; echo; echo last; exit 4")
	if got.Failed || !strings.HasPrefix(got.Text, "exit code: 4\nfirst\nxxx") || !strings.HasSuffix(got.Text, "xxx\nlast\n") {
		t.Errorf("got %.60q … %q; want the code 4, %q and %q", got.Text, got.Text[max(0, len(got.Text)-60):], "first", "last")
	}
	if !strings.Contains(got.Text, " bytes cut here]\n") {
		t.Error("no mark")
	}
}

func TestBinaryOutputIsMended(t *testing.T) {
	got := newExecWorld(t).sh(`printf 'a\377\033[31mb\n'`)
	if diff := cmp.Diff(fsm.ToolAnswered{Text: "exit code: 0\na\uFFFD\uFFFD[31mb\n"}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// Mending makes each of these bytes three (TOL-4), and still the end of the output is there, and
// the mark counts the bytes that are not shown.
func TestTOL4LongBinaryOutputKeepsBothEnds(t *testing.T) {
	got := newExecWorld(t).sh("echo first; head -c 4000 /dev/zero | tr '\\0' '\\377'; echo; echo last")
	want := "exit code: 0\nfirst\n" + strings.Repeat("\uFFFD", 638) + "\n[2724 bytes cut here]\n" + strings.Repeat("\uFFFD", 638) + "\nlast\n"
	if got.Text != want || got.Failed {
		t.Errorf("got %q, want %q", got.Text, want)
	}
}

// hanging starts two processes in the group, each holding the pipe, and says so.
const hanging = "exec 9>alive; sleep 100000 & echo started; echo started >&9; sleep 100000"

// TOL-6, TOL-7.
func TestGivingUpKillsTheWholeGroup(t *testing.T) {
	w := newExecWorld(t)
	started, ended := w.pipe()
	ctx, cancel := context.WithCancel(guard(t))
	defer cancel()
	results := make(chan fsm.ToolAnswered, 1)
	r := w.runner()
	go func() { results <- r.Run(ctx, fsm.RunTool{Name: "exec", Args: command(hanging)}) }()
	started()
	cancel()
	want := fsm.ToolAnswered{Text: "stopped: the call was given up and the command killed; output until then:\nstarted\n", Failed: true}
	got := receive(t, results)
	got.Contained = ""
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	ended()
}

func TestTOL46ArgvNeedsNoShellAndTheFolderIsTheWorkspaces(t *testing.T) {
	for _, c := range []struct {
		name string
		args map[string]any
		want string
	}{
		{"argv", map[string]any{"argv": []string{"printf", "%s|", "a b", "$HOME", ""}}, "exit code: 0\na b|$HOME||"},
		{"folder", map[string]any{"command": "pwd", "working_dir": "src"}, "exit code: 0\n{{ws}}/src\n"},
		{"absolute folder", map[string]any{"argv": []string{"pwd"}, "working_dir": "{{ws}}/docs/../src/"}, "exit code: 0\n{{ws}}/src\n"},
		{"no program", map[string]any{"argv": []string{"nosuchprogram"}}, "the command was not started: there is no program \"nosuchprogram\": no such file or directory"},
		{"both", map[string]any{"argv": []string{"ls"}, "command": "ls"}, "give command or argv, not both"},
		{"beside an empty list", map[string]any{"argv": []string{}, "command": "echo a"}, "argument argv must be a list of 1 to 1000, not of 0; exec takes: argv (a list of 1 to 1000), command (a text of at most 65536 characters), timeout (a whole number from 1 on), working_dir (a text of at most 4096 characters)"},
		{"beside an empty text", map[string]any{"argv": []string{"echo", "a"}, "command": "", "working_dir": ""}, "exit code: 0\na\n"},
		{"neither", map[string]any{}, "command is empty"},
		{"an empty list", map[string]any{"argv": []string{}}, "argument argv must be a list of 1 to 1000, not of 0; exec takes: argv (a list of 1 to 1000), command (a text of at most 65536 characters), timeout (a whole number from 1 on), working_dir (a text of at most 4096 characters)"},
		{"outside", map[string]any{"command": "pwd", "working_dir": ".."}, `working_dir ".." is not in the workspace`},
		{"beside by its name", map[string]any{"command": "pwd", "working_dir": "{{ws}}-evil"}, `working_dir "{{ws}}-evil" is not in the workspace`},
		{"by a link", map[string]any{"command": "pwd", "working_dir": "link_out"}, `working_dir "link_out" is not in the workspace`},
		{"a file", map[string]any{"command": "pwd", "working_dir": "notes.txt"}, `working_dir "notes.txt" is not a folder`},
		{"nowhere", map[string]any{"command": "pwd", "working_dir": "nowhere"}, `working_dir "nowhere" is not a folder: no such file or directory`},
		{"through a file", map[string]any{"command": "pwd", "working_dir": "notes.txt/x"}, `working_dir "notes.txt/x" is not a folder: not a directory`},
		{"a link to itself", map[string]any{"command": "pwd", "working_dir": "loop"}, `working_dir "loop" is not a folder: too many links`},
		{"policy", map[string]any{"argv": []string{"sudo", "ls"}}, "refused: commands get no other user's rights; run it without sudo"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newExecWorld(t)
			if err := os.Symlink("loop", filepath.Join(w.workspace, "loop")); err != nil {
				t.Fatal(err)
			}
			if dir, ok := c.args["working_dir"].(string); ok {
				c.args["working_dir"] = strings.ReplaceAll(dir, "{{ws}}", w.workspace)
			}
			want := strings.ReplaceAll(c.want, "{{ws}}", w.workspace)
			if got := w.exec(c.args); got.Text != want {
				t.Errorf("got %q, want %q", got.Text, want)
			}
		})
	}
}

// A workspace may be the whole disk, as in a container.
func TestTOL46EveryFolderIsInTheWorkspaceThatIsTheDisk(t *testing.T) {
	r := &Runner{dir: "/", options: Options{Workspace: "/"}}
	for name, want := range map[string]string{"dev": "/dev", "/dev": "/dev", "..": "/", "": "/"} {
		if got, err := r.workingDir(name); err != nil || got != want {
			t.Errorf("%q: %s, %v; want %s", name, got, err, want)
		}
	}
}

// APR-19: a command under tools.exec.ask does nothing until a person or a grant lets it run.
func TestTOL47ACommandThatIsToBeAskedAboutWaitsForAPerson(t *testing.T) {
	w := newExecWorld(t)
	w.options.Exec.Policy.Ask = []string{"touch *"}
	run := fsm.RunTool{Name: "exec", Args: command("touch asked")}
	got := w.runner().Run(guard(t), run)
	if !got.Failed || !got.Nothing || got.Invalid || !strings.Contains(got.Asks, "tools.exec.ask") {
		t.Errorf("got %+v, want a question", got)
	}
	if _, err := os.Stat(filepath.Join(w.workspace, "asked")); err == nil {
		t.Error("the command ran before anyone was asked")
	}
	run.Approved = true
	if got := w.runner().Run(guard(t), run); got.Failed || got.Asks != "" {
		t.Errorf("approved, it is %+v", got)
	}
	if _, err := os.Stat(filepath.Join(w.workspace, "asked")); err != nil {
		t.Errorf("approved, it did not run: %v", err)
	}
}

func TestTOL43TheResultSaysWhatContainedTheCommand(t *testing.T) {
	w := newExecWorld(t)
	for _, box := range []*sandbox.Keeper{w.options.Exec.Box, sandbox.Uncontained(sandbox.Options{Trees: tree.New(""), Workspace: w.workspace})} {
		w.options.Exec.Box = box
		if got := w.call("exec", map[string]any{"command": "true"}); got.Contained != string(box.Rung()) {
			t.Errorf("got %+v, want %s", got, box.Rung())
		}
	}
}

func TestTOL6TimeOutKillsTheWholeGroup(t *testing.T) {
	w := newExecWorld(t)
	w.options.Exec.Timeout = 50 * time.Millisecond
	_, ended := w.pipe()
	got := w.sh("exec 9>alive; sleep 100000 & sleep 100000")
	if want := "the command was killed after 50ms, the most that tools.exec allows; output until then:\n(no output)"; !got.Failed || got.Text != want {
		t.Errorf("got %+v, want %q", got, want)
	}
	ended()
}

func TestTOL102ACallSaysHowLongItsCommandMayTake(t *testing.T) {
	const second = time.Second
	for _, c := range []struct {
		usual, most time.Duration
		args        Arguments
		want        time.Duration
		more        string
	}{
		{5 * second, 9 * second, Arguments{}, 5 * second, "; with timeout: 9 it may take longer"},
		{5 * second, 9 * second, Arguments{"timeout": 2.0}, 2 * second, "; with timeout: 9 it may take longer"},
		{5 * second, 9 * second, Arguments{"timeout": 9.0}, 9 * second, ", the most that tools.exec allows"},
		{5 * second, 9 * second, Arguments{"timeout": 120000.0}, 9 * second, ", the most that tools.exec allows"},
		{5 * second, 9 * second, Arguments{"timeout": uint64(math.MaxUint64)}, 9 * second, ", the most that tools.exec allows"},
		{5 * second, second, Arguments{"timeout": 4.0}, 4 * second, "; with timeout: 5 it may take longer"},
		{5 * second, second, Arguments{"timeout": 6.0}, 5 * second, ", the most that tools.exec allows"},
	} {
		e := &Exec{Timeout: c.usual, Longest: c.most}
		if got := e.within(c.args); got != c.want || e.more(got) != c.more {
			t.Errorf("%v to %v, %v: %v%s, want %v%s", c.usual, c.most, c.args, got, e.more(got), c.want, c.more)
		}
	}
}

// No command ends within the usual time of this test.
func TestTOL102TheTimeOfACallCountsBeforeTheUsualOne(t *testing.T) {
	w := newExecWorld(t)
	w.options.Exec.Timeout, w.options.Exec.Longest = time.Microsecond, time.Hour
	for text, args := range map[string]map[string]any{ // order-free: each alone
		"exit code: 0\nhi\n": {"command": "echo hi", "timeout": "3600", "description": "greets"},
		"the command was killed after 1µs; with timeout: 3600 it may take longer; output until then:\n(no output)": {"command": "sleep 100000"},
	} {
		if got := w.exec(args); got.Text != text {
			t.Errorf("%v: got %+v, want %q", args, got, text)
		}
	}
}

func TestTOL6WhatIsLeftInTheBackgroundEndsWithTheCommand(t *testing.T) {
	w := newExecWorld(t)
	_, ended := w.pipe()
	got := w.sh("exec 9>alive; sleep 100000 & echo done")
	if diff := cmp.Diff(fsm.ToolAnswered{Text: "exit code: 0\ndone\n"}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	ended()
}

// pipe makes the named pipe "alive", which a command's processes hold open. The
// first function waits for a line from them, the second until all are gone.
func (w *world) pipe() (started, ended func()) {
	w.t.Helper()
	path := w.fifo("alive")
	own, err := os.OpenFile(path, os.O_RDWR, 0) // so that no open of the pipe waits
	w.must(err)
	w.t.Cleanup(func() { _ = own.Close() })
	f, err := os.Open(path)
	w.must(err)
	lines, gone := make(chan string, 1), make(chan error, 1)
	go func() {
		defer f.Close()
		in := bufio.NewReader(f)
		if line, err := in.ReadString('\n'); err == nil {
			lines <- line
		}
		_, err := io.Copy(io.Discard, in)
		gone <- err
	}()
	return func() { w.t.Helper(); receive(w.t, lines) },
		func() {
			w.t.Helper()
			w.must(own.Close())
			w.must(receive(w.t, gone))
		}
}

func receive[T any](t *testing.T, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-guard(t).Done():
		t.Fatal("hangs")
		panic("unreachable")
	}
}

func command(text string) string {
	b, err := json.Marshal(map[string]string{"command": text})
	if err != nil {
		panic(err)
	}
	return string(b)
}

// However an output is written, its two ends are shown.
func TestCaptureKeepsBothEndsExactly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := capture{half: rapid.IntRange(1, 20).Draw(t, "half")}
		var all []byte
		for _, part := range rapid.SliceOf(rapid.StringMatching("[a-zé你]{0,30}")).Draw(t, "parts") {
			n, err := c.Write([]byte(part))
			if n != len(part) || err != nil {
				t.Fatalf("Write = %d, %v", n, err)
			}
			all = append(all, part...)
			if len(c.head)+len(c.tail) > 3*c.half {
				t.Fatalf("holds %d bytes of a half of %d", len(c.head)+len(c.tail), c.half)
			}
		}
		got := c.text()
		var cut int
		head, rest, marked := strings.Cut(got, "\n[")
		switch {
		case len(all) == 0 && got == "(no output)":
		case len(all) <= 2*c.half && got == string(all):
		case marked:
			if _, err := fmt.Sscanf(rest, "%d", &cut); err != nil {
				t.Fatal(err)
			}
			mark, tail, _ := strings.Cut(rest, "\n")
			if want := wording.Count(cut, "byte") + " cut here]"; mark != want {
				t.Fatalf("the mark is %q; want %q", mark, want)
			}
			if !strings.HasPrefix(string(all), head) || !strings.HasSuffix(string(all), tail) || len(head)+cut+len(tail) != len(all) {
				t.Fatalf("got %q of %q", got, all)
			}
		default:
			t.Fatalf("got %q of %q", got, all)
		}
	})
}

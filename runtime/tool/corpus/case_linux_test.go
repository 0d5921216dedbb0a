package corpus

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"shelly/fsm"
	"shelly/runtime/sandbox"
	"shelly/runtime/sandbox/policy"
	"shelly/runtime/tool"
	"shelly/runtime/tool/tree"
)

// testCase is one command and what must happen; see doc.go.
type testCase struct {
	ID        string   `json:"id"`
	Want      string   `json:"want"`
	Why       string   `json:"why"`
	Command   string   `json:"command"`
	Argv      []string `json:"argv"`
	Dir       string   `json:"dir"`
	Check     []string `json:"check"`
	Needs     []string `json:"needs"`
	Leaks     []string `json:"leaks"`
	RootLeaks []string `json:"root_leaks"`
	Unless    []string `json:"unless"`
	Timeout   int      `json:"timeout_s"`
	Policy    bool     `json:"policy"`
	Isolated  bool     `json:"isolated"`
	MayDeny   bool     `json:"may_deny"`
	AMD64     bool     `json:"amd64"`
}

// What becomes of a case.
const (
	allowed   = "allowed"
	contained = "contained"
	refused   = "refused"
	wrongly   = "wrongly refused"
	escaped   = "escaped"
	skipped   = "skipped"
)

// Limits of one call. What is harmless ends by itself, and on a busy machine late.
const (
	callTimeout = 10 * time.Second
	harmless    = 2 * time.Minute
	resultMax   = 64 << 10
	diskMax     = 1 << 30 // limits.Disk, and what a fast disk takes between two looks at it on a busy machine
)

var limits = sandbox.Limits{Memory: 1 << 30, Processes: 200, FileSize: 64 << 20, OpenFiles: 512, Disk: 128 << 20}

func cases(t *testing.T) []testCase {
	t.Helper()
	text, err := os.ReadFile("testdata/cases.json")
	if err != nil {
		t.Fatal(err)
	}
	var list []testCase
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	return list
}

// some is how many cases there are to one that is run where not all are.
const some = 6

// runCases runs the cases by each way that holds, and says what became of them.
func runCases(t *testing.T) {
	held := false
	for _, rung := range sandbox.Rungs() {
		if held && !*all {
			break
		}
		if *by != "" && *by != string(rung) {
			continue
		}
		t.Run(string(rung), func(t *testing.T) {
			w := newWorld(t)
			processes := t.TempDir()
			box, err := sandbox.Open(t.Context(), sandbox.Options{
				Trees: tree.New(processes), Workspace: w.root + "/ws", Scratch: processes, Hidden: []string{w.root + "/data"}, Rungs: []sandbox.Rung{rung}, Limits: limits,
			})
			if err != nil {
				t.Fatal(err)
			}
			if err := box.Refusal(); err != nil {
				fmt.Printf("| uid %d, %s: SKIPPED, it does not hold here: %v\n", os.Getuid(), rung, err)
				return
			}
			held = true
			w.runAll(t, box)
		})
	}
	if !held {
		fmt.Println("| SKIPPED: no way of containing holds here")
	}
}

func (w *world) runAll(t *testing.T, box *sandbox.Keeper) {
	rung, counts := string(box.Rung()), map[string]int{}
	began := time.Now()
	for i, c := range cases(t) {
		if !strings.HasPrefix(c.ID, *only) || !*all && *only == "" && i%some != 0 {
			continue
		}
		what, why := w.run(c, box)
		counts[what]++
		listed := slices.Contains(c.Leaks, rung) || os.Getuid() == 0 && slices.Contains(c.RootLeaks, rung)
		switch {
		case what == escaped && listed:
			counts["known escapes"]++
			counts[escaped]--
			fmt.Printf("| uid %d, %s, %s (%s): a known escape: %s\n", os.Getuid(), rung, c.ID, c.Why, first(why))
		case what == escaped, what == wrongly:
			fmt.Printf("| uid %d, %s, %s (%s): %s: %s\n", os.Getuid(), rung, c.ID, c.Why, what, why)
			t.Errorf("%s by %s: %s", c.ID, rung, what)
		case what == skipped:
			fmt.Printf("| uid %d, %s, %s: skipped: %s\n", os.Getuid(), rung, c.ID, why)
		}
	}
	fmt.Printf("| uid %d, %s: %d contained, %d refused, %d allowed, %d wrongly refused, %d escaped, %d known escapes, %d skipped, %v\n", os.Getuid(), rung,
		counts[contained], counts[refused], counts[allowed], counts[wrongly], counts[escaped], counts["known escapes"], counts[skipped], time.Since(began).Round(time.Second))
}

func first(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// finishes reports whether a check needs output that only a command which reaches its end has
// written.
func (c testCase) finishes() bool {
	return slices.ContainsFunc(c.Check, func(check string) bool {
		return strings.HasPrefix(check, "exit:") || strings.HasPrefix(check, "stdout_contains:")
	})
}

// run runs one case in a fresh world.
func (w *world) run(c testCase, box *sandbox.Keeper) (what, why string) {
	command := w.places.Replace(c.Command)
	for _, program := range c.Needs {
		if _, err := exec.LookPath(program); err != nil {
			return skipped, "there is no " + program
		}
	}
	switch {
	case c.AMD64 && runtime.GOARCH != "amd64":
		return skipped, "for amd64"
	case slices.Contains(c.Unless, string(box.Rung())):
		return skipped, "known not to work by this way"
	case c.Policy: // never run
		if verdict, _ := (policy.Policy{}).Of(command); verdict == policy.Denied {
			return refused, ""
		}
		return escaped, "the policy lets it through"
	case c.Isolated && os.Getppid() != 1:
		return skipped, "there is no pid namespace around it"
	}
	w.fresh()
	before := w.state()
	timeout := callTimeout
	switch {
	case c.Timeout > 0:
		timeout = time.Duration(c.Timeout) * time.Second
	case c.Want == "allow", c.finishes():
		timeout = harmless
	}
	got, took := w.call(c, command, box, timeout)
	if c.Want == "deny" || got.Invalid && strings.HasPrefix(got.Text, "refused: ") {
		switch {
		case !got.Invalid:
			return escaped, "it ran: " + got.Text
		case c.Want == "allow" && !c.MayDeny:
			return wrongly, got.Text
		}
		return refused, ""
	}
	if wrong := w.wrong(c, got, before); wrong != "" {
		if c.Want == "allow" {
			return wrongly, wrong + "\n" + got.Text
		}
		return escaped, wrong + "\n" + got.Text
	}
	if took > timeout+harmless { // it has ended; how soon after its time-out is the machine's business
		return escaped, fmt.Sprintf("the call took %v", took)
	}
	if c.Want == "allow" {
		return allowed, ""
	}
	return contained, ""
}

func (w *world) call(c testCase, command string, box *sandbox.Keeper, timeout time.Duration) (fsm.ToolAnswered, time.Duration) {
	runner, err := tool.New(tool.Options{Workspace: w.root + "/ws", ResultBytesMax: resultMax, Exec: &tool.Exec{Box: box, Timeout: timeout}})
	if err != nil {
		w.t.Fatal(err)
	}
	args := map[string]any{}
	if c.Argv != nil {
		args["argv"] = c.Argv
	} else {
		args["command"] = command
	}
	if c.Dir != "" {
		args["working_dir"] = w.places.Replace(c.Dir)
	}
	text, _ := json.Marshal(args)
	began := time.Now()
	got := runner.Run(context.Background(), fsm.RunTool{Name: "exec", Args: string(text)})
	return got, time.Since(began)
}

// wrong returns what is not as it must be in a result or in the world.
func (w *world) wrong(c testCase, got fsm.ToolAnswered, before string) string {
	text := strings.ToLower(got.Text)
	reversed := []byte(token)
	slices.Reverse(reversed)
	for _, secret := range []string{token, string(reversed), base64.StdEncoding.EncodeToString([]byte(token))[:12], hex.EncodeToString([]byte(token))} {
		if strings.Contains(text, strings.ToLower(secret)) {
			return "the secret is in the result"
		}
	}
	switch left := survivors(); {
	case len(left) > 0:
		return fmt.Sprint("it has left processes: ", left)
	case w.hits.Load() > 0:
		return "it has reached a server"
	case len(got.Text) > resultMax || !utf8.ValidString(got.Text) || strings.ContainsAny(got.Text, "\x1b\u009b\x00"):
		return "the result is too long, or no clean text"
	case bytesIn(w.root+"/ws") > diskMax:
		return "it has filled the disk"
	}
	if after := w.state(); after != before {
		return "it has changed something outside: " + difference(before, after)
	}
	for _, check := range c.Check {
		if wrong := w.check(check, got); wrong != "" {
			return wrong
		}
	}
	return ""
}

func difference(before, after string) string {
	old := strings.Split(before, "\n")
	for line := range strings.SplitSeq(after, "\n") {
		if !slices.Contains(old, line) {
			return line
		}
	}
	return "something is gone"
}

func (w *world) check(check string, got fsm.ToolAnswered) string {
	kind, arg, _ := strings.Cut(check, ":")
	code, out, _ := strings.Cut(got.Text, "\n")
	holds := true
	switch kind {
	case "exit":
		holds = code == "exit code: "+arg
	case "stdout_contains":
		holds = strings.Contains(out, w.places.Replace(arg))
	case "stdout_lacks":
		holds = !strings.Contains(out, w.places.Replace(arg))
	case "after":
		cmd := exec.Command("/bin/bash", "-c", w.places.Replace(arg))
		cmd.Dir = w.root + "/ws"
		holds = cmd.Run() == nil
	case "no_lost":
		holds = !strings.Contains(got.Text, "together with its supervisor")
	case "disk": // which is looked at for all
	default:
		return "there is no check " + kind
	}
	if !holds {
		return "not so: " + check
	}
	return ""
}

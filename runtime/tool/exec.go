package tool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"shelly/fsm"
	"shelly/runtime/repository"
	"shelly/runtime/sandbox"
	"shelly/runtime/sandbox/policy"
	"shelly/runtime/tool/program"
)

const execName = "exec"

// Exec is how exec runs commands.
type Exec struct {
	Box     *sandbox.Keeper // contains and ends them; if it refuses, exec is not offered
	Policy  policy.Policy
	Network bool          // commands may use the network
	Path    []string      // folders in which programs are looked up before the system's
	Env     []string      // further variables of commands, as NAME=value
	Timeout time.Duration // for a command whose call does not ask for another; it must be positive
	Longest time.Duration // for one that asks for more; at least Timeout counts
}

func (e *Exec) wrong() error {
	switch {
	case e == nil:
		return nil
	case e.Timeout <= 0:
		return fmt.Errorf("the time-out of exec is %v; it must be positive", e.Timeout)
	case e.Box == nil:
		return errors.New("exec is allowed, and nothing runs commands")
	}
	return nil
}

// offered reports whether exec can be offered (TOL-5).
func (e *Exec) offered() bool { return e != nil && e.Box.Refusal() == nil }

// unoffered returns why exec is not offered.
func (e *Exec) unoffered() string {
	if e == nil {
		return "exec is not allowed here; the operator can allow it (tools.exec.allow)"
	}
	return fmt.Sprintf("exec is refused: %v; the operator finds what to do with shelly doctor", e.Box.Refusal())
}

// longest is the most time that a call gets.
func (e *Exec) longest() time.Duration { return max(e.Timeout, e.Longest) }

// within returns how long a call's command may take (TOL-102). What is more than the most counts as
// the most: some models think in milliseconds.
func (e *Exec) within(a Arguments) time.Duration {
	seconds := a.Number("timeout", 0)
	if seconds == 0 {
		return e.Timeout
	}
	return min(time.Duration(seconds)*time.Second, e.longest())
}

// decl declares exec, which may do anything (TOL-1). A grant is not about the time (APR-13).
func (e *Exec) decl() fsm.ToolDecl {
	return fsm.ToolDecl{
		Name:        execName,
		Description: "Run a shell command (sh -c), or a program (argv), without input. What it leaves in the background ends with it.",
		Parameters: `{"type":"object","properties":{` +
			fmt.Sprintf(`"command":{"type":"string","maxLength":%d},`, commandCharsMax) +
			fmt.Sprintf(`"argv":{"type":"array","items":{"type":"string","maxLength":%d},"minItems":1,"maxItems":%d,"description":"Instead of command"},`, commandCharsMax, argsMax) +
			`"working_dir":{"type":"string","maxLength":4096},` +
			fmt.Sprintf(`"timeout":{"type":"integer","minimum":1,"description":"Seconds; default %v, most %v"}},`, e.Timeout.Seconds(), e.longest().Seconds()) +
			`"additionalProperties":false}`,
		Effects: fsm.EffectsUnsafe,
		Subject: []string{"command", "argv", "working_dir"},
	}
}

// argsMax is the most arguments of a program.
const argsMax = 1000

// exec is the tool exec (TOL-6, TOL-11, TOL-40).
func (r *Runner) exec(ctx context.Context, call fsm.RunTool, a Arguments) Result {
	args, question, err := r.command(a)
	if err != nil {
		return Invalid("%v", err)
	}
	if question != "" && !call.Approved { // APR-19
		return Result{Text: "not run: " + question, Failed: true, Nothing: true, Asks: question}
	}
	dir, err := r.workingDir(a.Text("working_dir", ""))
	if err != nil {
		return Invalid("%v", err)
	}
	e := r.options.Exec
	out := capture{half: Room(r.options.ResultBytesMax) / 2}
	to, silence := Followed(ctx, &out) // TOL-50
	defer silence()
	within := e.within(a)
	end, err := e.Box.Run(ctx, sandbox.Spec{
		Args: args, Dir: dir, Env: append(program.Env(r.dir, e.Path...), e.Env...),
		Out: to[0], Timeout: within, Network: e.Network,
	})
	if err != nil {
		return Undone(fmt.Errorf("the command was not started: %w", err))
	}
	result := r.ended(ctx, end, within, r.output(end, args, &out))
	result.Contained = string(e.Box.Rung())
	return result
}

// command returns the words of the command, after the policy has checked them (TOL-47), and the
// question that a person must answer first, if any.
func (r *Runner) command(a Arguments) (words []string, question string, err error) {
	command, list := a.Text("command", ""), a.Texts("argv")
	whole := command + strings.Join(list, "")
	switch {
	case command != "" && len(list) > 0:
		return nil, "", errors.New("give command or argv, not both")
	case strings.TrimSpace(whole) == "":
		return nil, "", errors.New("command is empty")
	case strings.HasPrefix(strings.TrimSpace(command), "```"): // to a shell, what is in it is to be run for its output, and that as a command
		return nil, "", errors.New("command is in a fence (```); give it without")
	case strings.Contains(whole, "\x00"):
		return nil, "", errors.New("command holds a NUL byte")
	}
	verdict, why := policy.Runs, ""
	if len(list) == 0 {
		list = []string{"/bin/sh", "-c", command}
		verdict, why = r.options.Exec.Policy.Of(command)
	} else {
		verdict, why = r.options.Exec.Policy.OfWords(list)
	}
	switch verdict {
	case policy.Denied:
		return nil, "", errors.New("refused: " + why)
	case policy.Asks:
		return list, why, nil
	}
	return list, "", nil
}

// workingDir returns a folder of the workspace as an absolute path. The model's name is not
// trusted: links and .. are resolved first (TOL-46).
func (r *Runner) workingDir(name string) (string, error) {
	if name == "" {
		return r.dir, nil
	}
	if strings.Contains(name, "\x00") {
		return "", errors.New("working_dir holds a NUL byte")
	}
	dir := filepath.Clean(name)
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(r.dir, dir)
	} else if given, err := filepath.Abs(r.options.Workspace); err == nil {
		if rest, ok := strings.CutPrefix(dir, given); ok && (rest == "" || rest[0] == filepath.Separator) {
			dir = filepath.Join(r.dir, rest)
		}
	}
	outside := fmt.Errorf("working_dir %q is not in the workspace", name)
	if !r.inside(dir) {
		return "", outside
	}
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		var in *fs.PathError // EvalSymlinks returns other errors, too
		if errors.As(err, &in) {
			err = in.Err
		}
		return "", fmt.Errorf("working_dir %q is not a folder: %s", name, strings.TrimPrefix(err.Error(), "EvalSymlinks: "))
	}
	if !r.inside(dir) {
		return "", outside
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return "", fmt.Errorf("working_dir %q is not a folder", name)
	}
	return dir, nil
}

// inside reports whether a folder is the workspace or in it.
func (r *Runner) inside(dir string) bool {
	below, err := filepath.Rel(r.dir, dir)
	return err == nil && filepath.IsLocal(below)
}

// output returns the output of a command, with remarks on what it seems to have run into.
func (r *Runner) output(end sandbox.End, args []string, out *capture) string {
	text := out.text()
	remarks := r.options.Exec.surroundings().remarks(outcome{
		command: strings.Join(args, " "), out: text, silent: len(out.head) == 0 && end.Code != 0, late: end.TimedOut,
	})
	if remarks == "" {
		return text
	}
	if over := len(text) + len("\n") + len(remarks) - Room(r.options.ResultBytesMax); over > 0 { // they take its room (TOL-4)
		out.half -= (over + 1) / 2
		text = out.text()
	}
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text + remarks
}

// ended words how a command ended.
func (r *Runner) ended(ctx context.Context, end sandbox.End, within time.Duration, out string) Result {
	left := Remains(end)
	switch {
	case end.Exited:
		return Result{Text: fmt.Sprintf("exit code: %d\n%s%s", end.Code, out, left)}
	case end.DiskFull:
		return Failed("the command was killed because the disk had filled by more than is allowed (tools.exec.disk), whoever has written there; output until then:\n%s%s", out, left)
	case end.TimedOut:
		return Failed("the command was killed after %v%s; output until then:\n%s%s", within, r.options.Exec.more(within), out, left)
	case ctx.Err() != nil:
		return Failed("stopped: the call was given up and the command killed; output until then:\n%s%s", out, left)
	case end.Lost:
		return Failed("the command was killed together with its supervisor; output until then:\n%s%s", out, left)
	}
	return Result{Text: "ended by signal: " + end.Signal + "\n" + out + left}
}

// more says how a command that took too long may take longer, and who decides it.
func (e *Exec) more(within time.Duration) string {
	if within < e.longest() {
		return fmt.Sprintf("; with timeout: %v it may take longer", e.longest().Seconds())
	}
	return ", the most that tools.exec allows"
}

// Remains says what a program has left that could not be ended, what was removed after it, and
// that not everything was protected from it; empty: nothing (TOL-11, TOL-45).
func Remains(end sandbox.End) (marks string) {
	if len(end.Left) > 0 {
		marks = fmt.Sprintf("\n[still running, and cannot be ended: %v]", end.Left)
	}
	if len(end.Removed) > 0 {
		marks += fmt.Sprintf("\n[removed after the command, since git would look elsewhere by it for what it runs: %s]", strings.Join(end.Removed, ", "))
	}
	if end.Partly {
		marks += fmt.Sprintf("\n[the workspace has more than %d entries or %d git folders, or long configurations of git, so not every repository was protected from the command]", repository.EntriesMax, repository.FoldersMax)
	}
	return marks
}

// Texts returns a list of texts, or nil if it was left out.
func (a Arguments) Texts(name string) []string {
	list, ok := a[name].([]any)
	if !ok {
		return nil
	}
	texts := make([]string, len(list))
	for i, v := range list {
		texts[i], _ = v.(string)
	}
	return slices.Clip(texts)
}

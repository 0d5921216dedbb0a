package tool

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"shelly/fsm"
)

// Bounds of [Options] and of what the tools take.
const (
	ResultBytesLeast = 1 << 10 // the least ResultBytesMax: room for a piece and its marks

	commandCharsMax = 65536 // stays below the kernel's 128 KiB for one argument, except in scripts of more than 2 bytes per character
	marksBytesMax   = 256   // of a result's marks, besides the piece that it shows
)

// Options sets what a [Runner] may do. All bounds are required.
type Options struct {
	Workspace      string  // the folder that commands run in; it must exist
	Exec           *Exec   // how exec runs; nil: it is neither offered nor run
	ResultBytesMax int     // the longest result
	Added          []Added // tools of other packages; each replaces an earlier one with its name, including exec
}

// Added is a tool of another package. It gets its arguments as the model wrote
// them and must check them itself; otherwise it is treated like the runner's own tool:
// a panic becomes a failed result, and a result is mended and bounded.
type Added struct {
	Decl fsm.ToolDecl
	Run  func(ctx context.Context, run fsm.RunTool) Result

	// Preview returns what a call with these arguments would do, such as the lines that would
	// change in a file, for the person who is asked to approve it; nil, or "": unknown
	// (APR-21). It must change nothing.
	Preview func(ctx context.Context, args string) string

	Probe Probe // finds out what came of a call; nil: there is none. It sets Decl.Probe
}

// Result is the result of a call that the model is shown. Failed means that the tool did not
// do what was asked; a command that ran and exited with a code other than 0 did.
// Nothing and Invalid are set only with Failed, and tell the machine whether another
// attempt is safe and whether it makes sense (INF-16).
type Result struct {
	Text    string
	Failed  bool
	Nothing bool // it failed before anything happened
	Invalid bool // it failed because of the call itself

	Contained string // what contained its processes, as [sandbox.Rung] says; empty: it started none
	// Asks is why a person has to approve the call first, if it failed with Nothing because
	// run.Approved was not set (APR-19).
	Asks string
}

// Runner runs the tools of one workspace. It is safe for concurrent use.
type Runner struct {
	options Options
	dir     string // the workspace, absolute and without symbolic links
	tools   []Added
}

// New returns a runner of the tools; it has exec only if that is allowed (TOL-5).
func New(o Options) (*Runner, error) {
	if o.ResultBytesMax < ResultBytesLeast {
		return nil, fmt.Errorf("result_bytes_max is %d; the least is %d", o.ResultBytesMax, ResultBytesLeast)
	}
	if err := o.Exec.wrong(); err != nil {
		return nil, err
	}
	dir, err := Folder(o.Workspace)
	if err != nil {
		return nil, err
	}
	r := &Runner{options: o, dir: dir}
	for _, t := range o.Added {
		r.tools = slices.DeleteFunc(r.tools, func(other Added) bool { return other.Decl.Name == t.Decl.Name })
		t.Decl.Probe = t.Probe != nil
		r.tools = append(r.tools, t)
	}
	if o.Exec.offered() && !slices.ContainsFunc(r.tools, func(t Added) bool { return t.Decl.Name == execName }) {
		exec, err := Own(o.Exec.decl(), r.exec)
		if err != nil {
			return nil, err
		}
		r.tools = append(r.tools, exec)
	}
	return r, nil
}

// Folder returns a workspace as an absolute path without symbolic links.
func Folder(workspace string) (string, error) {
	dir, err := filepath.Abs(workspace)
	if err != nil {
		return "", fmt.Errorf("find the workspace: %w", err)
	}
	dir, err = filepath.EvalSymlinks(dir)
	if err != nil {
		return "", fmt.Errorf("open the workspace: %w; create the folder or name another with --workspace", err)
	}
	return dir, nil
}

// Declarations returns the declarations of the offered tools (TOL-1), in a fixed order.
func (r *Runner) Declarations() []fsm.ToolDecl {
	decls := make([]fsm.ToolDecl, len(r.tools))
	for i, t := range r.tools {
		decls[i] = t.Decl
	}
	return decls
}

// Run runs one tool to its end; it always returns a result (TOL-2), which is clean
// and bounded (TOL-4). When ctx is done it returns as soon as the tool has
// stopped, with a failed result (TOL-7). The arguments are a JSON object; no text,
// or null, stands for an empty one. The caller sets Call and At.
func (r *Runner) Run(ctx context.Context, run fsm.RunTool) fsm.ToolAnswered {
	result := r.result(ctx, run)
	return fsm.ToolAnswered{
		Text:   clip(Mend(result.Text), r.options.ResultBytesMax),
		Failed: result.Failed, Nothing: result.Failed && result.Nothing, Invalid: result.Failed && result.Invalid, Contained: result.Contained,
		Asks: asked(result),
	}
}

// asked returns why a tool wants a person to approve its call, cut to the length of a question.
func asked(r Result) string {
	if !r.Failed || !r.Nothing {
		return ""
	}
	return clip(Mend(r.Asks), ResultBytesLeast)
}

// previewBytesMax bounds a preview.
const previewBytesMax = 16 << 10

// Preview returns what a call would do (APR-21); empty if its tool cannot tell.
func (r *Runner) Preview(ctx context.Context, name, args string) string {
	for _, t := range r.tools {
		if t.Decl.Name == name && t.Preview != nil {
			return clip(Mend(t.Preview(ctx, args)), previewBytesMax)
		}
	}
	return ""
}

// result returns a tool's result, or a failed one if there is no such tool or it panicked.
func (r *Runner) result(ctx context.Context, run fsm.RunTool) (result Result) {
	defer func() {
		if broken := recover(); broken != nil {
			result = Failed("the tool %s broke: %v", run.Name, broken)
		}
	}()
	if ctx.Err() != nil {
		return Nothing("not run: the call was given up")
	}
	for _, t := range r.tools {
		if t.Decl.Name == run.Name {
			return t.Run(ctx, run)
		}
	}
	return Invalid("%s", r.unknown(run.Name))
}

func (r *Runner) unknown(name string) string {
	if name == execName {
		return r.options.Exec.unoffered()
	}
	names := make([]string, len(r.tools))
	for i, t := range r.tools {
		names[i] = t.Decl.Name
	}
	return "there is no tool " + strconv.Quote(name) + "; the tools are: " + strings.Join(names, ", ")
}

// Room is how many bytes of a result of at most limit bytes a tool may fill with what it was
// asked for; the rest is for its marks.
func Room(limit int) int { return limit - marksBytesMax }

// Failed is the result of a tool that may have done part of what was asked.
func Failed(format string, args ...any) Result {
	return Result{Text: fmt.Sprintf(format, args...), Failed: true}
}

// Nothing is the result of a tool that failed before anything happened.
func Nothing(format string, args ...any) Result {
	return Result{Text: fmt.Sprintf(format, args...), Failed: true, Nothing: true}
}

// Invalid is the result of a call that is wrong: nothing has happened, and nothing
// ever will.
func Invalid(format string, args ...any) Result {
	return Result{Text: fmt.Sprintf(format, args...), Failed: true, Nothing: true, Invalid: true}
}

// Stopped is the result of a tool that noticed that its call was given up.
func Stopped() Result { return Failed("stopped: the call was given up") }

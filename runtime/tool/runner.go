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

	commandCharsMax = 65536 // below the kernel's 128 KiB for one argument in any script but the widest
	marksBytesMax   = 256   // what a result says beside the piece it shows
)

// Options is what a [Runner] may do. All bounds are required.
type Options struct {
	Workspace      string  // the folder that commands run in; it must exist
	Exec           *Exec   // how exec runs; nil: it is neither offered nor run
	ResultBytesMax int     // the longest result
	Added          []Added // tools of other rooms; one replaces an earlier one of its name, and exec
}

// Added is a tool from elsewhere. It is given its arguments as the model wrote
// them and checks them itself; all else holds for it as for the runner's own:
// a panic is a failed result, and a result is mended and bounded.
type Added struct {
	Decl fsm.ToolDecl
	Run  func(ctx context.Context, run fsm.RunTool) Result

	// Preview says what a call with these arguments would do, for the person who is asked to
	// approve it, such as the lines that would change in a file; nil, or "": it cannot (APR-21).
	// It changes nothing.
	Preview func(ctx context.Context, args string) string

	Probe Probe // what finds out what became of a call; nil: nothing does. Decl.Probe is set by it
}

// Result is what the model is shown of a call. Failed says that the tool did not
// do what was asked; a command that ran and ended with a code other than 0 did.
// Nothing and Invalid are of a failure only, and tell the machine whether another
// attempt is safe and whether it has a point (INF-16).
type Result struct {
	Text    string
	Failed  bool
	Nothing bool // it failed before anything happened
	Invalid bool // it failed because of the call itself

	Contained string // what contained its processes, as [sandbox.Rung] says; empty: it started none
	// Asks is why a person has to approve the call first, where it failed with Nothing for
	// want of that: run.Approved was not set (APR-19).
	Asks string
}

// Runner runs the tools of one workspace. It is safe for concurrent use.
type Runner struct {
	options Options
	dir     string // the workspace, absolute and without symbolic links
	tools   []Added
}

// New takes in the tools, exec only where it is allowed (TOL-5).
func New(o Options) (*Runner, error) {
	switch {
	case o.ResultBytesMax < ResultBytesLeast:
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
		exec, err := Own(execDecl(o.Exec.Timeout), r.exec)
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

// Declarations returns the tools that are offered (TOL-1), in a fixed order.
func (r *Runner) Declarations() []fsm.ToolDecl {
	decls := make([]fsm.ToolDecl, len(r.tools))
	for i, t := range r.tools {
		decls[i] = t.Decl
	}
	return decls
}

// Run runs one tool to its end; it always has a result (TOL-2), which is clean
// and bounded (TOL-4). When ctx is done it returns as soon as the tool has
// stopped, with a failed result (TOL-7). The arguments are a JSON object; nothing,
// or null, stands for an empty one. Call and At are left to the caller.
func (r *Runner) Run(ctx context.Context, run fsm.RunTool) fsm.ToolAnswered {
	result := r.result(ctx, run)
	return fsm.ToolAnswered{
		Text:   clip(Mend(result.Text), r.options.ResultBytesMax),
		Failed: result.Failed, Nothing: result.Failed && result.Nothing, Invalid: result.Failed && result.Invalid, Contained: result.Contained,
		Asks: asked(result),
	}
}

// asked is why a tool wants a person to approve its call, as much as a question shows.
func asked(r Result) string {
	if !r.Failed || !r.Nothing {
		return ""
	}
	return clip(Mend(r.Asks), ResultBytesLeast)
}

// previewBytesMax bounds what a person is shown of what a call would do.
const previewBytesMax = 16 << 10

// Preview says what a call would do (APR-21), or nothing where its tool cannot tell.
func (r *Runner) Preview(ctx context.Context, name, args string) string {
	for _, t := range r.tools {
		if t.Decl.Name == name && t.Preview != nil {
			return clip(Mend(t.Preview(ctx, args)), previewBytesMax)
		}
	}
	return ""
}

// result is what a tool answers, or that there is none or it broke.
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

// Room is how much of a result of at most limit bytes a tool may fill with what it was
// asked for: the rest is for what it says about it.
func Room(limit int) int { return limit - marksBytesMax }

// Failed is the result of a tool that may have done a part of what was asked.
func Failed(format string, args ...any) Result {
	return Result{Text: fmt.Sprintf(format, args...), Failed: true}
}

// Nothing is the result of a tool that failed before anything happened.
func Nothing(format string, args ...any) Result {
	return Result{Text: fmt.Sprintf(format, args...), Failed: true, Nothing: true}
}

// Invalid is the result of a call that is wrong, so that nothing has happened and
// never will.
func Invalid(format string, args ...any) Result {
	return Result{Text: fmt.Sprintf(format, args...), Failed: true, Nothing: true, Invalid: true}
}

// Stopped is the result of a tool that noticed that its call was given up.
func Stopped() Result { return Failed("stopped: the call was given up") }

package tool

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"shelly/fsm"
	"shelly/runtime/tool/tree"
)

// Bounds of [Options] and of what the tools take.
const (
	ResultBytesLeast = 1 << 10 // the least ResultBytesMax: room for a piece and its marks
	ReadBytesLeast   = 4 << 10 // the least ReadBytesMax

	pathBytesMax    = 4096 // as the kernel's PATH_MAX
	pathPartsMax    = 255
	commandCharsMax = 65536  // below the kernel's 128 KiB for one argument in any script but the widest
	entriesMax      = 1000   // entries that list_dir shows
	entriesReadMax  = 10_000 // entries that list_dir sorts
	marksBytesMax   = 256    // what a result says beside the piece it shows
)

// Options is what a [Runner] may do. All bounds are required.
type Options struct {
	Workspace      string        // the folder that the tools are bound to; it must exist
	KnownAs        string        // an absolute path that also means Workspace, where the model knows it by another; empty: none
	Everywhere     bool          // read_file and list_dir also take paths outside the workspace
	Private        []string      // folders that the file tools refuse, inside the workspace or not
	AllowExec      bool          // offer exec and run it
	ExecTimeout    time.Duration // for one command
	Trees          *tree.Keeper  // what runs commands; required with AllowExec
	Path           string        // PATH of commands; empty: /usr/local/bin:/usr/bin:/bin
	ResultBytesMax int           // the longest result
	ReadBytesMax   int           // how far into a file read_file looks
	Added          []Added       // further tools; one replaces the runner's own of the same name
}

// Added is a tool from elsewhere. It is given its arguments as the model wrote
// them and checks them itself; all else holds for it as for the runner's own:
// a panic is a failed result, and a result is mended and bounded.
type Added struct {
	Decl fsm.ToolDecl
	Run  func(ctx context.Context, run fsm.RunTool) Result
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
}

// Runner runs the tools of one workspace. It is safe for concurrent use.
type Runner struct {
	options Options
	root    *os.Root
	dir     string // the workspace as an absolute path
	real    string // dir without symbolic links
	private []string
	tools   []Added
}

// New opens the workspace and takes in the tools, exec only where it is allowed
// (TOL-5). Close the runner when no call runs any more.
func New(o Options) (*Runner, error) {
	switch {
	case o.ResultBytesMax < ResultBytesLeast:
		return nil, fmt.Errorf("result_bytes_max is %d; the least is %d", o.ResultBytesMax, ResultBytesLeast)
	case o.ReadBytesMax < ReadBytesLeast:
		return nil, fmt.Errorf("read_bytes_max is %d; the least is %d", o.ReadBytesMax, ReadBytesLeast)
	case o.AllowExec && o.ExecTimeout <= 0:
		return nil, fmt.Errorf("the time-out of exec is %v; it must be positive", o.ExecTimeout)
	case o.AllowExec && o.Trees == nil:
		return nil, errors.New("exec is allowed, and nothing runs commands")
	}
	dir, err := filepath.Abs(o.Workspace)
	if err != nil {
		return nil, fmt.Errorf("find the workspace: %w", err)
	}
	resolved, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, fmt.Errorf("open the workspace: %w; create the folder or name another with --workspace", err)
	}
	root, err := os.OpenRoot(resolved)
	if err != nil {
		return nil, fmt.Errorf("open the workspace: %w; name a folder with --workspace", err)
	}
	r := &Runner{options: o, root: root, dir: dir, real: resolved, private: slices.Clone(o.Private)}
	if o.Everywhere {
		r.private = append(r.private, ownProcess)
	}
	if err := r.add(readFileDecl(o.Everywhere), r.readFile); err != nil {
		return nil, errors.Join(err, root.Close())
	}
	if err := r.add(listDirDecl(o.Everywhere), r.listDir); err != nil {
		return nil, errors.Join(err, root.Close())
	}
	if o.AllowExec {
		if err := r.add(execDecl(o.ExecTimeout), r.exec); err != nil {
			return nil, errors.Join(err, root.Close())
		}
	}
	for _, t := range o.Added {
		r.tools = slices.DeleteFunc(r.tools, func(other Added) bool { return other.Decl.Name == t.Decl.Name })
		r.tools = append(r.tools, t)
	}
	return r, nil
}

// FileTools declares the tools that every runner has, bound to its workspace.
func FileTools() []fsm.ToolDecl { return []fsm.ToolDecl{readFileDecl(false), listDirDecl(false)} }

// add takes in a tool of the runner's own, which runs only with arguments that
// fit its declaration (TOL-2).
func (r *Runner) add(decl fsm.ToolDecl, run func(context.Context, arguments) Result) error {
	t, err := Checked(decl, func(ctx context.Context, _ fsm.RunTool, a Arguments) Result { return run(ctx, arguments(a)) })
	if err != nil {
		return err
	}
	r.tools = append(r.tools, t)
	return nil
}

// Close releases the workspace.
func (r *Runner) Close() error { return r.root.Close() }

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
		Text:   clip(mend(result.Text), r.options.ResultBytesMax),
		Failed: result.Failed, Nothing: result.Failed && result.Nothing, Invalid: result.Failed && result.Invalid,
	}
}

// result is what a tool answers, or that there is none or it broke.
func (r *Runner) result(ctx context.Context, run fsm.RunTool) (result Result) {
	defer func() {
		if broken := recover(); broken != nil {
			result = failed("the tool %s broke: %v", run.Name, broken)
		}
	}()
	if ctx.Err() != nil {
		return nothing("not run: the call was given up")
	}
	for _, t := range r.tools {
		if t.Decl.Name == run.Name {
			return t.Run(ctx, run)
		}
	}
	return invalid("%s", r.unknown(run.Name))
}

func (r *Runner) unknown(name string) string {
	if name == execName {
		return "exec is not allowed here; the operator can allow it (tools.exec.allow)"
	}
	names := make([]string, len(r.tools))
	for i, t := range r.tools {
		names[i] = t.Decl.Name
	}
	return "there is no tool " + strconv.Quote(name) + "; the tools are: " + strings.Join(names, ", ")
}

// room is how much of a result a tool may fill with what it was asked for.
func (r *Runner) room() int { return r.options.ResultBytesMax - marksBytesMax }

// failed is the result of a tool that may have done a part of what was asked.
func failed(format string, args ...any) Result {
	return Result{Text: fmt.Sprintf(format, args...), Failed: true}
}

// nothing is the result of a tool that failed before anything happened.
func nothing(format string, args ...any) Result {
	return Result{Text: fmt.Sprintf(format, args...), Failed: true, Nothing: true}
}

// invalid is the result of a call that is wrong, so that nothing has happened and
// never will.
func invalid(format string, args ...any) Result {
	return Result{Text: fmt.Sprintf(format, args...), Failed: true, Nothing: true, Invalid: true}
}

// stopped is the result of a tool that noticed that its call was given up.
func stopped() Result { return failed("stopped: the call was given up") }

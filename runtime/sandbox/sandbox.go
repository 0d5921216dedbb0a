package sandbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"shelly/runtime/repository"
	"shelly/runtime/tool/tree"
)

// Rung is a way of containing commands, under its name in audits and settings.
type Rung string

// The rungs, the best first.
const (
	Namespaces Rung = "namespaces"
	Bubblewrap Rung = "bwrap"
	Landlock   Rung = "landlock"
	None       Rung = "none" // nothing contains the command
)

// Rungs returns the rungs that contain commands, the best first.
func Rungs() []Rung { return []Rung{Namespaces, Bubblewrap, Landlock} }

// Options are what the commands of a workspace may reach.
type Options struct {
	Trees     *tree.Keeper // starts and ends commands; required
	Workspace string       // the folder that commands may change: absolute, without symbolic links
	KnownAs   []string     // other absolute paths under which commands find the workspace
	Hidden    []string     // files and folders that no command sees, wherever they lie: absolute, without symbolic links
	Fixed     []string     // files and folders of the workspace that no command changes
	Readable  []string     // folders besides the system's own that commands may read
	Scratch   string       // a folder for what calls need while they run; required for Landlock
	Rungs     []Rung       // the rungs to try, in this order; nil: all of [Rungs]
	Limits    Limits
}

// Limits bound one command with everything that it starts, or, where it says so, each process.
// 0 means no limit.
type Limits struct {
	Memory    int64 `json:"memory,omitempty"`     // bytes of data that a process may have
	Processes int64 `json:"processes,omitempty"`  // processes and threads at a time
	FileSize  int64 `json:"file_size,omitempty"`  // bytes of a file that a process writes
	OpenFiles int64 `json:"open_files,omitempty"` // descriptors of a process
	Disk      int64 `json:"disk,omitempty"`       // bytes by which the free space of the workspace's disk, and of Scratch's, may shrink, without a timeout in a minute
}

// Spec is one command.
type Spec struct {
	Args     []string      // the first is a path, or a name that is looked up in PATH of Env
	Dir      string        // absolute, in the workspace; empty: the workspace
	Env      []string      // the whole environment
	In       *os.File      // what it reads; nil: nothing. It stays the caller's
	Out      io.Writer     // what it writes
	Errs     io.Writer     // what it writes to stderr; nil: Out
	Timeout  time.Duration // from its start; 0: none
	Network  bool          // it may use the network like the daemon
	ReadOnly bool          // it cannot change the workspace
}

// End is how a command ended.
type End struct {
	tree.End
	DiskFull bool     // it was killed because it had filled the disk by more than Limits.Disk
	Removed  []string // paths in the workspace that were removed because git would have run them
	Partly   bool     // the workspace is so large that not every repository in it was protected
}

// Attempt is the result of trying a rung in [Open].
type Attempt struct {
	Rung Rung
	Err  error  // nil: it holds
	Mend string // what an operator can do about it; empty: unknown
}

// Keeper runs the commands of one workspace. It is safe for concurrent use.
type Keeper struct {
	options Options
	rung    Rung
	tried   []Attempt
	made    repository.Calls
}

// Uncontained returns a keeper that contains nothing, for operators who have asked for that.
func Uncontained(o Options) *Keeper { return &Keeper{options: o, rung: None} }

// Rung returns what contains the commands; empty if no rung holds: then [Keeper.Run] refuses.
func (k *Keeper) Rung() Rung { return k.rung }

// Shows reports whether commands see a file that exists.
func (k *Keeper) Shows(path string) bool { return k.rung == None || k.options.Shows(path) }

// Tried returns the results of the rungs that were tried, in order.
func (k *Keeper) Tried() []Attempt { return k.tried }

// Refusal returns why commands are refused, or nil if they are not.
func (k *Keeper) Refusal() error {
	if k.rung != "" {
		return nil
	}
	if len(k.tried) == 0 {
		return errors.New("no way to contain commands is allowed (tools.exec.rungs)")
	}
	why := make([]string, len(k.tried))
	for i, a := range k.tried {
		why[i] = fmt.Sprintf("%s: %v", a.Rung, a.Err)
	}
	return errors.New("no way to contain commands holds on this system: " + strings.Join(why, "; "))
}

// Run runs a command contained, and returns when none of its processes is left. If it returns an
// error, the command was not started; a system error is wrapped.
func (k *Keeper) Run(ctx context.Context, s Spec) (End, error) {
	if err := k.Refusal(); err != nil {
		return End{}, err
	}
	if len(s.Args) == 0 {
		return End{}, errors.New("there is no command")
	}
	s.Dir = cmp.Or(s.Dir, k.options.Workspace)
	if k.rung == None {
		return k.runBare(ctx, s)
	}
	end, err := k.runContained(ctx, s)
	if name := s.Args[0]; err != nil && filepath.IsAbs(name) && exists(name) && !k.options.Shows(name) {
		err = fmt.Errorf("%w: %s", err, Unseen)
	}
	return end, err
}

// Unseen says of a file that exists why a command does not find it, and what to do.
const Unseen = "the sandbox does not show it to commands; put it into the workspace, or its folder into tools.exec.reads"

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

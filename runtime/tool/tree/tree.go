package tree

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// Command is what to run.
type Command struct {
	Args    []string // the first is the program's absolute path
	Dir     string
	Env     []string      // the whole environment
	In      *os.File      // what it reads; nil: nothing. It stays the caller's
	Out     io.Writer     // what it writes
	Errs    io.Writer     // what it writes to stderr; nil: Out
	Files   []*os.File    // its descriptors from 3 on; they stay the caller's
	Apart   *Apart        // its own namespaces; nil: it shares the daemon's. Linux only
	Timeout time.Duration // from its start; 0: none
}

// Apart is the namespaces of a command.
type Apart struct {
	Clone uintptr   `json:"clone"` // flags of clone(2): the namespaces, the user's among them
	Caps  []uintptr `json:"caps"`  // what it may do within them
}

// End is how a command ended.
type End struct {
	Exited   bool   // by itself, with Code
	Code     int    //
	Signal   string // the signal that killed it, if one did
	TimedOut bool
	Lost     bool      // its supervisor was killed, and so was it
	Left     []Process // the processes of its tree that could not be ended
}

// Process is a running process.
type Process struct {
	PID  int
	Name string
}

func (p Process) String() string { return fmt.Sprintf("%d (%s)", p.PID, p.Name) }

// Keeper runs commands and knows which processes they left. It is safe for concurrent use.
type Keeper struct{ dir string }

// New returns a keeper that writes its records to dir, which need not exist. If dir is empty it
// keeps none, and does not find what a killed daemon left.
func New(dir string) *Keeper { return &Keeper{dir} }

const (
	// outputDelay is how long a process that outlives its command may hold the output
	// open before it is killed.
	outputDelay = 500 * time.Millisecond
	// patience is how long killed processes may take to end.
	patience = 5 * time.Second
)

// LeftError lists the processes that cannot be ended.
type LeftError struct{ Left []Process }

func (e LeftError) Error() string {
	names := make([]string, len(e.Left))
	for i, p := range e.Left {
		names[i] = p.String()
	}
	return "cannot end what a command has left: process " + strings.Join(names, ", ") + "; end it, then start again"
}

var errUnarmed = errors.New("a defect of shelly: main does not call tree.Supervise")

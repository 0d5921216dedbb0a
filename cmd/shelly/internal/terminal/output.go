package terminal

import (
	"os"
	"sync/atomic"
)

// Output is standard output. It writes nothing after a write that has failed, and keeps the
// error, so that a subcommand need not look at each write.
type Output struct {
	file   *os.File
	failed atomic.Pointer[error]
}

// NewOutput returns an output that writes to a file.
func NewOutput(file *os.File) *Output { return &Output{file: file} }

func (o *Output) Write(text []byte) (n int, err error) {
	if failed := o.failed.Load(); failed != nil {
		return 0, *failed
	}
	if n, err = o.file.Write(text); err != nil {
		o.failed.CompareAndSwap(nil, &err)
	}
	return n, err
}

// Discards reports whether nobody can read standard output: it is the null device, which is also
// opened in place of an output that was closed at the start.
func (t *Terminal) Discards() bool {
	o, ok := t.Out.(*Output)
	if !ok {
		return false
	}
	null, err := os.Stat(os.DevNull)
	to, wrong := o.file.Stat()
	return err == nil && wrong == nil && os.SameFile(null, to)
}

// Failed returns the first error of a write to standard output.
func (t *Terminal) Failed() error {
	if o, ok := t.Out.(*Output); ok {
		if failed := o.failed.Load(); failed != nil {
			return *failed
		}
	}
	return nil
}

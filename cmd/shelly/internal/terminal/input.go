package terminal

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"shelly/cmd/shelly/internal/exit"
)

// Input is standard input. If it cannot be read, such as a folder, that is an error of usage, as
// with a file to read (CLI-2).
type Input struct{ file *os.File }

// NewInput returns an input that reads a file.
func NewInput(file *os.File) *Input { return &Input{file} }

func (i *Input) Read(text []byte) (int, error) {
	n, err := i.file.Read(text)
	if err == nil || errors.Is(err, io.EOF) {
		return n, err
	}
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		err = path.Err
	}
	return n, exit.Errorf(exit.Usage, "standard input cannot be read: %w", err)
}

// File returns the file behind a stream, if there is one.
func File(stream any) (*os.File, bool) {
	switch s := stream.(type) {
	case *Input:
		return s.file, true
	case *Output:
		return s.file, true
	}
	f, ok := stream.(*os.File)
	return f, ok
}

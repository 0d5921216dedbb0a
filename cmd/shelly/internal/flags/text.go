package flags

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"shelly/cmd/shelly/internal/exit"
)

// textBytesMax bounds a file whose text a flag takes.
const textBytesMax = 1 << 20

// Text returns the value of a flag: the value itself, or with @FILE the content of the file.
func Text(value string) (string, error) {
	name, ok := strings.CutPrefix(value, "@")
	if !ok {
		return value, nil
	}
	f, err := Input(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	all, err := io.ReadAll(io.LimitReader(f, textBytesMax+1))
	switch {
	case err != nil:
		return "", err
	case len(all) > textBytesMax:
		return "", fmt.Errorf("%s is longer than %d bytes", name, textBytesMax)
	}
	return string(all), nil
}

// Input opens a file, or a pipe, that the command line names. Its errors have exit codes.
func Input(name string) (*os.File, error) {
	return opened(name, func(kind fs.FileMode) bool { return kind == fs.ModeNamedPipe })
}

// File is Input without named pipes: a command that looks at what the name stands for would wait
// there for somebody who writes. A pipe that is open already, as a shell's <(COMMAND) is, is read.
func File(name string) (*os.File, error) {
	return opened(name, func(kind fs.FileMode) bool { return kind == fs.ModeNamedPipe && open(name) })
}

// opened opens a regular file, or what is of another kind that is taken.
func opened(name string, taken func(kind fs.FileMode) bool) (*os.File, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil || info.Mode().IsRegular() || taken(info.Mode().Type()):
	case info.IsDir():
		return nil, exit.Errorf(exit.Usage, "%s is a folder; name a file", name)
	default:
		return nil, exit.Errorf(exit.Usage, "%s is a named pipe or a device; name a file", name)
	}
	f, err := os.Open(name)
	return f, exit.With(exit.Usage, err)
}

// open reports whether a name is that of a descriptor of this process. On Linux it leads to what
// has no name of its own.
func open(name string) bool {
	_, err := filepath.EvalSymlinks(name)
	return err != nil || strings.HasPrefix(name, "/dev/fd/")
}

// ReadPrompts replaces prompts.X=@FILE in --set by the text of the file.
func (p *Place) ReadPrompts() error {
	read := make([]string, len(p.Set))
	for i, kv := range p.Set {
		key, value, _ := strings.Cut(kv, "=")
		if read[i] = kv; !strings.HasPrefix(key, "prompts.") {
			continue
		}
		text, err := Text(value)
		if err != nil {
			return exit.Errorf(exit.Usage, "--set %s: %w", key, err)
		}
		read[i] = key + "=" + text
	}
	p.Set = read
	return nil
}

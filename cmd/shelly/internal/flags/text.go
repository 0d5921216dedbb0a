package flags

import (
	"errors"
	"fmt"
	"io"
	"os"
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
	f, err := os.Open(name)
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

// Input opens a file that the command line names. Its errors have exit codes.
func Input(name string) (*os.File, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, exit.With(exit.Usage, err)
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, errors.Join(exit.Errorf(exit.Usage, "%s is a folder; name a file", name), f.Close())
	}
	return f, nil
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

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"shelly/cmd/shelly/internal/exit"
	"shelly/fsm/engine"
)

// validateJournal holds a journal against the tables (CLI-8, JRN-17).
func validateJournal(t *terminal, path string) error {
	j, closed, err := openJournal(path)
	if err != nil {
		return err
	}
	v, err := engine.Validate(j)
	if err = errors.Join(err, closed()); err != nil {
		return exit.With(exit.Data, fmt.Errorf("%s: %w", path, err))
	}
	switch {
	case v.Wrong != nil:
		return exit.Errorf(exit.Failed, "%s: %s; the %d records before it are as the tables say", path, v.Wrong, v.Records-1)
	case v.Records == 0:
		return exit.Errorf(exit.NoMatch, "%s: holds no record", path)
	}
	fmt.Fprintf(t.out, "%s: records %d to %d, %d transitions: each as the tables say\n", path, v.First, v.First+uint64(v.Records)-1, v.Moves)
	return nil
}

// openJournal opens the journal of a data folder, or reads a journal file.
func openJournal(path string) (engine.Reader, func() error, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, exit.Errorf(exit.NoMatch, "%s: no such file or folder", path)
	case err != nil:
		return nil, nil, exit.With(exit.Usage, err)
	case info.IsDir():
		s, err := sourceOf(context.Background(), path)
		if err != nil {
			return nil, nil, err
		}
		return s, s.Close, nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, exit.With(exit.Usage, err)
	}
	defer file.Close()
	j, err := engine.ReadJournal(file)
	if err != nil {
		return nil, nil, exit.Errorf(exit.Usage, "%s: %w", path, err)
	}
	return j, func() error { return nil }, nil
}

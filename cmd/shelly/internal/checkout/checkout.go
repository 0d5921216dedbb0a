// Package checkout finds the source of the project.
package checkout

import (
	"errors"
	"os"
	"path/filepath"

	"shelly/fsm/spec"
)

// ErrNone reports that there is no checkout.
var ErrNone = errors.New("no SPEC.md here or above")

// Above finds the project's root at dir or above, or returns [ErrNone].
func Above(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, spec.File)); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", ErrNone
		}
		dir = parent
	}
}

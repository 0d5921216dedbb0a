package skill

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"shelly/runtime/durable"
)

// New creates a new skill from a template in a folder of skills, and returns the path of its
// SKILL.md. It never overwrites an existing file.
func New(dir, name, description string) (string, error) {
	if !publishable().MatchString(name) || len(name) > 64 {
		return "", fmt.Errorf("the name %q is not made of lower-case letters, digits and single hyphens, at most 64 of them, such as release-notes", name)
	}
	folder := filepath.Join(dir, name)
	file := filepath.Join(folder, fileName)
	switch _, err := os.Lstat(file); {
	case err == nil:
		return "", fmt.Errorf("%s already exists", file)
	case !errors.Is(err, fs.ErrNotExist):
		return "", err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	text := "---\nname: " + name + "\ndescription: '" + strings.ReplaceAll(description, "'", "''") + "'\n---\n\n# " + name +
		"\n\nWhat to do, step by step. Longer texts belong into references/, programs into scripts/.\n"
	err := durable.File(file, 0o644, func(w io.Writer) error { _, err := io.WriteString(w, text); return err })
	if err != nil {
		_ = os.Remove(folder) // an empty one is not a skill; one with files stays
	}
	return file, err
}

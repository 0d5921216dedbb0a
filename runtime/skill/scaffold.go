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
	if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
		return "", errors.Join(fmt.Errorf("%s already exists", file), err)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	text := "---\nname: " + name + "\ndescription: '" + strings.ReplaceAll(description, "'", "''") + "'\n---\n\n# " + name +
		"\n\nWhat to do, step by step. Longer texts belong into references/, programs into scripts/.\n"
	return file, durable.File(file, 0o644, func(w io.Writer) error { _, err := io.WriteString(w, text); return err })
}

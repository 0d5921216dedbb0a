package skill

import (
	"errors"
	"fmt"
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
	file := filepath.Join(dir, name, fileName)
	switch _, err := os.Lstat(file); {
	case err == nil:
		return "", fmt.Errorf("%s already exists", file)
	case !errors.Is(err, fs.ErrNotExist):
		return "", err
	}
	text := "---\nname: " + name + "\ndescription: '" + strings.ReplaceAll(description, "'", "''") + "'\n---\n\n# " + name +
		"\n\nWhat to do, step by step. Longer texts belong into references/, programs into scripts/.\n"
	return file, durable.As{Perm: 0o644, Folder: 0o755}.Text(file, []byte(text))
}

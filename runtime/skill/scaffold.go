package skill

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"shelly/runtime/durable"
	"shelly/sim/strict"
)

// New creates a new skill from a template in a folder of skills, and returns the path of its
// SKILL.md. It never overwrites an existing file, and creates nothing that could not be used.
func New(dir, name, description string) (string, error) {
	if !publishable().MatchString(name) || len(name) > 64 {
		return "", fmt.Errorf("the name %q is not made of lower-case letters, digits and single hyphens, at most 64 of them, such as release-notes", name)
	}
	if err := free(dir, name); err != nil {
		return "", err
	}
	line := strings.Join(strings.Fields(description), " ")
	front, err := strict.Write(strict.Map(
		strict.Text("name"), strict.Text(name),
		strict.Text("description"), &strict.Node{Kind: strict.TextKind, Style: strict.SingleQuoted, Value: line},
	), 0)
	if err != nil {
		return "", err
	}
	text := "---\n" + string(front) + "---\n\n# " + name +
		"\n\nWhat to do, step by step. Longer texts belong into references/, programs into scripts/.\n"
	if _, _, err := parse(text); err != nil {
		return "", fmt.Errorf("the skill could not be used: %w", err)
	}
	file := filepath.Join(dir, name, fileName)
	err = durable.As{Perm: 0o644, Folder: 0o755, New: true}.Text(file, []byte(text))
	if errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("%s already exists", file)
	}
	return file, err
}

// free returns why a skill cannot be begun in a folder of skills: there is one of this name, or a
// link leads to where none is read.
func free(dir, name string) error {
	root, err := Place{Base: filepath.Dir(dir), Below: filepath.Base(dir)}.open()
	if err != nil || root == nil {
		return err
	}
	defer root.Close()
	if _, err := root.Stat(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return worded(err)
	}
	for _, file := range []string{fileName, fileOther} {
		switch _, err := root.Lstat(filepath.Join(name, file)); {
		case err == nil:
			return fmt.Errorf("%s already exists", filepath.Join(dir, name, file))
		case !errors.Is(err, fs.ErrNotExist):
			return worded(err)
		}
	}
	return nil
}

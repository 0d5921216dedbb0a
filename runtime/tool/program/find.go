// Package program finds the programs that an operator's configuration names.
package program

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// path is where programs are looked up, by shelly and by what it runs.
const path = "/usr/local/bin:/usr/bin:/bin"

// Env returns the environment of what shelly runs, whose home is a folder, and whose programs are looked up
// in these folders first.
func Env(home string, first ...string) []string {
	folders := append(first[:len(first):len(first)], path)
	return []string{"PATH=" + strings.Join(folders, string(filepath.ListSeparator)), "HOME=" + home, "LANG=C.UTF-8"}
}

// Find returns a command with its program as an absolute path: a name with a slash is relative
// to dir, any other is looked up in the folders of path.
func Find(command []string, dir string) ([]string, error) {
	name := command[0]
	if strings.Contains(name, "/") {
		file := name
		if !filepath.IsAbs(file) {
			file = filepath.Join(dir, file)
		}
		if err := executable(file); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		return append([]string{file}, command[1:]...), nil
	}
	for _, folder := range filepath.SplitList(path) {
		if file := filepath.Join(folder, name); executable(file) == nil {
			return append([]string{file}, command[1:]...), nil
		}
	}
	return nil, fmt.Errorf("there is no program %q in %s", name, path)
}

func executable(file string) error {
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return errors.New("there is no such program")
	case info.IsDir():
		return errors.New("it is a folder")
	case info.Mode()&0o111 == 0:
		return errors.New("it is not executable; chmod +x makes it so")
	}
	return nil
}

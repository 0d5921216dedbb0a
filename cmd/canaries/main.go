package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: canaries DIR (run it in the project's folder)")
		os.Exit(2)
	}
	if err := write(os.DirFS("."), os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// write writes the files of the project that differ or are new with the canaries into dir, with
// an overlay.json that maps to them. Tests that wake canaries are among them.
func write(project fs.FS, dir string) error {
	canaries, err := read(testdata)
	if err != nil {
		return err
	}
	changed, err := changed(project, canaries)
	if err != nil {
		return err
	}
	added, err := added(canaries)
	if err != nil {
		return err
	}
	tests, err := tests(project)
	if err != nil {
		return err
	}
	var overlay struct{ Replace map[string]string }
	overlay.Replace = map[string]string{}
	for _, files := range []map[string]string{changed, added, tests} {
		for name, text := range files {
			path := filepath.Join(dir, filepath.FromSlash(name))
			overlay.Replace[filepath.FromSlash(name)] = path
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
				return err
			}
		}
	}
	list, err := json.Marshal(overlay)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "overlay.json"), list, 0o600)
}

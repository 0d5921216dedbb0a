package skill

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"shelly/runtime/descriptor"
)

// Place is a folder that holds skills. It may be missing.
type Place struct {
	Base  string // an absolute path that must exist; no link may lead out of it
	Below string // the folder beneath Base, with slashes; "." for Base itself
	Shown string // its path as the model and people see it
	Only  string // the only folder in it that is read; empty: all
}

// Places returns where skills are looked for, in order: the workspace's skills
// and .agents/skills, then other folders, by absolute paths (SKL-9).
func Places(workspace string, others []string) []Place {
	places := []Place{
		{Base: workspace, Below: "skills", Shown: "skills"},
		{Base: workspace, Below: ".agents/skills", Shown: ".agents/skills"},
	}
	for _, dir := range others {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			places = append(places, Place{Base: dir, Below: ".", Shown: filepath.ToSlash(dir)})
		}
	}
	return places
}

// open opens the folder; nil if there is none.
func (p Place) open() (*os.Root, error) {
	above, err := descriptor.Get(context.Background(), func() (*os.Root, error) { return os.OpenRoot(p.Base) })
	if err != nil {
		return nil, err
	}
	root, err := descriptor.Get(context.Background(), func() (*os.Root, error) { return above.OpenRoot(filepath.FromSlash(p.Below)) })
	if errors.Is(err, fs.ErrNotExist) {
		return nil, above.Close()
	}
	if err != nil {
		return nil, errors.Join(worded(err), above.Close())
	}
	return root, above.Close()
}

// at returns the displayed path of a skill's folder.
func (p Place) at(folder string) string { return path.Join(p.Shown, folder) }

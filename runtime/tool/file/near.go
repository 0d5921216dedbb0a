package file

import (
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"shelly/fsm/wording"
	"shelly/runtime/descriptor"
)

const (
	nearMax     = 3    // files suggested in place of a missing one
	nearReadMax = 4000 // entries looked at to find them
)

// near suggests what a path that does not exist may have meant: similar names in the same
// folder, and the same name elsewhere in the workspace (TOL-12).
func (t *Tools) near(ctx context.Context, wanted string) string {
	inside := t.inside(wanted)
	if strings.Contains(inside, "/") || inside != "" && filepath.Clean(wanted) != filepath.Clean(withoutPosition(undressed(wanted))) {
		return "; there is " + strconv.Quote(wording.Path(inside))
	}
	if strings.ContainsAny(wanted, "*?") {
		return "; glob finds files by a pattern"
	}
	wanted = filepath.Clean(wanted)
	if filepath.IsAbs(wanted) {
		wanted = t.relative(wanted)
	}
	var found []string
	look := lookup{t: t, ctx: ctx, left: nearReadMax, add: func(name string) bool {
		if shown := strconv.Quote(wording.Path(name)); !slices.Contains(found, shown) {
			found = append(found, shown)
		}
		return len(found) < nearMax
	}}
	if inside != "" {
		look.add(inside)
	}
	if !filepath.IsLocal(wanted) {
		return suggested(found)
	}
	dir, base := path.Split(wanted)
	dir = path.Clean(dir)
	if beside := wording.Nearest(base, look.names(dir)); beside != "" {
		look.add(path.Join(dir, beside))
	}
	look.named(base, path.Join(dir, base))
	return suggested(found)
}

func suggested(found []string) string {
	if len(found) == 0 {
		return "; list_dir shows what there is"
	}
	return "; there is " + strings.Join(found, ", ")
}

// inside returns the path of what there is in the workspace that a path plainly means which leads to
// nothing or outside: as it is without what models put around it, or without its first folders, such as
// those of another machine. It returns an empty one if there is nothing, or only what is private.
func (t *Tools) inside(path string) string {
	path = strings.TrimLeft(withoutPosition(undressed(path)), "/")
	for rest, more := path, path != ""; more; _, rest, more = strings.Cut(rest, "/") {
		if !filepath.IsLocal(rest) {
			continue
		}
		real, err := filepath.EvalSymlinks(filepath.Join(t.real, rest))
		if err != nil || t.isPrivate(real) {
			continue
		}
		if to, err := filepath.Rel(t.real, real); err == nil && filepath.IsLocal(to) && to != "." {
			return filepath.Clean(rest)
		}
	}
	return ""
}

// lookup is a search through the workspace.
type lookup struct {
	t    *Tools
	ctx  context.Context
	left int                    // entries that may still be looked at
	add  func(name string) bool // false: that is enough
}

// entries reads a folder, unless it is hidden from the tools.
func (s *lookup) entries(dir string) []fs.DirEntry {
	real, err := filepath.EvalSymlinks(filepath.Join(s.t.real, dir))
	if err != nil || s.left <= 0 || s.ctx.Err() != nil || s.t.isPrivate(real) {
		return nil
	}
	inside, err := filepath.Rel(s.t.real, real)
	if err != nil || !filepath.IsLocal(inside) {
		return nil
	}
	f, err := descriptor.Get(s.ctx, func() (*os.File, error) {
		root, err := s.t.workspace()
		if err != nil {
			return nil, err
		}
		folder, err := within(root, inside)
		if err != nil {
			return nil, err
		}
		defer folder.Close()
		return folder.Open(".")
	})
	if err != nil {
		return nil
	}
	defer f.Close()
	entries, _ := f.ReadDir(s.left) // on an error, use what could be read
	s.left -= len(entries)
	return entries
}

func (s *lookup) names(dir string) (names []string) {
	for _, e := range s.entries(dir) {
		names = append(names, e.Name())
	}
	return names
}

// named finds files with a name, ignoring case, those nearest to the top first. It does not
// follow links and does not enter hidden folders.
func (s *lookup) named(name, but string) {
	for dirs := []string{"."}; len(dirs) > 0; dirs = dirs[1:] {
		for _, e := range s.entries(dirs[0]) {
			at := path.Join(dirs[0], e.Name())
			if strings.EqualFold(e.Name(), name) && path.Dir(at) != path.Dir(but) && !s.add(at) {
				return
			}
			if e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
				dirs = append(dirs, at)
			}
		}
	}
}

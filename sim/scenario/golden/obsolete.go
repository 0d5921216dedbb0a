package golden

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"shelly/sim/scenario/choose"
	"shelly/sim/scenario/document"
)

// Obsolete returns the goldens and pending files, sorted, that nobody asks for
// (SCN-36): below the folders that patterns name, as [Find] has them, those of no
// scenario or of one of cases that asks for none of the name; for a file, only its
// own; for FILE:LINE, nothing. What belongs to a file of which there is no case is
// left alone: it may not have loaded.
func Obsolete[C asking](fsys fs.FS, patterns []string, cases []C) ([]string, error) {
	s := goldenSearch{fsys: fsys, wanted: map[string]bool{}, loaded: map[string]bool{}}
	for _, f := range cases {
		s.loaded[f.Path()] = true
		if p := f.GoldenPath(); p != "" {
			s.wanted[p] = true
		}
	}
	for _, pattern := range patterns {
		name, line := choose.SplitLine(pattern)
		if line > 0 {
			continue
		}
		if err := s.below(path.Clean(strings.TrimSuffix(strings.TrimSuffix(name, "..."), "/"))); err != nil {
			return nil, err
		}
	}
	slices.Sort(s.found)
	return slices.Compact(s.found), nil
}

// asking is a case that may ask for a golden.
type asking interface {
	Path() string
	GoldenPath() string // or ""
}

// goldenSearch looks for obsolete goldens.
type goldenSearch struct {
	fsys   fs.FS
	wanted map[string]bool // goldens that a case asks for; only looked up
	loaded map[string]bool // scenarios with a case; only looked up
	found  []string
}

func (s *goldenSearch) below(name string) error {
	info, err := fs.Stat(s.fsys, name)
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return s.beside(name)
	}
	return fs.WalkDir(s.fsys, name, func(p string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && p != name && choose.PassedOver(entry.Name()):
			return fs.SkipDir
		case entry.IsDir() || !isGolden(p) || s.wanted[strings.TrimSuffix(p, PendingSuffix)]:
			return nil
		}
		owner, err := s.owner(p)
		if err == nil && (owner == "" || s.loaded[owner]) {
			s.found = append(s.found, p)
		}
		return err
	})
}

// beside looks at what lies beside one scenario.
func (s *goldenSearch) beside(scenario string) error {
	folder := path.Dir(scenario)
	entries, err := fs.ReadDir(s.fsys, folder)
	if err != nil || !s.loaded[scenario] {
		return err
	}
	for _, entry := range entries {
		p := path.Join(folder, entry.Name())
		if entry.IsDir() || !isGolden(p) || s.wanted[strings.TrimSuffix(p, PendingSuffix)] {
			continue
		}
		owner, err := s.owner(p)
		if err != nil {
			return err
		}
		if owner == scenario {
			s.found = append(s.found, p)
		}
	}
	return nil
}

func isGolden(name string) bool {
	return strings.HasSuffix(strings.TrimSuffix(name, PendingSuffix), Suffix)
}

// owner returns the scenario that a golden belongs to by its name, or "" where there
// is none: x.y.golden.yaml is that of x.y.scenario.yaml, or else of a case of
// x.scenario.yaml.
func (s *goldenSearch) owner(golden string) (string, error) {
	folder, stem := path.Split(strings.TrimSuffix(strings.TrimSuffix(golden, PendingSuffix), Suffix))
	for {
		name := folder + stem + document.Suffix
		if s.loaded[name] {
			return name, nil
		}
		switch _, err := fs.Stat(s.fsys, name); {
		case err == nil:
			return name, nil
		case !errors.Is(err, fs.ErrNotExist):
			return "", err
		}
		i := strings.LastIndexByte(stem, '.')
		if i <= 0 {
			return "", nil
		}
		stem = stem[:i]
	}
}

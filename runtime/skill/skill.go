package skill

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"

	"shelly/fsm/engine"
	"shelly/runtime/tool"
)

const (
	fileName  = "SKILL.md"
	fileOther = "skill.md" // as some authors write it
	extension = ".md"

	filesShown = 24 // files of a skill that an error lists
	depthMax   = 4
)

// Skill is one skill as it is in its folder.
type Skill struct {
	Front
	Folder string   // its path, beneath the workspace or absolute
	Files  []string // its other files, by their paths in the folder, in order
	Body   string   // its instructions

	place Place
	dir   string // the name of its folder
}

// readSkill reads the skill in a folder.
func readSkill(place Place, root *os.Root, dir string) (Skill, error) {
	text, err := readText(root, path.Join(dir, fileName))
	if errors.Is(err, fs.ErrNotExist) {
		text, err = readText(root, path.Join(dir, fileOther))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return Skill{}, fmt.Errorf("there is no %s: %w", fileName, fs.ErrNotExist)
	}
	if err != nil {
		return Skill{}, err
	}
	s := Skill{Folder: place.at(dir), place: place, dir: dir}
	if s.Front, s.Body, err = parse(text); err != nil {
		return Skill{}, err
	}
	if s.Name == "" {
		s.Name, s.unnamed = dir, true
	}
	if err := checkName(s.Name); err != nil {
		return Skill{}, err
	}
	switch {
	case norm.NFKC.String(s.Name) != norm.NFKC.String(dir):
		return Skill{}, fmt.Errorf("its name is %q and that of its folder %q; they must be the same", s.Name, dir)
	case s.Always && len(s.Body) > alwaysBytesMax:
		return Skill{}, fmt.Errorf("its instructions are %d bytes long; with always: true the most is %d", len(s.Body), alwaysBytesMax)
	}
	s.Files, err = files(root, dir)
	return s, err
}

// instructions returns the body, and where the files that it mentions are (SKL-10), mended like a
// result (TOL-4).
func (s *Skill) instructions() string {
	return tool.Mend(engine.SkillText(s.Body, s.Folder, s.Files))
}

// reference reads another text of the skill: by its path in the folder, or by its name in
// the folder, in references or in assets, with or without .md.
func (s *Skill) reference(root *os.Root, name string) (string, error) {
	wanted := path.Clean(strings.TrimPrefix(name, s.Folder+"/"))
	if !fs.ValidPath(wanted) || wanted == "." || hidden(wanted) || strings.ContainsAny(wanted, "\\\x00") || len(wanted) > fileNameMax {
		return "", s.noReference(name)
	}
	for _, folder := range []string{"", "references", "assets"} {
		for _, end := range []string{"", extension} {
			file := path.Join(folder, wanted+end)
			if _, err := root.Lstat(path.Join(s.dir, file)); err != nil || file == fileName || file == fileOther {
				continue
			}
			if info, err := root.Stat(path.Join(s.dir, file)); err == nil && info.IsDir() {
				continue
			}
			text, err := readText(root, path.Join(s.dir, file))
			if err != nil {
				return "", fmt.Errorf("reference %q of skill %q: %w", name, s.Name, err)
			}
			return tool.Mend(text), nil
		}
	}
	return "", s.noReference(name)
}

// noReference returns an error that lists the skill's files.
func (s *Skill) noReference(name string) error {
	if len(s.Files) == 0 {
		return fmt.Errorf("skill %q has no reference %q, and no others", s.Name, name)
	}
	var there []string
	for _, file := range s.Files[:min(len(s.Files), filesShown)] {
		there = append(there, strconv.Quote(file))
	}
	return fmt.Errorf("skill %q has no reference %q; it has %s", s.Name, name, strings.Join(there, ", "))
}

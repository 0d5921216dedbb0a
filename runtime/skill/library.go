package skill

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"shelly/fsm"
	"shelly/runtime/tool"
)

// Bounds of what is read.
const (
	skillsMax       = 128
	textBytesMax    = 64 << 10 // of one file
	alwaysBytesMax  = 16 << 10 // of instructions that are in every prompt
	summaryBytesMax = 4096     // 1,024 characters of any script
	entriesMax      = 1024
	lookedMax       = 4096 // names in the folder of a skill
	nameBytesMax    = 256  // 64 characters of any script
	fileNameMax     = 512
)

// Problem is why a skill, or a whole place, was left out.
type Problem struct {
	Folder string // the path of the skill's folder, or of the place
	Err    error
}

func (p Problem) Error() string { return fmt.Sprintf("%s is left out: %v", p.Folder, p.Err) }

// Unwrap returns the reason.
func (p Problem) Unwrap() error { return p.Err }

// Library is the skills of a workspace and of its user. It is safe for concurrent use.
type Library struct {
	skills []Skill // in the order of names
}

// Open reads the skills of some places. If two have the same name, the first place's is used.
func Open(places []Place) (*Library, []Problem, error) {
	l := &Library{}
	var problems []Problem
	for _, place := range places {
		root, err := place.open()
		switch {
		case err != nil && place.Below != ".":
			if _, gone := os.Stat(place.Base); gone != nil {
				return nil, nil, err
			}
			fallthrough
		case err != nil:
			problems = append(problems, Problem{place.Shown, err})
		case root != nil:
			problems = append(problems, l.read(place, root)...)
			if err := root.Close(); err != nil {
				return nil, nil, err
			}
		}
	}
	slices.SortFunc(l.skills, func(a, b Skill) int { return cmp.Compare(a.Name, b.Name) })
	return l, problems, nil
}

// Skills returns the skills, in the order of names.
func (l *Library) Skills() []Skill { return slices.Clone(l.skills) }

// Decls returns the declarations of the skills for the boot.
func (l *Library) Decls() []fsm.SkillDecl {
	var decls []fsm.SkillDecl
	for i := range l.skills {
		s := &l.skills[i]
		d := fsm.SkillDecl{Name: s.Name, Summary: tool.Mend(s.Description), Always: s.Always}
		if s.Always {
			d.Text = s.instructions()
		}
		decls = append(decls, d)
	}
	return decls
}

// read reads the skills of one place.
func (l *Library) read(place Place, root *os.Root) []Problem {
	folders, err := []string{place.Only}, error(nil)
	if place.Only == "" {
		folders, err = names(root, ".")
	}
	if err != nil {
		return []Problem{{place.Shown, err}}
	}
	var problems []Problem
	for _, folder := range folders {
		if info, err := root.Stat(folder); err == nil && !info.IsDir() {
			continue
		}
		s, err := readSkill(place, root, folder)
		if err == nil {
			err = l.add(s)
		}
		if err != nil {
			problems = append(problems, Problem{place.at(folder), err})
		}
	}
	return problems
}

func (l *Library) add(s Skill) error {
	if known, ok := l.Find(s.Name); ok {
		return fmt.Errorf("%s has a skill named %q already", known.Folder, s.Name)
	}
	if len(l.skills) == skillsMax {
		return fmt.Errorf("there are %d skills already, the maximum", skillsMax)
	}
	l.skills = append(l.skills, s)
	return nil
}

// Find returns the skill with a name.
func (l *Library) Find(name string) (Skill, bool) {
	i := slices.IndexFunc(l.skills, func(s Skill) bool { return s.Name == name })
	if i < 0 {
		return Skill{}, false
	}
	return l.skills[i], true
}

// Load reads a skill's instructions, or one of its other texts by its path or name
// (SKL-10), from the folder that is at its place's path now: another one may have taken its place
// since. The error is worded for the model.
func (l *Library) Load(ctx context.Context, name, reference string) (text string, err error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	known, ok := l.Find(name)
	if !ok {
		return "", fmt.Errorf("there is no skill %q", name)
	}
	root, err := known.place.open()
	switch {
	case err != nil:
		return "", fmt.Errorf("skill %q: %w", name, err)
	case root == nil:
		return "", fmt.Errorf("skill %q: there is no folder %s any more", name, known.place.Shown)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	if reference != "" {
		return known.reference(root, reference)
	}
	s, err := readSkill(known.place, root, known.dir)
	if err != nil {
		return "", fmt.Errorf("skill %q: %w", name, err)
	}
	return s.instructions(), nil
}

package skill

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"shelly/fsm"
	"shelly/runtime/descriptor"
)

const (
	folderName = "skills"
	fileName   = "SKILL.md"
	extension  = ".md"
)

// Bounds of what is read.
const (
	skillsMax        = 128
	textBytesMax     = 64 << 10 // of one file
	alwaysBytesMax   = 16 << 10 // of instructions that stand in every prompt
	summaryBytesMax  = 1024
	referencesShown  = 32 // in the words of an error
	entriesMax       = 1024
	nameBytesMax     = 64
	referenceNameMax = 128
)

// Problem says why a skill was left out, or all of them.
type Problem struct {
	Skill string // the name of its folder; empty: all
	Err   error
}

func (p Problem) Error() string {
	if p.Skill == "" {
		return fmt.Sprintf("the workspace's folder %s is left out: %v", folderName, p.Err)
	}
	return fmt.Sprintf("the skill in %s is left out: %v", path.Join(folderName, p.Skill), p.Err)
}

// Unwrap returns what is wrong.
func (p Problem) Unwrap() error { return p.Err }

// Library is the skills of a workspace. It is safe for concurrent use.
type Library struct {
	root   *os.Root // nil where there is no folder of skills
	skills []skill  // in the order of names
}

// skill is one skill and the folder it is in.
type skill struct {
	fsm.SkillDecl
	folder string
}

// Open reads the skills of a workspace. A workspace may have none, or something else
// under the name of their folder.
func Open(workspace string) (*Library, []Problem, error) {
	above, err := descriptor.Get(context.Background(), func() (*os.Root, error) { return os.OpenRoot(workspace) })
	if err != nil {
		return nil, nil, fmt.Errorf("open the workspace: %w", err)
	}
	root, err := descriptor.Get(context.Background(), func() (*os.Root, error) { return above.OpenRoot(folderName) })
	err = errors.Join(err, above.Close())
	if errors.Is(err, fs.ErrNotExist) {
		return &Library{}, nil, nil
	}
	if err != nil {
		return &Library{}, []Problem{{Err: err}}, nil
	}
	l := &Library{root: root}
	problems, err := l.read()
	if err != nil {
		return &Library{}, []Problem{{Err: errors.Join(err, root.Close())}}, nil
	}
	return l, problems, nil
}

// Close ends the use of the files.
func (l *Library) Close() error {
	if l.root == nil {
		return nil
	}
	return l.root.Close()
}

// Decls returns the declarations of the skills for the boot.
func (l *Library) Decls() []fsm.SkillDecl {
	var decls []fsm.SkillDecl
	for _, s := range l.skills {
		decls = append(decls, s.SkillDecl)
	}
	return decls
}

// read takes in what is there.
func (l *Library) read() ([]Problem, error) {
	folders, err := names(l.root, ".")
	if err != nil {
		return nil, err
	}
	var problems []Problem
	for _, folder := range folders {
		if info, err := l.root.Stat(folder); err == nil && !info.IsDir() {
			continue
		}
		s, err := l.readSkill(folder)
		if err == nil {
			err = l.add(s)
		}
		if err != nil {
			problems = append(problems, Problem{folder, err})
		}
	}
	slices.SortFunc(l.skills, func(a, b skill) int { return cmp.Compare(a.Name, b.Name) })
	return problems, nil
}

func (l *Library) add(s skill) error {
	if known, ok := l.find(s.Name); ok {
		return fmt.Errorf("the skill in %s has the name %q already", path.Join(folderName, known.folder), s.Name)
	}
	if len(l.skills) == skillsMax {
		return fmt.Errorf("there are %d skills already, the maximum", skillsMax)
	}
	l.skills = append(l.skills, s)
	return nil
}

func (l *Library) find(name string) (skill, bool) {
	i := slices.IndexFunc(l.skills, func(s skill) bool { return s.Name == name })
	if i < 0 {
		return skill{}, false
	}
	return l.skills[i], true
}

// readSkill reads the skill in a folder.
func (l *Library) readSkill(folder string) (skill, error) {
	text, err := l.readFile(folder, fileName)
	if err != nil {
		return skill{}, err
	}
	head, body, err := parse(text)
	if err != nil {
		return skill{}, err
	}
	s := skill{folder: folder, SkillDecl: fsm.SkillDecl{Name: cmp.Or(head.Name, folder), Summary: head.Description, Always: head.Always}}
	if err := checkName(s.Name); err != nil {
		return skill{}, err
	}
	if s.Always {
		if len(body) > alwaysBytesMax {
			return skill{}, fmt.Errorf("its instructions are %d bytes long; with always: true the most is %d", len(body), alwaysBytesMax)
		}
		s.Text = body
	}
	return s, nil
}

// Load reads a skill's instructions, or one of its references by its name, with or
// without .md. The error is worded for the model.
func (l *Library) Load(ctx context.Context, name, reference string) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	s, ok := l.find(name)
	if !ok {
		return "", fmt.Errorf("there is no skill %q", name)
	}
	if reference != "" {
		return l.reference(s, reference)
	}
	text, err := l.readFile(s.folder, fileName)
	if err != nil {
		return "", fmt.Errorf("skill %q: %w", name, err)
	}
	_, body, err := parse(text)
	if err != nil {
		return "", fmt.Errorf("skill %q: %w", name, err)
	}
	return body, nil
}

func (l *Library) reference(s skill, name string) (string, error) {
	file := strings.TrimSuffix(name, extension) + extension
	if file == fileName || file != path.Base(file) || strings.ContainsAny(file, "\\\x00") || strings.HasPrefix(file, ".") || len(file) > referenceNameMax {
		return "", l.unknown(s, name)
	}
	text, err := l.readFile(s.folder, file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", l.unknown(s, name)
	case err != nil:
		return "", fmt.Errorf("reference %q of skill %q: %w", name, s.Name, err)
	}
	return text, nil
}

// unknown says which references there are.
func (l *Library) unknown(s skill, name string) error {
	var there []string
	if folder, err := l.root.OpenRoot(s.folder); err == nil {
		files, _ := names(folder, ".") // at worst there are none
		_ = folder.Close()
		for _, file := range files {
			if strings.HasSuffix(file, extension) && file != fileName && len(there) < referencesShown {
				there = append(there, strconv.Quote(strings.TrimSuffix(file, extension)))
			}
		}
	}
	if len(there) == 0 {
		return fmt.Errorf("skill %q has no reference %q, and no others", s.Name, name)
	}
	return fmt.Errorf("skill %q has no reference %q; it has %s", s.Name, name, strings.Join(there, ", "))
}

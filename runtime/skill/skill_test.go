package skill_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/runtime/skill"
)

const release = "---\nname: release\ndescription: How a release\n  is made.\nlicense: MIT\n---\n\n1. Run the tests.\n"

// workspace makes a workspace with files, by their paths below skills.
func workspace(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, "skills", name)
		must(t, os.MkdirAll(filepath.Dir(file), 0o700))
		must(t, os.WriteFile(file, []byte(text), 0o600))
	}
	return dir
}

func open(t *testing.T, dir string) (*skill.Library, []skill.Problem) {
	t.Helper()
	l, problems, err := skill.Open(skill.Places(dir, nil))
	if err != nil {
		t.Fatal(err)
	}
	return l, problems
}

func load(t *testing.T, l *skill.Library, name, reference string) string {
	t.Helper()
	text, err := l.Load(context.Background(), name, reference)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestSkillsAreDeclaredInTheOrderOfNames(t *testing.T) {
	l, problems := open(t, workspace(t, map[string]string{
		"release/SKILL.md":      release,
		"手册/SKILL.md":           "---\r\ndescription: 手册\r\nalways: true\r\n---\r\nBe\r\nbrief.",
		"a/SKILL.md":            "---\ndescription: first\n---\nx",
		"README.md":             "no skill",
		".hidden/x":             "no skill either",
		"release/checklist.md":  "- tag",
		"release/scripts/go.sh": "true",
	}))
	want := []fsm.SkillDecl{
		{Name: "a", Summary: "first"},
		{Name: "release", Summary: "How a release is made."},
		{Name: "手册", Summary: "手册", Always: true, Text: "Be\nbrief."},
	}
	if diff := cmp.Diff(want, l.Decls()); diff != "" || len(problems) != 0 {
		t.Errorf("declarations (-want +got):\n%s\nproblems %v", diff, problems)
	}
}

func TestAWorkspaceMayHaveNoSkills(t *testing.T) {
	l, problems := open(t, t.TempDir())
	if len(l.Decls()) != 0 || len(problems) != 0 {
		t.Errorf("%v, %v; want nothing", l.Decls(), problems)
	}
	if _, err := l.Load(context.Background(), "x", ""); err == nil {
		t.Error("a skill that is not there was loaded")
	}
	if _, _, err := skill.Open(skill.Places(filepath.Join(t.TempDir(), "missing"), nil)); err == nil {
		t.Error("a workspace that is not there was opened")
	}
}

func TestABadSkillIsLeftOutWithTheReason(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"no front matter":     {"1. Run the tests.", "does not begin with a line ---"},
		"no end":              {"---\ndescription: x\nbody", "does not end"},
		"not YAML":            {"---\ndescription:\n  - [x\n---\nbody", "is not YAML"},
		"another type":        {"---\ndescription: x\nalways: [perhaps]\n---\nbody", "is not YAML"},
		"a key twice":         {"---\ndescription: x\ndescription: y\n---\nbody", "is not YAML"},
		"no description":      {"---\nname: x\n---\nbody", "no description"},
		"a long description":  {"---\ndescription: " + strings.Repeat("x", 1025) + "\n---\nbody", "1025 characters"},
		"no instructions":     {"---\ndescription: x\n---\n \n", "no instructions"},
		"a strange name":      {"---\nname: a/b\ndescription: x\n---\nbody", `"a/b"`},
		"a long name":         {"---\nname: " + strings.Repeat("x", 65) + "\ndescription: x\n---\nbody", "at most 64"},
		"no UTF-8":            {"---\ndescription: x\n---\n\xff", "not UTF-8"},
		"too long":            {"---\ndescription: x\n---\n" + strings.Repeat("x", 64<<10), "longer than 65536"},
		"always and too long": {"---\ndescription: x\nalways: true\n---\n" + strings.Repeat("x", 17<<10), "with always: true"},
	} {
		t.Run(name, func(t *testing.T) {
			l, problems := open(t, workspace(t, map[string]string{"bad/SKILL.md": test.text, "release/SKILL.md": release}))
			if d := l.Decls(); len(d) != 1 || d[0].Name != "release" {
				t.Errorf("declared are %v; want the good one", d)
			}
			if len(problems) != 1 || problems[0].Folder != "skills/bad" || !strings.Contains(problems[0].Error(), test.want) {
				t.Errorf("problems %v; want one that says %q", problems, test.want)
			}
		})
	}
}

func TestAFolderThatIsNoSkillIsReported(t *testing.T) {
	dir := workspace(t, map[string]string{"a/SKILL.md": release, "b/SKILL.md": release, "c/x.md": "x", "d/SKILL.md/x": "a folder"})
	must(t, os.Mkdir(filepath.Join(dir, "skills", "e"), 0o700))
	must(t, os.Symlink(t.TempDir(), filepath.Join(dir, "skills", "f")))
	must(t, syscall.Mkfifo(filepath.Join(dir, "skills", "e", "SKILL.md"), 0o600))
	_, problems := open(t, dir)
	var got []string
	for _, p := range problems {
		got = append(got, p.Folder+": "+p.Err.Error())
	}
	want := []string{
		`skills/a: its name is "release" and that of its folder "a"; they must be the same`,
		`skills/b: its name is "release" and that of its folder "b"; they must be the same`,
		"skills/c: there is no SKILL.md: file does not exist",
		"skills/d: SKILL.md is not a regular file",
		"skills/e: SKILL.md is not a regular file",
		"skills/f: the link f leads out of its folder, so it is not followed",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

func TestSKL4LoadingBringsTheInstructionsAsTheyAreNow(t *testing.T) {
	dir := workspace(t, map[string]string{"release/SKILL.md": release})
	l, _ := open(t, dir)
	if got := load(t, l, "release", ""); got != "1. Run the tests." {
		t.Errorf("instructions %q", got)
	}
	file := filepath.Join(dir, "skills", "release", "SKILL.md")
	must(t, os.WriteFile(file, []byte(strings.ReplaceAll(release, "tests", "linter")), 0o600))
	if got := load(t, l, "release", ""); got != "1. Run the linter." {
		t.Errorf("instructions %q after an edit", got)
	}
	must(t, os.WriteFile(file, []byte("broken"), 0o600))
	if _, err := l.Load(context.Background(), "release", ""); err == nil || !strings.Contains(err.Error(), "front matter") {
		t.Errorf("a skill broken since: %v", err)
	}
	if _, err := l.Load(context.Background(), "nobody's", ""); err == nil || !strings.Contains(err.Error(), "nobody's") {
		t.Errorf("an unknown skill: %v", err)
	}
}

// A branch that is checked out, or an installer, may put other folders in their places.
func TestSKL10TheFolderThatIsThereNowIsRead(t *testing.T) {
	dir := workspace(t, map[string]string{"release/SKILL.md": release, "release/tags.md": "old"})
	l, _ := open(t, dir)
	skills := filepath.Join(dir, "skills")
	must(t, os.Rename(skills, filepath.Join(dir, "before")))
	for _, name := range []string{"", "tags"} {
		if text, err := l.Load(t.Context(), "release", name); err == nil || err.Error() != `skill "release": there is no folder skills any more` {
			t.Errorf("without the folder: got %q, %v", text, err)
		}
	}
	must(t, os.MkdirAll(filepath.Join(skills, "release"), 0o700))
	must(t, os.WriteFile(filepath.Join(skills, "release", "SKILL.md"), []byte(strings.ReplaceAll(release, "tests", "linter")), 0o600))
	must(t, os.WriteFile(filepath.Join(skills, "release", "tags.md"), []byte("new"), 0o600))
	if got := load(t, l, "release", ""); !strings.HasPrefix(got, "1. Run the linter.") {
		t.Errorf("got %q; want the instructions of the new folder", got)
	}
	if got := load(t, l, "release", "tags"); got != "new" {
		t.Errorf("got %q; want the text of the new folder", got)
	}
}

// The instructions of a skill that is always on stand in every prompt, whatever bytes are in the file.
func TestTOL4ASkillHasNoControlCharacters(t *testing.T) {
	const always = "---\nname: release\ndescription: \"red \\e[31m\"\nalways: true\n---\none\x00two\x1b[2J\tthree"
	l, _ := open(t, workspace(t, map[string]string{"release/SKILL.md": always, "release/tags.md": "a\x00b\x1b[31m\nc", "release/x\x1b": ""}))
	want := []fsm.SkillDecl{{
		Name: "release", Summary: "red \uFFFD[31m", Always: true,
		Text: "one\uFFFDtwo\uFFFD[2J\tthree\n\n[The folder of this skill is skills/release. Paths in the text above are relative to it. Its files: tags.md, x\uFFFD.]",
	}}
	if diff := cmp.Diff(want, l.Decls()); diff != "" {
		t.Errorf("declarations (-want +got):\n%s", diff)
	}
	if got := load(t, l, "release", ""); got != want[0].Text {
		t.Errorf("loaded is %q; want %q", got, want[0].Text)
	}
	if got, want := load(t, l, "release", "tags"), "a\uFFFDb\uFFFD[31m\nc"; got != want {
		t.Errorf("the reference is %q; want %q", got, want)
	}
}

// A folder does not hide a text of its name.
func TestSKL10AFolderIsNotAReference(t *testing.T) {
	dir := workspace(t, map[string]string{
		"release/SKILL.md": release, "release/forms/one.md": "one", "release/forms.md": "forms", "release/steps/one.md": "one", "release/references/steps.md": "steps",
	})
	l, _ := open(t, dir)
	for _, name := range []string{"forms", "steps"} {
		if got := load(t, l, "release", name); got != name {
			t.Errorf("reference %s is %q", name, got)
		}
	}
	if _, err := l.Load(t.Context(), "release", "references"); err == nil || !strings.Contains(err.Error(), `it has "forms.md"`) {
		t.Errorf("a mere folder: %v", err)
	}
}

func TestSKL5ReferencesAreTheOtherTextsOfTheFolder(t *testing.T) {
	dir := workspace(t, map[string]string{
		"release/SKILL.md": release, "release/checklist.md": "- tag\r\n", "release/api.md": "# API", "release/deep/more.md": "more", "release/big.md": strings.Repeat("x", 64<<10+1),
		"y/SKILL.md": "---\ndescription: x\n---\nbody", "../secret.md": "secret",
	})
	for name, target := range map[string]string{"link.md": "../../secret.md", "far.md": "/etc/hostname"} {
		must(t, os.Symlink(target, filepath.Join(dir, "skills", "release", name)))
	}
	l, _ := open(t, dir)
	if got := load(t, l, "release", "deep/more"); got != "more" {
		t.Errorf("a text of a folder below is %q", got)
	}
	for _, name := range []string{"checklist", "checklist.md", "./checklist.md", "skills/release/checklist.md"} {
		if got := load(t, l, "release", name); got != "- tag\n" {
			t.Errorf("reference %s is %q", name, got)
		}
	}
	for name, want := range map[string]string{
		"nothing":                `it has "api.md", "big.md", "checklist.md", "deep/more.md"`,
		"SKILL":                  "has no reference",
		"../y/SKILL":             "has no reference",
		"more":                   "has no reference",
		"../../secret":           "has no reference",
		"..":                     "has no reference",
		"a\x00b":                 "has no reference",
		"a\\b":                   "has no reference",
		"link":                   "leads out of",
		"far":                    "leads out of",
		"big":                    "longer than",
		"../y/SKILL.md":          "has no reference",
		"/etc/passwd":            "has no reference",
		strings.Repeat("x", 300): "has no reference",
	} {
		text, err := l.Load(context.Background(), "release", name)
		if err == nil || text != "" || !strings.Contains(err.Error(), want) {
			t.Errorf("reference %q: %q, %v; want an error that says %q", name, text, err, want)
		}
	}
	if _, err := l.Load(context.Background(), "y", "x"); err == nil || !strings.Contains(err.Error(), "no others") {
		t.Errorf("a reference of a skill that has none: %v", err)
	}
}

// Something else in place of the folder does not keep shelly from starting.
func TestSomethingElseUnderTheFoldersName(t *testing.T) {
	for name, test := range map[string]struct {
		put  func(string) error
		want string
	}{
		"a link out of the workspace": {func(name string) error {
			return os.Symlink(filepath.Join(workspace(t, map[string]string{"release/SKILL.md": release}), "skills"), name)
		}, "the link skills leads out of its folder"},
		"a file": {func(name string) error { return os.WriteFile(name, nil, 0o600) }, "not a directory"},
	} {
		dir := t.TempDir()
		must(t, test.put(filepath.Join(dir, "skills")))
		l, problems := open(t, dir)
		if len(l.Decls()) != 0 || len(problems) != 1 || !strings.Contains(problems[0].Error(), "skills is left out: ") || !strings.Contains(problems[0].Error(), test.want) {
			t.Errorf("%s: %v, problems %v", name, l.Decls(), problems)
		}
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

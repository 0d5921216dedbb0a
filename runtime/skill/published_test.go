package skill_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/runtime/skill"
)

// TestSKL9SkillsAreReadAsPeoplePublishThem has folders of the shapes that are found in
// repositories of skills.
func TestSKL9SkillsAreReadAsPeoplePublishThem(t *testing.T) {
	shapes := map[string]struct {
		files map[string]string
		want  skill.Front
	}{
		"bare": {map[string]string{"SKILL.md": "---\nname: bare\ndescription: Say hello.\n---\nSay hello."},
			skill.Front{Name: "bare", Description: "Say hello."}},
		"all-keys": {map[string]string{
			"SKILL.md": "---\nname: all-keys\ndescription: >-\n  Fill forms.\n  Use it for PDF files.\nlicense: Apache-2.0\ncompatibility: Requires git, jq\n" +
				"metadata:\n  author: example-org\n  version: \"1.0\"\nallowed-tools: Bash(git:*) Read\n---\n# Forms\n\nRun scripts/fill.py as references/FORMS.md and references/none.md say.",
			"scripts/fill.py": "print(1)", "references/FORMS.md": "forms", "assets/empty.json": "{}", "LICENSE.txt": "…"},
			skill.Front{Name: "all-keys", Description: "Fill forms. Use it for PDF files.", License: "Apache-2.0", Compatibility: "Requires git, jq",
				Metadata: []skill.Entry{{Key: "author", Value: "example-org"}, {Key: "version", Value: "1.0"}}, AllowedTools: []string{"Bash(git:*)", "Read"}}},
		"colon": {map[string]string{"SKILL.md": "---\nname: colon\ndescription: Use when: the user's build fails\n---\nLook."},
			skill.Front{Name: "colon", Description: "Use when: the user's build fails"}},
		"windows": {map[string]string{"SKILL.md": "\uFEFF---\r\nname: windows\r\ndescription: \"Line ends\"\r\n---\r\nA\r\nB\r\n"},
			skill.Front{Name: "windows", Description: "Line ends"}},
		"remarks": {map[string]string{"SKILL.md": "---\n# Ours.\nname: remarks # as the folder\ndescription: Use when: it fails\nlicense: MIT # as all\n---\nx"},
			skill.Front{Name: "remarks", Description: "Use when: it fails", License: "MIT"}},
		"blanks": {map[string]string{"SKILL.md": "--- \nname: blanks\ndescription: x\n---\t \nx"},
			skill.Front{Name: "blanks", Description: "x"}},
		"tools-list": {map[string]string{"SKILL.md": "---\nname: tools-list\ndescription: x\nallowed-tools:\n  - read_file\n  - exec\n---\nx"},
			skill.Front{Name: "tools-list", Description: "x", AllowedTools: []string{"read_file", "exec"}}},
		"foreign-keys": {map[string]string{"SKILL.md": "---\nname: foreign-keys\ndescription: x\nversion: 1.2\nuser-invocable: true\nhooks: {a: [b]}\n---\nx"},
			skill.Front{Name: "foreign-keys", Description: "x"}},
		"nested-metadata": {map[string]string{"SKILL.md": "---\nname: nested-metadata\ndescription: x\nmetadata: {\"nanobot\": {\"emoji\": \"x\", \"requires\": {\"bins\": [\"gh\"]}}}\n---\nx"},
			skill.Front{Name: "nested-metadata", Description: "x"}},
		"lower-case": {map[string]string{"skill.md": "---\nname: lower-case\ndescription: x\n---\nx", "reference.md": "more"},
			skill.Front{Name: "lower-case", Description: "x"}},
		"no-name": {map[string]string{"SKILL.md": "---\ndescription: |\n  First.\n\n  Second.\n---\nx\n---\ny"},
			skill.Front{Name: "no-name", Description: "First. Second."}},
		"always-on": {map[string]string{"SKILL.md": "---\nname: always-on\ndescription: x\nmetadata:\n  always: \"true\"\n---\nBe brief.", "sub/deep/x.txt": "x", ".git/config": "x"},
			skill.Front{Name: "always-on", Description: "x", Always: true, Metadata: []skill.Entry{{Key: "always", Value: "true"}}}},
	}
	files, want := map[string]string{}, map[string]skill.Front{}
	for folder, shape := range shapes {
		for name, text := range shape.files {
			files[folder+"/"+name] = text
		}
		want[folder] = shape.want
	}
	l, problems := open(t, workspace(t, files))
	got := map[string]skill.Front{}
	for _, s := range l.Skills() {
		got[s.Name] = s.Front
	}
	unexported := cmp.FilterPath(func(p cmp.Path) bool {
		name := p.Last().String()
		return name == ".unknown" || name == ".mended" || name == ".unnamed"
	}, cmp.Ignore())
	if diff := cmp.Diff(want, got, unexported); diff != "" || len(problems) > 0 {
		t.Errorf("skills (-want +got):\n%s\nproblems %v", diff, problems)
	}
	for name, lines := range map[string][]string{
		"bare":         nil,
		"all-keys":     {"instructions: they name references/none.md, which does not exist"},
		"no-name":      {"front matter: name is missing; other programs require name: no-name"},
		"colon":        {"front matter: a text with a colon or another special character of YAML has no quotes; put it in quotes"},
		"foreign-keys": {`front matter: "version" is not a key of the specification; put your own keys below metadata`, `front matter: "user-invocable" is not a key of the specification; put your own keys below metadata`, `front matter: "hooks" is not a key of the specification; put your own keys below metadata`},
	} {
		s, _ := l.Find(name)
		if diff := cmp.Diff(lines, skill.Check(s)); diff != "" {
			t.Errorf("findings of %s (-want +got):\n%s", name, diff)
		}
	}
}

// The tools that a skill would allow are in no declaration, and so never reach the machine.
func TestSKL12AllowedToolsAllowNothing(t *testing.T) {
	l, _ := open(t, workspace(t, map[string]string{"a/SKILL.md": "---\ndescription: x\nallowed-tools: exec\n---\nRun it."}))
	if diff := cmp.Diff([]fsm.SkillDecl{{Name: "a", Summary: "x"}}, l.Decls()); diff != "" {
		t.Errorf("declarations (-want +got):\n%s", diff)
	}
	if got := load(t, l, "a", ""); got != "Run it." {
		t.Errorf("loaded %q", got)
	}
}

func TestSKL11AlwaysStandsInMetadataToo(t *testing.T) {
	l, problems := open(t, workspace(t, map[string]string{
		"a/SKILL.md": "---\ndescription: x\nmetadata: {always: \"yes\"}\n---\nBe brief.", "b/SKILL.md": "---\ndescription: x\nmetadata: {always: no}\n---\nBe long.",
		"c/SKILL.md": "---\ndescription: x\nmetadata: {always: perhaps}\n---\nBe.",
	}))
	want := []fsm.SkillDecl{{Name: "a", Summary: "x", Always: true, Text: "Be brief."}, {Name: "b", Summary: "x"}}
	if diff := cmp.Diff(want, l.Decls()); diff != "" || len(problems) != 1 || problems[0].Folder != "skills/c" {
		t.Errorf("declarations (-want +got):\n%s\nproblems %v", diff, problems)
	}
}

func TestSKL10WhatIsLoadedNamesTheFolderAndItsFiles(t *testing.T) {
	dir := workspace(t, map[string]string{
		"forms/SKILL.md": "---\ndescription: x\n---\nRun scripts/fill.sh.", "forms/scripts/fill.sh": "true", "forms/references/FORMS.md": "forms", "forms/assets/t.txt": "t",
		"forms/.env": "secret", "many/SKILL.md": "---\ndescription: x\nalways: true\n---\nx",
	})
	for i := range 30 {
		must(t, os.WriteFile(filepath.Join(dir, "skills", "many", string(rune('a'+i%26))+strings.Repeat("x", i/26)), nil, 0o600))
	}
	l, _ := open(t, dir)
	want := "Run scripts/fill.sh.\n\n[The folder of this skill is skills/forms. Paths in the text above are relative to it. Its files: assets/t.txt, references/FORMS.md, scripts/fill.sh.]"
	if got := load(t, l, "forms", ""); got != want {
		t.Errorf("loaded %q, want %q", got, want)
	}
	if text := l.Decls()[1].Text; !strings.Contains(text, "skills/many") || !strings.Contains(text, "and 6 more") {
		t.Errorf("the skill that is always on says %q", text)
	}
	for _, name := range []string{"references/FORMS.md", "references/FORMS", "FORMS", "FORMS.md", "skills/forms/references/FORMS.md"} {
		if got := load(t, l, "forms", name); got != "forms" {
			t.Errorf("%s is %q", name, got)
		}
	}
	if got := load(t, l, "forms", "scripts/fill.sh"); got != "true" {
		t.Errorf("the script is %q", got)
	}
	if text, err := l.Load(t.Context(), "forms", ".env"); err == nil {
		t.Errorf("a hidden file was read: %q", text)
	}
}

func TestSKL9TheFirstPlaceCounts(t *testing.T) {
	text := func(what string) string { return "---\nname: tell\ndescription: " + what + "\n---\n" + what }
	dir := workspace(t, map[string]string{"tell/SKILL.md": text("workspace"), "../.agents/skills/tell/SKILL.md": text("agents"),
		"../.agents/skills/other/SKILL.md": "---\ndescription: x\n---\nx", "../.agents/skills/other/a.sh": "true"})
	user := t.TempDir()
	for _, name := range []string{"tell", "mine"} {
		must(t, os.Mkdir(filepath.Join(user, name), 0o700))
		must(t, os.WriteFile(filepath.Join(user, name, "SKILL.md"), []byte("---\ndescription: user\n---\nuser"), 0o600))
	}
	l, problems, err := skill.Open(skill.Places(dir, []string{user, filepath.Join(user, "missing")}))
	if err != nil {
		t.Fatal(err)
	}
	var folders []string
	for _, s := range l.Skills() {
		folders = append(folders, s.Folder)
	}
	if diff := cmp.Diff([]string{filepath.ToSlash(user) + "/mine", ".agents/skills/other", "skills/tell"}, folders); diff != "" {
		t.Errorf("folders (-want +got):\n%s", diff)
	}
	var said []string
	for _, p := range problems {
		said = append(said, p.Error())
	}
	want := []string{`.agents/skills/tell is left out: skills/tell has a skill named "tell" already`, filepath.ToSlash(user) + `/tell is left out: skills/tell has a skill named "tell" already`}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	if got := load(t, l, "other", ""); !strings.Contains(got, "folder of this skill is .agents/skills/other") {
		t.Errorf("loaded %q", got)
	}
}

func TestANewSkillIsAsTheSpecificationSays(t *testing.T) {
	for _, test := range []struct{ name, description, want string }{
		{"release-notes", "It's how: notes are written.", "It's how: notes are written."},
		{"null", "The name is no text in YAML.", "The name is no text in YAML."},
		{"lines", "one\n---\n- two: 2\n", "one --- - two: 2"},
		{"controls", "red \x1b[31m", "red \x1b[31m"},
	} {
		dir := t.TempDir()
		file, err := skill.New(filepath.Join(dir, "skills"), test.name, test.description)
		if err != nil {
			t.Fatal(err)
		}
		l, problems := open(t, dir)
		s, ok := l.Find(test.name)
		if !ok || len(problems) > 0 || s.Description != test.want {
			t.Fatalf("%s is read as %+v, problems %v", file, s, problems)
		}
		if found := skill.Check(s); len(found) > 0 {
			t.Errorf("%s: findings %v", file, found)
		}
		if _, err := skill.New(filepath.Join(dir, "skills"), test.name, "again"); err == nil {
			t.Error("a skill was written over another")
		}
	}
}

// CLI-91: a skill that could not be used is not begun, nor one in the place of another.
func TestCLI91ASkillThatCannotBeUsedIsNotBegun(t *testing.T) {
	dir := workspace(t, map[string]string{"lower/skill.md": release})
	skills := filepath.Join(dir, "skills")
	must(t, os.Symlink(t.TempDir(), filepath.Join(skills, "away")))
	for _, test := range []struct{ name, description string }{
		{"Release", "x"}, {"a--b", "x"}, {"-a", "x"}, {"a-", "x"}, {"../a", "x"}, {"", "x"},
		{"empty", " \n"}, {"long", strings.Repeat("x", 1025)}, {"lower", "x"}, {"away", "x"},
	} {
		if _, err := skill.New(skills, test.name, test.description); err == nil {
			t.Errorf("a skill named %q was begun: %.20q", test.name, test.description)
		}
	}
	if left, err := os.ReadDir(skills); err != nil || len(left) != 2 {
		t.Errorf("%v, %v is left", left, err)
	}
	outside := t.TempDir()
	if _, err := skill.New(filepath.Join(linked(t, outside), "skills"), "x", "x"); err == nil {
		t.Error("a skill was begun outside the workspace")
	}
	if left, err := os.ReadDir(outside); err != nil || len(left) > 0 {
		t.Errorf("%v, %v is left outside", left, err)
	}
}

// linked makes a workspace whose skills are a link to another folder.
func linked(t *testing.T, to string) string {
	t.Helper()
	dir := t.TempDir()
	must(t, os.Symlink(to, filepath.Join(dir, "skills")))
	return dir
}

// CLI-91: a page and a file of the workspace are not files of the skill.
func TestCLI91OnlyTheSkillsOwnFilesAreMissed(t *testing.T) {
	l, _ := open(t, workspace(t, map[string]string{"pics/scripts/run.sh": "x", "pics/SKILL.md": "---\nname: pics\ndescription: d\n---\n" +
		"See https://example.org/docs/references/api.md, put pictures into src/assets/logo.png and run my_scripts/build.sh.\n" +
		"Run scripts/run.sh, ./scripts/run.sh, skills/pics/scripts/run.sh or `{base}/scripts/run.sh`.\n" +
		"[A](references/a.md), ./references/b.md, skills/pics/references/c.md, $HERE/references/d.md, \"references/a.md\", **references/e.md**, <dir>/references/f.md, see:references/g.md.\n"}))
	s, _ := l.Find("pics")
	var want []string
	for _, file := range []string{"a", "b", "c", "d", "e", "f", "g"} {
		want = append(want, "instructions: they name references/"+file+".md, which does not exist")
	}
	if diff := cmp.Diff(want, skill.Check(s)); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}

// Links that lead round in circles make many names of a few; only the first ones are looked at.
func TestTheNamesInASkillAreBounded(t *testing.T) {
	dir := workspace(t, map[string]string{"round/SKILL.md": "---\ndescription: d\n---\nx", "round/a.md": "x", "round/z.md": "x"})
	must(t, os.Mkdir(filepath.Join(dir, "skills/round/links"), 0o700))
	for i := range 8 { // 8⁴ names at the greatest depth
		must(t, os.Symlink(".", filepath.Join(dir, "skills/round/links", strconv.Itoa(i))))
	}
	l, _ := open(t, dir)
	s, _ := l.Find("round")
	if diff := cmp.Diff([]string{"a.md"}, s.Files); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

package ignore

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestTOL28PatternsAreThoseOfGit(t *testing.T) {
	const text = "# comment\n\n*.o\n/top\nfolder/\ndoc/*.txt\n**/any\nfoo/**\n!foo/keep\na\\ b\\ \ntrail  \n{x,y}\n[bad\n\\#hash\n!important.o\nq[[:space:]]5\nq\\{1\\}\nesc\\\\ \n" +
		"s[.-0]t\nu[/]v\n[[:blank:]-b]9\n/deep/***\nall***\nw?\nz[é]z\n/twice/**//\n" +
		"ca***/*\n/cb**/**\nin/c**\ncd**/y\nc/e**x/y\n"
	r := Parse(nil, "/w", text)
	for path, want := range map[string]bool{
		"x.o": true, "d/x.o": true, "important.o": false, "top": true, "d/top": false, "folder/": true, "d/folder/": true, "folder": false,
		"doc/a.txt": true, "doc/b/a.txt": false, "d/doc/a.txt": false, "any": true, "a/b/any": true, "foo/": false, "foo/x": true, "foo/keep": false,
		"q 5": true, "q-5": false, "q{1}": true, "q1": false, `esc\`: true, "a b ": true, "trail": true, "x": false, "{x,y}": true, "#hash": true, "comment": false,
		"s/t": false, "s.t": true, "s0t": true, "u/v": false, "a9": false, "b9": true, "-9": true,
		"deep/": false, "deep/a": true, "deep/a/b": true, "all": true, "d/allow": true, "wa": true, "wé": false, "zéz": false, "z\xc3z": true, "twice/": false,
		"ca": true, "ca/": true, "cab": true, "ca/x": true, "d/ca": false, "cb": true, "cbx/y": true, "in/c": true, "in/cx": true, "in/d": false, "c": false,
		"cd/y": true, "cd/x/y": true, "cdx/y": true, "cd/x": false, "c/ex/y": true, "c/e/x/y": false,
	} {
		name, folder := strings.CutSuffix(path, "/")
		if got := r.Ignored("/w/"+name, folder); got != want {
			t.Errorf("%s: got %v; want %v", path, got, want)
		}
	}
	below := Parse(r, "/w/sub", "!*.o\nmine\n")
	for path, want := range map[string]bool{"/w/sub/x.o": false, "/w/sub/mine": true, "/w/mine": false, "/w/sub/any": true, "/elsewhere/x.o": false} {
		if got := below.Ignored(path, false); got != want {
			t.Errorf("%s: got %v; want %v", path, got, want)
		}
	}
}

func TestTOL28AByteOrderMarkIsNotPartOfAPattern(t *testing.T) {
	r := Parse(nil, "/w", "\uFEFF*.log\r\n!keep.log\r\n")
	if !r.Ignored("/w/a.log", false) || r.Ignored("/w/keep.log", false) {
		t.Error("the first pattern is not that of git")
	}
}

func TestTOL28GitAgrees(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("there is no git")
	}
	dir := t.TempDir()
	run := func(args ...string) ([]byte, error) {
		c := exec.Command(git, append([]string{"-C", dir, "-c", "core.excludesFile=", "-c", "core.quotePath=false"}, args...)...)
		c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
		return c.Output()
	}
	if _, err := run("init", "-q"); err != nil {
		t.Fatal(err)
	}
	paths := []string{"a", "b", "a.c", "d/a", "d/b", "d/e/a", "d/e/b.c", "f/a", "{x}", "x y", "-", "]", "[", "5", "é", "d/é", "aé"}
	for _, p := range paths {
		_ = os.MkdirAll(filepath.Join(dir, filepath.Dir(p)), 0o755)
		_ = os.WriteFile(filepath.Join(dir, p), nil, 0o600)
	}
	part := rapid.SampledFrom([]string{"a", "b", "*", "?", "**", "d", "e", "f", "*.c", "[ab]", "!", "[[:alpha:]]", "[![:lower:]]*", "[[:nothing:]]",
		"[]a]", "[!]a]", "[a-]", "[-a]", `[\a]`, "[b-d]", "[[:digit:][:space:]]*", `\{x\}`, "{x}", `[{]x}`, "[[]", "[[:a]", "[[:punct:]]x*", "[^b]", "d[!a]a",
		"d[.-0]a", "d[/]a", "d[!-~]e[+--/9]a", "[[:blank:]-b]", `[\+-0]`, "[c-a]", "[a-b-d]", "[!.-0]", "d[!/]a", "[/b]", "***", "é", "[é]*", "a??", "d/", "a***", "d**", "b**"})
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
			line := strings.Join(rapid.SliceOfN(part, 1, 3).Draw(t, "parts"), "/")
			return rapid.SampledFrom([]string{"", "!", "/"}).Draw(t, "begin") + line + rapid.SampledFrom([]string{"", "/"}).Draw(t, "end")
		}), 1, 3).Draw(t, "lines")
		text := strings.Join(lines, "\n") + "\n"
		if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		out, _ := run(append([]string{"check-ignore", "--no-index"}, paths...)...)
		ignored := strings.Split(string(out), "\n")
		rules := Parse(nil, dir, text)
		for _, p := range paths {
			want := false
			for _, i := range ignored {
				want = want || i == p
			}
			if got := walked(rules, dir, p); got != want {
				t.Fatalf("%q: %s is ignored: %v, by git %v", text, p, got, want)
			}
		}
	})
}

// walked is whether a walk would leave out a path, itself or with a folder above it.
func walked(r *Rules, dir, path string) bool {
	parts := strings.Split(path, "/")
	for i := range parts {
		if r.Ignored(filepath.Join(dir, filepath.Join(parts[:i+1]...)), i < len(parts)-1) {
			return true
		}
	}
	return false
}

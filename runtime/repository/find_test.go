package repository

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"shelly/runtime/yardstick"
)

// tree makes files with their content, and a folder for each name that ends in a slash.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		path := filepath.Join(root, name)
		dir := filepath.Dir(path)
		if name[len(name)-1] == '/' {
			dir = path
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if dir == path {
			continue
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestTOL45RepositoriesAreFoundWhereverTheyAre(t *testing.T) {
	const head = "ref: refs/heads/main\n"
	root := tree(t, map[string]string{
		".git/HEAD": head, ".git/modules/a/b/HEAD": head, ".git/modules/a/b/objects/": "", ".git/modules/a/b/refs/": "",
		".git/modules/a/b/modules/c/HEAD": head, ".git/modules/a/b/modules/c/objects/": "", ".git/modules/a/b/modules/c/refs/": "",
		".git/worktrees/w/HEAD": "0123456789012345678901234567890123456789\n", ".git/worktrees/w/commondir": "../..\n", ".git/objects/aa/.git/": "",
		"deep/er/.git/HEAD": head, "sub/.git": "gitdir: ../.git/modules/a/b\n", "apart/.git": "gitdir: ../meta\n", "meta/x": "",
		"far/.git": "gitdir: /etc\n", "through/.git": "gitdir: ../out/link\n", "out/x": "", "none/.git": "nothing", "bare.git/HEAD": head, "bare.git/objects/": "", "bare.git/refs/": "",
		"no/HEAD": "a heading", "no/objects/": "", "no/refs/": "", "plain/config": "",
	})
	if err := os.MkdirAll(filepath.Join(root, "real/git"), 0o755); err != nil {
		t.Fatal(err)
	}
	for at, to := range map[string]string{"real/.git": "git", "out/link": "/etc", "out/.git": "link"} {
		if err := os.Symlink(to, filepath.Join(root, at)); err != nil {
			t.Fatal(err)
		}
	}
	found := Find(root, 1000)
	relative := func(paths []string) (list []string) {
		for _, p := range paths {
			rel, _ := filepath.Rel(root, p)
			list = append(list, filepath.ToSlash(rel))
		}
		slices.Sort(list)
		return list
	}
	dirs := []string{".git", ".git/modules/a/b", ".git/modules/a/b/modules/c", ".git/worktrees/w", "bare.git", "deep/er/.git", "meta", "real/git"}
	if got := relative(found.Dirs); !slices.Equal(got, dirs) {
		t.Errorf("folders: %q", got)
	}
	if got, want := relative(found.Files), []string{"apart/.git", "far/.git", "none/.git", "sub/.git", "through/.git"}; !slices.Equal(got, want) {
		t.Errorf("files: %q", got)
	}
	if !found.Whole || Find(root, 10).Whole {
		t.Error("it is not reported that something was not searched")
	}
	if !Is(filepath.Join(root, "bare.git")) || !Is(filepath.Join(root, ".git/worktrees/w")) || Is(filepath.Join(root, "no")) || Is(filepath.Join(root, "plain")) {
		t.Error("Is does not recognise git folders")
	}
}

// What is near is found, however much lies deeper beside it.
func TestTOL45RepositoriesThatAreNearAreFoundFirst(t *testing.T) {
	files := map[string]string{"z/.git/HEAD": "ref: refs/heads/main"}
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		files["a/a/a/"+name] = ""
	}
	if found := Find(tree(t, files), 8); len(found.Dirs) != 1 || found.Whole {
		t.Errorf("got %+v; want 1 Dirs, not Whole", found)
	}
}

// BenchmarkFind searches 10,000 files in 100 folders. Its yardstick is walking through them.
func BenchmarkFind(b *testing.B) {
	root := b.TempDir()
	for i := range 100 {
		dir := filepath.Join(root, "d", string(rune('a'+i%26)), string(rune('a'+i/26)))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			b.Fatal(err)
		}
		for j := range 100 {
			if err := os.WriteFile(filepath.Join(dir, "f"+string(rune('0'+j%10))+string(rune('0'+j/10))), nil, 0o644); err != nil {
				b.Fatal(err)
			}
		}
	}
	for b.Loop() {
		Find(root, 100_000)
	}
	yardstick.Of(b, "a-walk", func() {
		if err := filepath.WalkDir(root, func(_ string, _ fs.DirEntry, err error) error { return err }); err != nil {
			b.Fatal(err)
		}
	})
}

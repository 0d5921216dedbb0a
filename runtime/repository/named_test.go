package repository

import (
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestTOL45WhatAConfigurationNamesIsKept(t *testing.T) {
	const head = "ref: refs/heads/main\n"
	root := tree(t, map[string]string{
		"a/.git/HEAD":         head,
		"a/.git/config":       "[core]\n\tbare = false\n\thooksPath = \".hooks\" ; ours\n[include]\n\tpath = ../team.config\n[includeIf \"onbranch:main\"] path = ../none\n",
		"a/.hooks/pre-commit": "", "a/team.config": "[CORE]\nhookspath=tools/h\\\nooks\n[include]\npath = team.config\n", "a/tools/hooks/x": "",
		"a/src/main.go": "", "b/.git": "gitdir: ../meta\n", "meta/HEAD": head, "meta/config": "[core]\nhooksPath = hooks # theirs\n", "b/hooks/x": "",
		"c/.git/HEAD": head, "c/.git/config": "[core]\nhooksPath = .\n[other]\nhooksPath = src\n", "c/src/x": "",
		"d/.git/HEAD": head, "d/.git/config": "[core]\nhooksPath = /etc\n",
		"e.git/HEAD": head, "e.git/objects/": "", "e.git/refs/": "", "e.git/config": "[core]\nhooksPath = custom\n", "e.git/custom/x": "",
	})
	kept, err := Keep(root, false, &Calls{})
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{
		"a/.hooks": true, "a/team.config": true, "a/tools/hooks": true, "b/hooks": true, "e.git/custom": true,
		"a": false, "c": false, "c/src": false, "a/src": false,
	} {
		if got := slices.Contains(kept.Fixed, filepath.Join(root, path)); got != want {
			t.Errorf("%s is kept: %v", path, got)
		}
	}
	if slices.Contains(kept.Fixed, "/etc") {
		t.Error("a folder outside the workspace is kept")
	}
	for path, want := range map[string]bool{
		"a/.hooks/pre-commit": true, "a/.hooks/new": true, "a/team.config": true, "a/tools/hooks/x": true, "b/hooks/x": true,
		"a/src/main.go": false, "a/tools/x": false, "c/src/x": false,
	} {
		if got := Runs(filepath.Join(root, path)); got != want {
			t.Errorf("git runs %s: %v", path, got)
		}
	}
}

// A home folder may be named as ~ or by its user, with or without more after it.
func TestTOL45AHomeFolderIsFound(t *testing.T) {
	const head = "ref: refs/heads/main\n"
	root := tree(t, map[string]string{
		"a/.git/HEAD": head, "a/.git/config": "[core]\nhooksPath = ~/own\n", "own/x": "",
		"b/.git/HEAD": head,
	})
	t.Setenv("HOME", root)
	fixed := []string{"own"}
	if me, err := user.Current(); err == nil {
		if me, err = user.Lookup(me.Username); err == nil {
			way, err := filepath.Rel(me.HomeDir, filepath.Join(root, "theirs"))
			if err != nil {
				t.Fatal(err)
			}
			for path, text := range map[string]string{"b/.git/config": "[core]\nhooksPath = ~" + me.Username + "/" + way + "\n", "theirs/x": ""} {
				if err := os.MkdirAll(filepath.Dir(filepath.Join(root, path)), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(root, path), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			fixed = append(fixed, "theirs")
		}
	}
	kept, err := Keep(root, false, &Calls{})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range fixed {
		if !slices.Contains(kept.Fixed, filepath.Join(root, path)) {
			t.Errorf("%s is not kept, only %q", path, kept.Fixed)
		}
	}
}

func TestTOL45ItIsSaidThatNotEverythingIsProtected(t *testing.T) {
	root := tree(t, map[string]string{"a/.git/HEAD": "", "b/.git/HEAD": ""})
	for _, c := range []struct {
		entries, folders int
		pinned           int
		partly           bool
	}{
		{1000, 2, 2, false},
		{1000, 1, 1, true},
		{3, 2, 1, true}, // a, b, and what is in one of them
	} {
		kept, err := keepOf(root, false, &Calls{}, c.entries, c.folders)
		if err != nil {
			t.Fatal(err)
		}
		if len(kept.Pinned) != c.pinned || kept.Partly != c.partly {
			t.Errorf("of %d entries and %d folders: %q are protected, partly: %v; want %d, %v", c.entries, c.folders, kept.Pinned, kept.Partly, c.pinned, c.partly)
		}
	}
}

func TestTOL45LinksCalledGitArePutBack(t *testing.T) {
	root := tree(t, map[string]string{"store/HEAD": "ref: refs/heads/main\n", "evil/HEAD": "ref: x\n", "one/x": "", "two/x": "", "three/x": "", "four/x": ""})
	for _, name := range []string{"one", "two", "three", "four"} {
		if err := os.Symlink("../store", filepath.Join(root, name, ".git")); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := Keep(root, false, &Calls{})
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		os.Remove(filepath.Join(root, "one/.git")), os.Symlink("../evil", filepath.Join(root, "one/.git")),
		os.Remove(filepath.Join(root, "two/.git")), os.MkdirAll(filepath.Join(root, "two/.git/hooks"), 0o755),
		os.RemoveAll(filepath.Join(root, "three")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if got := kept.TakeAway(); !slices.Equal(got, []string{"one/.git", "two/.git"}) {
		t.Errorf("put back: %q", got)
	}
	for _, name := range []string{"one", "two", "four"} {
		if to, err := os.Readlink(filepath.Join(root, name, ".git")); to != "../store" {
			t.Errorf("%s/.git leads to %q: %v", name, to, err)
		}
	}
	if _, err := os.Stat(filepath.Join(root, "two/.git.not-git/hooks")); err != nil {
		t.Errorf("what stood in place of a link is lost: %v", err)
	}
	if _, err := os.Lstat(filepath.Join(root, "three")); err == nil {
		t.Error("a folder that is gone is made again")
	}
}

// What a clone brings decides how much there is to read, so that is bounded, and it is said.
func TestTOL45ConfigurationsAreReadWithinBounds(t *testing.T) {
	const head = "ref: refs/heads/main\n"
	files := func(config string) map[string]string {
		return map[string]string{"a/.git/HEAD": head, "a/.git/config": config, "a/hooks/x": "", "a/x": ""}
	}
	var many strings.Builder
	for i := range pathsMax + 1 {
		fmt.Fprintf(&many, "hooksPath = absent%d\n", i)
	}
	deep := files("[include]\npath = ../c0\n")
	for i := range includesMax + 1 {
		deep[fmt.Sprintf("a/c%d", i)] = fmt.Sprintf("[include]\npath = c%d\n", i+1)
	}
	for name, c := range map[string]struct { // order-free: each has a folder of its own
		files  map[string]string
		partly bool
	}{
		"the same again and again": {files("[core]\n" + strings.Repeat("hooksPath = hooks\n", 40_000)), false},
		"too many paths":           {files("[core]\n" + many.String()), true},
		"too long":                 {files("[core]\nhooksPath = hooks\n" + strings.Repeat("#", configBytesMax)), true},
		"too many files":           {deep, true},
		"hooks that are a file":    {map[string]string{"a.git/HEAD": head, "a.git/objects/": "", "a.git/refs/": "", "a.git/config": "[core]\nhooksPath = ../c\n[include]\npath = ../c\n", "c": "[core]\nhooksPath = ../a/hooks\n", "a/hooks/x": ""}, false},
	} {
		root := tree(t, c.files)
		kept, err := Keep(root, false, &Calls{})
		if err != nil || kept.Partly != c.partly {
			t.Errorf("%s: partly: %v (%v)", name, kept.Partly, err)
		}
		if got := Runs(filepath.Join(root, "a/x")); got != c.partly {
			t.Errorf("%s: git may run what is not named: %v", name, got)
		}
		if !c.partly && !slices.Contains(kept.Fixed, filepath.Join(root, "a/hooks")) {
			t.Errorf("%s: the hooks are not kept", name)
		}
	}
	left := newBudget()
	dir := filepath.Join(tree(t, files("[core]\n"+strings.Repeat("hooksPath = hooks\n", 40_000))), "a")
	if left.named(filepath.Join(dir, ".git"), []string{dir}); left.paths != pathsMax-1 {
		t.Errorf("one path is looked up %d times", pathsMax-left.paths)
	}
}

// What git itself reads in each of these was looked up with git config --list.
func TestTOL45AConfigurationIsReadAsGitReadsIt(t *testing.T) {
	hooks := settings{hooks: []string{"a"}}
	for text, want := range map[string]settings{
		"# see C:\\\n[core]\n\thooksPath = a\n":                             hooks,
		"[user]\n\tname = x # c:\\\n[core]\n\thooksPath = a\n":              hooks,
		"\ufeff[core]\n\thooksPath = a\n":                                   hooks,
		"[user] [core] hooksPath = a\n":                                     hooks,
		"[core \"x\"]\n[core]hooksPath=a":                                   hooks,
		"[user]\n\tname = \"# [core]\" ; [user]\n[core]\n hooksPath = a":    hooks,
		"[core]\r\n\thooksPath = b\\\r\n/c\r\n":                             {hooks: []string{"b/c"}},
		"[core]\n\thooksPath = \"d\\te\" ; c\\\n[x]\n\ty = z\n":             {hooks: []string{"d\te"}},
		"[core]\n\thooksPath\n\thooksPath = \"f;#\" \n":                     {hooks: []string{"f;#"}},
		"[includeIf\t\"gitdir:**\"]\n\tpath = a\n":                          {includes: []string{"a"}},
		"[includeIf \"gitdir:]/\\\"\"] path = a\n[include]\n\tpath = b":     {includes: []string{"a", "b"}},
		"[corehooks]\n\thooksPath = a\n[core]\n\tcomment = hooksPath = a\n": {},
	} {
		path := filepath.Join(t.TempDir(), "config")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got := newBudget().readSettings(path)
		if !slices.Equal(got.hooks, want.hooks) || !slices.Equal(got.includes, want.includes) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

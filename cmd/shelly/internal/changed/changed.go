// Package changed asks git which files have changed, for shelly test --only-changed
// (SCN-63).
package changed

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// Files returns the absolute paths of the files in a folder's repository that differ from a
// commit: changed, new or deleted, committed since then or not. An empty ref is the last
// commit, so that only uncommitted changes count. Files that git ignores are left out.
func Files(dir, ref string) (map[string]bool, error) {
	if _, err := exec.LookPath("git"); err != nil {
		return nil, errors.New("git is needed, but is not installed or not in PATH")
	}
	root, err := git(dir, "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	at := filepath.FromSlash(strings.TrimSuffix(root, "\n"))
	found := map[string]bool{}
	add := func(args ...string) error {
		list, err := git(at, args...)
		for name := range strings.SplitSeq(list, "\x00") {
			if name != "" {
				found[filepath.Join(at, filepath.FromSlash(name))] = true
			}
		}
		return err
	}
	commit, err := commitOf(at, ref)
	switch {
	case err != nil:
		return nil, err
	case commit == "": // there is no commit yet
		err = add("ls-files", "-z", "--cached", "--others", "--exclude-standard")
	default:
		err = errors.Join(add("diff", "-z", "--name-only", "--no-renames", "--no-ext-diff", commit, "--"),
			add("ls-files", "-z", "--others", "--exclude-standard"))
	}
	return found, err
}

// commitOf returns the hash of the commit to compare with; "" if there is none yet.
func commitOf(root, ref string) (string, error) {
	if ref == "" {
		commit, err := git(root, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
		if err != nil {
			return "", nil
		}
		return strings.TrimSpace(commit), nil
	}
	commit, err := git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", ref+"^{commit}")
	if err != nil {
		return "", fmt.Errorf("git knows no commit %s; in CI it may have to be fetched first", ref)
	}
	return strings.TrimSpace(commit), nil
}

// git runs git in a folder. The error contains git's own message.
func git(dir string, args ...string) (string, error) {
	c := exec.Command("git", append([]string{"-C", dir}, args...)...)
	var out, complaint bytes.Buffer
	c.Stdout, c.Stderr = &out, &complaint
	if err := c.Run(); err != nil {
		first, _, _ := strings.Cut(strings.TrimPrefix(complaint.String(), "fatal: "), "\n")
		if first == "" {
			first = "git " + args[0] + ": " + err.Error()
		}
		return "", errors.New(first)
	}
	return out.String(), nil
}

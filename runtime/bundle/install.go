package bundle

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"shelly/runtime/durable"
	"shelly/runtime/tarfile"
)

// Places are the folders that the parts of a bundle are installed in.
type Places struct {
	Bin, Config, Skills, Models string
}

// place returns the folder of a file and the path in it; "" if the file is not installed.
func (p Places) place(name string) (folder, rel string) {
	kind, rel, _ := strings.Cut(name, "/")
	return map[string]string{"bin": p.Bin, "config": p.Config, "skills": p.Skills, "models": p.Models}[kind], rel
}

// State is the state of a file's place.
type State string

// The states.
const (
	Missing State = "missing"
	Same    State = "same"
	Differs State = "differs"
)

// Step is a file and its place.
type Step struct {
	File  File
	Path  string // to show to a person
	State State
}

// Program reports whether the file is the program.
func (s Step) Program() bool { return s.File.Name == binaryName }

// Look finds out what an install would do. It changes nothing.
func Look(ctx context.Context, m Manifest, p Places) (steps []Step, err error) {
	for _, f := range m.Files {
		folder, rel := p.place(f.Name)
		if folder == "" {
			continue
		}
		s := Step{File: f, Path: filepath.Join(folder, filepath.FromSlash(rel))}
		if s.State, err = compare(ctx, folder, rel, f); err != nil {
			return nil, err
		}
		steps = append(steps, s)
	}
	return steps, nil
}

// inTheWay is the error of a place that a file cannot take, even if it may replace what is there.
func inTheWay(at, is string) error {
	return fmt.Errorf("%w: %s is %s; move it away", ErrInTheWay, at, is)
}

// compare compares what is at a place with a file. What a link leads to is only read: an install
// replaces the link (CLI-3).
func compare(ctx context.Context, folder, rel string, want File) (State, error) {
	if info, err := os.Stat(folder); err == nil && !info.IsDir() {
		return "", inTheWay(folder, "not a folder")
	}
	root, err := os.OpenRoot(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return Missing, nil
	}
	if err != nil {
		return "", err
	}
	defer root.Close()
	at := filepath.Join(folder, filepath.FromSlash(rel))
	if err := passable(root, folder, path.Dir(rel)); err != nil {
		return "", err
	}
	info, err := root.Lstat(rel)
	if errors.Is(err, fs.ErrNotExist) {
		return Missing, nil
	}
	if err != nil {
		return "", fmt.Errorf("look at %s: %w", at, err)
	}
	if info.Mode().Type() == fs.ModeSymlink {
		if info, err = os.Stat(at); err != nil { // it leads nowhere
			return Differs, nil
		}
	}
	switch {
	case info.IsDir():
		return "", inTheWay(at, "a folder")
	case !info.Mode().IsRegular() || info.Size() != want.Bytes:
		return Differs, nil
	}
	return matches(ctx, at, want)
}

// passable returns an error if, at a place where a file's folder belongs, there is something that is
// none. A link that leads out of the root is not followed (DEP-8).
func passable(root *os.Root, folder, dir string) error {
	rel := ""
	for part := range strings.SplitSeq(dir, "/") {
		rel = path.Join(rel, part)
		at := filepath.Join(folder, filepath.FromSlash(rel))
		info, err := root.Lstat(rel)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil && info.Mode().Type() == fs.ModeSymlink {
			if info, err = root.Stat(rel); err != nil {
				return inTheWay(at, "a link that does not lead to another place in "+folder)
			}
		}
		switch {
		case err != nil:
			return fmt.Errorf("look at %s: %w", at, err)
		case !info.IsDir():
			return inTheWay(at, "not a folder")
		}
	}
	return nil
}

// matches compares the content of a regular file.
func matches(ctx context.Context, at string, want File) (State, error) {
	f, err := os.OpenFile(at, os.O_RDONLY|syscall.O_NONBLOCK, 0) // without waiting for the other end of a pipe that has taken its place
	if err != nil {
		return "", fmt.Errorf("look at %s: %w", at, err)
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, tarfile.While(ctx, f)); err != nil {
		return "", err
	}
	if hex.EncodeToString(sum.Sum(nil)) != want.SHA256 {
		return Differs, nil
	}
	return Same, nil
}

// Install writes the files whose steps are not Same from a bundle, which it checks again, and calls
// told for each once it is in place. It replaces a file that differs: a caller that does not want
// that must not call it.
func Install(ctx context.Context, r io.Reader, p Places, steps []Step, told func(Step)) error {
	todo := map[string]Step{} // what has no step is left out
	for _, s := range steps {
		if s.State != Same {
			todo[s.File.Name] = s
		}
	}
	_, err := read(tarfile.While(ctx, r), func(f File, content io.Reader) error {
		s, ok := todo[f.Name]
		if !ok || s.File != f { // not the bundle that Look was given
			_, err := io.Copy(io.Discard, content)
			return err
		}
		folder, rel := p.place(f.Name)
		if err := write(folder, rel, f, content); err != nil {
			return err
		}
		told(s)
		return nil
	})
	return err
}

// write puts a file in its place, whole and durably, or not at all.
func write(folder, rel string, f File, content io.Reader) (err error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	dir := path.Dir(rel)
	if err := root.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	temp := path.Join(dir, tempName) // one name is enough: files are written one after another
	if err := root.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	out, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode(f))
	if err != nil {
		return err
	}
	_, err = io.Copy(out, content)
	if err := errors.Join(err, out.Sync(), out.Close()); err != nil {
		return errors.Join(err, root.Remove(temp))
	}
	if err := root.Rename(temp, rel); err != nil {
		return errors.Join(err, root.Remove(temp))
	}
	return durable.Folder(filepath.Join(folder, filepath.FromSlash(dir)))
}

// mode returns who may use a file: the configuration is for its owner alone.
func mode(f File) fs.FileMode {
	switch {
	case f.Run:
		return 0o755
	case f.Name == configName:
		return 0o600
	}
	return 0o644
}

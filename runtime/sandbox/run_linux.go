package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"shelly/runtime/repository"
	"shelly/runtime/tool/tree"
)

// apart is the namespaces of a call, and what its stage may do in them: mount, and bring up the
// loopback.
var apart = tree.Apart{
	Clone: unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS,
	Caps:  []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_SETPCAP},
}

// runContained runs a command in the keeper's rung.
func (k *Keeper) runContained(ctx context.Context, s Spec) (End, error) {
	p, err := k.plan(s)
	if err != nil {
		return End{}, err
	}
	if p.Scratch != "" {
		defer os.RemoveAll(p.Scratch)
	}
	what, err := p.file()
	if err != nil {
		return End{}, err
	}
	defer what.Close()
	told, tells, err := os.Pipe()
	if err != nil {
		return End{}, err
	}
	defer told.Close()
	c := tree.Command{
		Args: []string{"/proc/self/exe", stage}, Dir: "/", Env: stageEnv(), In: s.In, Out: s.Out, Errs: s.Errs,
		Files: []*os.File{what, tells}, Timeout: s.Timeout,
	}
	if k.rung == Namespaces {
		a := apart
		if s.Network {
			a.Clone &^= unix.CLONE_NEWNET
		}
		c.Apart = &a
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	full := k.watchDisks(ctx, s.Timeout, p.Scratch, cancel)
	began := repository.FileTime()
	ended, err := k.options.Trees.Run(ctx, c)
	_ = tells.Close()
	if err != nil {
		return End{}, err
	}
	if s.Timeout > 0 { // not for a long-running command, because a person works at the same time
		k.made.Ended(began)
	}
	end := End{End: ended, DiskFull: full.Load(), Removed: p.kept.TakeAway(), Partly: p.kept.Partly && k.rung != Landlock}
	return end, end.take(told)
}

// stageEnv is the environment of a stage.
func stageEnv() []string { return []string{"GODEBUG=madvdontneed=1"} }

// take adds what the stage has reported about the command's end.
func (e *End) take(told *os.File) error {
	text, err := io.ReadAll(io.LimitReader(told, 1<<16))
	if err != nil {
		return err
	}
	var s status
	if len(text) == 0 || json.Unmarshal(text, &s) != nil {
		return nil // the stage became the command, or was killed before it could report
	}
	switch w := syscall.WaitStatus(s.Wait); {
	case s.Error != "":
		return stageError{s.Error, syscall.Errno(s.Errno)}
	case !s.Ended:
	case w.Exited():
		e.Exited, e.Code, e.Signal, e.Lost, e.TimedOut = true, w.ExitStatus(), "", false, false
	default:
		e.Exited, e.Code, e.Signal, e.Lost = false, 0, w.Signal().String(), false
	}
	return nil
}

// callPrefix begins the name of a call's own folder.
const callPrefix = "call-"

// plan returns the plan for the stage of a command.
func (k *Keeper) plan(s Spec) (plan, error) {
	o := k.options
	if s.Dir != o.Workspace && !within(s.Dir, o.Workspace) {
		return plan{}, fmt.Errorf("the folder %s is not in the workspace: %w", s.Dir, syscall.EACCES)
	}
	p := plan{
		Rung: k.rung, Args: s.Args, Dir: s.Dir, Env: s.Env, Workspace: o.Workspace, KnownAs: o.KnownAs,
		Hidden: slices.Clone(o.Hidden), Readable: o.Readable, Network: s.Network, ReadOnly: s.ReadOnly, Root: os.Getuid() == 0, Limits: o.Limits,
	}
	if k.rung == Namespaces {
		var err error
		if p.Mounts, err = os.Readlink(ownMounts); err != nil {
			return plan{}, err
		}
	}
	for _, f := range o.Fixed {
		if within(f, o.Workspace) {
			p.Fixed = append(p.Fixed, f)
		}
	}
	if !s.ReadOnly {
		kept, err := repository.Keep(o.Workspace, k.rung != Landlock, &k.made)
		if err != nil {
			return plan{}, err
		}
		p.Pinned = append(above(o.Workspace, slices.Concat(p.Hidden, p.Fixed)), kept.Pinned...)
		p.kept, p.Fixed = kept, append(p.Fixed, kept.Fixed...)
	}
	if k.rung == Landlock {
		err := os.MkdirAll(o.Scratch, 0o700)
		if err == nil {
			p.Scratch, err = os.MkdirTemp(o.Scratch, callPrefix)
		}
		if err != nil {
			return plan{}, fmt.Errorf("make a folder for the call: %w", err)
		}
		p.Env = append(slices.Clone(p.Env), "TMPDIR="+p.Scratch)
	}
	return p, nil
}

// within reports whether a path is inside a folder, and not the folder itself.
func within(path, dir string) bool {
	return strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}

// above returns the folders of a workspace that contain the paths, outer ones first. As long as
// they are not moved, the paths stay valid; the next command would not find one that had moved.
func above(workspace string, paths []string) []string {
	var folders []string
	for _, path := range paths {
		var outer []string
		for dir := filepath.Dir(path); within(dir, workspace); dir = filepath.Dir(dir) {
			if !slices.Contains(folders, dir) {
				outer = append(outer, dir)
			}
		}
		slices.Reverse(outer)
		folders = append(folders, outer...)
	}
	return folders
}

// misfit is why a rung cannot contain the commands of a workspace on any system, with what an operator
// can do about it.
type misfit struct{ why, mend string }

func (m misfit) Error() string { return m.why }

// fits returns why a rung cannot contain the commands of this workspace on any system, or nil.
func (k *Keeper) fits(r Rung) error {
	o := k.options
	for _, h := range append(slices.Clone(o.Hidden), o.Fixed...) {
		if r == Landlock && within(h, o.Workspace) {
			return misfit{fmt.Sprintf("%s is inside the workspace, and Landlock cannot except it", h), "move it out of the workspace, or choose another workspace"}
		}
	}
	for _, h := range o.Hidden {
		for _, seen := range o.Readable {
			if r == Landlock && (h == seen || within(h, seen)) {
				return misfit{fmt.Sprintf("%s is inside %s, which commands may read, and Landlock cannot except it", h, seen),
					"move it elsewhere, or name smaller folders in tools.exec.reads and skills.folders"}
			}
		}
		if h == o.Workspace || within(o.Workspace, h) {
			return misfit{fmt.Sprintf("the workspace is inside %s", h), "choose another workspace"}
		}
	}
	if o.Workspace == "/" {
		return misfit{"the workspace is the whole disk", "choose another workspace"}
	}
	return nil
}

// Clear removes what the calls of a killed daemon left in its scratch folder. It must be called
// while no command runs.
func Clear(scratch string) error {
	left, err := os.ReadDir(scratch)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range left {
		if strings.HasPrefix(e.Name(), callPrefix) {
			err = errors.Join(err, os.RemoveAll(filepath.Join(scratch, e.Name())))
		}
	}
	return err
}

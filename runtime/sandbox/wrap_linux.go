package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// filterFile is the descriptor from which bwrap reads the system call filter.
const filterFile = 5

// wrap makes this process become bwrap, which contains the command in the same way as shelly's
// own namespaces.
func (p *plan) wrap() error {
	program, err := exec.LookPath("bwrap")
	for _, path := range []string{"/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap"} {
		if _, wrong := os.Stat(path); err != nil && wrong == nil {
			program, err = path, nil
		}
	}
	if err != nil {
		return errors.New("bwrap is not installed")
	}
	filter, err := p.filter()
	if err != nil {
		return err
	}
	if err := keepFilter(filter); err != nil {
		return err
	}
	if err := p.Limits.limit(p.threads); err != nil {
		return err
	}
	args := slices.Concat([]string{program}, p.wrapping(), []string{"--"}, p.Args)
	return fmt.Errorf("start %s: %w", program, syscall.Exec(program, args, p.Env))
}

// keepFilter writes the filter to the descriptor from which bwrap reads it.
func keepFilter(filter []unix.SockFilter) error {
	fd, err := unix.MemfdCreate("filter", 0)
	if err != nil {
		return err
	}
	size := len(filter) * int(unsafe.Sizeof(filter[0]))
	if _, err := unix.Write(fd, unsafe.Slice((*byte)(unsafe.Pointer(&filter[0])), size)); err != nil {
		return err
	}
	if _, err := unix.Seek(fd, 0, unix.SEEK_SET); err != nil {
		return err
	}
	if fd == filterFile {
		return nil
	}
	if err := unix.Dup3(fd, filterFile, 0); err != nil {
		return err
	}
	return unix.Close(fd)
}

// wrapping returns the options of bwrap.
func (p *plan) wrapping() []string {
	args := []string{"--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try",
		"--die-with-parent", "--new-session", "--cap-drop", "ALL", "--seccomp", strconv.Itoa(filterFile)}
	if !p.Network {
		args = append(args, "--unshare-net")
	}
	args = append(args, "--perms", "1777", "--size", strconv.Itoa(tmpBytes), "--tmpfs", "/tmp",
		"--dev", "/dev", "--perms", "1777", "--size", strconv.Itoa(tmpBytes), "--tmpfs", "/dev/shm", "--proc", "/proc")
	for _, path := range p.visible() {
		if target, err := os.Readlink(path); err == nil {
			args = append(args, "--symlink", target, path)
		} else {
			args = append(args, "--ro-bind", path, path)
		}
	}
	for _, path := range p.etc() {
		args = append(args, "--ro-bind-try", path, path)
	}
	bind := "--bind"
	if p.ReadOnly {
		bind = "--ro-bind"
	}
	args = append(args, bind, p.Workspace, p.Workspace)
	args = append(args, p.guarding()...)
	for _, name := range p.KnownAs {
		if name != p.Workspace {
			args = append(args, "--symlink", p.Workspace, name)
		}
	}
	return append(args, "--remount-ro", "/", "--chdir", p.Dir)
}

// guarding returns the options for what is fixed and hidden in the workspace.
func (p *plan) guarding() []string {
	var args []string
	real := func(path string) (os.FileInfo, bool) {
		info, err := os.Lstat(path)
		return info, err == nil && info.Mode()&os.ModeSymlink == 0
	}
	for _, path := range p.Pinned {
		if _, ok := real(path); ok {
			args = append(args, "--bind", path, path)
		}
	}
	for _, path := range p.Fixed {
		if _, ok := real(path); ok {
			args = append(args, "--ro-bind", path, path)
		}
	}
	for _, path := range p.Hidden {
		info, ok := real(path)
		switch {
		case !ok || !p.shows(path):
		case info.IsDir():
			args = append(args, "--perms", "0755", "--size", "4096", "--tmpfs", path, "--remount-ro", path)
		default:
			args = append(args, "--ro-bind", "/dev/null", path)
		}
	}
	return args
}

// shows reports whether a path would be visible in the new root if it were not hidden.
func (p *plan) shows(path string) bool {
	return slices.ContainsFunc(append(p.visible(), p.Workspace), func(seen string) bool { return path == seen || within(path, seen) })
}

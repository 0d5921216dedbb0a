package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// mountPoint is where the new root is built. Any folder will do. Its contents cannot be seen
// once the root is mounted there, so hold first opens everything that is needed from the disk.
const mountPoint = "/tmp"

const (
	readOnly = unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV
	writable = unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV
)

// held is a piece of the disk that will be visible at a path of the new root.
type held struct {
	path string
	fd   int
	dir  bool
	link string // the target if it is a symbolic link; then nothing is held
}

// root makes a small tree of what the command may see, and makes it the root.
func (p *plan) root() error {
	if err := p.apart(); err != nil {
		return err
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("keep the mounts to this namespace: %w", err)
	}
	if err := loopback(); err != nil {
		return err
	}
	pieces, err := p.hold()
	if err != nil {
		return err
	}
	if err := mountTmp(mountPoint, 16<<20, 0o755); err != nil {
		return err
	}
	for _, dir := range []string{"/tmp", "/dev/shm"} { // before the pieces, which may be inside them
		if err := os.MkdirAll(mountPoint+dir, 0o755); err != nil {
			return err
		}
		if err := mountTmp(mountPoint+dir, tmpBytes, 0o1777); err != nil {
			return err
		}
	}
	for _, h := range pieces {
		if err := h.show(); err != nil {
			return err
		}
	}
	if err := p.mountProc(mountPoint + "/proc"); err != nil {
		return err
	}
	for _, l := range links {
		if err := os.Symlink(l[0], mountPoint+l[1]); err != nil {
			return err
		}
	}
	if err := p.guard(); err != nil {
		return err
	}
	p.alias()
	return turn()
}

// ownMounts names the mount namespace of a process.
const ownMounts = "/proc/self/ns/mnt"

// apart returns an error if this process has the daemon's mounts. If the daemon is root's, a
// change of those would take its root from every process of the machine (TOL-42).
func (p *plan) apart() error {
	switch now, err := os.Readlink(ownMounts); {
	case err != nil:
		return err
	case p.Mounts == "" || now == p.Mounts:
		return errors.New("the command's first process has the daemon's own mounts, and would change them")
	default:
		return nil
	}
}

// hold opens everything that will be visible.
func (p *plan) hold() ([]held, error) {
	var pieces []held
	take := func(path string, attributes uint64) error {
		h, err := takeHold(path, attributes)
		if err != nil {
			return err
		}
		pieces = append(pieces, h)
		return nil
	}
	for _, path := range p.visible() {
		if err := take(path, readOnly); err != nil {
			return nil, err
		}
	}
	for _, path := range p.etc() {
		if target, err := filepath.EvalSymlinks(path); err == nil && target != path {
			h, err := takeHold(target, readOnly)
			if err != nil {
				return nil, err
			}
			h.path = path
			pieces = append(pieces, h)
		}
	}
	for _, path := range slices.Concat(readDevices, writeDevices) {
		if err := take(path, unix.MOUNT_ATTR_RDONLY|unix.MOUNT_ATTR_NOSUID); err != nil {
			return nil, err
		}
	}
	attributes := uint64(writable)
	if p.ReadOnly {
		attributes = readOnly
	}
	return pieces, take(p.Workspace, attributes)
}

// takeHold opens a file or folder as a detached mount, with everything mounted in it.
func takeHold(path string, attributes uint64) (held, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return held{}, err
	}
	if info.Mode()&os.ModeSymlink != 0 {
		target, err := os.Readlink(path)
		return held{path: path, link: target}, err
	}
	fd, err := unix.OpenTree(unix.AT_FDCWD, path, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE|unix.AT_SYMLINK_NOFOLLOW)
	if err != nil {
		return held{}, fmt.Errorf("take hold of %s: %w", path, err)
	}
	h := held{path: path, fd: fd, dir: info.IsDir()}
	return h, h.set(attributes)
}

func (h held) set(attributes uint64) error {
	err := unix.MountSetattr(h.fd, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &unix.MountAttr{Attr_set: attributes})
	if err != nil {
		return fmt.Errorf("make %s safe to show: %w", h.path, err)
	}
	return nil
}

// show mounts the piece at its path in the new root.
func (h held) show() error {
	at := mountPoint + h.path
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		return err
	}
	if h.link != "" {
		return os.Symlink(h.link, at)
	}
	if err := makePoint(at, h.dir); err != nil {
		return err
	}
	return h.move(unix.AT_FDCWD, at, 0)
}

func (h held) move(to int, path string, flags int) error {
	defer unix.Close(h.fd)
	if err := unix.MoveMount(h.fd, "", to, path, unix.MOVE_MOUNT_F_EMPTY_PATH|flags); err != nil {
		return fmt.Errorf("show %s: %w", h.path, err)
	}
	return nil
}

// makePoint makes a mount point.
func makePoint(path string, dir bool) error {
	if dir {
		return os.MkdirAll(path, 0o755)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	return f.Close()
}

func mountTmp(path string, bytes int64, mode uint32) error {
	options := fmt.Sprintf("size=%d,nr_inodes=%d,mode=%o", bytes, 64<<10, mode)
	if err := unix.Mount("tmpfs", path, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, options); err != nil {
		return fmt.Errorf("mount a folder in memory at %s: %w", path, err)
	}
	return nil
}

// pidMaxLeast is the least value that the kernel accepts.
const pidMaxLeast = 301

// mountProc mounts /proc with the namespace's own processes. It is read-only, because root could
// change the machine's settings there. If the kernel has a highest process number for each pid
// namespace (since 6.14), that also bounds the processes of root, which RLIMIT_NPROC does
// not.
func (p *plan) mountProc(path string) error {
	if err := os.Mkdir(path, 0o755); err != nil {
		return err
	}
	if err := unix.Mount("proc", path, "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("mount /proc: %w", err)
	}
	if most := p.Limits.Processes; p.Root && most > 0 {
		most = max(most+pidMaxLeast-1, pidMaxLeast)
		_ = os.WriteFile(path+"/sys/kernel/pid_max", []byte(strconv.FormatInt(most, 10)), 0)
	}
	return unix.MountSetattr(unix.AT_FDCWD, path, 0, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY})
}

// guard hides what must not be seen, and write-protects what must not be changed. Each path is
// looked up in the new root without following symbolic links, because an earlier command may
// have made one in order to see its target.
func (p *plan) guard() error {
	for _, path := range p.Pinned {
		if err := p.remount(path, writable); err != nil {
			return err
		}
	}
	for _, path := range p.Fixed {
		if err := p.remount(path, readOnly); err != nil {
			return err
		}
	}
	for _, path := range p.Hidden {
		if err := p.hide(path); err != nil {
			return err
		}
	}
	return nil
}

// find opens a path in the new root, or returns -1 if it does not exist.
func find(path string) (int, error) {
	root, err := unix.Open(mountPoint, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	defer unix.Close(root)
	fd, err := unix.Openat2(root, path[1:], &unix.OpenHow{
		Flags: unix.O_PATH | unix.O_CLOEXEC | unix.O_NOFOLLOW, Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_BENEATH,
	})
	switch {
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.ENOTDIR), errors.Is(err, unix.ELOOP):
		return -1, nil
	case err != nil:
		return -1, fmt.Errorf("find %s: %w", path, err)
	}
	return fd, nil
}

// remount mounts a path in the new root on itself, which also keeps it from being renamed.
func (p *plan) remount(path string, attributes uint64) error {
	fd, err := find(path)
	if fd < 0 {
		return err
	}
	defer unix.Close(fd)
	tree, err := unix.OpenTree(fd, "", unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_EMPTY_PATH|unix.AT_RECURSIVE)
	if err != nil {
		return fmt.Errorf("take hold of %s: %w", path, err)
	}
	h := held{path: path, fd: tree}
	if err := h.set(attributes); err != nil {
		return err
	}
	return h.move(fd, "", unix.MOVE_MOUNT_T_EMPTY_PATH)
}

// hide mounts something empty over a path in the new root.
func (p *plan) hide(path string) error {
	fd, err := find(path)
	if fd < 0 {
		return err
	}
	defer unix.Close(fd)
	var s unix.Stat_t
	if err := unix.Fstat(fd, &s); err != nil {
		return err
	}
	if s.Mode&unix.S_IFMT != unix.S_IFDIR {
		null, err := takeHold("/dev/null", readOnly)
		if err != nil {
			return err
		}
		return null.move(fd, "", unix.MOVE_MOUNT_T_EMPTY_PATH)
	}
	return unix.Mount("tmpfs", fmt.Sprintf("/proc/self/fd/%d", fd), "tmpfs", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_RDONLY, "size=4k,mode=755")
}

// alias makes the workspace also visible under its other names, if they are free.
func (p *plan) alias() {
	for _, name := range p.KnownAs {
		if filepath.IsAbs(name) && name != p.Workspace {
			_ = os.MkdirAll(filepath.Dir(mountPoint+name), 0o755)
			_ = os.Symlink(p.Workspace, mountPoint+name)
		}
	}
}

// turn makes the new root the root, and unmounts the old one.
func turn() error {
	if err := os.Chdir(mountPoint); err != nil {
		return err
	}
	if err := unix.PivotRoot(".", "."); err != nil {
		return fmt.Errorf("change the root: %w", err)
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return fmt.Errorf("let go of the old root: %w", err)
	}
	if err := os.Chdir("/"); err != nil {
		return err
	}
	return unix.MountSetattr(unix.AT_FDCWD, "/", 0, &unix.MountAttr{Attr_set: readOnly})
}

// loopback brings up the namespace's own loopback, which programs use to talk to themselves.
func loopback() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil // the system has no network
	}
	defer unix.Close(fd)
	request, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	request.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	_ = unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, request) // in the daemon's own network it is up already, and this is not allowed
	return nil
}

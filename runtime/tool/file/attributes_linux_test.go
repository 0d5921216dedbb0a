package file

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"shelly/fsm"
	"shelly/runtime/tool"
)

// An access list that lets another user read, as the kernel writes it: version 2, then user
// rw, user 65534 r, group r, mask r, others nothing.
const accessList = "\x02\x00\x00\x00" + "\x01\x00\x06\x00\xff\xff\xff\xff" + "\x02\x00\x04\x00\xfe\xff\x00\x00" +
	"\x04\x00\x04\x00\xff\xff\xff\xff" + "\x10\x00\x04\x00\xff\xff\xff\xff" + "\x20\x00\x00\x00\xff\xff\xff\xff"

func TestTOL22AccessListAndAttributesStay(t *testing.T) {
	w := newWorld(t)
	path := filepath.Join(w.workspace, "notes.txt")
	want := map[string]string{"user.origin": "https://x.example/notes", "system.posix_acl_access": accessList}
	for name, value := range want { // order-free
		if err := unix.Setxattr(path, name, []byte(value), 0); err != nil {
			t.Skipf("the file system of %s has no %s: %v", path, name, err)
		}
	}
	if got := w.call("edit_file", object{"path": "notes.txt", "old": "alpha", "new": "omega"}); got.Failed {
		t.Fatalf("got %+v; want Failed false", got)
	}
	for name, value := range want { // order-free
		got := make([]byte, 1000)
		n, err := unix.Getxattr(path, name, got)
		if err != nil || strings.Compare(string(got[:max(n, 0)]), value) != 0 {
			t.Errorf("%s is %q, %v", name, got[:max(n, 0)], err)
		}
	}
}

// Those with whom a file is shared keep their access if its owner cannot be kept. Only root can
// make a file of another user.
func TestTOL22AFileStaysInItsGroup(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root has several users")
	}
	const user, group = 65534, 7777
	w := newWorld(t)
	path := filepath.Join(w.workspace, "notes.txt")
	w.must(os.Chmod(filepath.Dir(filepath.Dir(w.workspace)), 0o755))
	w.must(os.Chown(w.workspace, user, user))
	w.must(os.Chown(path, 0, group))
	w.must(os.Chmod(path, 0o660))
	added, err := w.tools().Added()
	w.must(err)
	done := make(chan tool.Result, 1)
	go func() { // on a thread of its own, which ends with it
		runtime.LockOSThread()
		groups := []uint32{group}
		_, _, _ = syscall.RawSyscall(unix.SYS_SETGROUPS, 1, uintptr(unsafe.Pointer(&groups[0])), 0)
		_, _ = unix.SetfsuidRetUid(user)
		var got tool.Result
		for _, a := range added {
			if a.Decl.Name == "edit_file" {
				got = a.Run(t.Context(), fsm.RunTool{Name: "edit_file", Args: `{"path":"notes.txt","old":"alpha","new":"omega"}`})
			}
		}
		done <- got
	}()
	got := <-done
	var s unix.Stat_t
	w.must(unix.Stat(path, &s))
	if got.Failed || s.Uid != user || s.Gid != group || s.Mode&0o777 != 0o660 {
		t.Errorf("%+v; the file belongs to %d:%d, with mode %o", got, s.Uid, s.Gid, s.Mode&0o777)
	}
}

// A file of another user stays that user's, whatever its group is.
func TestTOL22AFileKeepsItsOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can keep another owner")
	}
	for _, of := range [][2]int{{65534, os.Getegid()}, {os.Geteuid(), 65534}, {65534, 65534}} {
		w := newWorld(t)
		path := filepath.Join(w.workspace, "notes.txt")
		w.must(os.Chown(path, of[0], of[1]))
		got := w.call("edit_file", object{"path": "notes.txt", "old": "alpha", "new": "omega"})
		var s unix.Stat_t
		w.must(unix.Stat(path, &s))
		if got.Failed || int(s.Uid) != of[0] || int(s.Gid) != of[1] {
			t.Errorf("%+v; the file of %d:%d belongs to %d:%d", got, of[0], of[1], s.Uid, s.Gid)
		}
	}
}

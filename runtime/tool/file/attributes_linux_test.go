package file

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
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
		t.Fatal(got.Text)
	}
	for name, value := range want { // order-free
		got := make([]byte, 1000)
		n, err := unix.Getxattr(path, name, got)
		if err != nil || strings.Compare(string(got[:max(n, 0)]), value) != 0 {
			t.Errorf("%s is %q, %v", name, got[:max(n, 0)], err)
		}
	}
}

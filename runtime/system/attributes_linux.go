package system

import (
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// CopyAttributes copies the extended attributes and the access list of a file to another, as far
// as this user may. Attributes that vouch for the content, such as capabilities or a hash, are
// left out.
func CopyAttributes(from, to *os.File) {
	names := make([]byte, 64<<10) // the most that the kernel returns
	n, err := unix.Flistxattr(int(from.Fd()), names)
	if err != nil {
		return
	}
	value := make([]byte, 64<<10)
	for name := range strings.SplitSeq(strings.TrimRight(string(names[:n]), "\x00"), "\x00") {
		if !strings.HasPrefix(name, "user.") && name != "system.posix_acl_access" && name != "security.selinux" {
			continue
		}
		if n, err := unix.Fgetxattr(int(from.Fd()), name, value); err == nil {
			_ = unix.Fsetxattr(int(to.Fd()), name, value[:n], 0)
		}
	}
}

package garbage

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// giveProgramBack lets go (CFG-17) of the pages of the program that were read: most of them are of what
// runs once, at the start. Those that are needed again are mapped again from the file, which the
// system has in its cache. Where that cannot be done nothing is.
func giveProgramBack() {
	program, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	maps, err := os.Open("/proc/self/maps")
	if err != nil {
		return
	}
	defer func() { _ = maps.Close() }() // it is only read
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		// from-to perms offset device inode path; what is written to is the process's own.
		line := lines.Text()
		fields := strings.Fields(line)
		if len(fields) < 6 || !strings.HasSuffix(line, " "+program) || fields[1] != "r-xp" && fields[1] != "r--p" {
			continue
		}
		first, last, _ := strings.Cut(fields[0], "-")
		from, bad := strconv.ParseUint(first, 16, 64)
		to, worse := strconv.ParseUint(last, 16, 64)
		if bad == nil && worse == nil {
			_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, uintptr(from), uintptr(to-from), syscall.MADV_DONTNEED)
		}
	}
}

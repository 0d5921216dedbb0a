package garbage

import (
	"bufio"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// giveProgramBack drops the pages of the program that have been read (CFG-17): most of them
// hold code that runs once, at the start. Pages that are needed again are mapped again from the
// file, which the system has in its cache. If that is not possible it does nothing.
func giveProgramBack() {
	program, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	maps, err := os.Open("/proc/self/smaps")
	if err != nil {
		return
	}
	defer func() { _ = maps.Close() }() // opened for reading only
	for _, m := range asInFile(maps, program) {
		_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, m.from, m.to-m.from, syscall.MADV_DONTNEED)
	}
}

// mapping is a part of the address space.
type mapping struct{ from, to uintptr }

// asInFile returns the mappings of a program that are read-only and of which every page equals
// the file's. Others must stay: a dynamic linker writes addresses into pages that are read-only
// afterwards, and these exist in no file.
func asInFile(smaps io.Reader, program string) (same []mapping) {
	var now mapping
	read := false // now is a read-only mapping of the program
	for lines := bufio.NewScanner(smaps); lines.Scan(); {
		line := lines.Text()
		fields := strings.Fields(line)
		switch {
		case len(fields) >= 5 && strings.Contains(fields[0], "-"): // from-to perms offset device inode path
			read = strings.HasSuffix(line, " "+program) && (fields[1] == "r-xp" || fields[1] == "r--p")
			first, last, _ := strings.Cut(fields[0], "-")
			from, bad := strconv.ParseUint(first, 16, 64)
			to, worse := strconv.ParseUint(last, 16, 64)
			read = read && bad == nil && worse == nil
			now = mapping{uintptr(from), uintptr(to)}
		case read && len(fields) == 3 && fields[0] == "Anonymous:" && fields[1] == "0":
			same = append(same, now)
		}
	}
	return same
}

package garbage

import (
	"bufio"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// programBytes returns how much of the program is in memory, as the system counts it.
func programBytes(t *testing.T) (bytes int) {
	t.Helper()
	program, err := os.Readlink("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	maps, err := os.Open("/proc/self/smaps")
	if err != nil {
		t.Skip(err)
	}
	defer maps.Close()
	of := false
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		line := lines.Text()
		switch fields := strings.Fields(line); {
		case len(fields) > 1 && strings.Contains(fields[0], "-"):
			of = strings.HasSuffix(line, " "+program) && fields[1] == "r-xp"
		case of && fields[0] == "Rss:":
			kb, err := strconv.Atoi(fields[1])
			if err != nil {
				t.Fatal(err)
			}
			bytes += kb << 10
		}
	}
	return bytes
}

func TestCFG17TheProgramsPagesAreGivenBack(t *testing.T) {
	before := programBytes(t)
	giveProgramBack()
	if after := programBytes(t); before == 0 || after >= before {
		t.Errorf("%d bytes of the program are in memory, and %d were", after, before)
	}
}

// A page that a linker has written to at run time differs from the file: its mapping stays.
func TestCFG17WhatALinkerHasWrittenStays(t *testing.T) {
	const smaps = `00400000-00600000 r-xp 00001000 fd:00 77 /usr/bin/shelly
Rss:                1024 kB
Anonymous:             0 kB
00600000-00700000 r--p 00201000 fd:00 77 /usr/bin/shelly
Anonymous:             0 kB
00700000-00708000 r--p 00301000 fd:00 77 /usr/bin/shelly
Anonymous:            32 kB
00708000-00800000 rw-p 00309000 fd:00 77 /usr/bin/shelly
Anonymous:             0 kB
7f0000000000-7f0000200000 r-xp 00000000 fd:00 78 /lib/libc.so.6
Anonymous:             0 kB
7f0000200000-7f0000400000 r--p 00000000 00:00 0
Anonymous:             0 kB
`
	got := asInFile(strings.NewReader(smaps), "/usr/bin/shelly")
	if want := []mapping{{0x400000, 0x600000}, {0x600000, 0x700000}}; !slices.Equal(got, want) {
		t.Errorf("got %x; want %+v", got, want)
	}
}

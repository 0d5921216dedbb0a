package garbage

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"testing"
)

// programBytes is how much of the program is in memory, as the system counts it.
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

// What was read of the program is given back, and the program goes on.
func TestCFG17TheProgramsPagesAreGivenBack(t *testing.T) {
	before := programBytes(t)
	giveProgramBack()
	if after := programBytes(t); before == 0 || after >= before {
		t.Errorf("%d bytes of the program are in memory, and %d were", after, before)
	}
}

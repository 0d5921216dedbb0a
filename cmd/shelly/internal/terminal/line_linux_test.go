package terminal

import (
	"fmt"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// A line is redrawn in place only where the cursor can be moved, and there it is cut: one that
// wraps could not be overwritten.
func TestCLI5ALineIsCutToTheTerminalOrNotRedrawn(t *testing.T) {
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("there is no pseudo-terminal: ", err)
	}
	defer person.Close()
	if err := unix.IoctlSetPointerInt(int(person.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(person.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	if err := unix.IoctlSetWinsize(int(program.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 10}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ term, want string }{
		{"xterm", "\r12345678…" + clear},
		{"dumb", "1234567890123\r\n"},
	} {
		t.Setenv("TERM", c.term)
		NewLine(program).Print("1234567890123")
		got := make([]byte, 64)
		n, err := person.Read(got)
		if err != nil || string(got[:n]) != c.want {
			t.Errorf("TERM=%s: %q, %v; want %q", c.term, got[:n], err, c.want)
		}
	}
}

// /dev/null is a device that is no terminal: nobody could answer there.
func TestCLI120OnlyATerminalIsOne(t *testing.T) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("there is no pseudo-terminal: ", err)
	}
	defer person.Close()
	if Is(NewInput(null)) || !Is(NewInput(person)) || !Is(person) || Is("text") {
		t.Errorf("null %t, an input of a terminal %t, a terminal %t", Is(NewInput(null)), Is(NewInput(person)), Is(person))
	}
}

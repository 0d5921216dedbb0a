package logging

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"shelly/runtime/config"
)

// pseudoTerminal returns both ends of a new one.
func pseudoTerminal(t *testing.T) (screen, program *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("there are no pseudo-terminals here:", err)
	}
	t.Cleanup(func() { _ = screen.Close() })
	number, err := unix.IoctlGetInt(int(screen.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(screen.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = program.Close() })
	return screen, program
}

func TestCFG9ATerminalIsColouredUnlessNO_COLORIsSet(t *testing.T) {
	screen, program := pseudoTerminal(t)
	in := bufio.NewReader(screen)
	t.Setenv("TERM", "xterm")
	for value, coloured := range map[string]bool{"": true, "1": false} {
		t.Setenv("NO_COLOR", value)
		New(program, config.Log{Level: "info", Format: "text"}).Info("hello")
		line, err := in.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(line, "\x1b[") != coloured {
			t.Errorf("with NO_COLOR=%q the log says %q", value, line)
		}
	}
}

func TestCFG9NoTextMakesASecondRecord(t *testing.T) {
	const forged = "a\nlevel=ERROR msg=forged\r\x1b[2K\u2028b"
	for _, format := range []string{"text", "json"} {
		var out bytes.Buffer
		log := New(&out, config.Log{Level: "info", Format: format})
		log.Info(forged, "text", forged, forged, 1, "error", errors.New(forged))
		got := out.String()
		if strings.Count(got, "\n") != 1 || !strings.HasSuffix(got, "\n") || strings.ContainsAny(got, "\r\x1b") {
			t.Errorf("%s: %q is not one line", format, got)
		}
	}
}

// traced is an error that has a stack trace for whoever asks for details, as the database's have.
type traced struct{}

func (traced) Error() string { return "the table is gone" }

// Format implements [fmt.Formatter].
func (e traced) Format(s fmt.State, _ rune) {
	fmt.Fprint(s, e.Error())
	if s.Flag('+') {
		fmt.Fprint(s, "\nstack trace: open.go:1325")
	}
}

func TestCFG9AnErrorIsItsTextWithoutAStackTrace(t *testing.T) {
	for _, format := range []string{"text", "json"} {
		var out bytes.Buffer
		New(&out, config.Log{Level: "info", Format: format}).With("earlier", traced{}).Info("it failed", "error", fmt.Errorf("open: %w", traced{}), "of", traced{}, "none", (*traced)(nil))
		if got := out.String(); strings.Contains(got, "open.go") || !strings.Contains(got, "open: the table is gone") || strings.Count(got, "the table is gone") != 3 {
			t.Errorf("as %s the log says %q; want the text of each error alone", format, got)
		}
	}
}

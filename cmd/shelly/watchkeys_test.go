//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// screen is what a program has written to a pseudo-terminal.
type screen struct {
	mu   sync.Mutex
	text bytes.Buffer
	more chan struct{}

	ended chan struct{} // is closed when no more comes, where somebody waits for that
}

// Write implements [io.Writer].
func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.more)
	s.more = make(chan struct{})
	return s.text.Write(p)
}

// String returns all of it.
func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// await waits until the output from an offset matches, and returns where it does.
func (s *screen) await(t *testing.T, from int, pattern string) int {
	t.Helper()
	wanted := regexp.MustCompile(pattern)
	over := time.After(time.Minute)
	for {
		s.mu.Lock()
		at, more := wanted.FindIndex(s.text.Bytes()[from:]), s.more
		s.mu.Unlock()
		if at != nil {
			return from + at[1]
		}
		select {
		case <-more:
		case <-over:
			t.Fatalf("the screen does not show %s:\n%s", pattern, s.text.String()[from:])
		}
	}
}

// pseudoTerminal opens both ends of one for a test.
func pseudoTerminal(t *testing.T) (person, program *os.File) {
	t.Helper()
	person, program, err := openTerminal()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = person.Close()
		_ = program.Close()
	})
	return person, program
}

// openTerminal opens both ends of a pseudo-terminal.
func openTerminal() (person, program *os.File, err error) {
	if person, err = os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		return nil, nil, err
	}
	err = unix.IoctlSetPointerInt(int(person.Fd()), unix.TIOCSPTLCK, 0)
	n := 0
	if err == nil {
		n, err = unix.IoctlGetInt(int(person.Fd()), unix.TIOCGPTN)
	}
	if err == nil {
		program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		_ = person.Close()
		return nil, nil, err
	}
	return person, program, nil
}

// SCN-69: on a terminal there are keys, and at the end the terminal is as it was before.
func TestSCN69AWatchObeysKeysAndRestoresTheTerminal(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{ // order-free: each for itself
		"good":   "name: good\nexpect: {replies: [Fine.]}\n",
		"bad":    "name: bad\nexpect: {replies: [Bad.]}\n",
		"golden": "name: golden\nexpect: {golden: [replies]}\n",
	} {
		text = "scenario: 1\nprofile: shelly\nbrain: [{says: Fine.}]\ntimeline: [{user: Hi}]\n" + text
		must(t, os.WriteFile(filepath.Join(dir, name+".scenario.yaml"), []byte(text), 0o600))
	}
	person, program := pseudoTerminal(t)
	before, err := unix.IoctlGetTermios(int(program.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	self, err := os.Executable()
	if err == nil {
		err = os.Symlink(self, filepath.Join(bin, "shelly")) // by this name it is the program (TestMain)
	}
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(filepath.Join(bin, "shelly"), "test", "--watch", ".")
	c.Dir, c.Stdin, c.Stdout, c.Stderr = dir, program, program, program
	c.Env = append(os.Environ(), "TERM=dumb", "CI=", "XDG_CACHE_HOME="+t.TempDir())
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	must(t, c.Start())
	t.Cleanup(func() { _ = c.Process.Kill() })
	shown := &screen{more: make(chan struct{})}
	go func() {
		var buf [4096]byte
		for {
			n, err := person.Read(buf[:])
			_, _ = shown.Write(buf[:n])
			if err != nil {
				return
			}
		}
	}()
	at := 0
	for _, step := range []struct{ press, shows string }{
		{"", `1 passed, 2 failed in .*\r\n(.*\r\n)*watching 3 scenario files; a all, f failed, u update goldens, p pattern, Enter again, q quit\r\n`},
		{"a", `── all cases ─+\r\nFAIL bad\r\n(.*\r\n)+1 passed, 2 failed in .*\r\n(.*\r\n)*watching .* q quit\r\n`},
		{"f", `── the cases that failed ─+\r\nFAIL bad\r\n(.*\r\n)+0 passed, 2 failed in .*\r\n(.*\r\n)*watching .* q quit\r\n`},
		{"p", `pattern \(a regular expression; empty for all\): `},
		{"^gox\x7f\n", `── cases that match \^go ─+\r\n(.*\r\n)+1 passed, 1 failed in .*\r\n(.*\r\n)*watching 3 scenario files, cases that match \^go; .* q quit\r\n`},
		{"\n", `── cases that match \^go ─+\r\n(.*\r\n)+1 passed, 1 failed in .*\r\n(.*\r\n)*watching .* q quit\r\n`},
		{"u", `── update goldens ─+\r\n(.*\r\n)*wrote golden\.golden\.yaml\r\n`},
		{"x", `watching 3 scenario files, cases that match \^go; .* q quit\r\n`},
	} {
		if _, err := person.WriteString(step.press); err != nil {
			t.Fatal(err)
		}
		at = shown.await(t, at, step.shows)
	}
	during, err := unix.IoctlGetTermios(int(program.Fd()), unix.TCGETS)
	if err != nil || during.Lflag == before.Lflag {
		t.Errorf("keys do not come one by one: %v", err)
	}
	if _, err := person.WriteString("q"); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err != nil {
		t.Error(err)
	}
	after, err := unix.IoctlGetTermios(int(program.Fd()), unix.TCGETS)
	if err != nil || *after != *before {
		t.Errorf("the terminal has another mode than before: %+v, %+v, %v", before, after, err)
	}
}

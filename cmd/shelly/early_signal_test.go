package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// logging starts a daemon of its own, and returns it with its data folder and its log.
func logging(t *testing.T) (c *exec.Cmd, data string, log io.ReadCloser) {
	t.Helper()
	bin, err := exec.LookPath("shelly") // testscript.Main put it into PATH
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	data = filepath.Join(dir, "data")
	c = exec.CommandContext(t.Context(), bin, "run", "--brain", "demo", "--data", data, "--workspace", dir,
		"--set", "init=off", "--set", "comm.http=127.0.0.1:0", "--set", "comm.udp=off")
	c.Env = append(os.Environ(), "HOME="+dir)
	if log, err = c.StderrPipe(); err != nil {
		t.Fatal(err)
	}
	must(t, c.Start())
	return c, data, log
}

// A ^C in shelly run 2>&1 | tee ends tee at once, and the daemon's shutdown has nobody to log to.
func TestOBS5ALogThatNobodyReadsEndsNothing(t *testing.T) {
	c, data, log := logging(t)
	lines := bufio.NewScanner(log)
	for lines.Scan() && !strings.Contains(lines.Text(), "state=serving") { // until nothing more is logged but by the signal
	}
	must(t, log.Close())
	must(t, c.Process.Signal(syscall.SIGTERM))
	err := c.Wait()
	kept, _ := os.ReadFile(filepath.Join(data, "logs", "shelly.log"))
	if err != nil || !strings.Contains(string(kept), `"msg":"stopped"`) {
		t.Errorf("%v; want none, and that it has stopped as the end of\n%s", err, kept)
	}
}

// A program that sees the daemon listening may stop or reload it at once: a signal that early
// must not end the process by default.
func TestLIF2ASignalIsHeededOnceTheDaemonListens(t *testing.T) {
	for n := range 4 {
		sent := []os.Signal{syscall.SIGTERM, syscall.SIGHUP}[n%2]
		c, _, log := logging(t)
		var said strings.Builder
		for lines := bufio.NewScanner(log); lines.Scan(); fmt.Fprintln(&said, lines.Text()) {
			switch {
			case strings.Contains(lines.Text(), " listening "):
				_ = c.Process.Signal(sent)
			case sent == syscall.SIGHUP && strings.Contains(lines.Text(), "configuration"): // it was read again
				_ = c.Process.Signal(syscall.SIGTERM)
			}
		}
		if err := c.Wait(); err != nil || !strings.Contains(said.String(), " stopped\n") {
			t.Fatalf("%v after %v:\n%s", err, sent, said.String())
		}
	}
}

package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// The scripts of testdata/window have a terminal: the real shelly in a window of tmux, with
// keys, paste, resize and a screen to check. In addition to the commands of other scripts there
// are
//
//	window NAME WxH ARG…   run shelly in a window
//	keys NAME KEY…         press keys, as tmux names them; another word is typed as it is
//	paste NAME FILE        paste a file, bracketed where the program has asked for it
//	size NAME WxH          resize it
//	[!] screen NAME REGEXP wait until the window and its scrollback match, or do not
//	closed NAME CODE       wait for its end; the screen is then stdout
//
// Without tmux they are skipped.
func TestWindows(t *testing.T) {
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("there is no tmux, which these scripts need")
	}
	runScripts(t, "testdata/window")
}

// windows are the commands of scripts that have a terminal.
func windows() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){
		"window": scriptCommand(3, scriptWindow),
		"keys": scriptCommand(2, func(ts *testscript.TestScript, args []string) {
			tmux(ts, append([]string{"send-keys", "-t", args[0]}, args[1:]...)...)
		}),
		"paste": scriptCommand(2, func(ts *testscript.TestScript, args []string) {
			tmux(ts, "load-buffer", ts.MkAbs(args[1]))
			tmux(ts, "paste-buffer", "-p", "-r", "-t", args[0])
		}),
		"size": scriptCommand(2, func(ts *testscript.TestScript, args []string) {
			columns, rows, _ := strings.Cut(args[1], "x")
			tmux(ts, "resize-window", "-t", args[0], "-x", columns, "-y", rows)
		}),
		"screen": scriptScreen,
		"closed": scriptCommand(2, scriptClosed),
	}
}

type tmuxKey struct{}

// tmux runs a command of the script's own tmux, whose socket has a short path, because the
// length of a socket's path is limited.
func tmux(ts *testscript.TestScript, args ...string) string {
	dir, _ := ts.Value(tmuxKey{}).(*string)
	if *dir == "" {
		made, err := os.MkdirTemp("", "w")
		ts.Check(err)
		*dir = made
		conf := "set -g history-limit 5000\nset -g default-terminal tmux-256color\nset -g status off\n"
		ts.Check(os.WriteFile(filepath.Join(made, "conf"), []byte(conf), 0o600))
		ts.Defer(func() {
			_ = exec.Command("tmux", "-S", filepath.Join(made, "s"), "kill-server").Run() // it may have none
			_ = os.RemoveAll(made)
		})
	}
	cmd := exec.Command("tmux", append([]string{"-u", "-S", filepath.Join(*dir, "s"), "-f", filepath.Join(*dir, "conf")}, args...)...)
	cmd.Env = append(jobsOf(ts).env, "TERM=xterm-256color", "LC_ALL=C.UTF-8", "PATH="+os.Getenv("PATH"), "SHELL=/bin/sh")
	cmd.Dir = ts.MkAbs(".")
	out, err := cmd.Output()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		ts.Fatalf("tmux %s: %v\n%s", strings.Join(args, " "), err, failed.Stderr)
	}
	ts.Check(err)
	return string(out)
}

func scriptWindow(ts *testscript.TestScript, args []string) {
	bin, err := exec.LookPath("shelly") // testscript.Main put it into PATH
	ts.Check(err)
	columns, rows, _ := strings.Cut(args[1], "x")
	tmux(ts, append([]string{"new-session", "-d", "-s", args[0], "-x", columns, "-y", rows, "--", "/bin/sh", "-c", `"$@"; echo "ended with $?"; read line`, "sh", bin}, args[2:]...)...)
}

// until polls until something holds.
func until(ts *testscript.TestScript, so func() bool, otherwise func()) {
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for end := time.Now().Add(scriptHang); !so(); <-look.C {
		if time.Now().After(end) {
			otherwise()
		}
	}
}

func screenOf(ts *testscript.TestScript, name string) string {
	return tmux(ts, "capture-pane", "-p", "-S", "-", "-t", name)
}

func scriptScreen(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("wants the name of a window and what is to be on it")
	}
	want, screen := regexp.MustCompile("(?m)"+args[1]), ""
	until(ts, func() bool {
		screen = screenOf(ts, args[0])
		return want.MatchString(screen) != neg
	}, func() {
		ts.Fatalf("the screen of %s (unwanted: %v) %s:\n%s", args[0], neg, want, screen)
	})
}

func scriptClosed(ts *testscript.TestScript, args []string) {
	ended, screen := regexp.MustCompile(`(?m)^ended with (\d+)$`), ""
	var code []string
	until(ts, func() bool { // the window's shell says it: tmux itself now and then misses an end
		screen = screenOf(ts, args[0])
		code = ended.FindStringSubmatch(screen)
		return code != nil
	}, func() {
		ts.Fatalf("%s does not end:\n%s", args[0], screen)
	})
	_, err := ts.Stdout().Write([]byte(screen))
	ts.Check(err)
	if code[1] != args[1] {
		ts.Fatalf("%s ended with %s, want %s:\n%s", args[0], code[1], args[1], screen)
	}
}

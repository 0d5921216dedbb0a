//go:build browser_e2e

package page

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"shelly/cmd/shelly/internal/browser"
)

// world is a mock model, a daemon, and a browser.
type world struct {
	*browser.Browser
	t       *testing.T
	bin     string
	dir     string
	model   string
	address string
	daemon  *exec.Cmd
}

// build builds the program once for all tests.
func build(t *testing.T) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "shelly")
	if out, err := exec.Command("go", "build", "-o", bin, "shelly/cmd/shelly").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return bin
}

// unread are settings with which nothing is read while a person writes: the prompt is read for the question, and
// no handle has a number but requests and their memories.
const unread = "switches: {read_ahead: false}\n"

const settings = `init: off
tools:
  exec: {allow: unsandboxed}
  approve: {exec: always, write_file: unsafe}
`

// begin starts a world whose model follows a scenario.
func begin(t *testing.T, scenario string, mock ...string) *world {
	t.Helper()
	b := browser.Open(t) // skips where there is none
	w := &world{Browser: b, t: t, bin: build(t), dir: t.TempDir()}
	for name, text := range map[string]string{"model.scenario.yaml": scenario, "config.yaml": settings, "notes.txt": "one\ntwo\n"} {
		if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd, line := w.start(`OLLAMA_HOST=(\S+?)\)`, append([]string{"mock", filepath.Join(w.dir, "model.scenario.yaml"), "--repeat", "--listen", "127.0.0.1:0"}, mock...)...)
	w.model = line
	t.Cleanup(func() { w.kill(cmd) })
	w.address = free(t)
	w.run()
	t.Cleanup(func() { w.kill(w.daemon) })
	return w
}

// free returns an address at which nothing listens now.
func free(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

// configured starts the daemon again with further settings.
func (w *world) configured(more string) {
	w.t.Helper()
	w.kill(w.daemon)
	if err := os.WriteFile(filepath.Join(w.dir, "config.yaml"), []byte(settings+more), 0o600); err != nil {
		w.t.Fatal(err)
	}
	w.run()
}

// run starts the daemon, and waits until it serves.
func (w *world) run() {
	w.t.Helper()
	w.daemon, _ = w.start(`(state=serving)`, "run", "--config", filepath.Join(w.dir, "config.yaml"), "--data", filepath.Join(w.dir, "data"), "--workspace", w.dir,
		"--set", "brain.url=http://"+w.model, "--set", "comm.http="+w.address, "--set", "comm.udp=off")
}

// start starts the program and waits for its first output.
func (w *world) start(says string, args ...string) (*exec.Cmd, string) {
	w.t.Helper()
	cmd := exec.Command(w.bin, args...)
	cmd.Dir = w.dir
	r, out, err := os.Pipe()
	if err != nil {
		w.t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	_ = out.Close()
	var said strings.Builder
	wanted := regexp.MustCompile(says)
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		fmt.Fprintln(&said, lines.Text())
		if m := wanted.FindStringSubmatch(lines.Text()); m != nil {
			go func() { _, _ = io.Copy(io.Discard, r) }()
			return cmd, m[1]
		}
	}
	w.t.Fatalf("shelly %s has not said %s but:\n%s", args[0], says, said.String())
	return nil, ""
}

func (w *world) kill(cmd *exec.Cmd) {
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
}

// shelly runs a verb and returns what it prints.
func (w *world) shelly(args ...string) string {
	w.t.Helper()
	out, err := exec.Command(w.bin, append(args, "--data", filepath.Join(w.dir, "data"))...).Output()
	if err != nil {
		w.t.Fatalf("shelly %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// enter opens the page by a new link.
func (w *world) enter() {
	w.t.Helper()
	w.Go("about:blank")
	w.Go(w.shelly("page", "--no-open"))
	w.See(".health", "running")
}

// ask asks in the chat.
func (w *world) ask(text string) {
	w.t.Helper()
	w.Type("#ask", text+browser.Enter)
}

// clean fails the test if the page has written an error to the console.
func (w *world) clean() {
	w.t.Helper()
	for line := range strings.Lines(w.Console()) {
		if strings.Contains(line, "SEVERE") {
			w.t.Errorf("the page has an error: %s", line)
		}
	}
}

// pictures takes a screenshot in each width, light and dark, and checks that nothing is wider
// than the window.
func (w *world) pictures(name string, show ...string) {
	w.t.Helper()
	for _, size := range []struct{ width, height int }{{1280, 900}, {390, 844}} {
		for _, dark := range []bool{false, true} {
			w.Look(size.width, size.height, dark)
			if len(show) > 0 {
				w.Show(show[0], "")
				w.Show(show[0], "") // the first may come before the window has its size
			}
			var over int
			w.Script(&over, "return document.documentElement.scrollWidth - document.documentElement.clientWidth")
			if over > 0 {
				w.t.Errorf("%s at %d pixels is %d pixels too wide", name, size.width, over)
			}
			w.Picture(fmt.Sprintf("%s-%d-%s", name, size.width, map[bool]string{true: "dark", false: "light"}[dark]))
		}
	}
	w.Look(1280, 900, false)
}

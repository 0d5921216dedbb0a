package tool

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"shelly/fsm"
	"shelly/runtime/sandbox"
	"shelly/runtime/tool/tree"
)

// TestMain lets this binary be the supervisor of the commands that it runs.
func TestMain(m *testing.M) {
	tree.Supervise()
	sandbox.Stage()
	os.Exit(m.Run())
}

// secret is what no result may hold.
const secret = "canary-5f1c"

// world is a workspace with something outside that must stay unseen.
type world struct {
	t         *testing.T
	workspace string
	outside   string
	options   Options
}

func newWorld(t *testing.T) *world {
	t.Helper()
	dir := t.TempDir()
	w := &world{t: t, workspace: filepath.Join(dir, "ws"), outside: filepath.Join(dir, "outside")}
	w.options = Options{
		Workspace:      w.workspace,
		ResultBytesMax: 4096,
	}
	for path, text := range map[string]string{
		"../outside/canary.txt": secret,
		"notes.txt":             "alpha\nbeta format\ngamma\n",
		"data.csv":              "id,name\n1,ann\n",
		"old.txt":               "old\n",
		"src/main.go":           "package main\n",
		"src/util.py":           "print('util ok')\n",
		"docs/readme.md":        "How to mkfs. Never run rm -rf here.\n",
		"build/tmp.o":           "obj\n",
		"rm -rf notes.md":       "odd name\n",
	} {
		w.write(path, text)
	}
	w.symlink("../outside", "link_out")
	return w
}

// allowExec lets exec run, contained where this system can.
func (w *world) allowExec() {
	w.t.Helper()
	dir := filepath.Dir(w.workspace)
	o := sandbox.Options{Trees: tree.New(filepath.Join(dir, "processes")), Workspace: w.workspace, Scratch: filepath.Join(dir, "processes")}
	box, err := sandbox.Open(context.Background(), o)
	w.must(err)
	if box.Refusal() != nil {
		box = sandbox.Uncontained(o)
	}
	w.options.Exec = &Exec{Box: box, Timeout: time.Hour}
}

func (w *world) write(path, text string) {
	w.t.Helper()
	path = filepath.Join(w.workspace, path)
	w.must(os.MkdirAll(filepath.Dir(path), 0o755))
	w.must(os.WriteFile(path, []byte(text), 0o644))
}

func (w *world) symlink(target, path string) {
	w.t.Helper()
	w.must(os.Symlink(target, filepath.Join(w.workspace, path)))
}

func (w *world) fifo(path string) string {
	w.t.Helper()
	path = filepath.Join(w.workspace, path)
	w.must(syscall.Mkfifo(path, 0o600))
	return path
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) runner() *Runner {
	w.t.Helper()
	r, err := New(w.options)
	w.must(err)
	return r
}

// guard bounds what could hang; it is no assertion about time.
func guard(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// call runs one tool and checks what holds for every result.
func (w *world) call(name string, args map[string]any) fsm.ToolAnswered {
	w.t.Helper()
	raw, err := json.Marshal(args)
	w.must(err)
	got := w.runner().Run(guard(w.t), fsm.RunTool{Name: name, Args: string(raw)})
	if len(got.Text) > w.options.ResultBytesMax {
		w.t.Errorf("the result has %d bytes, more than %d", len(got.Text), w.options.ResultBytesMax)
	}
	if Mend(got.Text) != got.Text {
		w.t.Errorf("the result is not clean text: %q", got.Text)
	}
	if strings.Contains(got.Text, secret) {
		w.t.Errorf("the result shows what is outside: %q", got.Text)
	}
	return got
}

package file

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/runtime/tool"
)

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
		ReadBytesMax:   1 << 20,
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

func (w *world) link(target, path string) {
	w.t.Helper()
	w.must(os.Link(target, filepath.Join(w.workspace, path)))
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

func (w *world) tools() *Tools {
	w.t.Helper()
	t, err := Open(w.options)
	w.must(err)
	w.t.Cleanup(func() { _ = t.Close() })
	w.must(t.Tidy(context.Background(), time.Now()))
	return t
}

// runner runs the file tools as the daemon does.
func (w *world) runner() *tool.Runner {
	w.t.Helper()
	added, err := w.tools().Added()
	w.must(err)
	r, err := tool.New(tool.Options{Workspace: w.workspace, ResultBytesMax: w.options.ResultBytesMax, Added: added})
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
	if tool.Mend(got.Text) != got.Text {
		w.t.Errorf("the result is not clean text: %q", got.Text)
	}
	if strings.Contains(got.Text, secret) {
		w.t.Errorf("the result shows what is outside: %q", got.Text)
	}
	return got
}

func mustJSON(t interface{ Fatal(...any) }, v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func same(t testing.TB, want, got any, options ...cmp.Option) {
	t.Helper()
	if diff := cmp.Diff(want, got, options...); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

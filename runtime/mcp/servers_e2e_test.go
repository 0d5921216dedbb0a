//go:build mcp_e2e

package mcp

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"shelly/fsm"
	"shelly/runtime/sandbox"
	"shelly/runtime/tool"
	"shelly/runtime/tool/tree"
)

// The protocol's reference servers, which npm has, are tried in the sandbox. What is not
// on this machine is skipped and said so.

// installMax bounds the installation.
const installMax = 5 * time.Minute

// references installs the servers into a workspace and keeps them up in it.
func references(t *testing.T) (w *world, workspace string) {
	t.Helper()
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("there is no %s: the reference servers were not tried", program)
		}
	}
	workspace, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(workspace, os.DirFS(filepath.Join("testdata", "servers"))); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), installMax)
	defer cancel()
	npm := exec.CommandContext(ctx, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	npm.Dir = workspace
	if out, err := npm.CombinedOutput(); err != nil {
		t.Skipf("the reference servers cannot be installed and were not tried: %v\n%s", err, out)
	}
	processes := filepath.Join(t.TempDir(), "processes")
	o := sandbox.Options{Trees: tree.New(processes), Workspace: workspace, Scratch: processes}
	box, err := sandbox.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if err := box.Refusal(); err != nil {
		t.Logf("not contained: %v", err)
		box = sandbox.Uncontained(o)
	}
	t.Logf("contained by %s", box.Rung())
	bin := func(name string) string { return "./node_modules/.bin/mcp-server-" + name }
	list := []Server{
		{Name: "everything", Command: []string{bin("everything")}, Timeout: time.Minute},
		{Name: "files", Command: []string{bin("filesystem"), workspace}, Timeout: time.Minute},
	}
	t.Setenv("SHELLY_TOKEN", "secret")
	w = worldIn(t, box, usual(), workspace, list...)
	for _, s := range w.States() {
		t.Logf("%s: up %v, %v", s.Name, s.Up, s.Err)
	}
	return w, workspace
}

func TestTheReferenceServersWork(t *testing.T) {
	w, workspace := references(t)
	if err := os.WriteFile(filepath.Join(workspace, "note.txt"), []byte("high water at six"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, args string
		want       string
		failed     bool
	}{
		{"everything_echo", `{"message": "hello"}`, "hello", false},
		{"everything_get-sum", `{"a": 2, "b": 40}`, "42", false},
		{"everything_get-sum", `{"a": 2}`, "argument b is missing", true},
		{"everything_get-tiny-image", "", "[an image, image/png", false},
		{"everything_get-structured-content", `{"location": "Chicago"}`, "temperature", false},
		{"everything_get-resource-links", `{"count": 2}`, "[a link: ", false},
		{"everything_trigger-long-running-operation", `{"duration": 1, "steps": 2}`, "completed", false},
		{"everything_simulate-research-query", `{"topic": "tides"}`, "tides", false}, // a task
		{"everything_trigger-elicitation-request", "", "it was declined", false},
		{"files_read_text_file", `{"path": "` + workspace + `/note.txt"}`, "high water at six", false},
		{"files_write_file", `{"path": "` + workspace + `/new.txt", "content": "low water at noon"}`, "", false},
		{"files_read_text_file", `{"path": "/etc/passwd"}`, "denied", true},
		{"files_search_files", `{"path": "` + workspace + `", "pattern": "*.txt"}`, "note.txt", false},
	} {
		got := w.call(c.name, c.args)
		t.Logf("%s %s: %.120s", c.name, c.args, strings.ReplaceAll(got.Text, "\n", " "))
		if got.Failed != c.failed || !strings.Contains(got.Text, c.want) {
			t.Errorf("%s %s: %+v, want %q", c.name, c.args, got, c.want)
		}
	}
	if b, err := os.ReadFile(filepath.Join(workspace, "new.txt")); string(b) != "low water at noon" {
		t.Errorf("written is %q, %v", b, err)
	}
	if got := w.call("everything_get-env", ""); strings.Contains(got.Text, "SHELLY_TOKEN") || !strings.Contains(got.Text, "HOME") {
		t.Errorf("the environment of a server: %s", got.Text)
	}
	if e := w.tool("files_read_text_file").Decl.Effects; e != fsm.EffectsNone {
		t.Errorf("reading is %s", e)
	}
	if e := w.tool("files_edit_file").Decl.Effects; e != fsm.EffectsUnsafe {
		t.Errorf("editing is %s", e)
	}
	all := w.Tools(nil)
	if i := slices.IndexFunc(all, func(a tool.Added) bool { return len(a.Decl.Name) > nameMax }); i >= 0 {
		t.Errorf("%s is too long", all[i].Decl.Name)
	}
}

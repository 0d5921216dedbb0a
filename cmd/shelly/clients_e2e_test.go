//go:build clients_e2e

package main

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// The mock is a server that others test with, so their clients are asked: those that npm has,
// and Ollama's own command line. What is not on this machine is skipped and said so.

// mocked starts the mock with the clients' scenario and returns its address.
func mocked(t *testing.T) string {
	t.Helper()
	bin, err := exec.LookPath("shelly") // TestMain puts it there
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(bin, "mock", filepath.Join("testdata", "clients", "clients.scenario.yaml"), "--repeat", "--listen", "127.0.0.1:0")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_, _ = io.Copy(io.Discard, out)
		if err := cmd.Wait(); err != nil {
			t.Errorf("the mock: %v", err)
		}
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	found := regexp.MustCompile(`OLLAMA_HOST=(\S+?)\)`).FindStringSubmatch(line)
	if err != nil || found == nil {
		t.Fatalf("the mock says %q, %v", line, err)
	}
	return found[1]
}

// clientMax bounds an installation, and what one client does.
const clientMax = 5 * time.Minute

func said(t *testing.T, dir string, env []string, name string, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), clientMax)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func TestClientsOfNPMAgainstTheMock(t *testing.T) {
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("there is no %s: the clients of npm were not tried", program)
		}
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "clients"))); err != nil {
		t.Fatal(err)
	}
	if out, err := said(t, dir, nil, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"); err != nil {
		t.Skipf("the clients cannot be installed and were not tried: %v\n%s", err, out)
	}
	host := "http://" + mocked(t)
	for _, script := range []string{"ollama.mjs", "langchain.mjs", "ai.mjs", "openai.mjs"} {
		t.Run(script, func(t *testing.T) {
			out, err := said(t, dir, []string{"OLLAMA_HOST=" + host, "NO_PROXY=127.0.0.1"}, "node", script)
			if t.Log(strings.TrimSpace(out)); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestClientsOllamasCommandLineAgainstTheMock(t *testing.T) {
	bin := os.Getenv("OLLAMA_BIN")
	if bin == "" {
		found, err := exec.LookPath("ollama")
		if err != nil {
			t.Skip("OLLAMA_BIN is not set and there is no ollama in PATH: its command line was not tried")
		}
		bin = found
	}
	home := t.TempDir()
	env := []string{"OLLAMA_HOST=" + mocked(t), "HOME=" + home, "OLLAMA_NOHISTORY=1", "OLLAMA_NO_CLOUD=1"}
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"list"}, "mock:latest"},
		{[]string{"show", "mock"}, "tools"},
		{[]string{"run", "mock", "What is here?"}, "look"},
		{[]string{"run", "mock", "--format", "json", "What is here?"}, "answer"},
		{[]string{"ps"}, "mock:latest"},
		{[]string{"stop", "mock"}, ""},
	} {
		out, err := said(t, home, env, bin, tt.args...)
		if t.Logf("ollama %s: %s", strings.Join(tt.args, " "), strings.TrimSpace(out)); err != nil || !strings.Contains(out, tt.want) {
			t.Errorf("ollama %s: %v; want %q in it", strings.Join(tt.args, " "), err, tt.want)
		}
	}
	if out, err := said(t, home, env, bin, "ps"); err != nil || strings.Contains(out, "mock:latest") {
		t.Errorf("after it was stopped, %s, %v", out, err)
	}
}

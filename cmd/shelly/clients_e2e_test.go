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

	"shelly/runtime/comm/client"
)

// The mock is a server that others test with, so it is tested with their clients: npm's, and
// Ollama's own command line. A client that is not on this machine is skipped, with a note.

// mocked starts the mock with the clients' scenario and returns its address.
func mocked(t *testing.T) string {
	t.Helper()
	return mockOf(t, "clients.scenario.yaml", "--repeat")
}

// mockOf starts the mock with a scenario.
func mockOf(t *testing.T, scenario string, flags ...string) string {
	t.Helper()
	bin, err := exec.LookPath("shelly") // TestMain puts it there
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"mock", filepath.Join("testdata", "clients", scenario), "--listen", "127.0.0.1:0"}
	cmd := exec.Command(bin, append(args, flags...)...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	must(t, cmd.Start())
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

// clientMax bounds an installation, and one client's work.
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

// npmClients installs npm's clients into a folder and returns it.
func npmClients(t *testing.T) string {
	t.Helper()
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("there is no %s: the clients of npm were not tried", program)
		}
	}
	dir := t.TempDir()
	must(t, os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "clients"))))
	if out, err := said(t, dir, nil, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"); err != nil {
		t.Skipf("the clients cannot be installed and were not tried: %v\n%s", err, out)
	}
	return dir
}

func TestClientsOfNPMAgainstTheMock(t *testing.T) {
	dir := npmClients(t)
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

// Each of them kills the daemon while it talks to it, and starts it again (FRT-1, FRT-7,
// FRT-13, FRT-31, FRT-50): there is one answer, and the tool has run once.
func TestClientsOfNPMTalkWithTheAgentOverAKill(t *testing.T) {
	dir := npmClients(t)
	for _, script := range []string{"front-openai.mjs", "front-ollama.mjs", "front-mcp.mjs", "front-acp.mjs"} {
		t.Run(script, func(t *testing.T) {
			host := "http://" + mockOf(t, "fronts.scenario.yaml", "--repeat", "--delays")
			out, err := said(t, dir, []string{"OLLAMA_HOST=" + host, "NO_PROXY=127.0.0.1"}, "node", script)
			if t.Log(strings.TrimSpace(out)); err != nil {
				t.Error(err)
			}
		})
	}
}

// ollamaBin is Ollama's command line.
func ollamaBin(t *testing.T) string {
	t.Helper()
	if bin := os.Getenv("OLLAMA_BIN"); bin != "" {
		return bin
	}
	found, err := exec.LookPath("ollama")
	if err != nil {
		t.Skip("OLLAMA_BIN is not set and there is no ollama in PATH: its command line was not tried")
	}
	return found
}

// steering matches the control sequences between the words.
var steering = regexp.MustCompile(`\x1b\[[0-9;?]*[a-zA-Z]`)

// It sends no header, and so has its token in the URL (FRT-15).
func TestClientsOllamasCommandLineTalksWithTheAgent(t *testing.T) {
	bin, home := ollamaBin(t), t.TempDir()
	shelly, err := exec.LookPath("shelly") // TestMain puts it there
	if err != nil {
		t.Fatal(err)
	}
	d := &process{t: t, bin: shelly, data: t.TempDir(), dir: t.TempDir(), args: []string{
		"--allow-exec", "--set", "init=off", "--set", "brain.url=http://" + mockOf(t, "fronts.scenario.yaml", "--repeat"),
	}}
	d.start()
	defer d.kill()
	at, err := client.ReadEndpoint(d.data)
	if err != nil {
		t.Fatal(err)
	}
	token, err := client.ReadToken(d.data)
	if err != nil {
		t.Fatal(err)
	}
	env := []string{"OLLAMA_HOST=http://" + at.HTTP + "/ollama/" + token, "HOME=" + home, "OLLAMA_NOHISTORY=1", "OLLAMA_NO_CLOUD=1"}
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"list"}, "shelly:latest"},
		{[]string{"show", "shelly"}, "thinking"},
		{[]string{"run", "shelly", "Run it."}, "It has run"},
		{[]string{"ps"}, "shelly:latest"},
	} {
		out, err := said(t, home, env, bin, tt.args...)
		out = steering.ReplaceAllString(out, "")
		if t.Logf("ollama %s: %s", strings.Join(tt.args, " "), strings.TrimSpace(out)); err != nil || !strings.Contains(out, tt.want) {
			t.Errorf("ollama %s: %v; want %q in it", strings.Join(tt.args, " "), err, tt.want)
		}
	}
	if out, err := said(t, home, env, bin, "pull", "other"); err == nil || !strings.Contains(out, "not a store of models") {
		t.Errorf("ollama pull: %s, %v", out, err)
	}
}

func TestClientsOllamasCommandLineAgainstTheMock(t *testing.T) {
	bin := ollamaBin(t)
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

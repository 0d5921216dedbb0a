package box_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"shelly/cmd/shelly/internal/box"
	"shelly/runtime/config"
	"shelly/runtime/sandbox"
	"shelly/runtime/tool/tree"
)

func TestMain(m *testing.M) {
	tree.Supervise()
	sandbox.Stage()
	os.Exit(m.Run())
}

// asNobody marks the process that runs the test as a user without rights.
const asNobody = "SHELLY_TEST_NOBODY"

// Under every way of containing commands, a command can run the script of a user's skill but
// cannot change it; the rest of the home folder is not visible. The test runs as root, and again
// as an unprivileged user.
func TestSKL14TheScriptsOfAUsersSkillsCanBeRun(t *testing.T) {
	home := t.TempDir()
	for path, text := range map[string]string{
		".skills/tea/scripts/make.sh": "#!/bin/sh\necho tea is made\n", ".skills/tea/SKILL.md": "---\nname: tea\n---\n", "private": "a secret\n",
	} {
		path = filepath.Join(home, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(".skills", filepath.Join(home, "skills")); err != nil { // as the person calls it
		t.Fatal(err)
	}
	for _, rung := range sandbox.Rungs() {
		t.Run(string(rung), func(t *testing.T) {
			cfg := config.Builtin("default")
			cfg.Data, cfg.Workspace = t.TempDir(), t.TempDir()
			cfg.Tools.Exec.Allow, cfg.Tools.Exec.Rungs = "true", []string{string(rung)}
			cfg.Skills.Folders = []string{filepath.Join(home, "skills"), filepath.Join(home, "missing"), filepath.Join(cfg.Workspace, "skills")}
			k, err := box.Open(t.Context(), cfg)
			if err != nil {
				t.Fatal(err)
			}
			if k.Rung() == "" {
				t.Skip("cannot contain a command here: ", k.Refusal())
			}
			script := strings.ReplaceAll("HOME/skills/tea/scripts/make.sh; ls HOME/skills; cat HOME/private; echo x > HOME/skills/tea/SKILL.md; echo x > HOME/skills/new; mkdir -p skills && echo mine > skills/x && cat skills/x", "HOME", home)
			var out bytes.Buffer
			if _, err := k.Run(t.Context(), sandbox.Spec{
				Args: []string{"/bin/sh", "-c", script}, Env: []string{"PATH=/usr/bin:/bin"}, Out: &out, Timeout: time.Minute,
			}); err != nil {
				t.Fatal(err)
			}
			got := out.String()
			if !strings.Contains(got, "tea is made\ntea\n") || strings.Contains(got, "a secret") || !strings.HasSuffix(got, "\nmine\n") {
				t.Errorf("the command says %q", got)
			}
			if text, err := os.ReadFile(filepath.Join(home, ".skills/tea/SKILL.md")); err != nil || string(text) != "---\nname: tea\n---\n" {
				t.Errorf("the skill is now %q, %v", text, err)
			}
			if _, err := os.Stat(filepath.Join(home, ".skills/new")); err == nil {
				t.Error("the command has written into the folder of skills")
			}
		})
	}
	if os.Getuid() == 0 && os.Getenv(asNobody) == "" {
		t.Run("nobody", runAsNobody)
	}
}

// runAsNobody runs the test as a user without rights.
func runAsNobody(t *testing.T) {
	dir, err := os.MkdirTemp("/tmp", "shelly-box-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	binary, err := os.ReadFile("/proc/self/exe")
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "box.test"), binary, 0o755)
	}
	if err == nil {
		err = os.Chown(dir, 65534, 65534)
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join(dir, "box.test"), "-test.v", "-test.run=^TestSKL14TheScriptsOfAUsersSkillsCanBeRun$")
	cmd.Dir, cmd.Env = dir, []string{asNobody + "=1", "TMPDIR=" + dir, "PATH=/usr/bin:/bin"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Count(string(out), "--- PASS: TestSKL14TheScriptsOfAUsersSkillsCanBeRun/") == 0 {
		t.Errorf("got %v; want the test to pass\n%s", err, out)
	}
	t.Logf("%s", out)
}

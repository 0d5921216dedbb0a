//go:build service_e2e

package service

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// systemd's own verifier has no complaint about the units.
func TestSystemdAcceptsTheUnits(t *testing.T) {
	dir := t.TempDir()
	bin := filepath.Join(dir, "shelly")
	if err := os.WriteFile(bin, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, user := range []bool{true, false} {
		u := unitOf(example(), []string{bin, "run", "--set", `about.persona=50% "x" $HOME \`}, "/home/ann")
		u.User = user
		if !user {
			u.As = "shelly"
		}
		args := []string{"verify"}
		if user {
			args = []string{"--user", "verify"}
		}
		for name, template := range map[string]string{serviceName: "service", socketName: "socket"} {
			text, err := render(template, u)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(dir, name)
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			args = append(args, file)
		}
		verify := exec.Command("systemd-analyze", args...)
		verify.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+dir)
		if out, err := verify.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("systemd-analyze %v: %v\n%s", args, err, out)
		}
		score, err := exec.Command("systemd-analyze", "security", "--offline=true", filepath.Join(dir, serviceName)).CombinedOutput()
		if err != nil {
			t.Errorf("systemd-analyze security: %v\n%s", err, score)
		}
		t.Logf("of a user: %v: %s", user, score[max(0, len(score)-80):])
	}
}

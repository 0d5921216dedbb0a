//go:build linux

package turncost_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// einoFolder is the folder of the module with eino's agent loop, which is not part of shelly's
// module.
const einoFolder = "../../../../.ci/bench"

// eino is that loop as a process of its own; nil: it cannot be measured here.
type eino struct {
	orders  io.Writer
	answers *bufio.Reader
}

// startEino builds and starts eino's loop. If its module is missing and cannot be fetched, the
// benchmark reports that and continues without it.
func startEino(b *testing.B, model, folder string) *eino {
	b.Helper()
	fetch := exec.Command("go", "mod", "download")
	fetch.Dir = einoFolder
	if out, err := fetch.CombinedOutput(); err != nil {
		b.Logf("SKIP: eino is not measured, because its module is missing: %v\n%s", err, out)
		return nil
	}
	bin := filepath.Join(b.TempDir(), "eino")
	build := exec.Command("go", "build", "-trimpath", "-o", bin, ".")
	build.Dir, build.Env = einoFolder, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("cannot build eino's loop: %v\n%s", err, out)
	}
	cmd := exec.Command(bin, "-url", model, "-folder", folder)
	cmd.Stderr = os.Stderr
	in, out := pipes(b, cmd)
	b.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	return &eino{in, bufio.NewReader(out)}
}

// round runs sessions concurrently, each with its share of the turns; they ask the model through
// the named client.
func (e *eino) round(b *testing.B, client string, sessions, turns int) cost {
	b.Helper()
	if e == nil {
		return cost{}
	}
	if _, err := fmt.Fprintln(e.orders, client, sessions, turns); err != nil {
		b.Fatal(err)
	}
	line, err := e.answers.ReadString('\n')
	if err != nil {
		b.Fatalf("eino's loop has ended: %v", err)
	}
	var took, cpu time.Duration
	if _, err := fmt.Sscan(line, &took, &cpu); err != nil {
		b.Fatal(err)
	}
	return cost{took, cpu}
}

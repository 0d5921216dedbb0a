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

// einoFolder is the module of eino's agent loop, which is not part of shelly's.
const einoFolder = "../../../../.ci/bench"

// eino is that loop as a process of its own; nil: not available to measure.
type eino struct {
	orders  io.Writer
	answers *bufio.Reader
}

// startEino builds and starts it. If its module is missing and cannot be fetched, the benchmark
// reports that and continues without it.
func startEino(b *testing.B, model, folder string) *eino {
	b.Helper()
	fetch := exec.Command("go", "mod", "download")
	fetch.Dir = einoFolder
	if out, err := fetch.CombinedOutput(); err != nil {
		b.Logf("SKIP: eino is not measured, for its module is not there: %v\n%s", err, out)
		return nil
	}
	bin := filepath.Join(b.TempDir(), "eino")
	build := exec.Command("go", "build", "-trimpath", "-o", bin, ".")
	build.Dir, build.Env = einoFolder, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("build the loop of eino: %v\n%s", err, out)
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

// round lets sessions take turns concurrently, each asking the model through a client.
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
		b.Fatalf("the loop of eino has ended: %v", err)
	}
	var took, cpu time.Duration
	if _, err := fmt.Sscan(line, &took, &cpu); err != nil {
		b.Fatal(err)
	}
	return cost{took, cpu}
}

package file

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"shelly/fsm"
	"shelly/runtime/tool"
)

// writerKey names in the environment the world of a process that only writes.
const writerKey = "SHELLY_TEST_WRITES_IN"

// TestMain lets this binary be the process that is killed.
func TestMain(m *testing.M) {
	if dir := os.Getenv(writerKey); dir != "" {
		writeForever(dir)
	}
	os.Exit(m.Run())
}

// contentOf is what the n-th call writes.
func contentOf(n int) string {
	return fmt.Sprintf("%d\n", n) + strings.Repeat(string(rune('A'+n%26)), 50_000)
}

func killWorld(dir string) Options {
	return Options{Workspace: filepath.Join(dir, "ws"), Changes: filepath.Join(dir, "changes"), ResultBytesMax: 4096, ReadBytesMax: 1 << 20}
}

// writeForever writes a file again and again, and says each time that it begins.
func writeForever(dir string) {
	tools, err := Open(killWorld(dir))
	if err != nil {
		panic(err)
	}
	added, err := tools.Added()
	if err != nil {
		panic(err)
	}
	r, err := tool.New(tool.Options{Workspace: filepath.Join(dir, "ws"), ResultBytesMax: 4096, Added: added})
	if err != nil {
		panic(err)
	}
	for n := 1; ; n++ {
		fmt.Println(n)
		got := r.Run(context.Background(), writing(n))
		if got.Failed {
			panic(got.Text)
		}
	}
}

func writing(n int) fsm.RunTool {
	return fsm.RunTool{Name: "write_file", Key: fmt.Sprint("n", n), Args: fmt.Sprintf(`{"path": "f", "content": %q}`, contentOf(n))}
}

// Wherever the process is killed, the file is old or new, no other file is left, and the
// probe says which it is (TOL-24, TOL-26).
func TestTOL26AKilledWriteIsOldOrNewAndTheProbeKnows(t *testing.T) {
	for kill := range 12 {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, "ws"), 0o755); err != nil {
			t.Fatal(err)
		}
		begun := killedAfter(t, dir, time.Duration(kill)*3*time.Millisecond)
		tools, err := Open(killWorld(dir))
		if err == nil {
			err = tools.Tidy(context.Background(), time.Now())
		}
		if err != nil {
			t.Fatal(err)
		}
		held, err := os.ReadFile(filepath.Join(dir, "ws", "f"))
		old, made := string(held) == contentOf(begun-1) || begun == 1 && os.IsNotExist(err), string(held) == contentOf(begun)
		probed := tools.probe(context.Background(), fsm.RunProbe{Name: "write_file", Key: writing(begun).Key})
		if made == old || made != (probed.Answer == fsm.ProbeDone) || old != (probed.Answer == fsm.ProbeNever) {
			t.Errorf("killed in call %d: old %v, made %v, the probe says %s", begun, old, made, probed.Answer)
		}
		if entries, err := os.ReadDir(filepath.Join(dir, "ws")); err != nil || len(entries) > 1 {
			t.Errorf("the workspace holds %v, %v", entries, err)
		}
		if left := withoutRecord(t, filepath.Join(dir, "changes")); len(left) > 0 {
			t.Errorf("killed in call %d: the record of changes holds %q", begun, left)
		}
		if err := tools.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// withoutRecord returns the files of a record of changes that belong to no change.
func withoutRecord(t *testing.T, dir string) (left []string) {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		stem, before := strings.CutSuffix(f.Name(), ".before")
		of := slices.ContainsFunc(files, func(o os.DirEntry) bool { return o.Name() != f.Name() && strings.HasPrefix(o.Name(), stem+".") })
		if strings.HasPrefix(f.Name(), ".") || before && !of {
			left = append(left, f.Name())
		}
	}
	return left
}

// killedAfter lets a process write, kills it some time after its third call began, and returns
// the number of the last call that began.
func killedAfter(t *testing.T, dir string, wait time.Duration) int {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), writerKey+"="+dir)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	begun := 0
	for begun < 3 {
		if _, err := fmt.Fscan(out, &begun); err != nil {
			t.Fatal(err)
		}
	}
	timer := time.AfterFunc(wait, func() { _ = c.Process.Kill() })
	defer timer.Stop()
	for {
		if _, err := fmt.Fscan(out, &begun); err != nil {
			break
		}
	}
	_ = c.Wait()
	return begun
}

package store_test

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"shelly/fsm/engine"
	"shelly/runtime/store"
)

// heldFolder passes the folder to the process that TestAKilledProcess kills.
const heldFolder = "STORE_TEST_HELD_FOLDER"

// A killed process leaves its lock free and everything that was synced, and while it lives no other
// process gets in (CFG-8).
func TestAKilledProcessLosesNothingSynced(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "store")
	holder := exec.Command(os.Args[0], "-test.run=^TestHoldAStoreUntilKilled$")
	holder.Env = append(os.Environ(), heldFolder+"="+folder)
	if _, err := holder.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := holder.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	must(t, holder.Start())
	_, ready := bufio.NewReader(out).ReadString('\n')
	_, locked := store.Open(folder, store.Options{})
	must(t, holder.Process.Kill())
	_ = holder.Wait() // "signal: killed", as it should be

	if ready != nil {
		t.Fatalf("the other process did not get ready: %v", ready)
	}
	if !errors.Is(locked, store.ErrLocked) {
		t.Errorf("Open while another process holds the folder: %v; want ErrLocked", locked)
	}
	s := open(t, folder, store.Options{})
	defer end(t, &s)
	last := uint64(0)
	err = s.Replay(0, func(r engine.Record) error { last = r.Index; return nil })
	if err != nil || last < 50 || last > 60 {
		t.Errorf("records 1 to %d are there, error %v; want 50 to 60 of them", last, err)
	}
}

// TestHoldAStoreUntilKilled is the other process. On its own it tests nothing.
func TestHoldAStoreUntilKilled(t *testing.T) {
	folder := os.Getenv(heldFolder)
	if folder == "" {
		return
	}
	s := open(t, folder, store.Options{})
	appendRecords(t, s, 1, 49, false)
	appendRecords(t, s, 50, 50, true)
	appendRecords(t, s, 51, 60, false)
	if _, err := os.Stdout.WriteString("ready\n"); err != nil {
		t.Fatal(err)
	}
	_, _ = os.Stdin.Read(make([]byte, 1)) // until it is killed or its parent ends
}

package file

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"shelly/fsm"
	"shelly/runtime/tool"
	"shelly/runtime/tool/file/change"
)

func callOf(name, args string) fsm.RunTool {
	return fsm.RunTool{Name: name, Args: args, Key: "h1.1.abc", Session: "cli:direct"}
}

func probeOf(name string) fsm.RunProbe { return fsm.RunProbe{Name: name, Key: "h1.1.abc"} }

// crashed makes a change up to a point, as if the daemon had been killed there, and opens the
// tools again.
func (w *world) crashed(at string, content string) *tool.Runner {
	w.t.Helper()
	tools := w.tools()
	call := callOf("write_file", "")
	unlock, err := tools.lock(guard(w.t))
	w.must(err)
	p, err := tools.place(guard(w.t), "notes.txt")
	w.must(err)
	alt := alteration{content: []byte(content)}
	r := change.Record{Key: call.Key, Session: call.Session, Tool: call.Name, Folder: p.real, Name: p.name, After: change.Hash(alt.content), Result: "wrote it", Temp: ".shelly-1.tmp", At: time.Now().UnixMilli()}
	if p.info != nil {
		r.Before = change.Hash(p.held)
	}
	steps := []struct {
		name string
		do   func() error
	}{
		{"record", func() error { _, err := tools.begin(r, p.held); return err }},
		{"prepare", func() error {
			folder, err := p.root.OpenRoot(p.folder)
			return errors.Join(err, p.prepare(folder, r.Temp, alt.content))
		}},
		{"rename", func() error {
			return os.Rename(filepath.Join(p.real, r.Temp), filepath.Join(p.real, p.name))
		}},
		{"end", func() error {
			e, _, err := tools.log.Find(call.Key)
			return errors.Join(err, e.End())
		}},
	}
	for _, s := range steps {
		if s.name == at {
			break
		}
		w.must(s.do())
	}
	unlock()
	return w.runner()
}

// What a crash has left and cannot be removed keeps no daemon from starting.
func TestTOL26WhatACrashHasLeftHindersNoStart(t *testing.T) {
	w := newWorld(t)
	log := w.recording()
	left := filepath.Join(w.workspace, ".shelly-1.tmp")
	unlock, err := log.Lock(guard(t))
	w.must(err)
	_, err = log.Begin(change.Record{Key: "k", Folder: w.workspace, Name: "notes.txt", Temp: ".shelly-1.tmp", At: time.Now().UnixMilli()}, nil)
	w.must(err)
	unlock()
	w.write(".shelly-1.tmp/full", "") // a folder that is not empty is not removed
	w.tools()
	w.must(os.RemoveAll(left))
	w.write(".shelly-1.tmp", "new\n")
	w.tools()
	w.leftovers()
}

// After a crash at any point of a change, the probe says whether it was made.
func TestTOL26AProbeSaysWhatBecameOfAChange(t *testing.T) {
	for _, c := range []struct {
		at   string
		want fsm.Probed
	}{
		{"record", fsm.Probed{Answer: fsm.ProbeNever, Text: "the change was not begun"}},
		{"prepare", fsm.Probed{Answer: fsm.ProbeNever, Text: "the file is as it was before the change"}},
		{"rename", fsm.Probed{Answer: fsm.ProbeNever, Text: "the file is as it was before the change"}},
		{"end", fsm.Probed{Answer: fsm.ProbeDone, Text: "wrote it"}},
		{"never", fsm.Probed{Answer: fsm.ProbeDone, Text: "wrote it"}},
	} {
		for _, held := range []string{"old\n", ""} {
			t.Run(fmt.Sprintf("before %s, over %q", c.at, held), func(t *testing.T) {
				w := newWorld(t)
				w.recording()
				w.write("notes.txt", held)
				if held == "" {
					w.must(os.Remove(filepath.Join(w.workspace, "notes.txt")))
				}
				r := w.crashed(c.at, "new\n")
				same(t, c.want, r.Probe(guard(t), probeOf("write_file")))
				w.leftovers()
				// A second start, after never, makes the change.
				if c.want.Answer == fsm.ProbeNever {
					if got := r.Run(guard(t), callOf("write_file", `{"path": "notes.txt", "content": "new\n"}`)); got.Failed {
						t.Errorf("the second start: %+v", got)
					}
					if got := r.Probe(guard(t), probeOf("write_file")); got.Answer != fsm.ProbeDone {
						t.Errorf("after the second start: %+v", got)
					}
				}
				w.holds("notes.txt", "new\n")
			})
		}
	}
}

// If somebody else has changed the file since, the probe is unsure.
func TestTOL26AProbeIsUnsureOfWhatChangedSince(t *testing.T) {
	for _, at := range []string{"rename", "end"} {
		w := newWorld(t)
		w.recording()
		r := w.crashed(at, "new\n")
		w.write("notes.txt", "of somebody else\n")
		if got := r.Probe(guard(t), probeOf("write_file")); got.Answer != fsm.ProbeUnsure {
			t.Errorf("killed before %s: %+v", at, got)
		}
	}
}

func TestTOL26AProbeIsUnsureWithoutARecord(t *testing.T) {
	w := newWorld(t)
	if got := w.runner().Probe(guard(t), probeOf("write_file")); got.Answer != fsm.ProbeUnsure {
		t.Errorf("no log: %+v", got)
	}
	log := w.recording()
	w.must(os.MkdirAll(w.options.Changes, 0o700))
	w.must(os.WriteFile(filepath.Join(w.options.Changes, "000000000001-"+change.Hash([]byte("h1.1.abc"))[:16]+".started"), []byte("{"), 0o600))
	if _, _, err := log.Find("h1.1.abc"); err == nil {
		t.Fatal("a broken record is found whole")
	}
	if got := w.runner().Probe(guard(t), probeOf("write_file")); got.Answer != fsm.ProbeUnsure {
		t.Errorf("a broken record: %+v", got)
	}
	if got := w.runner().Probe(guard(t), probeOf("read_file")); got.Answer != fsm.ProbeUnsure {
		t.Errorf("a tool without a probe: %+v", got)
	}
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	if got := w.runner().Probe(gone, fsm.RunProbe{Name: "write_file", Key: "another"}); got.Answer != fsm.ProbeUnsure {
		t.Errorf("given up: %+v", got)
	}
}

// A change that cannot be recorded is not made.
func TestTOL26WithoutARecordNothingIsChanged(t *testing.T) {
	w := newWorld(t)
	w.recording()
	r := w.runner()
	w.write("../data/changes", "in the way")
	got := r.Run(guard(t), callOf("write_file", `{"path": "notes.txt", "content": "new\n"}`))
	if !got.Failed || !got.Nothing {
		t.Errorf("got %+v; want Failed, Nothing", got)
	}
	w.holds("notes.txt", "alpha\nbeta format\ngamma\n")
}

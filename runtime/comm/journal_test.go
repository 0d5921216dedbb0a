package comm_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/machine"
	"shelly/runtime/comm"
)

// journal is one with snapshots after its records 2 and 4, of six.
func journal(t *testing.T) *engine.MemoryJournal {
	t.Helper()
	j := engine.NewMemoryJournal()
	machine := machine.New()
	for index := uint64(1); index <= 6; index++ {
		in := fsm.Input{At: fsm.Millis(index), Fact: fsm.TimerFired{Timer: 1}}
		effects := fsm.HashEffects(machine.Step(in))
		must(t, j.Append(engine.Batch{Records: []engine.Record{{Index: index, Input: in, Effects: effects}}}, true))
		if index == 2 || index == 4 {
			must(t, j.SaveSnapshot(index, machine.Snapshot()))
		}
	}
	return j
}

func get(s *site, path string) *http.Response { return s.start(call{method: "GET", path: path}) }

func TestCOM16TheJournalCanBeReadInParts(t *testing.T) {
	s := serveHTTP(t, nil)
	j := journal(t)
	s.front.Record(j)
	for query, want := range map[string]struct{ from, to uint64 }{
		"":             {0, 6},
		"?from=1&to=3": {1, 3},
		"?from=4":      {4, 6},
		"?from=5&to=0": {5, 0},
		"?from=100":    {100, 6},
		"?from=1&to=0": {1, 0},
	} {
		r := get(s, "/v1/journal"+query)
		got, err := io.ReadAll(r.Body)
		var file bytes.Buffer
		must(t, errors.Join(err, engine.WriteJournal(&file, j, want.from, want.to)))
		if diff := cmp.Diff(file.String(), string(got)); r.StatusCode != http.StatusOK || r.Header.Get("Content-Type") != "application/x-ndjson" || diff != "" {
			t.Errorf("%s: status %d (-want +got)\n%s", query, r.StatusCode, diff)
		}
	}
	var kept engine.Kept
	s.do(call{method: "GET", path: "/v1/journal/kept"}, &kept)
	if want, err := j.Kept(); err != nil || !cmp.Equal(kept, want) || kept.Last != 6 {
		t.Errorf("%+v, want %+v, %v", kept, want, err)
	}
}

func TestCOM16NoSnapshotsAreAnEmptyList(t *testing.T) {
	s := serveHTTP(t, nil)
	body, err := io.ReadAll(get(s, "/v1/journal/kept").Body)
	if err != nil || !strings.Contains(string(body), `"snapshots":[]`) {
		t.Errorf("got %s, %v; want one with %q", body, err, `"snapshots":[]`)
	}
}

func TestCOM16WhatWasTrimmedIsRefused(t *testing.T) {
	s := serveHTTP(t, nil)
	j := journal(t)
	if _, err := j.Trim(engine.Keep{Since: 4}); err != nil {
		t.Fatal(err)
	}
	s.front.Record(j)
	var body comm.ProblemBody
	r := s.do(call{method: "GET", path: "/v1/journal?from=1"}, &body)
	if r.StatusCode != http.StatusGone || body.Error.Code != comm.CodeTrimmed || body.Error.Hint == "" {
		t.Errorf("status %d, %+v", r.StatusCode, body)
	}
}

// late is a journal that fails after its first record.
type late struct{ engine.Reader }

func (l late) Replay(after uint64, fn func(engine.Record) error) error {
	err := l.Reader.Replay(after, fn)
	return errors.Join(err, errors.New("damaged"))
}

// Nobody takes a part of the journal for the whole.
func TestCOM16AJournalThatCannotBeReadToItsEndBreaksTheConnection(t *testing.T) {
	s := serveHTTP(t, nil)
	j := engine.NewMemoryJournal()
	machine := machine.New()
	for index := uint64(1); index <= 2000; index++ { // more than is sent at once
		in := fsm.Input{At: fsm.Millis(index), Fact: fsm.TimerFired{Timer: 1}}
		r := engine.Record{Index: index, Input: in, Effects: fsm.HashEffects(machine.Step(in))}
		must(t, j.Append(engine.Batch{Records: []engine.Record{r}}, true))
	}
	s.front.Record(late{j})
	r := get(s, "/v1/journal")
	if _, err := io.ReadAll(r.Body); r.StatusCode != http.StatusOK || err == nil {
		t.Errorf("status %d, and the answer ends well", r.StatusCode)
	}
	s.front.Record(late{engine.NewMemoryJournal()})
	if r := get(s, "/v1/journal"); r.StatusCode != http.StatusInternalServerError {
		t.Errorf("before its first piece: status %d", r.StatusCode)
	}
}

func TestCOM16ABackupIsSentOneAtATimeAndEndsWithItsClient(t *testing.T) {
	s := serveHTTP(t, nil)
	begun, ended := make(chan struct{}), make(chan error, 1)
	s.front.KeepBackup(func(ctx context.Context, w io.Writer) error {
		if _, err := io.WriteString(w, strings.Repeat("x", 1<<20)); err != nil {
			return err
		}
		close(begun)
		<-ctx.Done()
		ended <- ctx.Err()
		return ctx.Err()
	})
	first := get(s, "/v1/backup")
	<-begun
	var body comm.ProblemBody
	if r := s.do(call{method: "GET", path: "/v1/backup"}, &body); r.StatusCode != http.StatusTooManyRequests || body.Error.Code != comm.CodeBusy {
		t.Errorf("a second one: status %d, %+v", r.StatusCode, body)
	}
	must(t, first.Body.Close())
	if err := <-ended; err == nil || first.Header.Get("Content-Type") != "application/x-tar" {
		t.Errorf("got %v, %q; want an error, Content-Type %q", err, first.Header, "application/x-tar")
	}
	s.front.KeepBackup(func(context.Context, io.Writer) error { return engine.ErrNoSpace })
	r := s.do(call{method: "GET", path: "/v1/backup"}, &body)
	for r.StatusCode == http.StatusTooManyRequests { // the first is on its way out
		r = s.do(call{method: "GET", path: "/v1/backup"}, &body)
	}
	if r.StatusCode != http.StatusInsufficientStorage {
		t.Errorf("without space: status %d, %+v", r.StatusCode, body)
	}
}

// A client that may read everything is told which file is at fault: a full disk apart from a folder
// that is closed to the daemon.
func TestCOM16ABackupThatCannotBeMadeSaysWhy(t *testing.T) {
	s := serveHTTP(t, nil)
	for cause, want := range map[error]comm.Problem{
		syscall.EACCES:  {Code: comm.CodeDamaged, Message: "take a checkpoint: mkdir data: permission denied", Hint: "nothing was written; mend that and try again"},
		syscall.ENOSPC:  {Code: comm.CodeNoSpace, Message: "take a checkpoint: mkdir data: no space left on device", Hint: "nothing was written; make room on the data folder's disk and try again"},
		errors.New("x"): {Code: comm.CodeInternal, Message: "shelly could not do this", Hint: "its log says why"},
	} {
		s.front.KeepBackup(func(context.Context, io.Writer) error {
			return fmt.Errorf("take a checkpoint: %w", &fs.PathError{Op: "mkdir", Path: "data", Err: cause})
		})
		var body comm.ProblemBody
		if r := s.do(call{method: "GET", path: "/v1/backup"}, &body); r.StatusCode != want.Code.Status() || body.Error != want {
			t.Errorf("status %d, %+v", r.StatusCode, body.Error)
		}
	}
}

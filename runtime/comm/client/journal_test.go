package client_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/machine"
	"shelly/fsm/state"
	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
)

// COM-16: a journal reads the same over HTTP as locally.
func TestTheJournalOfADaemonReadsAsTheJournalItself(t *testing.T) {
	d := newDaemon(t)
	j := engine.NewMemoryJournal()
	d.front.Record(j)
	machine := machine.New()
	for index := uint64(1); index <= 6; index++ {
		in := fsm.Input{At: fsm.Millis(index), Fact: fsm.TimerFired{Timer: 1}}
		b := engine.Batch{Records: []engine.Record{{Index: index, Input: in, Effects: fsm.HashEffects(machine.Step(in))}}}
		if index < 3 {
			key := d.key(string(rune('a' + index)))
			b.Requests = []engine.Request{{Key: key, Index: index, Handle: 1, Text: "hello", Accepted: 5}}
		}
		must(t, j.Append(b, true))
		if index == 2 || index == 4 {
			must(t, j.SaveSnapshot(index, machine.Snapshot()))
		}
	}
	if _, err := j.Trim(engine.Keep{Since: 4}); err != nil {
		t.Fatal(err)
	}
	over := d.client.Journal(t.Context())
	for after := range uint64(8) {
		want, wantErr := read(j, after)
		got, err := read(over, after)
		if diff := cmp.Diff(want, got); diff != "" || errors.Is(err, engine.ErrTrimmed) != errors.Is(wantErr, engine.ErrTrimmed) || (err == nil) != (wantErr == nil) {
			t.Errorf("after %d: %v, want %v (-want +got)\n%s", after, err, wantErr, diff)
		}
	}
	if _, ok, err := over.Request(d.key("none")); ok || err != nil {
		t.Errorf("a request that is not there: %v, %v", ok, err)
	}
}

// COM-16: the session of a request is the same over HTTP, also one whose chat is of another channel, such as a
// client's (COM-87).
func TestCOM87ARequestHasItsChatAndSession(t *testing.T) {
	d := newDaemon(t)
	j := engine.NewMemoryJournal()
	d.front.Record(j)
	for i, want := range []engine.Request{
		{Origin: fsm.Origin{Channel: "client", Chat: "bob/direct"}},
		{Origin: fsm.Origin{Channel: "client", Chat: "bob/direct"}, Session: "client:bob/work"},
		{Origin: fsm.Origin{Channel: "web", Chat: "a:b"}},
		{Session: "work"},
		{},
	} {
		want.Index, want.Handle, want.Text, want.Key = uint64(i+1), 1, "hello", d.key("r"+strconv.Itoa(i))
		if strings.HasPrefix(want.Origin.Chat, "bob/") {
			want.Key.Principal = "bob"
		}
		must(t, j.Append(engine.Batch{Records: []engine.Record{{Index: want.Index}}, Requests: []engine.Request{want}}, true))
		got, err := d.client.Journal(t.Context()).Requests(want.Index+1, 1)
		if diff := cmp.Diff([]engine.Request{want}, got); diff != "" || err != nil {
			t.Errorf("%+v: %v (-want +got)\n%s", want.Origin, err, diff)
		}
	}
}

// slow is a journal that says what it keeps only once it is released.
type slow struct {
	engine.Reader
	released chan struct{}
}

func (s slow) Kept() (engine.Kept, error) {
	<-s.released
	return s.Reader.Kept()
}

// COM-109: a large store is read whole before its backup begins. The client waits for that as long as it
// takes, while it gives up on other answers.
func TestCOM109ABackupMayTakeLongToBegin(t *testing.T) {
	d := newDaemon(t)
	d.client = client.New(d.dir, client.Options{AnswerMax: 20 * time.Millisecond})
	begun, released := make(chan struct{}), make(chan struct{})
	d.front.Record(slow{engine.NewMemoryJournal(), released})
	d.front.KeepBackup(func(_ context.Context, w io.Writer) error {
		close(begun)
		<-released
		_, err := io.WriteString(w, "all of it")
		return err
	})
	var backup strings.Builder
	done := make(chan error, 1)
	go func() { done <- d.client.Backup(t.Context(), &backup) }()
	<-begun
	if _, err := d.client.Journal(t.Context()).Kept(); !errors.Is(err, client.ErrBroken) || !strings.Contains(err.Error(), "no answer within 20ms") {
		t.Errorf("a short answer that does not come: %v", err)
	}
	close(released)
	if err := <-done; err != nil || backup.String() != "all of it" {
		t.Errorf("the backup is %q: %v", backup.String(), err)
	}
}

// seen is what a journal says from an index on.
type seen struct {
	Kept     engine.Kept
	At       uint64
	Snapshot state.Snapshot
	Records  []engine.Record
	Requests []engine.Request
}

func read(j engine.Reader, after uint64) (s seen, err error) {
	if s.Kept, err = j.Kept(); err != nil {
		return s, err
	}
	if after+1 >= s.Kept.First {
		if s.At, s.Snapshot, err = j.Snapshot(after); err != nil {
			return s, err
		}
	}
	if s.Requests, err = j.Requests(after, 1); err != nil {
		return s, err
	}
	return s, j.Replay(after, func(r engine.Record) error {
		s.Records = append(s.Records, r)
		return nil
	})
}

// A broken connection does not count as the end of the journal.
func TestAJournalThatIsCutIsAnError(t *testing.T) {
	d := newDaemon(t)
	d.insteadOf(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, `{"index":1,"effects":"0000000000000000","input":{"kind":"stored"}}`+"\n")
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	})
	records := 0
	err := d.client.Journal(t.Context()).Replay(0, func(engine.Record) error {
		records++
		return nil
	})
	if records != 1 || err == nil {
		t.Errorf("%d records, %v", records, err)
	}
}

func TestARequestIsReadByItsChannel(t *testing.T) {
	d := newDaemon(t)
	key := fsm.RequestKey{Principal: comm.Principal, Channel: "cron", ID: "m1"}
	if _, err := d.front.Accept(t.Context(), comm.Request{Key: key, Session: "s", Text: "hello", Origin: fsm.Origin{Channel: "cron", Chat: "7"}}); err != nil {
		t.Fatal(err)
	}
	got, ok, err := d.client.Journal(t.Context()).Request(key)
	want := engine.Request{Key: key, Handle: 1, Session: "s", Origin: fsm.Origin{Channel: "cron", Chat: "7"}, Text: "hello", Accepted: 1}
	if diff := cmp.Diff(want, got); !ok || err != nil || diff != "" {
		t.Errorf("%v, %v (-want +got)\n%s", ok, err, diff)
	}
}

// The images of a request are those of its own record, and no other request's.
func TestCOM16ImagesBelongToTheirRequest(t *testing.T) {
	d := newDaemon(t)
	j := engine.NewMemoryJournal()
	d.front.Record(j)
	for index, images := range [][][]byte{{[]byte("a")}, {[]byte("b"), []byte("c")}, nil} {
		in := fsm.Input{Fact: fsm.Requested{Request: d.key(string(rune('a' + index))), Text: "x", Images: images}}
		must(t, j.Append(engine.Batch{Records: []engine.Record{{Index: uint64(index + 1), Input: in}}}, true))
		got, err := d.client.Images(t.Context(), comm.Record{Index: uint64(index + 1)})
		if diff := cmp.Diff(images, got); diff != "" || err != nil {
			t.Errorf("request %d: %v\n%s", index+1, err, diff)
		}
	}
	if got, err := d.client.Images(t.Context(), comm.Record{Index: 2}); err != nil || len(got) != 2 {
		t.Errorf("an earlier request: %d images, %v", len(got), err)
	}
}

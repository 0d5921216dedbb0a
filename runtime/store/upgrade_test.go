package store_test

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/state"
	"shelly/runtime/store"
)

// older is the content of a store of an older format: requests at the odd records, the latest not
// answered, a snapshot after record 4, and from format 2 on a name, a message, an audit record and
// a session.
type older struct {
	format   uint32
	records  []engine.Record
	requests []engine.Request // in the order of ids, which is not that of the records
	snapshot state.Snapshot
}

func newOlder(format uint32) older {
	o := older{format: format, snapshot: state.Snapshot{Lifecycle: state.Serving, Now: 4}}
	for index := uint64(1); index <= 7; index++ {
		r := record(index)
		if index%2 == 1 {
			key := fsm.RequestKey{Channel: "http", ID: fmt.Sprint(9 - index)}
			r.Input = fsm.Input{At: fsm.Millis(index), Fact: fsm.Requested{Request: key, Text: "question"}}
			request := engine.Request{Key: key, Handle: fsm.HandleID(index), Text: "question", Accepted: fsm.Millis(index)}
			if index < 7 {
				request.Done, request.Replied, request.Reply = true, fsm.Millis(index+1), "answer"
			}
			o.requests = append([]engine.Request{request}, o.requests...)
		}
		o.records = append(o.records, r)
	}
	return o
}

// write makes the store with the layout of its format.
func (o older) write(db *pebble.DB) error {
	b := db.NewBatch()
	var failed error
	put := func(key, body []byte) {
		sum := crc32.Update(crc32.Checksum(key, crc32.MakeTable(crc32.Castagnoli)), crc32.MakeTable(crc32.Castagnoli), body)
		failed = errors.Join(failed, b.Set(key, append(binary.BigEndian.AppendUint32(nil, sum), body...), nil))
	}
	text := func(v any, without ...string) []byte {
		data, err := json.Marshal(v)
		if len(without) > 0 { // what that version did not have
			fields := map[string]any{}
			err = errors.Join(err, json.Unmarshal(data, &fields))
			for _, name := range without {
				delete(fields, name)
			}
			data, _ = json.Marshal(fields)
		}
		failed = errors.Join(failed, err)
		return data
	}
	failed = b.Set([]byte("Mformat"), binary.BigEndian.AppendUint32(nil, o.format), nil)
	for _, r := range o.records {
		input, err := fsm.MarshalInput(r.Input)
		failed = errors.Join(failed, err)
		put(recordKey(r.Index), append(number(r.Effects), input...))
	}
	for _, r := range o.requests {
		put(append([]byte("R\x00\x00\x00\x00\x00\x00\x00\x04http"), r.Key.ID...), text(r, "index"))
	}
	put([]byte("S"), append(number(4), text(o.snapshot)...))
	put([]byte("Eh1"), text(fsm.Entry{ID: "h1", Summary: "kept"}))
	if o.format > 1 {
		put([]byte("Mname"), []byte("ABCDEFGH"))
		put(append([]byte("P\x00\x00\x00\x01c"), number(7)...), text(engine.Message{Position: 7, SendMessage: fsm.SendMessage{To: fsm.Origin{Channel: "c"}}}))
		put(append([]byte("A"), number(8)...), text(engine.Audit{Position: 8, Audit: fsm.Audit{Session: "s"}}))
		put(append([]byte("a\x00\x00\x00\x01s"), number(8)...), nil)
		put([]byte("Cs"), []byte("state"))
		put(append([]byte("H\x00\x00\x00\x01s"), number(1)...), []byte("part"))
	}
	return errors.Join(failed, db.Apply(b, pebble.Sync))
}

// check fails t unless s, which has been opened and upgraded, holds everything that the older store
// held.
func (o older) check(t *testing.T, s *store.Store) {
	t.Helper()
	var records []engine.Record
	err := s.Replay(0, func(r engine.Record) error { records = append(records, r); return nil })
	if diff := cmp.Diff(o.records, records); diff != "" || err != nil {
		t.Errorf("records, error %v (-want +got):\n%s", err, diff)
	}
	var want []engine.Request // latest first
	for i, r := range o.requests {
		r.Index = uint64(7 - 2*i)
		want = append(want, r)
	}
	got, err := s.Requests(math.MaxUint64, 9)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("requests, error %v (-want +got):\n%s", err, diff)
	}
	index, snapshot, err := s.Snapshot(math.MaxUint64)
	if diff := cmp.Diff(o.snapshot, snapshot); index != 4 || diff != "" || err != nil {
		t.Errorf("snapshot at %d, error %v (-want +got):\n%s", index, err, diff)
	}
	kept, err := s.Kept()
	if diff := cmp.Diff(engine.Kept{First: 1, Last: 7, Bytes: kept.Bytes, Snapshots: []uint64{4}}, kept); diff != "" || kept.Bytes == 0 || err != nil {
		t.Errorf("kept, error %v (-want +got):\n%s", err, diff)
	}
	entries := 0
	if err := s.Entries(func(fsm.Entry) error { entries++; return nil }); err != nil || entries != 1 {
		t.Errorf("%d entries, %v", entries, err)
	}
	if o.format == 1 {
		if s.Name() == "" {
			t.Error("the store has no name")
		}
		return
	}
	messages, err := s.Messages(fsm.Origin{Channel: "c"}, 0, 9)
	audit, failed := s.Audit("s", 0, 9)
	session, none := s.Session("s")
	if err := errors.Join(err, failed, none); err != nil || len(messages) != 1 || len(audit) != 1 || string(session) != "state" || s.Name() != "ABCDEFGH" {
		t.Errorf("%d messages, %d audit records, session %q, name %q, %v", len(messages), len(audit), session, s.Name(), err)
	}
}

func formats(t *testing.T, run func(*testing.T, older)) {
	for _, format := range []uint32{1, 2} {
		t.Run(fmt.Sprint("format ", format), func(t *testing.T) { run(t, newOlder(format)) })
	}
}

// A store of an older format is upgraded to the present one with all that it holds, and can then be
// trimmed by what the old format did not record.
func TestJRN15AnOlderFormatIsUpgraded(t *testing.T) {
	formats(t, func(t *testing.T, o older) {
		fs := vfs.NewMem()
		edit(t, fs, dir, o.write)
		for range 2 { // the second time it has the present format
			s := open(t, dir, store.Options{FS: fs})
			o.check(t, s)
			end(t, &s)
		}
		s := open(t, dir, store.Options{FS: fs})
		defer end(t, &s)
		got, err := s.Trim(engine.Keep{Since: 100})
		if want := (engine.Trimmed{Records: 4, Requests: 3}); err != nil || got.Records != want.Records || got.Requests != want.Requests {
			t.Errorf("trimmed %+v, %v; want %+v", got, err, want)
		}
		if left, err := s.Requests(math.MaxUint64, 9); err != nil || len(left) != 1 || left[0].Done {
			t.Errorf("requests %+v, %v; want the one that waits", left, err)
		}
	})
}

// A power cut at any sync of the upgrade leaves the old store or the new one.
func TestJRN15AnUpgradeThatIsCutOffIsDoneAgain(t *testing.T) {
	formats(t, func(t *testing.T, o older) {
		for at := int64(1); ; at++ {
			fs := vfs.NewCrashableMem()
			edit(t, fs, dir, o.write)
			counter := &faults{at: at, err: errorfs.ErrInjected}
			s, err := store.Open(dir, store.Options{FS: errorfs.Wrap(fs, counter)})
			cut := fs.CrashClone(vfs.CrashCloneCfg{})
			if err == nil { // the failure is in closing, or there is none
				_ = s.Close()
			}
			s = open(t, dir, store.Options{FS: cut})
			o.check(t, s)
			end(t, &s)
			if counter.syncs.Load() < at {
				if at < 4 {
					t.Errorf("only %d syncs: the upgrade is not reached", at-1)
				}
				return
			}
		}
	})
}

func TestEachFormatStandsInTheDocumentOnDeploying(t *testing.T) {
	text, err := os.ReadFile("../../docs/deploying.md")
	if err != nil {
		t.Fatal(err)
	}
	for format := 1; format <= store.Format; format++ {
		row := fmt.Sprintf("\n| %d | ", format)
		if format == store.Format {
			row += "nothing; this is the current format |"
		}
		if !strings.Contains(string(text), row) {
			t.Errorf("docs/deploying.md does not have the row %q", row)
		}
	}
}

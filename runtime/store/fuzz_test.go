package store

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/machine"
)

// A sealed value is read as it is; with any byte changed, under another key or cut short it is an
// error, never another value.
func FuzzUnseal(f *testing.F) {
	f.Add([]byte("J\x00\x00\x00\x00\x00\x00\x00\x01"), []byte(`{"kind":"stored"}`), uint(0), byte(1))
	f.Add([]byte("S"), []byte{}, uint(3), byte(0x80))
	f.Add([]byte{}, []byte("body"), uint(99), byte(0))
	f.Fuzz(func(t *testing.T, key, body []byte, at uint, flip byte) {
		value := Sealed(key, body)
		got, err := unseal(key, value, "it")
		if err != nil || !bytes.Equal(got, body) {
			t.Fatalf("%q is read as %q, %v", body, got, err)
		}
		refused := func(key, value []byte) {
			t.Helper()
			if got, err := unseal(key, value, "it"); !errors.Is(err, ErrCorrupt) {
				t.Errorf("%x under %x is read as %q, %v", value, key, got, err)
			}
		}
		if flip != 0 {
			damaged := bytes.Clone(value)
			damaged[at%uint(len(value))] ^= flip
			refused(key, damaged)
			if len(key) > 0 {
				other := bytes.Clone(key)
				other[at%uint(len(key))] ^= flip
				refused(other, value)
			}
		}
		refused(key, value[:min(int(at%4), len(value))])
		if opened, err := unseal(key, body, "it"); err == nil && !bytes.Equal(Sealed(key, opened), body) {
			t.Errorf("%x was never sealed and is read as %q", body, opened)
		}
	})
}

// Whatever is stored under the keys of a store, each reader returns ErrCorrupt or a value that can
// be written and read back the same; what is not sealed is always an error.
func FuzzStoredValues(f *testing.F) {
	for kind, bodies := range [][]string{
		{`{"kind":"stored","call":3}`, `{"kind":"dreamt"}`}, {"\x00\x00\x00\x00\x00\x00\x00\x02{\"lifecycle\":\"serving\"}", "short"},
		{`{"key":{"id":"r"},"done":true,"reply":"x"}`, `{"key":7}`}, {`{"id":"h1","vector":"AAAA"}`, `{"at":"now"}`},
		{`{"position":1,"text":"x","to":{"channel":"c"}}`, `null`}, {`{"position":1,"tool":"exec"}`, `[]`},
	} {
		for _, body := range bodies {
			f.Add(byte(kind), []byte(body), true)
			f.Add(byte(kind), []byte(body), false)
		}
	}
	s, err := Open("data", Options{FS: vfs.NewMem()})
	if err != nil {
		f.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	f.Fuzz(func(t *testing.T, kind byte, body []byte, sealed bool) {
		r := readers()[int(kind)%len(readers())]
		value := body
		if sealed {
			if r.effects {
				body = append(make([]byte, 8), body...)
			}
			value = Sealed(r.key, body)
		}
		if err := s.db.Set(r.key, value, pebble.NoSync); err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := s.db.Delete(r.key, pebble.NoSync); err != nil {
				t.Fatal(err)
			}
		}()
		err := r.read(s)
		_, opened := unseal(r.key, value, "it")
		switch {
		case err != nil && !errors.Is(err, ErrCorrupt):
			t.Errorf("under %q: %v, want ErrCorrupt", r.key, err)
		case err == nil && opened != nil:
			t.Errorf("%x under %q is not sealed and is read", value, r.key)
		}
		for _, other := range readers() {
			if !bytes.Equal(other.key, r.key) {
				if err := other.read(s); err != nil {
					t.Errorf("what stands under %q spoils %q: %v", r.key, other.key, err)
				}
			}
		}
	})
}

// reader reads what is stored under a key.
type reader struct {
	key     []byte
	effects bool // a hash of effects precedes the body
	read    func(*Store) error
}

func readers() []reader {
	return []reader{
		{recordKey(1), true, func(s *Store) error {
			return s.Replay(0, func(r engine.Record) error {
				_, err := fsm.MarshalInput(r.Input)
				return err
			})
		}},
		{snapshotKey(1), false, func(s *Store) error {
			_, snapshot, err := s.Snapshot(math.MaxUint64)
			machine.Restore(snapshot)
			return err
		}},
		{requestKey(fsm.RequestKey{ID: "r"}), false, func(s *Store) error { _, _, err := s.Request(fsm.RequestKey{ID: "r"}); return err }},
		{entryKey("h1"), false, func(s *Store) error { return s.Entries(func(fsm.Entry) error { return nil }) }},
		{numbered(kindMessage, "c", 1), false, func(s *Store) error { _, err := s.Messages(fsm.Origin{Channel: "c"}, 0, 9); return err }},
		{auditKey(1), false, func(s *Store) error { _, err := s.Audit("", 0, 9); return err }},
		{sessionKey("s"), false, func(s *Store) error { return s.Sessions(func(string, []byte) error { return nil }) }},
		{numbered(kindArchive, "s", 1), false, func(s *Store) error { return s.Archived("s", 0, 9, func(uint64, []byte) error { return nil }) }},
	}
}

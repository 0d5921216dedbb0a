package store

import (
	"errors"
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"shelly/runtime/store/table"
)

// Compacted waits until a compaction that a trim has started is over.
func (s *Store) Compacted() { s.compact.running.Wait() }

// Disk returns the file system through which the store works.
func (s *Store) Disk() vfs.FS { return s.fs }

// Seen returns the file system that Pebble sees.
func (s *Store) Seen() vfs.FS { return disk{s.fs, s.failure, s.ballast} }

// Flush writes what is in memory to a table.
func (s *Store) Flush() error { return s.db.Flush() }

// Compactions returns how many compactions have begun.
func (s *Store) Compactions() int64 {
	c := s.db.Metrics().Compact
	return c.DefaultCount + c.MoveCount + c.NumInProgress
}

// TablesKnown returns how many tables an opening knew the ends of.
func (s *Store) TablesKnown() int { return len(s.tails) }

// TablesAbove returns how many levels of overlapping tables there are among those written last.
func (s *Store) TablesAbove() int32 { return s.db.Metrics().Levels[0].Sublevels }

// CompactTables compacts all tables, until it meets damage.
func (s *Store) CompactTables() error {
	s.compact.release()
	err := s.db.Compact(s.compact.ctx, []byte{0}, []byte{0xff}, false)
	if s.compact.off() {
		return corrupt("the tables are not compacted", fmt.Sprint(err))
	}
	return err
}

// ForgetLengths leaves the texts as a version of shelly wrote them that stored no lengths.
func (s *Store) ForgetLengths() error {
	batch := s.db.NewBatch()
	err := s.scan([]byte{kindTextAt}, []byte{kindTextAt + 1}, func(key []byte, v stored) error {
		body, err := v.body(key, "a text's time")
		if err != nil {
			return err
		}
		return set(batch, key, body[:timeBytes])
	})
	return errors.Join(err, s.db.Apply(batch, pebble.Sync))
}

// CheckReferences checks that each value's references have their marks, that exactly the texts that
// are referred to exist, and that no mark is left of a value that does not exist (JRN-34).
func (s *Store) CheckReferences() error {
	wanted, texts, wrong := map[string]bool{}, map[string]bool{}, []error{}
	err := s.scan([]byte{kindReference + 1}, nil, func(key []byte, v stored) error {
		if _, _, err := sound(key, v); err != nil {
			return err
		}
		for _, r := range refsIn(key, v.value) {
			wanted[string(referenceKey(r.Number, key))] = true
			texts[string(onceKey(r.Number))] = true
		}
		return nil
	})
	for _, set := range []struct {
		kind   byte
		wanted map[string]bool
	}{{kindReference, wanted}, {kindOnce, texts}} {
		err = errors.Join(err, s.scan([]byte{set.kind}, []byte{set.kind + 1}, func(key []byte, _ stored) error {
			if !set.wanted[string(key)] {
				wrong = append(wrong, fmt.Errorf("%s is there, and nothing wants it", nameOf(key)))
			}
			delete(set.wanted, string(key))
			return nil
		}))
		for key := range set.wanted {
			wrong = append(wrong, fmt.Errorf("%s is missing", nameOf([]byte(key))))
		}
	}
	return errors.Join(err, errors.Join(wrong...))
}

// OnceKey returns the key of the text with a number.
func OnceKey(number uint64) []byte { return onceKey(number) }

// Sealed returns the value that holds body under key.
func Sealed(key, body []byte) []byte {
	value := make([]byte, sumBytes+len(body))
	seal(value, key, body)
	return value
}

// Once returns how many texts are kept once, and how many bytes that takes.
func (s *Store) Once() (texts, kept int, err error) {
	err = s.scan([]byte{kindOnce}, []byte{kindOnce + 1}, func(_ []byte, v stored) error {
		texts, kept = texts+1, kept+len(v.value)-sumBytes
		return nil
	})
	return texts, kept, err
}

// SnapshotBytes returns the total size of the snapshots, without the texts that they refer to.
func (s *Store) SnapshotBytes() (n int64, err error) {
	err = s.scan([]byte{kindSnapshot}, []byte{kindSnapshot + 1}, func(_ []byte, v stored) error {
		n += int64(len(v.value)) - sumBytes
		return nil
	})
	return n, err
}

// Compacts reports whether tables that hold a key are compacted once entries were forgotten; see
// forgottenSpans.
func Compacts(key []byte, ids []string, keys [][]byte, indexed bool, texts [][]byte) bool {
	return slices.ContainsFunc(forgottenSpans(ids, keys, indexed, texts), func(s table.Span) bool { return s.Meets(key, table.After(key)) })
}

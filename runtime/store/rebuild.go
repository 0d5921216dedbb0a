package store

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"shelly/fsm"
	"shelly/fsm/engine"
)

// Rebuilt says what a store made of a [Wreck] lacks of the original.
type Rebuilt struct {
	// Known is the last record that anything in the wreck mentions.
	Known uint64
	// Whole says that nothing after the last record can be missing: there is an anchor that says
	// how far the journal reached, and either the journal was closed there or every file is
	// readable.
	Whole bool
	// Lost names what is gone.
	Lost []string
	// Held says what a damaged block may have held, judging by the keys around it.
	Held []string
	// LeftOut is what could be read but is useless without what was lost.
	LeftOut []string
	// Requests are those whose record is gone but whose place is not.
	Requests []fsm.RequestKey
}

// batchBytes is how much is written in one batch.
const batchBytes = 1 << 20

// rebuilding is a store being filled.
type rebuilding struct {
	*Store
	out     *Rebuilt
	batch   *pebble.Batch
	seen    uint64   // the last record that was found
	lacking []uint64 // the records that lack a text; most are named with the gaps that they leave
	once    bool     // there are shared texts that are not flushed yet
}

// Rebuild makes a store in dir of what can be read: each value that is as it was written, the
// longest part of the journal that can be folded to its end, and new places, orders and references
// for what remains. The store is open; its Close makes it durable.
func (w *Wreck) Rebuild(ctx context.Context, dir string, o Options) (s *Store, out Rebuilt, err error) {
	if s, err = Open(dir, o); err != nil {
		return nil, out, err
	}
	b := &rebuilding{Store: s, out: &out, batch: s.db.NewBatch()}
	if w.anchor != nil {
		b.name = w.anchor.Store
	}
	for _, span := range w.found.Spans {
		out.Held = append(out.Held, held(span)...)
	}
	if err = w.found.Each(ctx, b.take); err == nil {
		err = b.flush(true)
	}
	if err == nil {
		err = errors.Join(b.journal(), b.requests(), b.audit(), b.archives(), b.texts(), set(b.batch, nameKey(), []byte(b.name)))
	}
	if err == nil {
		err = b.flush(true)
	}
	if err == nil {
		err = b.references()
	}
	if err == nil {
		err = errors.Join(s.findNumbers(), s.findEnds())
	}
	if err != nil {
		return nil, out, errors.Join(err, s.Close())
	}
	_, end := s.extent.ends()
	if w.anchor != nil {
		out.Known = max(out.Known, w.anchor.Last)
		out.Whole = out.Known <= end && (len(w.anchor.Sealed) > 0 || !w.found.Unreadable)
	}
	if seen := max(b.seen, end); seen < out.Known {
		out.Lost = append(out.Lost, numbers("journal record", seen+1, out.Known))
	}
	slices.Sort(out.Held)
	out.Held = append(slices.Compact(out.Held), w.found.Blank...)
	return s, out, nil
}

// take writes a value if it is as it was written.
func (b *rebuilding) take(key, value []byte) error {
	switch {
	case key[0] == kindIndex, key[0] == kindReference: // these are rebuilt
		return nil
	case key[0] == kindOnce:
		b.once = true
	case b.once: // the values that refer to the texts come next, and need them
		b.once = false
		if err := b.flush(true); err != nil {
			return err
		}
	}
	what, body, err := sound(key, stored{value, b.Store, nil})
	switch {
	case errors.Is(err, ErrNewerFormat):
		return err
	case err != nil && key[0] == kindOnce: // each value that refers to it is reported as lost
		return nil
	case errors.Is(err, errText) && key[0] == kindRecord: // all but the text is as it was written
		b.out.Known = max(b.out.Known, numberOf(key))
		b.lacking = append(b.lacking, numberOf(key))
		return nil
	case err != nil:
		b.out.Lost = append(b.out.Lost, what)
		return nil
	case string(key) == string(formatKey()):
		if format, _ := version(value); format < alike {
			return fmt.Errorf("%w, and one of format %d cannot be repaired: restore a backup", ErrOlderFormat, format)
		}
		return nil
	case string(key) == string(nameKey()):
		b.name = string(body)
		return nil
	}
	switch key[0] {
	case kindRecord, kindSnapshot, kindRequestAt:
		b.out.Known = max(b.out.Known, numberOf(key))
	case kindAudit, kindMessage, kindAuditOf:
		b.out.Known = max(b.out.Known, engine.IndexOf(numberOf(key)))
	case kindForgotten: // a forgotten entry must not come back, even if its deletion was lost
		if err := b.batch.Delete(entryKey(string(key[1:])), nil); err != nil {
			return err
		}
	}
	if err := b.batch.Set(key, value, nil); err != nil {
		return err
	}
	return b.flush(b.batch.Len() >= batchBytes)
}

// flush writes the batch, if now is true.
func (b *rebuilding) flush(now bool) error {
	if !now {
		return nil
	}
	if err := b.commit(b.batch, false); err != nil {
		return err
	}
	b.batch = b.db.NewBatch()
	return nil
}

// run is a sequence of records without a gap.
type run struct{ first, last uint64 }

// runs returns the runs of records of a kind whose keys are a number.
func (b *rebuilding) runs(kind byte) (list []run, err error) {
	err = b.scan([]byte{kind}, []byte{kind + 1}, func(key []byte, _ stored) error {
		index := numberOf(key)
		if n := len(list); n > 0 && list[n-1].last+1 == index {
			list[n-1].last = index
		} else {
			list = append(list, run{index, index})
		}
		return nil
	})
	return list, err
}

// journal keeps the records and snapshots that form a journal: of the runs that can be folded from
// a snapshot or from the first record, the one that reaches farthest, from the earliest start that
// reaches as far.
func (b *rebuilding) journal() error {
	records, err := b.runs(kindRecord)
	if err != nil {
		return err
	}
	cuts, err := b.cuts()
	if err != nil {
		return err
	}
	bases := []uint64{0}
	for _, c := range cuts {
		bases = append(bases, c.Index)
	}
	base, last := uint64(0), uint64(0)
	for _, from := range bases {
		to := from
		for _, r := range records {
			if r.first <= from+1 && from+1 <= r.last {
				to = r.last
			}
		}
		if to > last {
			base, last = from, to
		}
	}
	first := base + 1
	if len(records) > 0 {
		first = records[0].first
	}
	b.before(first, slices.Contains(bases, first-1))
	b.judge(records, base, last)
	err = errors.Join(
		b.batch.DeleteRange(recordKey(last+1), []byte{kindRecord + 1}, nil), b.batch.DeleteRange(snapshotKey(last+1), []byte{kindSnapshot + 1}, nil),
	)
	if base > 0 {
		err = errors.Join(err, b.batch.DeleteRange(recordKey(0), recordKey(base+1), nil), b.batch.DeleteRange(snapshotKey(0), snapshotKey(base), nil))
	}
	return err
}

// before notes what is lost before the first record that there is, or before all that could follow a
// snapshot; whole says that a snapshot stands for it.
func (b *rebuilding) before(first uint64, whole bool) {
	if !whole {
		b.out.Lost = append(b.out.Lost, fmt.Sprintf("the journal records before %d, or the snapshot that stood for them", first))
		return
	}
	for _, index := range b.lacking {
		if index < first {
			b.out.Lost = append(b.out.Lost, recordName(index))
		}
	}
}

// judge notes which records are lost, and which are left out if those after base up to last are
// kept.
func (b *rebuilding) judge(records []run, base, last uint64) {
	next := uint64(0) // the one after the previous run
	for _, r := range records {
		if next > 0 {
			b.out.Lost = append(b.out.Lost, numbers("journal record", next, r.first-1))
		}
		next, b.seen = r.last+1, r.last
		for _, out := range []run{{r.first, min(r.last, base)}, {max(r.first, last+1), r.last}} {
			if out.first <= out.last {
				b.out.LeftOut = append(b.out.LeftOut, numbers("journal record", out.first, out.last))
			}
		}
	}
}

// requests gives each request its place, and drops the places of requests that are gone.
func (b *rebuilding) requests() error {
	err := b.scan([]byte{kindRequest}, []byte{kindRequest + 1}, func(key []byte, v stored) error {
		r, err := decode[engine.Request](key, v, nameOf(key))
		if err != nil {
			return err
		}
		b.out.Known = max(b.out.Known, r.Index)
		return set(b.batch, requestAtKey(r.Index), key)
	})
	if err != nil {
		return err
	}
	return b.scan([]byte{kindRequestAt}, []byte{kindRequestAt + 1}, func(key []byte, v stored) error {
		at, err := v.body(key, nameOf(key))
		if err != nil {
			return err
		}
		if body, err := b.get(at, nameOf(at)); err != nil || body != nil {
			return err
		}
		b.out.Requests = append(b.out.Requests, keyOf(at))
		return b.batch.Delete(key, nil)
	})
}

// keyOf returns the request that requestKey made a key of.
func keyOf(key []byte) (k fsm.RequestKey) {
	if principal, rest, ok := part(key[1:]); ok {
		if channel, id, ok := part(rest); ok {
			return fsm.RequestKey{Principal: string(principal), Channel: string(channel), ID: string(id)}
		}
	}
	return k
}

// audit gives each audit record its place in its session, and drops the places of records that are
// gone.
func (b *rebuilding) audit() error {
	err := b.scan([]byte{kindAudit}, []byte{kindAudit + 1}, func(key []byte, v stored) error {
		a, err := decode[engine.Audit](key, v, nameOf(key))
		if err != nil {
			return err
		}
		return set(b.batch, numbered(kindAuditOf, a.Session, a.Position), nil)
	})
	if err != nil {
		return err
	}
	return b.scan([]byte{kindAuditOf}, []byte{kindAuditOf + 1}, func(key []byte, _ stored) error {
		at := auditKey(numberOf(key))
		if body, err := b.get(at, nameOf(at)); err != nil || body != nil {
			return err
		}
		return b.batch.Delete(key, nil)
	})
}

// archives closes the gaps in the archives of sessions: the last parts keep their numbers, and
// those before a gap move up to it.
func (b *rebuilding) archives() error {
	var ids []string
	if err := b.Archives(func(id string) error { ids = append(ids, id); return nil }); err != nil {
		return err
	}
	for _, id := range ids {
		if err := b.archive(id); err != nil {
			return err
		}
	}
	return nil
}

func (b *rebuilding) archive(id string) error {
	prefix := appendPart([]byte{kindArchive}, id)
	var parts []uint64
	err := b.scan(prefix, prefixEnd(prefix), func(key []byte, _ stored) error {
		if n := numberOf(key); n > 0 {
			parts = append(parts, n)
		}
		return nil
	})
	n := uint64(len(parts))
	if err != nil || n == 0 || parts[n-1]-parts[0] == n-1 {
		return err
	}
	for i := len(parts) - 2; i >= 0; i-- {
		place := parts[n-1] - (n - 1 - uint64(i))
		if parts[i] == place {
			continue
		}
		if err := b.move(numbered(kindArchive, id, parts[i]), numbered(kindArchive, id, place)); err != nil {
			return err
		}
	}
	b.out.Lost = append(b.out.Lost, fmt.Sprintf("%d parts of the archive of session %q", parts[n-1]-parts[0]+1-n, id))
	return set(b.batch, numbered(kindArchive, id, 0), bigEndian(parts[n-1]-n))
}

// texts restores the time stored apart from each text, and drops the times of texts that are gone.
func (b *rebuilding) texts() error {
	err := b.scan([]byte{kindText}, []byte{kindText + 1}, func(key []byte, v stored) error {
		k, err := textKeyOf(key)
		if err != nil {
			return err
		}
		body, err := v.body(key, nameOf(key))
		if err != nil {
			return err
		}
		at, text, err := textIn(body, textName(k))
		if err != nil {
			return err
		}
		return set(b.batch, textAtKey(k), textTime(at, len(text)))
	})
	if err != nil {
		return err
	}
	return b.scan([]byte{kindTextAt}, []byte{kindTextAt + 1}, func(key []byte, _ stored) error {
		k, err := textKeyOf(key)
		if err != nil {
			return err
		}
		if _, there, err := b.Text(k); err != nil || there {
			return err
		}
		return b.batch.Delete(key, nil)
	})
}

// move moves a value, unchanged, to another key.
func (b *rebuilding) move(from, to []byte) error {
	value, closer, err := b.db.Get(from)
	if err != nil {
		return classify(err)
	}
	body, err := unseal(from, value, nameOf(from))
	if err == nil {
		err = errors.Join(set(b.batch, to, body), b.batch.Delete(from, nil))
	}
	return errors.Join(err, closer.Close())
}

// references writes the references to texts for all values that remain, and drops the texts that
// nothing refers to.
func (b *rebuilding) references() error {
	err := b.scan([]byte{kindReference + 1}, nil, func(key []byte, v stored) error {
		for _, r := range refsIn(key, v.value) {
			if err := set(b.batch, referenceKey(r.Number, key), nil); err != nil {
				return err
			}
		}
		return b.flush(b.batch.Len() >= batchBytes)
	})
	if err == nil {
		err = b.flush(true)
	}
	if err != nil {
		return err
	}
	it, err := b.db.NewIter(&pebble.IterOptions{LowerBound: []byte{kindReference}, UpperBound: []byte{kindReference + 1}})
	if err != nil {
		return classify(err)
	}
	err = b.scan([]byte{kindOnce}, []byte{kindOnce + 1}, func(key []byte, _ stored) error {
		if (&change{number: numberOf(key)}).referred(it) {
			return nil
		}
		return b.batch.Delete(key, nil)
	})
	if err = errors.Join(err, it.Close()); err != nil {
		return err
	}
	return b.flush(true)
}

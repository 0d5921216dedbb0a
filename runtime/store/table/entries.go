package table

import (
	"bytes"
	"context"
	"errors"
	"iter"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"
)

// Entry is one version of a key.
type Entry struct {
	Key, Value []byte
	Seq        uint64 // it grows with each write; 0: compaction found that nothing older is left
	Deleted    bool   // it says that the key is gone
}

// Deletion says that the keys of a span were dropped before a write.
type Deletion struct {
	Span
	Seq uint64
}

// Entries yields all versions of all keys that can be read around the damaged blocks, in
// the order of the keys, the latest of each first. An error is the last that is yielded.
func (t *Table) Entries(ctx context.Context, bad []Block) iter.Seq2[Entry, error] {
	spans := make([]Span, len(bad))
	for i, b := range bad {
		spans[i] = b.Keys
	}
	return func(yield func(Entry, error) bool) {
		for _, gap := range Gaps(spans, nil, nil) {
			more, err := t.gap(ctx, gap, yield)
			// With the last keys before a damaged block the reader looks into that.
			if err != nil && (gap.To == nil || !pebble.IsCorruptionError(err)) {
				yield(Entry{}, err)
				return
			}
			if !more {
				return
			}
		}
	}
}

// gap yields what lies between damaged blocks, and reports whether more is wanted.
func (t *Table) gap(ctx context.Context, gap Span, yield func(Entry, error) bool) (more bool, err error) {
	it, err := t.reader.NewPointIter(ctx, sstable.IterOptions{
		Lower: gap.From, Upper: gap.To, FilterBlockSizeLimit: sstable.NeverUseFilterBlock, ReaderProvider: sstable.MakeTrivialReaderProvider(t.reader),
	})
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	for kv := it.First(); kv != nil; kv = it.Next() {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		value, _, err := kv.Value(nil)
		if err != nil {
			return false, err
		}
		if !yield(Entry{Key: bytes.Clone(kv.K.UserKey), Value: bytes.Clone(value), Seq: uint64(kv.SeqNum()), Deleted: deletes(kv.Kind())}, nil) {
			return false, nil
		}
	}
	return true, it.Error()
}

// Deletions returns the spans that the table says were dropped.
func (t *Table) Deletions(ctx context.Context) (list []Deletion, err error) {
	it, err := t.reader.NewRawRangeDelIter(ctx, sstable.NoFragmentTransforms, sstable.NoReadEnv)
	if err != nil || it == nil {
		return nil, err
	}
	defer it.Close()
	span, err := it.First()
	for ; span != nil && err == nil; span, err = it.Next() {
		list = append(list, Deletion{Span{bytes.Clone(span.Start), bytes.Clone(span.End)}, uint64(span.LargestSeqNum())})
	}
	return list, err
}

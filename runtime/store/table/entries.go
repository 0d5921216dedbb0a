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
	Seq        uint64 // grows with each write; 0: compaction found that nothing older is left
	Deleted    bool   // this version deletes the key
}

// Deletion says that the keys of a span were deleted, as of a write.
type Deletion struct {
	Span
	Seq uint64
}

// Entries yields all versions of all keys that can be read around the damaged blocks, in key order,
// the latest of each key first. An error is yielded last.
func (t *Table) Entries(ctx context.Context, bad []Block) iter.Seq2[Entry, error] {
	spans := make([]Span, len(bad))
	for i, b := range bad {
		spans[i] = b.Keys
	}
	return func(yield func(Entry, error) bool) {
		for _, gap := range Gaps(spans, nil, nil) {
			more, err := t.gap(ctx, gap, yield)
			// After the last keys of a gap the reader looks into the damaged block.
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

// gap yields what lies between damaged blocks, and reports whether the caller wants more.
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

// Deletions returns the spans that the table marks as deleted.
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

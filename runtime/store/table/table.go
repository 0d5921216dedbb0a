package table

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/sstable/block"
	"github.com/cockroachdb/pebble/v2/sstable/block/blockkind"
	"github.com/cockroachdb/pebble/v2/sstable/colblk"
	"github.com/cockroachdb/pebble/v2/vfs"

	"shelly/runtime/store/files"
)

// Table is a table that is read block by block.
type Table struct {
	Name   string
	reader *sstable.Reader
	file   vfs.File
	data   []Block
	rest   []Block // all other blocks
}

// Block is a part of a table with a checksum of its own.
type Block struct {
	Offset, Bytes uint64
	Keys          Span // only of a block of data
}

// Span is the keys in [From, To). A nil From is before all keys, a nil To after all.
type Span struct{ From, To []byte }

// After returns the first key after a key.
func After(key []byte) []byte { return append(bytes.Clone(key), 0) }

// trailerBytes is the length of what follows a block: how it is compressed, and its checksum.
const trailerBytes = block.TrailerLen

// ErrDamaged is the error of a table that cannot be read, whatever its data.
var ErrDamaged = errors.New("the table is damaged")

// Open reads all of a table except its data.
func Open(ctx context.Context, disk vfs.FS, dir, name string) (*Table, error) {
	f, err := disk.Open(disk.PathJoin(dir, name))
	if err != nil {
		return nil, err
	}
	t := &Table{Name: name, file: f}
	if err := t.open(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %s: %w", ErrDamaged, name, err), t.Close())
	}
	return t, nil
}

// open reads where the blocks are, the last key of each block of data, and all other blocks.
func (t *Table) open(ctx context.Context) (err error) {
	defer func() {
		if r := recover(); r != nil { // Pebble panics on properties that no table has
			err = fmt.Errorf("%v", r)
		}
	}()
	readable, err := sstable.NewSimpleReadable(files.Verified{File: t.file, Name: t.Name})
	if err != nil {
		return err
	}
	o := &pebble.Options{}
	o.EnsureDefaults()
	if t.reader, err = sstable.NewReader(ctx, readable, o.MakeReaderOptions()); err != nil {
		return err
	}
	l, err := t.reader.Layout()
	if err != nil {
		return err
	}
	if !l.Format.BlockColumnar() {
		return fmt.Errorf("its format %s is not one of shelly's", l.Format)
	}
	handles := append([]block.Handle{l.TopIndex, l.RangeDel, l.RangeKey, l.ValueIndex, l.Properties, l.MetaIndex, l.BlobReferenceIndex}, l.ValueBlock...)
	for _, f := range l.Filter {
		handles = append(handles, f.Handle)
	}
	for _, h := range append(handles, l.Index...) {
		if h.Length > 0 {
			t.rest = append(t.rest, Block{Offset: h.Offset, Bytes: h.Length})
		}
	}
	for _, h := range l.Index {
		if err := t.index(ctx, h); err != nil {
			return err
		}
	}
	for _, b := range t.rest {
		if err := t.check(b); err != nil {
			return err
		}
	}
	return nil
}

// index reads a block of the index.
func (t *Table) index(ctx context.Context, h block.Handle) error {
	read, err := t.reader.BlockReader().Read(ctx, block.NoReadEnv, nil, h, blockkind.Index, colblk.InitIndexBlockMetadata)
	if err != nil {
		return err
	}
	defer read.Release()
	var it colblk.IndexIter
	if err := it.Init(pebble.DefaultComparer, read.BlockData(), block.NoTransforms); err != nil {
		return err
	}
	for ok := it.First(); ok; ok = it.Next() {
		data, err := it.BlockHandleWithProperties()
		if err != nil {
			return err
		}
		b := Block{Offset: data.Offset, Bytes: data.Length, Keys: Span{To: After(it.Separator())}}
		if n := len(t.data); n > 0 {
			b.Keys.From = t.data[n-1].Keys.To
		}
		t.data = append(t.data, b)
	}
	return nil
}

// check reads a block and verifies its checksum.
func (t *Table) check(b Block) error {
	text := make([]byte, b.Bytes+trailerBytes)
	if _, err := t.file.ReadAt(text, int64(b.Offset)); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("block %d/%d: %w", b.Offset, b.Bytes, err)
	}
	if sum := text[b.Bytes+1:]; binary.LittleEndian.Uint32(sum) != files.Checksum(text[:b.Bytes+1]) {
		return fmt.Errorf("block %d/%d: it is not what was written", b.Offset, b.Bytes)
	}
	return nil
}

// Rest returns the offset of the first block that is not a block of data.
func (t *Table) Rest() int64 {
	from := uint64(0)
	for i, b := range t.rest {
		if i == 0 || b.Offset < from {
			from = b.Offset
		}
	}
	return int64(from)
}

// Data returns the blocks of data in the order of their keys.
func (t *Table) Data() []Block { return t.data }

// Damaged reads all data and returns the blocks that are not as they were written.
func (t *Table) Damaged(ctx context.Context) (bad []Block, err error) {
	for _, b := range t.data {
		if err := ctx.Err(); err != nil {
			return bad, err
		}
		if t.check(b) != nil {
			bad = append(bad, b)
		}
	}
	return bad, nil
}

// Blocks returns how many blocks the table has, and how many bytes they take.
func (t *Table) Blocks() (blocks int, bytes int64) {
	for _, b := range append(t.data[:len(t.data):len(t.data)], t.rest...) {
		blocks, bytes = blocks+1, bytes+int64(b.Bytes)+trailerBytes
	}
	return blocks, bytes
}

// Close closes the file.
func (t *Table) Close() error {
	if t.reader != nil {
		return t.reader.Close()
	}
	return t.file.Close()
}

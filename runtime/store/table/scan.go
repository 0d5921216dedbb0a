package table

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/sstable/block"
	"github.com/cockroachdb/pebble/v2/sstable/colblk"
	"github.com/cockroachdb/pebble/v2/vfs"

	"shelly/runtime/store/files"
)

// Scan reads the data of a table that [Open] cannot read. A table begins with its data: Scan reads
// block after block, each as long as its checksum confirms, up to the first that is damaged or is
// not a block of data. Of a file that cannot be read it returns nothing.
func Scan(disk vfs.FS, dir, name string) []Entry {
	text, err := files.Bytes(disk, disk.PathJoin(dir, name))
	if err != nil {
		return nil
	}
	var all []Entry
	for at := 0; ; {
		n := blockBytes(text[at:])
		if n == 0 {
			return all
		}
		entries, err := rows(text[at:at+n], block.CompressionIndicator(text[at+n]))
		if err != nil || len(entries) == 0 || len(all) > 0 && bytes.Compare(entries[0].Key, all[len(all)-1].Key) < 0 {
			return all
		}
		all, at = append(all, entries...), at+n+trailerBytes
	}
}

// blockBytes returns the length of the intact block at the start of text, or 0.
func blockBytes(text []byte) int {
	castagnoli := crc32.MakeTable(crc32.Castagnoli)
	sum := uint32(0)
	for n := 0; n+trailerBytes <= len(text); n++ {
		with := crc32.Update(sum, castagnoli, text[n:n+1]) // supposing that this byte says how the block is compressed
		if n > 0 && text[n] <= byte(block.SnappyCompressionIndicator) && files.Masked(with) == binary.LittleEndian.Uint32(text[n+1:]) {
			return n
		}
		sum = with
	}
	return 0
}

// rows returns the entries in a block of data.
func rows(text []byte, how block.CompressionIndicator) (list []Entry, err error) {
	defer func() {
		if r := recover(); r != nil { // Pebble panics on what is not a block of data
			err = fmt.Errorf("%v", r)
		}
	}()
	size, err := block.DecompressedLen(how, text)
	if err != nil {
		return nil, err
	}
	data := make([]byte, max(size, 8)) // at least 8 bytes, so that it is aligned
	if err := block.DecompressInto(how, text, data[:size]); err != nil {
		return nil, err
	}
	schema := colblk.DefaultKeySchema(pebble.DefaultComparer, 16)
	var decoder colblk.DataBlockDecoder
	decoder.Init(&schema, data[:size])
	var it colblk.DataBlockIter
	it.InitOnce(&schema, pebble.DefaultComparer, nil)
	if err := it.Init(&decoder, block.NoTransforms); err != nil {
		return nil, err
	}
	for kv := it.First(); kv != nil; kv = it.Next() {
		value, _, err := kv.Value(nil)
		if err != nil {
			return nil, err
		}
		e := Entry{Key: bytes.Clone(kv.K.UserKey), Value: bytes.Clone(value), Seq: uint64(kv.SeqNum()), Deleted: deletes(kv.Kind())}
		if n := len(list); len(e.Key) == 0 || n > 0 && bytes.Compare(e.Key, list[n-1].Key) < 0 {
			return nil, errors.New("its keys are not in order")
		}
		list = append(list, e)
	}
	return list, nil
}

// deletes reports whether a version of this kind deletes its key.
func deletes(kind pebble.InternalKeyKind) bool {
	return kind != pebble.InternalKeyKindSet && kind != pebble.InternalKeyKindSetWithDelete
}

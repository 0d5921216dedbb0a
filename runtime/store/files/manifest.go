package files

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// A manifest consists of chunks in blocks of 32 KiB, each with a head: a masked CRC-32C of type and
// content (4), the length of the content (2), the type (1). Integers are little-endian.
const (
	blockBytes = 32 << 10
	headBytes  = 7
	lastType   = 4 // the types are whole, first, middle and last
)

// The errors of a file that is not as it was written, where Pebble would go on.
var (
	ErrManifest = errors.New("the manifest is damaged")
	ErrLog      = errors.New("the log is damaged")
)

// CheckManifest reads a manifest to its end. Pebble takes the first damaged chunk for the end, and
// deletes the files that only later chunks name. Here that is an error, unless the file ends within
// the chunk or continues with zeros: a crash leaves such an end, in an entry that nothing depends
// on yet.
func CheckManifest(disk vfs.FS, name string) error {
	text, err := Bytes(disk, name)
	if err != nil {
		return err
	}
	if len(text) == 0 {
		return fmt.Errorf("%w: it is empty", ErrManifest)
	}
	for at := 0; at < len(text); {
		block := text[at:min(at+blockBytes-at%blockBytes, len(text))]
		n := chunk(block)
		switch {
		case n > 0:
			at += n
		case at == 0: // not even the first entry, which says whose manifest it is
			return fmt.Errorf("%w: its content at byte 0 of %d is not what was written", ErrManifest, len(text))
		case len(block) < headBytes || at+len(block) < len(text) && zero(block):
			at += len(block) // no chunk fits in the rest of the block
		case !torn(block, text[at:]):
			return fmt.Errorf("%w: its content at byte %d of %d is not what was written", ErrManifest, at, len(text))
		default:
			return nil
		}
	}
	return nil
}

// chunk returns the length of the intact chunk at the start of block, or 0.
func chunk(block []byte) int {
	if len(block) < headBytes || block[6] == 0 || block[6] > lastType {
		return 0
	}
	n := headBytes + int(binary.LittleEndian.Uint16(block[4:]))
	if n > len(block) || binary.LittleEndian.Uint32(block) != Checksum(block[6:n]) {
		return 0
	}
	return n
}

// torn reports whether a chunk that is not intact was never fully written: the file ends within it,
// it is not intact with another length, and no other chunk follows it.
func torn(block, rest []byte) bool {
	if zero(rest) {
		return true
	}
	if len(block) < len(rest) || headBytes+int(binary.LittleEndian.Uint16(block[4:])) <= len(block) {
		return false
	}
	if binary.LittleEndian.Uint32(block) == Checksum(block[6:]) {
		return false
	}
	for at := 1; at+headBytes <= len(block); at++ {
		if chunk(block[at:]) > headBytes {
			return false
		}
	}
	return true
}

func zero(text []byte) bool { return bytes.Count(text, []byte{0}) == len(text) }

// Checksum returns the checksum of a chunk or block, as LevelDB defines it.
func Checksum(text []byte) uint32 { return Masked(crc32.Checksum(text, castagnoli)) }

// Masked masks a CRC-32C as LevelDB does.
func Masked(c uint32) uint32 { return (c>>15 | c<<17) + 0xa282ead8 }

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Bytes reads a whole file.
func Bytes(disk vfs.FS, name string) (text []byte, err error) {
	f, err := disk.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return io.ReadAll(f)
}

// Sum returns the length and the CRC-32C of a whole file. It does not hold all of it in memory: a
// log has megabytes.
func Sum(disk vfs.FS, name string) (bytes int64, sum uint32, err error) {
	f, err := disk.Open(name)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	part := make([]byte, 64<<10)
	for {
		n, err := f.Read(part)
		bytes, sum = bytes+int64(n), crc32.Update(sum, castagnoli, part[:n])
		switch {
		case errors.Is(err, io.EOF):
			return bytes, sum, nil
		case err != nil:
			return bytes, sum, err
		}
	}
}

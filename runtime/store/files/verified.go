package files

import (
	"encoding/binary"
	"fmt"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// Verified is a table's file for a reader of Pebble's, which reads whole blocks: a large block is
// verified as it is read. Pebble would find out as well, but then flips each bit of the first 40 KiB
// of the block and takes the checksum again, in search of one that had been flipped. With a block
// of 1 MiB that takes half a minute, each time the block is read.
type Verified struct {
	vfs.File
	Name string // without its folder
}

// verifiedMin is the length of the shortest read that is verified, in bytes. What Pebble reads of a
// table that is not a block is shorter.
const verifiedMin = 1 << 10

// checksumBytes is the length of the checksum that ends a block.
const checksumBytes = 4

// ReadAt implements vfs.File.
func (v Verified) ReadAt(p []byte, offset int64) (int, error) {
	n, err := v.File.ReadAt(p, offset)
	if err != nil || len(p) < verifiedMin {
		return n, err
	}
	if end := len(p) - checksumBytes; binary.LittleEndian.Uint32(p[end:]) != Checksum(p[:end]) {
		err = fmt.Errorf("%w: %s: the block at byte %d is not what was written", pebble.ErrCorruption, v.Name, offset)
	}
	return n, err
}

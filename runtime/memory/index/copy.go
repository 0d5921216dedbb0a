package index

import (
	"encoding/binary"
	"hash/crc32"
	"math"
)

// sumBytes is the length of a checksum.
const sumBytes = 4

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// CopyBytes is the length of the copy of a row.
func CopyBytes(dimensions int) int { return sumBytes + dimensions }

// AppendCopy appends the copy of a row: a CRC-32C(4) of slot and scale, encoded as in a head, and
// numbers; then the numbers.
func AppendCopy(b []byte, slot uint32, scale float32, numbers []byte) []byte {
	b = binary.LittleEndian.AppendUint32(b, copySum(slot, scale, numbers))
	return append(b, numbers...)
}

// ReadCopy returns the numbers of a copy, or false if it is not a copy of the row with this slot
// and scale.
func ReadCopy(value []byte, slot uint32, scale float32) (numbers []byte, ok bool) {
	numbers = value[sumBytes:]
	return numbers, binary.LittleEndian.Uint32(value) == copySum(slot, scale, numbers)
}

func copySum(slot uint32, scale float32, numbers []byte) uint32 {
	var head [headBytes]byte
	binary.LittleEndian.PutUint32(head[:], slot)
	binary.LittleEndian.PutUint32(head[4:], math.Float32bits(scale))
	return crc32.Update(crc32.Checksum(head[:], castagnoli), castagnoli, numbers)
}

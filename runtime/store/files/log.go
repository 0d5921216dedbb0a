package files

import (
	"bytes"
	"encoding/binary"
)

// A log consists of chunks in blocks as a manifest does, but with other types. After the type comes
// the number of the log (4), which tells apart what an earlier log left in a file that is reused;
// today's logs have an offset (8) after that.
const (
	logType      = 5 // the first type that has a number
	offsetType   = 9 // the first type that has an offset too
	lastLogType  = 12
	numberBytes  = 4
	offsetBytes  = 8
	chunkTypes   = 4 // for each kind of head: whole, first, middle, last
	logHeadBytes = headBytes + numberBytes
)

// The place of a chunk in its record.
const (
	wholeChunk = iota
	firstChunk
	middleChunk
	lastChunk
)

// Range is the part of a file from byte From up to, and without, byte To.
type Range struct{ From, To int }

// ReadLog reads the log with a number, past all that is damaged. It returns, in order, the records
// that are whole and as they were written, and what is damaged before the last intact chunk. What
// follows that chunk may be damage too, a record that a crash cut short, or what an earlier log
// left there.
func ReadLog(text []byte, number uint64) (records [][]byte, damaged []Range) {
	var record []byte // nil: none has begun yet
	bad := -1
	for at := 0; at < len(text); {
		block := text[at:min(at+blockBytes-at%blockBytes, len(text))]
		n, place, body := logChunk(block, number)
		switch {
		case n > 0:
		case len(block) < logHeadBytes+offsetBytes && zero(block):
			at += len(block) // no chunk fits in the rest of the block
			continue
		default:
			if bad < 0 {
				bad = at
			}
			at++
			continue
		}
		if bad >= 0 {
			damaged = append(damaged, Range{bad, at})
			bad, record = -1, nil
		}
		switch {
		case place == wholeChunk:
			records, record = append(records, body), nil
		case place == firstChunk:
			record = bytes.Clone(body)
		case record != nil:
			record = append(record, body...)
			if place == lastChunk {
				records, record = append(records, record), nil
			}
		}
		at += n
	}
	return records, damaged
}

// logChunk returns the length of the intact chunk of a log at the start of block, its place in its
// record, and its content. The length is 0 if there is none.
func logChunk(block []byte, number uint64) (n, place int, body []byte) {
	if len(block) < logHeadBytes || block[6] < logType || block[6] > lastLogType || uint64(binary.LittleEndian.Uint32(block[headBytes:])) != number {
		return 0, 0, nil
	}
	head := logHeadBytes
	if block[6] >= offsetType {
		head += offsetBytes
	}
	n = head + int(binary.LittleEndian.Uint16(block[4:]))
	if n > len(block) || binary.LittleEndian.Uint32(block) != Checksum(block[6:n]) {
		return 0, 0, nil
	}
	return n, int(block[6]-logType) % chunkTypes, block[head:n]
}

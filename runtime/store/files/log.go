package files

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// A log consists of chunks in blocks as a manifest does, but with other types. After the type comes
// the number of the log (4), which tells apart what an earlier log left in a file that is reused;
// today's logs have an offset (8) after that, up to which the
// log was durable when the chunk was written, or further.
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
type Range struct {
	From, To int
	Synced   bool // of a log: a later chunk shows that what was here was durable
}

// CheckLog reads a log to its end. Pebble takes the first damaged chunk for the end that a crash
// has left, unless a chunk in a later block of 32 KiB shows that it was durable; here any later
// chunk that shows it makes that an error, as what follows would be lost, too.
func CheckLog(disk vfs.FS, name string) error {
	text, err := Bytes(disk, name)
	if err != nil {
		return err
	}
	_, number := Parse(disk.PathBase(name))
	_, damaged := ReadLog(text, number)
	for _, d := range damaged {
		if d.Synced {
			return fmt.Errorf("%w: the content of %s at bytes %d to %d of %d is not what was written", ErrLog, disk.PathBase(name), d.From, d.To-1, len(text))
		}
	}
	return nil
}

// ReadLog reads the log with a number, past all that is damaged. It returns, in order, the records
// that are whole and as they were written, and what is damaged before the last intact chunk. What
// follows that chunk may be damage too, a record that a crash cut short, or what an earlier log
// left there.
func ReadLog(text []byte, number uint64) (records [][]byte, damaged []Range) {
	var record []byte // nil: none has begun yet
	var syncs promises
	bad := -1
	for at := 0; at < len(text); {
		block := text[at:min(at+blockBytes-at%blockBytes, len(text))]
		c := logChunk(block, number)
		switch {
		case c.bytes > 0:
		case len(block) < logHeadBytes+offsetBytes && zero(block):
			at += len(block) // no chunk fits in the rest of the block
			continue
		default:
			if bad < 0 {
				bad = at
			}
			at = candidate(text, at+1, number)
			continue
		}
		if bad >= 0 {
			damaged = append(damaged, Range{From: bad, To: at})
			bad, record, syncs = -1, nil, promises{}
		}
		if n := len(damaged); n > 0 {
			damaged[n-1].Synced = syncs.cover(damaged[n-1].From, c.synced)
		}
		switch {
		case c.place == wholeChunk:
			records, record = append(records, c.body), nil
		case c.place == firstChunk:
			record = bytes.Clone(c.body)
		case record != nil:
			record = append(record, c.body...)
			if c.place == lastChunk {
				records, record = append(records, record), nil
			}
		}
		at += c.bytes
	}
	return records, damaged
}

// candidate returns the first place from at on where the head of a chunk of a log may be: what an
// earlier log left in a file can be megabytes.
func candidate(text []byte, at int, number uint64) int {
	i := bytes.Index(text[min(at+headBytes, len(text)):], binary.LittleEndian.AppendUint32(nil, uint32(number)))
	if i < 0 {
		return len(text)
	}
	return at + i
}

// promises are what the chunks after a place say of how much of the log was synced before they
// were written.
type promises struct {
	last   uint64
	rises  int
	covers bool
}

// cover takes the promise of the next chunk, and reports whether what was written at a place was
// synced. Pebble does not count all that it has synced, so that a promise may say too little; but
// it grows with each sync. The sync that the third of three different promises tells of began
// after the first of these chunks was written, and so after what lies before it.
func (p *promises) cover(at int, synced uint64) bool {
	if synced > p.last {
		p.last, p.rises = synced, p.rises+1
	}
	p.covers = p.covers || synced > uint64(at) || p.rises >= 3
	return p.covers
}

// read is an intact chunk of a log.
type read struct {
	bytes  int // with its head; 0: there is none
	place  int // in its record
	synced uint64
	body   []byte
}

// logChunk returns the intact chunk of a log at the start of block, if there is one.
func logChunk(block []byte, number uint64) (c read) {
	if len(block) < logHeadBytes || block[6] < logType || block[6] > lastLogType || uint64(binary.LittleEndian.Uint32(block[headBytes:])) != number {
		return read{}
	}
	head := logHeadBytes
	if block[6] >= offsetType {
		head += offsetBytes
	}
	n := head + int(binary.LittleEndian.Uint16(block[4:]))
	if n > len(block) || binary.LittleEndian.Uint32(block) != Checksum(block[6:n]) {
		return read{}
	}
	c = read{bytes: n, place: int(block[6]-logType) % chunkTypes, body: block[head:n]}
	if head > logHeadBytes {
		c.synced = binary.LittleEndian.Uint64(block[logHeadBytes:])
	}
	return c
}

// Package index defines how the index of a memory is stored: what [shelly/runtime/memory] finds
// entries by, kept beside the entries so that a start need not read these (MEM-7).
//
// The whole index is derived from the entries and can be rebuilt from them. Its layout has three
// aims: it can be read quickly, each entry changes only a few small values, and the words of a
// forgotten entry can be removed completely. Vectors are read only when they are compared.
//
// An entry has a slot, a number that no other entry ever has. Slots are sealed in segments of
// [SegmentDocs]: all entries of a segment are one value, and so are the postings of a keyword in
// it. The slots after the last segment are the tail, one value each. A vector has a row, a number
// of its own because an entry may get its vector later. Rows are stored in blocks of [BlockRows],
// their heads in blocks of [HeadRows], and the rows after the last block of heads one by one.
//
//	v                     the version of this layout, written last: without it there is no index
//	d segment(4)          the entries of a segment, see [AppendDoc]
//	t slot(4)             an entry of the tail, with its keywords
//	p len(1) term segment(4)   the postings of a keyword in a segment, see [AppendPostings]
//	s                     the vectors' model and dimension
//	m                     the mean that the vectors' signs are relative to, see [AppendMean]
//	h block(4)            the heads of a block, one after another, see [AppendHead]
//	b block(4)            the numbers of the rows of a block, one row after another
//	u row(4)              a row after the last block of heads: its head without signs, its numbers
//
// Integers in keys are big-endian.
//
// A file beside the store holds copies of the rows in blocks, which can be read one by one: row n
// begins at n times [CopyBytes], see [AppendCopy]. The file may hold anything, so each row in it is
// checked.
package index

import (
	"crypto/sha256"
	"encoding/binary"
)

// Version is the version of the layout and of the keywords in it: a change to how the keywords of a
// text are found needs a new version, because the index holds the old ones.
const Version = "3"

// SegmentDocs is how many slots a segment has, BlockRows how many rows a block of numbers has, and
// HeadRows, a multiple of it, how many rows a block of heads has.
const (
	SegmentDocs = 1024
	BlockRows   = 8
	HeadRows    = 64
)

// Set writes a value under a key, or removes the key if the value is nil. The caller must not use
// either after the call.
type Set func(key, value []byte)

// The kinds of key.
const (
	Docs     = 'd'
	Tail     = 't'
	Postings = 'p'
	Space    = 's'
	Mean     = 'm'
	Heads    = 'h'
	Rows     = 'b'
	LooseRow = 'u'
	version  = 'v'
)

// VersionKey is the key of the version.
func VersionKey() []byte { return []byte{version} }

// SpaceKey is the key of the vectors' model and dimension.
func SpaceKey() []byte { return []byte{Space} }

// MeanKey is the key of the mean that the vectors' signs are relative to.
func MeanKey() []byte { return []byte{Mean} }

// Key is the key of a kind that is followed by just a number.
func Key(kind byte, number int) []byte {
	return binary.BigEndian.AppendUint32([]byte{kind}, uint32(number))
}

// Number returns the number at the end of a key, or -1 if it has none.
func Number(key []byte) int {
	if len(key) < 5 {
		return -1
	}
	return int(binary.BigEndian.Uint32(key[len(key)-4:]))
}

// termBytesMax is the longest keyword that a key holds itself; of a longer one it holds a hash.
const termBytesMax = 128

// TermPrefix is the prefix of the keys of a keyword's postings.
func TermPrefix(term string) []byte {
	if len(term) > termBytesMax {
		sum := sha256.Sum256([]byte(term))
		return append([]byte{Postings, 0xff}, sum[:]...)
	}
	return append([]byte{Postings, byte(len(term))}, term...)
}

// PostingsKey is the key of the postings of a keyword in a segment.
func PostingsKey(term string, segment int) []byte {
	return binary.BigEndian.AppendUint32(TermPrefix(term), uint32(segment))
}

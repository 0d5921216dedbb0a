// Package index is how the index of a memory is written: what [shelly/runtime/memory]
// finds entries by, kept beside the entries so that a start need not read them (MEM-7).
//
// All of it is derived from the entries and can be made from them again. It is laid out for
// three things: to be read quickly, to be changed with each entry by few small values, and to
// forget an entry's words wholly. Vectors are read when they are compared, and not before.
//
// An entry has a slot, a number that is its own until the entry is gone. Slots are sealed in
// segments of [SegmentDocs]: of a sealed one, what is said of its entries is one value, and so
// are the places of a keyword. The slots after the last segment are the tail, one value each.
// A vector has a row, a number too, since an entry may be given its vector later; rows lie
// in blocks of [BlockRows], their heads in blocks of [HeadRows], and those after the last of
// these one by one.
//
//	v                     the version of this layout, written last: without it there is no index
//	d segment(4)          the entries of a segment, see [AppendDoc]
//	t slot(4)             an entry of the tail, with its keywords
//	p len(1) term segment(4)   where in a segment a keyword is, see [AppendPostings]
//	s                     the vectors' model and dimension
//	m                     what the vectors' signs are taken by, see [AppendMean]
//	h block(4)            the heads of a block, one after another, see [AppendHead]
//	b block(4)            the numbers of the rows of a block, one row after another
//	u row(4)              a row after the last block of heads: its head without signs, its numbers
//
// Integers in keys are big-endian.
//
// Of the rows in blocks there are copies in a file beside the store, where each can be read
// alone: row n begins at n times [CopyBytes], see [AppendCopy]. The file may hold anything, and
// is believed row by row.
package index

import (
	"crypto/sha256"
	"encoding/binary"
)

// Version is that of the layout and of the keywords in it: another way to find the keywords
// of a text needs another version, since the index holds those of before.
const Version = "1"

// SegmentDocs is how many slots a segment has, BlockRows how many rows a block has the numbers
// of, and HeadRows the heads, which is a multiple of that.
const (
	SegmentDocs = 1024
	BlockRows   = 8
	HeadRows    = 64
)

// Set writes a value under a key, or with nil removes what is there. Both are the index's
// after the call.
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

// MeanKey is the key of what the vectors' signs are taken by.
func MeanKey() []byte { return []byte{Mean} }

// Key is the key of a kind that has a number alone.
func Key(kind byte, number int) []byte {
	return binary.BigEndian.AppendUint32([]byte{kind}, uint32(number))
}

// Number is the number that a key ends with, or -1 where it has none.
func Number(key []byte) int {
	if len(key) < 5 {
		return -1
	}
	return int(binary.BigEndian.Uint32(key[len(key)-4:]))
}

// termBytesMax bounds what a key has of a keyword; of a longer one it has a hash.
const termBytesMax = 128

// TermPrefix is what the keys of a keyword's places begin with.
func TermPrefix(term string) []byte {
	if len(term) > termBytesMax {
		sum := sha256.Sum256([]byte(term))
		return append([]byte{Postings, 0xff}, sum[:]...)
	}
	return append([]byte{Postings, byte(len(term))}, term...)
}

// PostingsKey is the key of the places of a keyword in a segment.
func PostingsKey(term string, segment int) []byte {
	return binary.BigEndian.AppendUint32(TermPrefix(term), uint32(segment))
}

package index

import (
	"encoding/binary"
	"errors"
	"math"
	"strings"
)

// ErrMalformed is the error of a value that this package did not write.
var ErrMalformed = errors.New("the memory's index is malformed")

// About is what several entries may have in common.
type About struct {
	Kind    string
	Session string
	Source  uint8
}

// Doc is what the index holds for an entry.
type Doc struct {
	Gone bool // there is no entry; the other fields are empty
	About
	ID     string
	At     int64 // ms since 1970
	Length int   // in keywords, repetitions included
	Blank  bool  // its summary has nothing to embed
}

const (
	flagGone = 1 << iota
	flagBlank
)

// AppendDoc appends an entry to the value of a segment, or begins the value of an entry of the
// tail.
func AppendDoc(b []byte, d Doc) []byte {
	if d.Gone {
		return append(b, flagGone)
	}
	flags := byte(0)
	if d.Blank {
		flags |= flagBlank
	}
	b = append(b, flags)
	b = appendText(b, string(appendText(appendText([]byte{d.Source}, d.Kind), d.Session)))
	b = appendText(b, d.ID)
	b = binary.AppendVarint(b, d.At)
	return binary.AppendUvarint(b, uint64(d.Length))
}

// Term is a keyword of an entry, with how many times it occurs there.
type Term struct {
	Text  string
	Times int
}

// AppendTerms appends the keywords of an entry of the tail.
func AppendTerms(b []byte, terms []Term) []byte {
	b = binary.AppendUvarint(b, uint64(len(terms)))
	for _, t := range terms {
		b = binary.AppendUvarint(appendText(b, t.Text), uint64(t.Times))
	}
	return b
}

func appendText(b []byte, text string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

// Reader reads values of entries. The texts it returns are parts of the value. Entries that have an
// About in common share it.
type Reader struct {
	left   string
	abouts []About
	number map[string]int32 // of each of abouts, by its encoding
	bad    bool
}

// NewReader returns a Reader, which can read any number of values.
func NewReader() *Reader { return &Reader{number: map[string]int32{}} }

// Read begins a value.
func (r *Reader) Read(value []byte) { r.left, r.bad = string(value), false }

// End returns an error if the value was not fully read or was too short.
func (r *Reader) End() error {
	if r.bad || r.left != "" {
		return ErrMalformed
	}
	return nil
}

// Doc reads an entry, and returns the number of its About.
func (r *Reader) Doc() (d Doc, about int32) {
	flags := r.byte()
	if r.bad || flags&flagGone != 0 {
		return Doc{Gone: true}, 0
	}
	about = r.about(r.text())
	return Doc{About: r.abouts[about], ID: r.text(), At: r.varint(), Length: int(r.uvarint()), Blank: flags&flagBlank != 0}, about
}

// Terms reads the keywords of an entry of the tail.
func (r *Reader) Terms() []Term {
	n := r.uvarint()
	if n > uint64(len(r.left)) {
		r.bad = true
		return nil
	}
	terms := make([]Term, 0, n)
	for range n {
		terms = append(terms, Term{Text: r.text(), Times: int(r.uvarint())})
	}
	return terms
}

func (r *Reader) about(text string) int32 {
	if n, ok := r.number[text]; ok {
		return n
	}
	in := Reader{left: strings.Clone(text)} // so as not to keep the whole value
	text = in.left
	a := About{Source: in.byte(), Kind: in.text(), Session: in.text()}
	r.bad = r.bad || in.End() != nil
	r.number[text] = int32(len(r.abouts))
	r.abouts = append(r.abouts, a)
	return r.number[text]
}

// About returns the About with a number.
func (r *Reader) About(n int32) *About { return &r.abouts[n] }

// Share returns the number of the About equal to a, adding it if it is new.
func (r *Reader) Share(a About) int32 {
	return r.about(string(appendText(appendText([]byte{a.Source}, a.Kind), a.Session)))
}

func (r *Reader) byte() byte {
	if r.left == "" {
		r.bad = true
		return 0
	}
	b := r.left[0]
	r.left = r.left[1:]
	return b
}

func (r *Reader) uvarint() (n uint64) {
	for shift := 0; shift < 64; shift += 7 {
		b := r.byte()
		n |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return n
		}
	}
	r.bad = true
	return 0
}

func (r *Reader) varint() int64 {
	n := r.uvarint()
	return int64(n>>1) ^ -int64(n&1)
}

func (r *Reader) text() string {
	n := r.uvarint()
	if n > uint64(len(r.left)) {
		r.bad = true
		return ""
	}
	text := r.left[:n]
	r.left = r.left[n:]
	return text
}

// Posting says how many times the entry of a slot has a keyword.
type Posting struct {
	Slot  int32
	Times int32
}

// AppendPostings appends the postings of a keyword in one segment, in the order of their slots.
// Each is the distance from the slot before, doubled, plus one if the keyword occurs more than
// once; then how many times follows.
func AppendPostings(b []byte, segment int, list []Posting) []byte {
	last := int32(segment*SegmentDocs) - 1
	for _, p := range list {
		n := uint64(p.Slot-last) << 1
		if last = p.Slot; p.Times == 1 {
			b = binary.AppendUvarint(b, n)
			continue
		}
		b = binary.AppendUvarint(binary.AppendUvarint(b, n|1), uint64(p.Times))
	}
	return b
}

// ReadPostings appends the postings in a value to list.
func ReadPostings(list []Posting, segment int, value []byte) ([]Posting, error) {
	last := int32(segment*SegmentDocs) - 1
	for len(value) > 0 {
		n, size := binary.Uvarint(value)
		if size <= 0 || n>>1 == 0 || n>>1 > SegmentDocs {
			return list, ErrMalformed
		}
		value = value[size:]
		last += int32(n >> 1)
		times := uint64(1)
		if n&1 != 0 {
			if times, size = binary.Uvarint(value); size <= 0 || times > math.MaxInt32 {
				return list, ErrMalformed
			}
			value = value[size:]
		}
		list = append(list, Posting{Slot: last, Times: int32(times)})
	}
	return list, nil
}

// NoSlot is the slot of a row whose entry is gone.
const NoSlot = math.MaxUint32

// headBytes is the length of a head without signs.
const headBytes = 8

// HeadBytes is the length of a head with this many words of signs.
func HeadBytes(words int) int { return headBytes + 8*words }

// AppendHead appends a head: slot(4), or NoSlot; scale as float32(4); signs, 8 bytes a word.
func AppendHead(b []byte, slot uint32, scale float32, signs []uint64) []byte {
	b = binary.LittleEndian.AppendUint32(b, slot)
	b = binary.LittleEndian.AppendUint32(b, math.Float32bits(scale))
	for _, word := range signs {
		b = binary.LittleEndian.AppendUint64(b, word)
	}
	return b
}

// ReadHead reads the head at the start of a value, and fills signs.
func ReadHead(value []byte, signs []uint64) (slot uint32, scale float32) {
	for i := range signs {
		signs[i] = binary.LittleEndian.Uint64(value[headBytes+8*i:])
	}
	return binary.LittleEndian.Uint32(value), math.Float32frombits(binary.LittleEndian.Uint32(value[4:]))
}

// AppendMean appends the mean of the vectors' numbers, the number of rows it was taken of, and the
// limits, each for eight numbers.
func AppendMean(b []byte, mean []float32, rows int, limits []uint64) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(rows))
	for _, x := range mean {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	for _, word := range limits {
		b = binary.LittleEndian.AppendUint64(b, word)
	}
	return b
}

// ReadMean reads what AppendMean wrote.
func ReadMean(value []byte, dimensions int) (mean []float32, rows int, limits []uint64, err error) {
	if len(value) != 4+4*dimensions+(dimensions+7)/8*8 {
		return nil, 0, nil, ErrMalformed
	}
	rows, value = int(binary.LittleEndian.Uint32(value)), value[4:]
	for ; len(mean) < dimensions; value = value[4:] {
		mean = append(mean, math.Float32frombits(binary.LittleEndian.Uint32(value)))
	}
	for ; len(value) > 0; value = value[8:] {
		limits = append(limits, binary.LittleEndian.Uint64(value))
	}
	return mean, rows, limits, nil
}

// AppendSpace appends the vectors' model and dimension.
func AppendSpace(b []byte, model string, dimensions int) []byte {
	return append(binary.AppendUvarint(b, uint64(dimensions)), model...)
}

// ReadSpace reads what AppendSpace wrote.
func ReadSpace(value []byte) (model string, dimensions int, err error) {
	n, size := binary.Uvarint(value)
	if size <= 0 || n > 1<<20 {
		return "", 0, ErrMalformed
	}
	return string(value[size:]), int(n), nil
}

package text

import (
	"encoding/binary"

	"github.com/klauspost/compress/s2"
)

// Pieces are packed as soon as there are blockBytes of them, and at the end if there are packBytes
// or more: fewer are compressed well enough with what is beside them in a table. A plain one has at
// most plainMax, so that what is unpacked at a time is bounded, and plainMin or more are one.
const (
	blockBytes = 256 << 10
	packBytes  = 4 << 10
	plainMin   = 1 << 10
	plainMax   = 64 << 10
)

// Packer builds the compressed form of a large body from its parts, so that the body is never in
// memory as a whole.
type Packer struct {
	taking
	length int // of the body
}

// Pack returns a Packer.
func (k *Known) Pack() *Packer {
	return &Packer{taking: taking{known: k, w: &writer{packs: true}}}
}

// Add adds the next part of the body, whose texts are in strings of JSON; no string goes on in the
// next part. The part must not change any more.
func (p *Packer) Add(part []byte) {
	p.body, p.from = part, 0
	p.strings()
	p.w.plain(part[p.from:])
	p.length += len(part)
	p.w.flush()
}

// Form returns the form of the parts that were added, and the texts that it refers to.
func (p *Packer) Form() (form []byte, texts []Text) {
	p.w.pack()
	return append(beginning(nil, p.length), p.w.blocks...), p.texts
}

// pack packs the pieces that are not packed yet.
func (w *writer) pack() {
	if len(w.form) == w.begin {
		return
	}
	block := s2.Encode(w.buffer, w.form[w.begin:])
	w.buffer = block[:cap(block)]
	w.blocks = binary.AppendUvarint(w.blocks, uint64(len(block))<<kindBits|packed)
	w.blocks = append(w.blocks, block...)
	w.form = w.form[:w.begin]
}

// end returns the form, with its pieces packed if they are long. It is valid until the writer begins
// another one.
func (w *writer) end() []byte {
	w.flush()
	if w.packs && (len(w.blocks) > 0 || len(w.form) >= packBytes) {
		w.pack()
		return append(w.form, w.blocks...)
	}
	return w.form
}

// unpack returns the pieces that are packed in a block.
func unpack(block []byte) ([]byte, error) {
	if n, err := s2.DecodedLen(block); err != nil || n > 2*blockBytes {
		return nil, errForm
	}
	return s2.Decode(nil, block)
}

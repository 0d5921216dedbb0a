package text

import (
	"encoding/binary"

	"github.com/klauspost/compress/s2"
)

// Pieces are packed as soon as there are blockBytes of them. A plain one has at most plainMax, so
// that what is unpacked at a time is bounded.
const (
	blockBytes = 256 << 10
	plainMax   = 64 << 10
)

// Packer builds the compressed form of a large body from its parts, so that the body is never in
// memory as a whole.
type Packer struct {
	taking
	length int    // of the body
	blocks []byte // the packed pieces
	buffer []byte // for a block: as long as the longest so far
}

// Pack returns a Packer.
func (k *Known) Pack() *Packer {
	p := &Packer{taking: taking{known: k, w: &writer{}}}
	p.w.pack = p.pack
	return p
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
	p.pack()
	return append(newWriter(p.length).form, p.blocks...), p.texts
}

func (p *Packer) pack() {
	block := s2.Encode(p.buffer, p.w.form)
	p.buffer = block[:cap(block)]
	p.blocks = binary.AppendUvarint(p.blocks, uint64(len(block))<<kindBits|packed)
	p.blocks = append(p.blocks, block...)
	p.w.form = p.w.form[:0]
}

// unpack returns the pieces that are packed in a block.
func unpack(block []byte) ([]byte, error) {
	if n, err := s2.DecodedLen(block); err != nil || n > 2*blockBytes {
		return nil, errForm
	}
	return s2.Decode(nil, block)
}

package text

import (
	"errors"
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// compressMax is the length up to which a text is compressed, so that reading one takes no more
// memory than that, whatever is in its place.
const compressMax = 4 << 20

// Codec compresses texts for the place where each is kept once, in the format of Zstandard. A text
// that becomes no shorter is kept as it is: one that is kept compressed is shorter than its reference
// says. It is safe for concurrent use.
type Codec struct {
	encoder *zstd.Encoder
	decoder *zstd.Decoder
	buffers sync.Pool // *[]byte
}

// NewCodec returns a Codec.
func NewCodec() *Codec {
	// Without repetitions there is still something to gain: base64 has six bits in each byte.
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithAllLitEntropyCompression(true),
		zstd.WithWindowSize(64<<10), zstd.WithLowerEncoderMem(true), zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false))
	decoder, failed := zstd.NewReader(nil, zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderMaxWindow(compressMax), zstd.WithDecoderLowmem(true), zstd.WithDecoderConcurrency(0))
	if err = errors.Join(err, failed); err != nil {
		panic(err) // the options contradict each other
	}
	return &Codec{encoder: encoder, decoder: decoder, buffers: sync.Pool{New: func() any { return new([]byte) }}}
}

// Compress calls put with what to keep of a text, which is valid until put returns.
func (c *Codec) Compress(text []byte, put func(kept []byte) error) error {
	if len(text) > compressMax {
		return put(text)
	}
	buffer := c.buffers.Get().(*[]byte)
	defer c.buffers.Put(buffer)
	*buffer = c.encoder.EncodeAll(text, (*buffer)[:0])
	if len(*buffer) >= len(text) {
		return put(text)
	}
	return put(*buffer)
}

// Expand calls use with the text of that length of which kept is kept. The text is valid until use
// returns.
func (c *Codec) Expand(kept []byte, length int, use func(text []byte) error) error {
	if len(kept) == length {
		return use(kept)
	}
	if len(kept) > length || length > compressMax {
		return fmt.Errorf("it has %d bytes, want %d", len(kept), length)
	}
	buffer := c.buffers.Get().(*[]byte)
	defer c.buffers.Put(buffer)
	if cap(*buffer) < length {
		*buffer = make([]byte, 0, length)
	}
	text, err := c.decoder.DecodeAll(kept, (*buffer)[:0:length])
	if err == nil && len(text) != length {
		err = fmt.Errorf("it is %d bytes of text, want %d", len(text), length)
	}
	if err != nil {
		return err
	}
	return use(text)
}

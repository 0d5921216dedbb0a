package handmade

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
)

// The GGUF file format, version 3: a header, key-value pairs, tensor
// descriptions, and the tensors' data at multiples of 32 bytes; all little-endian.
// https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
const (
	ggufVersion = 3
	alignment   = 32

	typeUint32  = 4
	typeInt32   = 5
	typeFloat32 = 6
	typeBool    = 7
	typeString  = 8
	typeArray   = 9

	tensorFloat32 = 0
)

// file is a GGUF file being built.
type file struct {
	pairs   bytes.Buffer
	keys    uint64
	tensors []tensor
}

// tensor is a matrix or vector of float32. Elements along the first dimension are adjacent in
// memory.
type tensor struct {
	name  string
	shape []int
	data  []float32
}

func zeros(name string, shape ...int) tensor { return filled(name, 0, shape...) }

// filled returns a tensor with the same value everywhere.
func filled(name string, value float32, shape ...int) tensor {
	n := 1
	for _, d := range shape {
		n *= d
	}
	t := tensor{name, shape, make([]float32, n)}
	for i := range t.data {
		t.data[i] = value
	}
	return t
}

// set adds a key-value pair.
func (f *file) set(key string, value any) {
	f.keys++
	appendString(&f.pairs, key)
	switch v := value.(type) {
	case int:
		word(&f.pairs, typeUint32, uint32(v))
	case float64:
		word(&f.pairs, typeFloat32, math.Float32bits(float32(v)))
	case bool:
		var b byte
		if v {
			b = 1
		}
		word(&f.pairs, typeBool)
		f.pairs.WriteByte(b)
	case string:
		word(&f.pairs, typeString)
		appendString(&f.pairs, v)
	case []int32:
		word(&f.pairs, typeArray, typeInt32)
		long(&f.pairs, len(v))
		for _, n := range v {
			word(&f.pairs, uint32(n))
		}
	case []string:
		word(&f.pairs, typeArray, typeString)
		long(&f.pairs, len(v))
		for _, s := range v {
			appendString(&f.pairs, s)
		}
	default:
		panic(fmt.Sprintf("handmade: %s has a value of type %T", key, value))
	}
}

func (f *file) bytes() []byte {
	var b bytes.Buffer
	b.WriteString("GGUF")
	word(&b, ggufVersion)
	long(&b, len(f.tensors))
	long(&b, int(f.keys))
	b.Write(f.pairs.Bytes())
	offset := 0
	for _, t := range f.tensors {
		appendString(&b, t.name)
		word(&b, uint32(len(t.shape)))
		for _, d := range t.shape {
			long(&b, d)
		}
		word(&b, tensorFloat32)
		long(&b, offset)
		offset += (4*len(t.data) + alignment - 1) / alignment * alignment
	}
	align(&b)
	for _, t := range f.tensors {
		for _, v := range t.data {
			word(&b, math.Float32bits(v))
		}
		align(&b)
	}
	return b.Bytes()
}

func align(b *bytes.Buffer) {
	for b.Len()%alignment != 0 {
		b.WriteByte(0)
	}
}

func word(b *bytes.Buffer, words ...uint32) {
	for _, w := range words {
		b.Write(binary.LittleEndian.AppendUint32(b.AvailableBuffer(), w))
	}
}

func long(b *bytes.Buffer, n int) {
	b.Write(binary.LittleEndian.AppendUint64(b.AvailableBuffer(), uint64(n)))
}

func appendString(b *bytes.Buffer, s string) {
	long(b, len(s))
	b.WriteString(s)
}

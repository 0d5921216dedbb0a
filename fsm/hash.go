package fsm

import "math/bits"

// Hasher is a small deterministic 64-bit hash for state and effects. It guards
// against mistakes, not against an adversary: eight bytes at a time, multiply
// and fold, with the length mixed in so that fields cannot run together.
type Hasher struct{ h uint64 }

const (
	hashSeed  = 0x9e3779b97f4a7c15
	hashPrime = 0xd6e8feb86659fd93
)

// NewHasher returns a hasher that begins with a seed: 0, or the sum of what comes before.
func NewHasher(seed uint64) Hasher { return Hasher{h: seed ^ hashSeed} }

// Word adds a number.
func (x *Hasher) Word(v uint64) {
	hi, lo := bits.Mul64(x.h^v^hashSeed, hashPrime)
	x.h = (hi ^ lo) + bits.RotateLeft64(x.h, 23)
}

// Int adds a count.
func (x *Hasher) Int(v int) { x.Word(uint64(v)) }

// Bool adds a truth value.
func (x *Hasher) Bool(v bool) {
	if v {
		x.Word(1)
	} else {
		x.Word(2)
	}
}

// Str adds a text, with its length.
func (x *Hasher) Str(s string) {
	x.Word(uint64(len(s)))
	for len(s) >= 8 {
		x.Word(uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
			uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56)
		s = s[8:]
	}
	if len(s) > 0 {
		var v uint64
		for i := 0; i < len(s); i++ {
			v |= uint64(s[i]) << (8 * i)
		}
		x.Word(v)
	}
}

// Sum returns the hash, after an avalanche step that makes neighbouring inputs differ in
// every bit.
func (x *Hasher) Sum() uint64 {
	h := x.h
	h ^= h >> 32
	h *= hashPrime
	h ^= h >> 29
	h *= hashSeed
	h ^= h >> 32
	return h
}

// Strs adds texts, in their order.
func (x *Hasher) Strs(list []string) {
	x.Int(len(list))
	for _, s := range list {
		x.Str(s)
	}
}

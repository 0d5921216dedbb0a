package fsm

import "math/bits"

// hasher is a small deterministic 64-bit hash for state and effects. It guards
// against mistakes, not against an adversary: eight bytes at a time, multiply
// and fold, with the length mixed in so that fields cannot run together.
type hasher struct{ h uint64 }

const (
	hashSeed  = 0x9e3779b97f4a7c15
	hashPrime = 0xd6e8feb86659fd93
)

func newHasher(seed uint64) hasher { return hasher{h: seed ^ hashSeed} }

func (x *hasher) word(v uint64) {
	hi, lo := bits.Mul64(x.h^v^hashSeed, hashPrime)
	x.h = (hi ^ lo) + bits.RotateLeft64(x.h, 23)
}

func (x *hasher) int(v int) { x.word(uint64(v)) }

func (x *hasher) bool(v bool) {
	if v {
		x.word(1)
	} else {
		x.word(2)
	}
}

func (x *hasher) str(s string) {
	x.word(uint64(len(s)))
	for len(s) >= 8 {
		x.word(uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
			uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56)
		s = s[8:]
	}
	if len(s) > 0 {
		var v uint64
		for i := 0; i < len(s); i++ {
			v |= uint64(s[i]) << (8 * i)
		}
		x.word(v)
	}
}

func (x *hasher) message(m Message) {
	x.str(string(m.Role))
	x.str(m.Text)
	x.str(m.Thinking)
	x.calls(m.Calls)
	x.str(m.Tool)
	x.str(m.ToolCall)
	x.int(len(m.Images))
	for _, image := range m.Images {
		x.str(string(image))
	}
	x.bool(m.Aside)
	x.strs(m.Used)
}

func (x *hasher) calls(calls []ToolCall) {
	x.int(len(calls))
	for _, c := range calls {
		x.str(c.ID)
		x.str(c.Name)
		x.str(c.Args)
		x.bool(c.Text)
	}
}

// sum finishes the hash; an avalanche, so that neighbouring inputs differ in
// every bit.
func (x *hasher) sum() uint64 {
	h := x.h
	h ^= h >> 32
	h *= hashPrime
	h ^= h >> 29
	h *= hashSeed
	h ^= h >> 32
	return h
}

package text_test

import (
	"bytes"
	"encoding/base64"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"shelly/runtime/store/text"
)

// compressed returns what a codec keeps of a text.
func compressed(c *text.Codec, said []byte) (kept []byte) {
	_ = c.Compress(said, func(k []byte) error {
		kept = slices.Clone(k)
		return nil
	})
	return kept
}

// expanded returns the text of that length of which kept is kept.
func expanded(c *text.Codec, kept []byte, length int) (said string, err error) {
	err = c.Expand(kept, length, func(t []byte) error {
		said = string(t)
		return nil
	})
	return said, err
}

// Whatever a text is, it is read as it was written, and never takes more than it has.
func TestJRN34ACompressedTextIsReadAsItWasWritten(t *testing.T) {
	c := text.NewCodec()
	rapid.Check(t, func(r *rapid.T) {
		said := []byte(strings.Repeat(rapid.String().Draw(r, "said"), rapid.IntRange(1, 300).Draw(r, "times")))
		if rapid.Bool().Draw(r, "bytes") {
			said = append(said, rapid.SliceOf(rapid.Byte()).Draw(r, "tail")...)
		}
		kept := compressed(c, said)
		if got, err := expanded(c, kept, len(said)); got != string(said) || err != nil || len(kept) > len(said) {
			r.Fatalf("%q is kept in %d bytes and read as %q, %v", said, len(kept), got, err)
		}
	})
}

// Text that never repeats itself gets shorter too, if it does not use all values of a byte; a text
// that is too long for one piece of memory is kept as it is.
func TestJRN34WhatOfATextIsKept(t *testing.T) {
	c := text.NewCodec()
	random := []byte(noise(3, 6000))
	for what, tt := range map[string]struct {
		said    []byte
		percent int // at most
	}{
		"base64 of noise": {[]byte(base64.StdEncoding.EncodeToString(random)), 80},
		"a log":           {[]byte(strings.Repeat("12:00:00 disk of web1 is full\n", 200)), 5},
		"a long text":     {bytes.Repeat([]byte("x"), 4<<20+1), 100},
	} {
		kept := compressed(c, tt.said)
		if got, err := expanded(c, kept, len(tt.said)); got != string(tt.said) || err != nil || 100*len(kept) > tt.percent*len(tt.said) {
			t.Errorf("%s: %d bytes are kept of %d, %v", what, len(kept), len(tt.said), err)
		}
	}
}

// What is not what was kept is an error, or a text of the right length, whose hash tells; it never
// takes more memory than a text may have.
func TestJRN34WhatIsKeptMayBeWrong(t *testing.T) {
	c := text.NewCodec()
	said := bytes.Repeat([]byte("the disk is full. "), 100)
	kept := compressed(c, said)
	for at := range kept {
		for _, flip := range []byte{1, 0x80, 0xff} {
			wrong := slices.Clone(kept)
			wrong[at] ^= flip
			if got, err := expanded(c, wrong, len(said)); err == nil && len(got) != len(said) {
				t.Errorf("byte %d changed by %#x: %d bytes", at, flip, len(got))
			}
		}
		if _, err := expanded(c, kept[:at], len(said)); err == nil {
			t.Errorf("cut short to %d bytes: no error", at)
		}
	}
	for _, length := range []int{0, len(kept) - 1, len(said) - 1, len(said) + 1, math.MaxInt} {
		if _, err := expanded(c, kept, length); err == nil {
			t.Errorf("taken for a text of %d bytes: no error", length)
		}
	}
}

func FuzzJRN34Expand(f *testing.F) {
	c := text.NewCodec()
	f.Add(compressed(c, bytes.Repeat([]byte("a"), 1000)), 1000)
	f.Add([]byte("plain"), 5)
	f.Fuzz(func(t *testing.T, kept []byte, length int) {
		if got, err := expanded(c, kept, length); err == nil && len(got) != length {
			t.Errorf("%d bytes for a text of %d", len(got), length)
		}
	})
}

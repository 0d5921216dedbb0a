// Package tarfile reads the tar files of shelly, backups and bundles, which anyone may have
// changed: it knows a compressed one, an entry that is no plain file, and what follows the end.
package tarfile

import (
	"archive/tar"
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

var (
	// ErrCompressed is the error for a file that has to be decompressed first.
	ErrCompressed = errors.New("the file is compressed")
	// ErrFollowed is the error for a file that goes on after its end.
	ErrFollowed = errors.New("something follows the end")
)

// magics are the first bytes of compressed files, and the programs that read them.
var magics = [...]struct{ magic, program string }{
	{"\x1f\x8b", "gzip"}, {"BZh", "bzip2"}, {"\xfd7zXZ\x00", "xz"}, {"\x28\xb5\x2f\xfd", "zstd"},
}

// Compressed returns an ErrCompressed with what to do if a file begins like a compressed one.
func Compressed(head string) error {
	for _, m := range magics {
		if strings.HasPrefix(head, m.magic) {
			return fmt.Errorf("%w: decompress it first, with %s -d", ErrCompressed, m.program)
		}
	}
	return nil
}

// HeadBytes is how much of a file Compressed needs.
const HeadBytes = 6

// Reader reads a tar file.
type Reader struct {
	*tar.Reader
	from *bufio.Reader
}

// NewReader returns a reader of a tar file, or an ErrCompressed.
func NewReader(r io.Reader) (*Reader, error) {
	from := bufio.NewReader(r)
	head, _ := from.Peek(HeadBytes) // a reader's error comes again with the first entry
	return &Reader{tar.NewReader(from), from}, Compressed(string(head))
}

// Plain reports whether an entry is a file with as many bytes as it claims.
func Plain(h *tar.Header) bool {
	for key := range h.PAXRecords { // order-free: one is enough
		if strings.HasPrefix(key, "GNU.sparse.") {
			return false
		}
	}
	return h.Typeflag == tar.TypeReg
}

// End reads on to the end of the file once Next has returned io.EOF. Only zeros may be there, with
// which a tar file is filled up; anything else is an ErrFollowed.
func (r *Reader) End() error {
	for {
		b, err := r.from.ReadByte()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case b != 0:
			return ErrFollowed
		}
	}
}

// While returns a reader of r that fails once ctx ends.
func While(ctx context.Context, r io.Reader) io.Reader { return reading{ctx, r} }

type reading struct {
	ctx context.Context
	io.Reader
}

func (r reading) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(p)
}

package bundle

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"

	"shelly/fsm/wording"
	"shelly/runtime/tarfile"
)

// Verify reads a bundle to its end and returns its manifest. The error wraps ErrDamaged if the
// bundle is not as it was made, and ErrNewer if newer code made it, and
// tarfile.ErrCompressed if it has to be decompressed first.
func Verify(ctx context.Context, r io.Reader) (Manifest, error) {
	return read(tarfile.While(ctx, r), func(_ File, content io.Reader) error {
		_, err := io.Copy(io.Discard, content)
		return err
	})
}

// read passes each file of a bundle to take, which must read all of it, and checks names, kinds,
// sizes and checksums. A file can be trusted only once read goes on to the next.
func read(r io.Reader, take func(f File, content io.Reader) error) (m Manifest, err error) {
	in, err := tarfile.NewReader(r)
	if err != nil {
		return m, err
	}
	h, err := next(in, manifestName)
	if err != nil {
		return m, err
	}
	if h.Size > manifestBytesMax {
		return m, damaged("%s has %d bytes", manifestName, h.Size)
	}
	head, err := io.ReadAll(in)
	if err != nil {
		return m, broken(err, manifestName)
	}
	if m, err = parseManifest(head); err != nil {
		return m, err
	}
	for _, f := range m.Files {
		h, err := next(in, f.Name)
		if err != nil {
			return m, err
		}
		if h.Size != f.Bytes {
			return m, damaged("%s has %s, but the manifest says %d", f.Name, wording.Count(int(h.Size), "byte"), f.Bytes)
		}
		sum := sha256.New()
		if err := take(f, &summed{io.TeeReader(in, sum), func() error {
			if hex.EncodeToString(sum.Sum(nil)) != f.SHA256 {
				return damaged("the checksum of %s is not that of its content", f.Name)
			}
			return nil
		}}); err != nil {
			return m, broken(err, f.Name)
		}
	}
	if h, err := in.Next(); !errors.Is(err, io.EOF) {
		if err != nil {
			return m, broken(err, "its closing blocks")
		}
		return m, damaged("%q comes after everything that the manifest names", h.Name)
	}
	if err := in.End(); err != nil {
		return m, broken(err, "its closing blocks")
	}
	return m, nil
}

// summed returns an error in place of io.EOF if the checksum is wrong, so that its reader never
// sees the end of a wrong file.
type summed struct {
	io.Reader
	check func() error
}

func (s *summed) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	if errors.Is(err, io.EOF) {
		if wrong := s.check(); wrong != nil {
			err = wrong
		}
	}
	return n, err
}

// next returns the header of the next entry, which must be a plain file of that name.
func next(in *tarfile.Reader, name string) (*tar.Header, error) {
	h, err := in.Next()
	switch {
	case err != nil:
		return nil, broken(err, name)
	case h.Name != name:
		return nil, damaged("%.60q is where %s belongs", h.Name, name)
	case !tarfile.Plain(h):
		return nil, damaged("%s is not a plain file", name)
	}
	return h, nil
}

// broken returns the error for a failure to read a file of a bundle.
func broken(err error, name string) error {
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return damaged("it ends before the end of %s", name)
	case errors.Is(err, tarfile.ErrFollowed):
		return damaged("%w", err)
	case errors.Is(err, tar.ErrHeader):
		return damaged("no entry is where %s belongs: %w", name, err)
	}
	return err
}

package backup

import (
	"archive/tar"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"shelly/fsm/wording"
	"shelly/runtime/store"
	"shelly/runtime/tarfile"
)

// Check reads a backup to its end and returns its manifest. The error wraps ErrDamaged if a byte is
// missing or not as it was written, ErrNewer or store.ErrNewerFormat if newer code made it, and
// tarfile.ErrCompressed if it is compressed.
func Check(r io.Reader) (Manifest, error) {
	return read(r, func(_ string, content io.Reader) error {
		_, err := io.Copy(io.Discard, content)
		return err
	})
}

// read passes each file of a backup to file, which must read all of it, and checks the names, the
// sizes and, last, the checksums. Nothing that file received can be trusted before read returns.
func read(r io.Reader, file func(name string, content io.Reader) error) (m Manifest, err error) {
	in, err := tarfile.NewReader(r)
	if err != nil {
		return m, err
	}
	a := &unpacking{tar: in}
	var head strings.Builder
	if err := a.next(manifestName, manifestBytesMax, func(content io.Reader) error {
		_, err := io.Copy(&head, content)
		return err
	}); err != nil {
		return m, err
	}
	if m, err = parseManifest(head.String()); err != nil {
		return m, err
	}
	for _, f := range m.Files {
		if err := a.next(f.Name, f.Bytes, func(content io.Reader) error { return file(f.Name, content) }); err != nil {
			return m, err
		}
		if a.bytes != f.Bytes {
			return m, damaged("%s has %s, but the manifest says %d", f.Name, wording.Count(int(a.bytes), "byte"), f.Bytes)
		}
	}
	return m, a.checksums(int64(len(a.sums.String())))
}

func parseManifest(text string) (m Manifest, err error) {
	var version struct {
		Format int `json:"format"`
	}
	if err := json.Unmarshal([]byte(text), &version); err != nil {
		return m, damaged("%s: %w", manifestName, err)
	}
	switch {
	case version.Format > Format:
		return m, fmt.Errorf("%w: format %d, this shelly reads up to %d: use the newer one", ErrNewer, version.Format, Format)
	case version.Format < 1:
		return m, damaged("%s: it has no format", manifestName)
	}
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		return m, damaged("%s: %w", manifestName, err)
	}
	if m.StoreFormat > store.Format {
		return m, fmt.Errorf("%w: its store has format %d, this shelly reads up to %d: use the newer one", ErrNewer, m.StoreFormat, store.Format)
	}
	return m, m.check()
}

// unpacking reads the entries in order.
type unpacking struct {
	tar   *tarfile.Reader
	bytes int64 // the size of the last entry
	sums  strings.Builder
}

// next reads the next entry, which must have the given name and at most bytesMax bytes.
func (a *unpacking) next(name string, bytesMax int64, read func(io.Reader) error) error {
	h, err := a.tar.Next()
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return damaged("it ends before %s", name)
	case errors.Is(err, tar.ErrHeader):
		return damaged("the entry where %s belongs: %w", name, err)
	case err != nil:
		return fmt.Errorf("read the backup: %w", err)
	case !tarfile.Plain(h):
		return damaged("the entry %q is not a plain file", h.Name)
	case h.Name != name:
		if err := checkName(h.Name); err != nil && h.Name != checksumsName {
			return err
		}
		return damaged("the entry %q is where %s belongs", h.Name, name)
	case h.Size > bytesMax:
		return damaged("%s has %d bytes; at most %d are allowed", name, h.Size, bytesMax)
	}
	sum := sha256.New()
	err = read(io.TeeReader(a.tar, sum))
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return damaged("it ends within %s", name)
	case err != nil:
		return fmt.Errorf("read %s: %w", name, err)
	}
	a.bytes = h.Size
	a.sums.WriteString(checksum(name, sum.Sum(nil)))
	return nil
}

// checksums reads the last entry, of the given size in bytes, and compares the checksums.
func (a *unpacking) checksums(bytes int64) error {
	want := strings.SplitAfter(a.sums.String(), "\n")
	var text strings.Builder
	if err := a.next(checksumsName, bytes, func(content io.Reader) error {
		_, err := io.Copy(&text, content)
		return err
	}); err != nil {
		return err
	}
	for i, line := range strings.SplitAfter(text.String(), "\n") {
		if i >= len(want) || line != want[i] {
			_, name, _ := strings.Cut(strings.TrimSpace(want[min(i, len(want)-1)]), "  ")
			return damaged("the checksum of %s is not that of its content", name)
		}
	}
	switch _, err := a.tar.Next(); {
	case errors.Is(err, io.EOF):
		return a.end()
	case errors.Is(err, io.ErrUnexpectedEOF):
		return damaged("it ends right after %s", checksumsName)
	case err == nil, errors.Is(err, tar.ErrHeader):
		return damaged("something follows %s", checksumsName)
	default:
		return fmt.Errorf("read the backup: %w", err)
	}
}

// end reads what follows the last entry.
func (a *unpacking) end() error {
	switch err := a.tar.End(); {
	case errors.Is(err, tarfile.ErrFollowed):
		return damaged("%w", err)
	case err != nil:
		return fmt.Errorf("read the backup: %w", err)
	}
	return nil
}

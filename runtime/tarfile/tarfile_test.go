package tarfile

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// The end of a tar file may be filled up with zeros, and with nothing else.
func TestJRN25OnlyZerosFollowTheEnd(t *testing.T) {
	var file bytes.Buffer
	if err := tar.NewWriter(&file).Close(); err != nil {
		t.Fatal(err)
	}
	wrong := errors.New("wrong")
	for name, test := range map[string]struct {
		rest io.Reader
		want error
	}{
		"nothing": {strings.NewReader(""), nil},
		"zeros":   {strings.NewReader(strings.Repeat("\x00", 10000)), nil},
		"a byte":  {strings.NewReader(strings.Repeat("\x00", 10000) + "x"), ErrFollowed},
		"a fault": {iotest.ErrReader(wrong), wrong},
	} {
		r, err := NewReader(io.MultiReader(bytes.NewReader(file.Bytes()), test.rest))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Next(); !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		if err := r.End(); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", name, err, test.want)
		}
	}
}

// A compressed file is named as such, with the program that decompresses it.
func TestJRN25ACompressedFileIsNamed(t *testing.T) {
	for head, program := range map[string]string{
		"\x1f\x8b\x08": "gzip", "BZh9": "bzip2", "\xfd7zXZ\x00": "xz", "\x28\xb5\x2f\xfd": "zstd",
	} {
		_, err := NewReader(strings.NewReader(head))
		if !errors.Is(err, ErrCompressed) || !strings.HasSuffix(err.Error(), "with "+program+" -d") {
			t.Errorf("%q: got %v; want %v, an error ending with %q", head, err, ErrCompressed, "with "+program+" -d")
		}
	}
	if _, err := NewReader(strings.NewReader("manifest.json")); err != nil {
		t.Error(err)
	}
}

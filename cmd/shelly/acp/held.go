package acp

import (
	"io"
	"os"
	"unicode/utf8"

	"shelly/runtime/tool/file/change"
)

// heldBytesMax bounds the files whose earlier text is shown.
const heldBytesMax = 256 << 10

// held returns the current text of a file; nil if it is unknown or the file does not exist.
func held(path string) *string {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > heldBytesMax {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, heldBytesMax))
	return text(data, err)
}

// before returns what a file held before a session wrote after over it, from the record of
// changes (TOL-26); nil if that is unknown or the file did not exist.
func before(log *change.Log, session, path, after string) *string {
	if log == nil {
		return nil
	}
	entries, err := log.List(session)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if e.Path() == real(path) && e.After == change.Hash([]byte(after)) {
			if e.Before == "" || !e.Kept {
				return nil
			}
			return text(e.Content())
		}
	}
	return nil
}

func text(data []byte, err error) *string {
	if err != nil || len(data) > heldBytesMax || !utf8.Valid(data) {
		return nil
	}
	s := string(data)
	return &s
}

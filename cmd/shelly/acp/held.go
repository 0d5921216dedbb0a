package acp

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"shelly/runtime/front/acp"
	"shelly/runtime/system"
	"shelly/runtime/tool/file/change"
)

// heldBytesMax bounds the files whose earlier text is shown.
const heldBytesMax = 256 << 10

// held returns the current text of a file.
func held(path string) acp.Earlier {
	f, info, err := system.Regular(real(path))
	if err != nil {
		return acp.Earlier{Known: errors.Is(err, fs.ErrNotExist) && !looksLikeAnother(path)}
	}
	defer func() { _ = f.Close() }()
	if info.Size() > heldBytesMax {
		return acp.Earlier{}
	}
	data, err := io.ReadAll(io.LimitReader(f, heldBytesMax+1)) // it may grow meanwhile
	return text(data, err)
}

// looksLikeAnother reports whether the tools may take a path that leads to nothing for another one, which
// differs only in how letters and their accents are composed (TOL-3).
func looksLikeAnother(path string) bool {
	if !strings.ContainsFunc(path, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return false
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	return err != nil || slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return norm.NFC.String(e.Name()) == norm.NFC.String(filepath.Base(path)) })
}

// record lists a session's changes, the newest first (TOL-26).
type record func() ([]*change.Entry, error)

// changed returns the record of a session's changes.
func (a *agent) changed(session string) record {
	return func() ([]*change.Entry, error) {
		if a.changes == nil {
			return nil, nil
		}
		return a.changes.List(session)
	}
}

// before returns what a file held before a call changed it. The call is the latest with that file and content whose result begins alike:
// one that has changed nothing has another result, and is in no record.
func (r record) before(path string, after *string, result string) acp.Earlier {
	entries, err := r()
	if err != nil {
		return acp.Earlier{}
	}
	for _, e := range entries {
		switch {
		case e.Path() != real(path) || firstLine(e.Result) != firstLine(result) || after != nil && e.After != change.Hash([]byte(*after)):
		case e.Before == "":
			return acp.Earlier{Known: true}
		case !e.Kept:
			return acp.Earlier{}
		default:
			return text(e.Content())
		}
	}
	return acp.Earlier{}
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

func text(data []byte, err error) acp.Earlier {
	if err != nil || len(data) > heldBytesMax || !utf8.Valid(data) {
		return acp.Earlier{}
	}
	s := string(data)
	return acp.Earlier{Known: true, Text: &s}
}

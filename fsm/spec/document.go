package spec

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
)

// File is the specification's name in the root of the project.
const File = "SPEC.md"

// partFile is the name of a document that is part of the specification if [File] links to
// it.
const partFile = "RULES.md"

// Document is one file of the specification.
type Document struct {
	File string // from the project's root, with slashes
	Text []byte
}

// Documents returns the specification of the project in fsys: SPEC.md, then each
// RULES.md that it links to, in the order of the links.
func Documents(fsys fs.FS) ([]Document, error) {
	md, err := fs.ReadFile(fsys, File)
	if err != nil {
		return nil, fmt.Errorf("read the specification: %w", err)
	}
	docs := []Document{{File, md}}
	var errs []error
	for _, l := range links(File, md) {
		known := slices.ContainsFunc(docs, func(d Document) bool { return d.File == l.file })
		if path.Base(l.file) != partFile || known {
			continue
		}
		text, err := fs.ReadFile(fsys, l.file)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s:%d: read a part of the specification: %w", File, l.line, err))
			continue
		}
		docs = append(docs, Document{l.file, text})
	}
	return docs, errors.Join(errs...)
}

// Update returns the text with every generated block rendered again. Text outside the
// blocks stays as it is.
func (d Document) Update() ([]byte, error) {
	blocks, err := d.blocks()
	if err != nil {
		return nil, err
	}
	var out []byte
	done := 0
	for _, b := range blocks {
		text, err := Render(b.name)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", d.File, b.line, err)
		}
		out = append(out, d.Text[done:b.from]...)
		out = append(out, text...)
		done = b.to
	}
	return append(out, d.Text[done:]...), nil
}

// lineOf returns the line of an offset, from 1.
func lineOf(text []byte, offset int) int { return 1 + bytes.Count(text[:offset], []byte("\n")) }

package text

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// MinBytes is the length from which a text is taken out: for a shorter one, the reference and the
// marks that it needs would cost more than they save.
const MinBytes = 512

// mark begins a form. The byte occurs in no valid UTF-8, and so in no JSON.
const mark = 0xff

// Place is where the texts of a body are.
type Place int

const (
	InStrings Place = iota // in strings of JSON, as encoding/json writes them
	Whole                  // the body is one text
)

// sumBytes is how many bytes of a text's hash are in a reference.
const sumBytes = 8

// The kinds of pieces.
const (
	plain = iota
	asIs
	quoted
	packed
	kindBits = 2
)

// Ref is a reference to a text.
type Ref struct {
	Number uint64
	Bytes  int // of the text
	Sum    [sumBytes]byte
}

// Is reports whether text is the one that the reference means.
func (r Ref) Is(text []byte) bool {
	sum := sha256.Sum256(text)
	return len(text) == r.Bytes && bytes.Equal(sum[:sumBytes], r.Sum[:])
}

// errForm is the error of a malformed form.
var errForm = errors.New("its form cannot be read")

// IsForm reports whether bytes that may be either a form or a plain body are a form.
func IsForm(form []byte) bool { return len(form) > 0 && form[0] == mark }

// Length returns the length of the body of a form.
func Length(form []byte) (int, error) {
	if !IsForm(form) {
		return len(form), nil
	}
	n, used := binary.Uvarint(form[1:])
	if used <= 0 || n > 1<<40 {
		return 0, errForm
	}
	return int(n), nil
}

// Refs returns the references in a form, each once.
func Refs(form []byte) (refs []Ref, err error) {
	err = pieces(form, func(p piece) error {
		if p.kind != plain && !slices.ContainsFunc(refs, func(r Ref) bool { return r.Number == p.ref.Number }) {
			refs = append(refs, p.ref)
		}
		return nil
	})
	return refs, err
}

// Fill appends the body of a form to dst. It calls find for each reference; find calls its function
// with the text, which need not stay valid after that.
func Fill(dst, form []byte, find func(Ref, func(text []byte) error) error) ([]byte, error) {
	if !IsForm(form) {
		return append(dst, form...), nil
	}
	length, err := Length(form)
	if err != nil {
		return nil, err
	}
	begin := len(dst)
	err = pieces(form, func(p piece) error {
		if p.kind == plain {
			dst = append(dst, p.plain...)
			return nil
		}
		return find(p.ref, func(text []byte) error {
			if !p.ref.Is(text) {
				return fmt.Errorf("text %d is another one", p.ref.Number)
			}
			if p.kind == quoted {
				dst = appendQuoted(dst, text)
			} else {
				dst = append(dst, text...)
			}
			return nil
		})
	})
	if err == nil && len(dst)-begin != length {
		err = errForm
	}
	return dst, err
}

// piece is a part of a form.
type piece struct {
	kind  int
	plain []byte
	ref   Ref
}

// pieces calls fn for each piece of a form, until it returns an error.
func pieces(form []byte, fn func(piece) error) error {
	if !IsForm(form) {
		return nil
	}
	_, used := binary.Uvarint(form[1:])
	if used <= 0 {
		return errForm
	}
	return each(form[1+used:], fn, unpack)
}

// each calls fn for each of some pieces, and of those that unpack finds in a packed one.
func each(rest []byte, fn func(piece) error, unpack func([]byte) ([]byte, error)) error {
	for len(rest) > 0 {
		head, used := binary.Uvarint(rest)
		if used <= 0 || head>>kindBits > 1<<40 {
			return errForm
		}
		rest = rest[used:]
		p, n := piece{kind: int(head & (1<<kindBits - 1))}, int(head>>kindBits)
		switch {
		case p.kind == plain && n <= len(rest):
			p.plain, rest = rest[:n], rest[n:]
		case p.kind == asIs || p.kind == quoted:
			number, used := binary.Uvarint(rest)
			if used <= 0 || len(rest) < used+sumBytes {
				return errForm
			}
			p.ref = Ref{Number: number, Bytes: n, Sum: [sumBytes]byte(rest[used:])}
			rest = rest[used+sumBytes:]
		case p.kind == packed && n <= len(rest) && unpack != nil:
			inner, err := unpack(rest[:n])
			if err == nil {
				err = each(inner, fn, nil)
			}
			if err != nil {
				return err
			}
			rest = rest[n:]
			continue
		default:
			return errForm
		}
		if err := fn(p); err != nil {
			return err
		}
	}
	return nil
}

// writer builds a form. Plain bytes are collected, so that they become one piece.
type writer struct {
	form   []byte // its beginning, and the pieces that are not packed
	begin  int    // length of the beginning
	text   []byte // plain bytes that are not in the form yet
	packs  bool   // pieces are packed once there are many
	blocks []byte // the packed pieces, which come before the others
	buffer []byte // for a block: as long as the longest so far
}

// beginning appends what a form begins with; length is that of the body.
func beginning(form []byte, length int) []byte {
	return binary.AppendUvarint(append(form, mark), uint64(length))
}

// begins makes a writer, which may have written another form before, write that of a body.
func (w *writer) begins(length int, packs bool) {
	w.form, w.text, w.blocks, w.packs = beginning(w.form[:0], length), w.text[:0], w.blocks[:0], packs
	w.begin = len(w.form)
}

// plain adds plain bytes. Many are a piece of their own, so that they are copied once.
func (w *writer) plain(text []byte) {
	if len(text) < plainMin {
		w.text = append(w.text, text...)
		return
	}
	w.flush()
	w.emit(text)
}

func (w *writer) ref(kind int, r Ref) {
	w.flush()
	w.form = binary.AppendUvarint(w.form, uint64(r.Bytes)<<kindBits|uint64(kind))
	w.form = binary.AppendUvarint(w.form, r.Number)
	w.form = append(w.form, r.Sum[:]...)
}

func (w *writer) flush() {
	w.emit(w.text)
	w.text = w.text[:0]
}

// emit adds pieces of plain bytes to the form.
func (w *writer) emit(rest []byte) {
	for len(rest) > 0 {
		n := min(len(rest), plainMax)
		w.form = binary.AppendUvarint(w.form, uint64(n)<<kindBits) // the kind is plain, 0
		w.form = append(w.form, rest[:n]...)
		rest = rest[n:]
		if len(w.form) >= blockBytes && w.packs {
			w.pack()
		}
	}
}

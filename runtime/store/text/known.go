package text

import (
	"bytes"
	"crypto/sha256"
	"slices"
	"sync"
)

const (
	// knownMax bounds how many texts are known; at least the latest half of that are.
	knownMax = 4096
	// windowBytes is the length of the beginning and of the end by which a text is found.
	windowBytes = 64
	// alikeMax bounds how many texts with the same beginning are known.
	alikeMax = 8
	// missesMax bounds how many false matches are tried in one text.
	missesMax = 8
)

// Text is a text that a form refers to.
type Text struct {
	Ref
	Bytes []byte // part of the body: valid until that is changed
	Fresh bool   // its number was assigned by this Take
}

// Known holds which texts there are. It forgets some, and may hold some that are gone. It is safe
// for concurrent use.
type Known struct {
	mu         sync.Mutex
	next       uint64 // number
	young, old generation
	writers    sync.Pool // *writer: a long body takes much memory to pack
}

// NewKnown returns a Known that assigns the numbers from next on.
func NewKnown(next uint64) *Known {
	return &Known{next: next, young: newGeneration(), old: newGeneration(), writers: sync.Pool{New: func() any { return new(writer) }}}
}

// generation holds texts by the hash of their beginning. The filter has a bit for the high bits of
// each hash.
type generation struct {
	size   int
	texts  map[uint64][]entry
	filter *[1 << filterBits / 8]byte
}

// filterBits is how many bits of a hash the filter uses.
const filterBits = 17

func newGeneration() generation {
	return generation{texts: map[uint64][]entry{}, filter: new([1 << filterBits / 8]byte)}
}

// may reports whether some known text may begin with a window that has this hash.
func (g *generation) may(hash uint64) bool {
	bit := hash >> (64 - filterBits)
	return g.filter[bit/8]&(1<<(bit%8)) != 0
}

func (g *generation) add(hash uint64, e entry) {
	alike := g.texts[hash]
	if len(alike) == alikeMax {
		alike = append(alike[:0:0], alike[1:]...)
	} else {
		g.size++
	}
	g.texts[hash] = append(alike, e)
	bit := hash >> (64 - filterBits)
	g.filter[bit/8] |= 1 << (bit % 8)
}

// entry is what is known of a text.
type entry struct {
	number uint64
	bytes  int
	end    uint64 // hash of its last windowBytes
	sum    [sha256.Size]byte
}

func (e entry) ref() Ref { return Ref{Number: e.number, Bytes: e.bytes, Sum: [sumBytes]byte(e.sum[:])} }

// entryOf returns the entry of a text, and the hash of its beginning.
func entryOf(number uint64, text []byte) (uint64, entry) {
	return hashOf(text[:windowBytes]), entry{number, len(text), hashOf(text[len(text)-windowBytes:]), sha256.Sum256(text)}
}

// Note adds a text that already has a number.
func (k *Known) Note(number uint64, text []byte) {
	if len(text) < MinBytes {
		return
	}
	hash, e := entryOf(number, text)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.add(hash, e)
}

// add adds an entry, replacing one with the same content.
func (k *Known) add(hash uint64, e entry) {
	for i, o := range k.young.texts[hash] {
		if o.sum == e.sum {
			k.young.texts[hash][i] = e
			return
		}
	}
	if k.young.size >= knownMax/2 {
		k.young, k.old = newGeneration(), k.young
	}
	k.young.add(hash, e)
}

// find returns the longest known text that text begins with; hash is the hash of text's beginning.
// It counts each false match down from misses.
func (k *Known) find(hash uint64, text []byte, misses *int) (found entry, ok bool) {
	for _, g := range []*generation{&k.young, &k.old} {
		if !g.may(hash) {
			continue
		}
		for _, e := range g.texts[hash] {
			if e.bytes > len(text) || e.bytes <= found.bytes || *misses == 0 || hashOf(text[e.bytes-windowBytes:e.bytes]) != e.end {
				continue
			}
			if sha256.Sum256(text[:e.bytes]) != e.sum {
				*misses--
				continue
			}
			found, ok = e, true
		}
	}
	if ok {
		k.add(hash, found) // recently used, so it stays
	}
	return found, ok
}

// span is a part of a text: either a text to refer to, or plain bytes.
type span struct {
	bytes []byte
	text  *Text
}

// split splits a text into known texts and what is between them. A part in between that is long
// enough becomes a new text.
func (k *Known) split(text []byte) (spans []span) {
	between := func(bytes []byte) {
		if len(bytes) == 0 {
			return
		}
		if len(bytes) < MinBytes {
			spans = append(spans, span{bytes: bytes})
			return
		}
		hash, e := entryOf(k.next, bytes)
		k.next++
		k.add(hash, e)
		spans = append(spans, span{bytes, &Text{e.ref(), bytes, true}})
	}
	from, misses := 0, missesMax
	hash := hashOf(text[:windowBytes])
	for at := 0; ; {
		if k.young.may(hash) || k.old.may(hash) {
			if e, ok := k.find(hash, text[at:], &misses); ok {
				between(text[from:at])
				part := text[at : at+e.bytes]
				spans = append(spans, span{part, &Text{e.ref(), part, false}})
				at += e.bytes
				from = at
				if at+windowBytes > len(text) {
					break
				}
				hash = hashOf(text[at : at+windowBytes])
				continue
			}
		}
		if misses == 0 || at+windowBytes == len(text) {
			break
		}
		hash = roll(hash, text[at], text[at+windowBytes])
		at++
	}
	between(text[from:])
	return spans
}

// The hash of a window is a polynomial of its bytes, so it can be computed from the hash of the
// window one byte earlier.
const factor = 0x9e3779b97f4a7c15

// leaves is the factor of the byte that leaves the window.
var leaves = func() uint64 {
	f := uint64(1)
	for range windowBytes {
		f *= factor
	}
	return f
}()

func hashOf(window []byte) (hash uint64) {
	for _, c := range window {
		hash = hash*factor + uint64(c) + 1
	}
	return hash
}

func roll(hash uint64, out, in byte) uint64 {
	return hash*factor + uint64(in) + 1 - (uint64(out)+1)*leaves
}

// Take returns the form of a body, and the texts that it refers to, each once. What is short in
// strings of JSON is packed where there is much of it.
func (k *Known) Take(body []byte, where Place) (form []byte, texts []Text) {
	t := taking{known: k, body: body, packs: where == InStrings}
	if where == Whole {
		t.whole()
	} else {
		t.strings()
	}
	if t.w == nil && !IsForm(body) && (!t.packs || len(body) < packBytes) {
		return body, nil
	}
	t.upTo(len(body))
	form = bytes.Clone(t.w.end())
	k.writers.Put(t.w)
	return form, t.texts
}

// taking is the state of one Take.
type taking struct {
	known *Known
	body  []byte
	packs bool    // its writer packs
	w     *writer // nil: nothing has been taken out yet
	from  int     // everything before it in the body is in w
	texts []Text
}

func (t *taking) whole() {
	if len(t.body) >= MinBytes {
		t.take(0, len(t.body), t.body, asIs)
	}
}

// strings takes out the texts between quotes. In a body that is not JSON they may be anywhere.
func (t *taking) strings() {
	for at := 0; ; {
		begin := bytes.IndexByte(t.body[at:], '"')
		if begin < 0 {
			return
		}
		begin += at + 1
		length := quotedLen(t.body[begin:])
		if length < 0 {
			return
		}
		if length >= MinBytes {
			if text, ok := unquote(make([]byte, 0, length), t.body[begin:begin+length]); ok && len(text) >= MinBytes {
				t.take(begin, begin+length, text, quoted)
			}
		}
		at = begin + length + 1
	}
}

// quotedLen returns the length of a string without its quotes, or -1 if it has no end.
func quotedLen(in []byte) int {
	for at := 0; ; {
		end := bytes.IndexByte(in[at:], '"')
		if end < 0 {
			return -1
		}
		end += at
		escapes := 0
		for escapes < end && in[end-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return end
		}
		at = end + 1
	}
}

// take takes out a text that is in the body between from and to.
func (t *taking) take(from, to int, text []byte, kind int) {
	t.known.mu.Lock()
	spans := t.known.split(text)
	t.known.mu.Unlock()
	t.upTo(from)
	t.from = to
	for _, s := range spans {
		switch {
		case s.text != nil:
			t.w.ref(kind, s.text.Ref)
			t.note(*s.text)
		case kind == quoted:
			t.w.text = appendQuoted(t.w.text, s.bytes)
		default:
			t.w.plain(s.bytes)
		}
	}
}

// upTo writes the body as it is up to there.
func (t *taking) upTo(to int) {
	if t.w == nil {
		t.w = t.known.writers.Get().(*writer)
		t.w.begins(len(t.body), t.packs)
	}
	t.w.plain(t.body[t.from:to])
	t.from = to
}

// note adds a text that the form refers to.
func (t *taking) note(text Text) {
	if !slices.ContainsFunc(t.texts, func(o Text) bool { return o.Number == text.Number }) {
		t.texts = append(t.texts, text)
	}
}

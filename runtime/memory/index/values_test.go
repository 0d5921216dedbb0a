package index_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/runtime/memory/index"
)

func doc() index.Doc {
	return index.Doc{About: index.About{Kind: "note", Session: "a", Source: 3}, ID: "h1", At: -5, Length: 300, Blank: true}
}

func TestMEM7ValuesAreReadAsTheyWereWritten(t *testing.T) {
	terms := []index.Term{{Text: "disk", Times: 1}, {Text: "磁盘", Times: 200}}
	value := index.AppendTerms(index.AppendDoc(index.AppendDoc(nil, index.Doc{Gone: true}), doc()), terms)
	r := index.NewReader()
	r.Read(value)
	gone, _ := r.Doc()
	got, about := r.Doc()
	if !gone.Gone || got != doc() || about != r.Share(doc().About) {
		t.Errorf("docs: %+v, %+v", gone, got)
	}
	if diff := cmp.Diff(terms, r.Terms()); diff != "" || r.End() != nil {
		t.Errorf("terms, %v (-want +got):\n%s", r.End(), diff)
	}
	list := []index.Posting{{Slot: 2048, Times: 1}, {Slot: 2049, Times: 7}, {Slot: 3071, Times: 1}}
	if got, err := index.ReadPostings(nil, 2, index.AppendPostings(nil, 2, list)); !slices.Equal(got, list) || err != nil {
		t.Errorf("postings: %v, %v", got, err)
	}
	mean, limits := []float32{1, -2, 0.5}, []uint64{77}
	m, rows, l, err := index.ReadMean(index.AppendMean(nil, mean, 9, limits), 3)
	if !slices.Equal(m, mean) || rows != 9 || !slices.Equal(l, limits) || err != nil {
		t.Errorf("mean: %v, %d, %v, %v", m, rows, l, err)
	}
}

// A copy belongs to one row: to its slot, its scale and its numbers.
func TestMEM7ACopyIsOfOneRow(t *testing.T) {
	value := index.AppendCopy(nil, 7, 0.5, []byte{1, 2, 3})
	if numbers, ok := index.ReadCopy(value, 7, 0.5); !ok || !bytes.Equal(numbers, []byte{1, 2, 3}) || len(value) != index.CopyBytes(3) {
		t.Errorf("%v, %v, %d bytes", numbers, ok, len(value))
	}
	_, slot := index.ReadCopy(value, 8, 0.5)
	_, scale := index.ReadCopy(value, 7, 0.25)
	value[len(value)-1]++
	if _, numbers := index.ReadCopy(value, 7, 0.5); slot || scale || numbers {
		t.Errorf("another slot %v, scale %v, numbers %v", slot, scale, numbers)
	}
}

// A value that is cut short anywhere is malformed, and any other bytes do no harm.
func TestMEM7MalformedValuesAreRefused(t *testing.T) {
	value := index.AppendTerms(index.AppendDoc(nil, doc()), []index.Term{{Text: "disk", Times: 2}})
	for n := range value {
		r := index.NewReader()
		r.Read(value[:n])
		r.Doc()
		r.Terms()
		if !errors.Is(r.End(), index.ErrMalformed) {
			t.Errorf("%d bytes of %d are taken for all", n, len(value))
		}
	}
	r := index.NewReader()
	r.Read(bytes.Repeat([]byte{0xff}, 40))
	r.Doc()
	r.Terms()
	for _, value := range [][]byte{{0}, {1}, {0xff, 0xff}, {3}, bytes.Repeat([]byte{0xff}, 11)} {
		if _, err := index.ReadPostings(nil, 0, value); !errors.Is(err, index.ErrMalformed) {
			t.Errorf("postings %x: %v", value, err)
		}
	}
}

// No key of one keyword begins like a key of another, however long the keywords are.
func TestMEM7KeysOfKeywordsStandApart(t *testing.T) {
	long := strings.Repeat("x", 500)
	keys := [][]byte{index.TermPrefix("a"), index.TermPrefix("ab"), index.TermPrefix(long), index.TermPrefix(long + "y")}
	for i, a := range keys {
		for k, b := range keys {
			if i != k && bytes.HasPrefix(a, b) {
				t.Errorf("%x begins with %x", a, b)
			}
		}
	}
	if n := index.Number(index.PostingsKey("a", 70000)); n != 70000 {
		t.Errorf("segment %d; want 70000", n)
	}
}

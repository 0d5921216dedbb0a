package memory

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"shelly/fsm"
)

// KindNote is the kind of an entry that a person added.
const KindNote fsm.Kind = "note"

// Limits of what a person brings in, in bytes.
const (
	IDBytesMax     = 128
	NameBytesMax   = 128     // for kind, session and model, each
	TextBytesMax   = 4 << 20 // for summary and text together
	vectorBytesMax = 4 << 16 // 65,536 numbers
)

// Completed returns an entry that a person brings in with what it lacks: without a kind it is a
// note, without a time its time is now.
func Completed(e fsm.Entry, now fsm.Millis) fsm.Entry {
	e.Kind, e.At = cmp.Or(e.Kind, KindNote), cmp.Or(e.At, now)
	return e
}

// Bringing says how entries are brought in.
type Bringing struct {
	Replace bool // also write entries whose id exists, and those that were forgotten
	Dry     bool // write nothing, and count what would be written
}

// Brought counts what became of the entries that were brought in.
type Brought struct {
	Added     int `json:"added"`
	Replaced  int `json:"replaced"`
	Skipped   int `json:"skipped"`   // their ids exist
	Forgotten int `json:"forgotten"` // skipped because a person had them forgotten
}

// Add adds the counts of o.
func (b *Brought) Add(o Brought) {
	b.Added, b.Replaced, b.Skipped, b.Forgotten = b.Added+o.Added, b.Replaced+o.Replaced, b.Skipped+o.Skipped, b.Forgotten+o.Forgotten
}

// atMax is the end of the year 9999: RFC 3339 has no later time, and browsers none after the year
// 275760.
const atMax fsm.Millis = 253402300799999

// Check returns what is wrong with an entry that a person brings in, or nil.
func Check(e fsm.Entry) error {
	for _, field := range []struct {
		name, text string
		bytesMin   int
		bytesMax   int
	}{{"id", e.ID, 1, IDBytesMax}, {"kind", string(e.Kind), 0, NameBytesMax}, {"session", e.Session, 0, NameBytesMax}, {"model", e.Model, 0, NameBytesMax}} {
		switch {
		case len(field.text) < field.bytesMin:
			return fmt.Errorf("%s is missing", field.name)
		case len(field.text) > field.bytesMax:
			return fmt.Errorf("%s is longer than %d bytes", field.name, field.bytesMax)
		case !utf8.ValidString(field.text) || strings.ContainsFunc(field.text, unicode.IsControl):
			return fmt.Errorf("%s is not valid text", field.name)
		}
	}
	switch {
	case blank(e.Summary) && blank(e.Text):
		return fmt.Errorf("entry %s has neither a summary nor a text", e.ID)
	case len(e.Summary)+len(e.Text) > TextBytesMax:
		return fmt.Errorf("entry %s is longer than %d bytes", e.ID, TextBytesMax)
	case e.At < 0 || e.At > atMax:
		return fmt.Errorf("entry %s has a time before 1970 or after 9999", e.ID)
	case (len(e.Vector) == 0) != (e.Model == ""):
		return fmt.Errorf("entry %s needs a vector and its model, or neither", e.ID)
	case len(e.Vector)%4 != 0 || len(e.Vector) > vectorBytesMax:
		return fmt.Errorf("entry %s has a vector of %d bytes: it needs 4 for each number, and may have at most %d", e.ID, len(e.Vector), vectorBytesMax)
	}
	return nil
}

// summaryMax is how many characters of a text become its summary if it has none.
const summaryMax = 500

// Beginning returns the summary for a text without one: the part of it that a model sees.
func Beginning(text string) string {
	text = strings.TrimSpace(text)
	all := []rune(text)
	if len(all) <= summaryMax {
		return text
	}
	head := string(all[:summaryMax])
	if space := strings.LastIndexFunc(head, unicode.IsSpace); space > len(head)/2 {
		head = head[:space]
	}
	return strings.TrimSpace(head) + " …"
}

// Bring writes each of the entries whole, and returns when all are durable. An entry without a
// summary gets the beginning of its text. A vector is kept with its model, whichever that is;
// upkeep gives one to entries without (MEM-8). After an error each entry has been written or not,
// and bringing all of them in again completes the rest. If there is too little space, the error is
// the store's engine.ErrNoSpace.
func (m *Memory) Bring(ctx context.Context, entries []fsm.Entry, b Bringing) (Brought, error) {
	if err := m.Wait(ctx); err != nil {
		return Brought{}, err
	}
	for _, e := range entries {
		if err := Check(e); err != nil {
			return Brought{}, err
		}
	}
	m.writing.Lock()
	defer m.writing.Unlock()
	if err := m.entries.Space(); err != nil {
		return Brought{}, err
	}
	var done Brought
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return done, err
		}
		write, err := m.judge(e.ID, b.Replace, &done)
		if err != nil {
			return done, err
		}
		if blank(e.Summary) {
			e.Summary = Beginning(e.Text)
		}
		if write && !b.Dry {
			if err := m.put(e); err != nil {
				return done, err
			}
		}
	}
	if b.Dry {
		return done, nil
	}
	return done, m.entries.SyncEntries()
}

// judge counts what becomes of an entry, and reports whether it should be written.
func (m *Memory) judge(id string, replace bool, done *Brought) (bool, error) {
	if _, known := m.find(id); known {
		if replace {
			done.Replaced++
		} else {
			done.Skipped++
		}
		return replace, nil
	}
	forgotten, err := m.entries.Forgotten(id)
	switch {
	case err != nil:
		return false, err
	case forgotten && !replace:
		done.Forgotten++
		return false, nil
	default:
		done.Added++
		return true, nil
	}
}

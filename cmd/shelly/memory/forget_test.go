package memory

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm/engine"
	"shelly/runtime/comm"
	"shelly/runtime/memory"
)

// partly is a memory that lists its entries, and can read only some of them.
type partly struct {
	memories
	listed, legible []string
}

func (p partly) Get(_ context.Context, id string) (e comm.EntryBody, ok bool, err error) {
	for _, known := range p.legible {
		if known == id {
			e.ID = id
			return e, true, nil
		}
	}
	for _, known := range p.listed {
		if known == id {
			return e, false, fmt.Errorf("%w: memory entry %q", engine.ErrDamaged, id)
		}
	}
	return e, false, nil
}

func (p partly) List(context.Context, memory.Filter, int, int) (comm.MemoryBody, error) {
	body := comm.MemoryBody{Total: len(p.listed)}
	for _, id := range p.listed {
		body.Entries = append(body.Entries, memory.Listed{ID: id})
	}
	return body, nil
}

// An entry that cannot be read can still be forgotten, by its id or the beginning of it, and one that
// is named twice is one.
func TestCLI20WhatIsDamagedCanBeForgotten(t *testing.T) {
	m := partly{listed: []string{"h1", "h12", "note-a"}, legible: []string{"h1"}}
	for _, test := range []struct {
		yes  bool
		ids  string
		want string // the ids, or a part of the error
	}{
		{true, "h12", "h12"},
		{true, "h1 h12 h1 h12", "h1 h12"},
		{false, "note", "note-a"},
		{false, "note note-a", "note-a"},
		{true, "note", "give the whole id; nothing is forgotten"},
		{true, "h12 nobody", `there is no entry "nobody"`},
	} {
		c := forgetCmd{IDs: strings.Fields(test.ids), Yes: test.yes}
		found, err := c.entries(t.Context(), m, memory.Filter{})
		var got []string
		for _, l := range found {
			got = append(got, l.ID)
		}
		if err != nil {
			if !strings.Contains(err.Error(), test.want) {
				t.Errorf("forget %s: %v; want %s", test.ids, err, test.want)
			}
			continue
		}
		if diff := cmp.Diff(test.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("forget %s (-want +got):\n%s", test.ids, diff)
		}
	}
}

package memory

import (
	"context"
	"testing"

	"shelly/runtime/comm"
	"shelly/runtime/memory"
)

// parts is a memory that lists at most two entries at once.
type parts struct {
	memories
	ids []string
}

func (p parts) List(_ context.Context, _ memory.Filter, skip, limit int) (comm.MemoryBody, error) {
	body := comm.MemoryBody{Total: len(p.ids)}
	for _, id := range p.ids[min(skip, len(p.ids)):min(skip+min(limit, 2), len(p.ids))] {
		body.Entries = append(body.Entries, memory.Listed{ID: id})
	}
	return body, nil
}

// A part of a list may have fewer entries than asked for (COM-17).
func TestCOM17AListIsReadToItsEnd(t *testing.T) {
	p := parts{ids: []string{"a", "b", "c", "d", "e"}}
	for limit, want := range map[int]int{0: 5, 1: 1, 3: 3, 4: 4, 5: 5, 9: 5} {
		body, err := listEntries(t.Context(), p, memory.Filter{}, limit)
		if err != nil || len(body.Entries) != want || body.Total != 5 {
			t.Errorf("limit %d: %d of %d entries, %v; want %d", limit, len(body.Entries), body.Total, err, want)
		}
	}
	if body, err := listEntries(t.Context(), parts{}, memory.Filter{}, 0); err != nil || len(body.Entries) != 0 {
		t.Errorf("got %+v, %v; want no entry", body, err)
	}
}

package state

import (
	"encoding/json"
	"slices"
	"testing"

	"shelly/fsm"
)

// What a copy appends to its lists does not reach those of its original, even where these have
// room (INV-9).
func TestINV9ACopyAppendsElsewhere(t *testing.T) {
	var h Handle
	h.Turn, h.Used, h.Notes = make([]fsm.Message, 0, 1), make([]string, 0, 1), make([]string, 0, 1)
	h.Inf.Seen = make([]uint64, 0, 1)
	s := Snapshot{Handles: []Handle{h}}
	adds := func(h *Handle, text string, hash uint64) {
		h.Turn, h.Used, h.Notes = append(h.Turn, fsm.Message{Text: text}), append(h.Used, text), append(h.Notes, text)
		h.Inf.Seen = append(h.Inf.Seen, hash)
	}
	to := s.Clone()
	adds(&s.Handles[0], "own", 1)
	adds(&to.Handles[0], "other", 2)
	got := &s.Handles[0]
	if got.Turn[0].Text != "own" || !slices.Equal(got.Used, []string{"own"}) || !slices.Equal(got.Notes, []string{"own"}) || !slices.Equal(got.Inf.Seen, []uint64{1}) {
		t.Errorf("the original has %q, %q, %q, %d", got.Turn[0].Text, got.Used, got.Notes, got.Inf.Seen)
	}
}

// What is no inference is not read as one.
func TestWhatIsNoInferenceIsAnError(t *testing.T) {
	var s Snapshot
	if err := json.Unmarshal([]byte(`{"handles":[{"inf":{"state":"thinking","rounds":"many"}}]}`), &s); err == nil {
		t.Errorf("read as %+v", s.Handles)
	}
}

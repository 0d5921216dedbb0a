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
	hello := fsm.Message{Role: fsm.RoleUser, Text: "hello"}
	h.Talk, h.Inf.Talk = fsm.Conversation{}.Add(hello, hello), fsm.Conversation{}.Add(hello, hello) // with room for more
	s := Snapshot{Handles: []Handle{h}, Channels: make([]string, 0, 1), Grants: make([]fsm.Grant, 0, 1), Said: make([]Said, 0, 1)}
	adds := func(s *Snapshot, text string, hash uint64) {
		h, msg := &s.Handles[0], fsm.Message{Role: fsm.RoleAssistant, Text: text}
		s.Channels, s.Grants, s.Said = append(s.Channels, text), append(s.Grants, fsm.Grant{Tool: text}), append(s.Said, Said{Text: text})
		h.Talk, h.Inf.Talk = h.Talk.Add(msg), h.Inf.Talk.Add(msg)
		h.Turn, h.Used, h.Notes = append(h.Turn, fsm.Message{Text: text}), append(h.Used, text), append(h.Notes, text)
		h.Inf.Seen = append(h.Inf.Seen, hash)
	}
	to := s.Clone()
	adds(&s, "own", 1)
	adds(&to, "other", 2)
	got := &s.Handles[0]
	if got.Turn[0].Text != "own" || !slices.Equal(got.Used, []string{"own"}) || !slices.Equal(got.Notes, []string{"own"}) || !slices.Equal(got.Inf.Seen, []uint64{1}) {
		t.Errorf("the original has %q, %q, %q, %d", got.Turn[0].Text, got.Used, got.Notes, got.Inf.Seen)
	}
	if got.Talk.Messages[2].Text != "own" || got.Inf.Talk.Messages[2].Text != "own" {
		t.Errorf("its conversations are %+v and %+v", got.Talk.Messages, got.Inf.Talk.Messages)
	}
	if !slices.Equal(s.Channels, []string{"own"}) || s.Grants[0].Tool != "own" || s.Said[0].Text != "own" {
		t.Errorf("it has %q, %+v and %+v", s.Channels, s.Grants, s.Said)
	}
}

// The shape does not know what was said to a session from outside, the hash does.
func TestTheShapeLeavesOutWhatWasSaid(t *testing.T) {
	one, other := Snapshot{Said: []Said{{Session: "s", Text: "a"}}}, Snapshot{Said: []Said{{Session: "s", Text: "b"}}}
	if one.Shape() != other.Shape() || one.Hash() == other.Hash() {
		t.Error("the shape knows a text, or the hash does not")
	}
}

// A summary idles by whether its handle's session is the one that the server has cached (HND-66).
func TestTheHashKnowsWhoseConversationIsCached(t *testing.T) {
	of := func(cached, session string) uint64 {
		var s Snapshot
		s.Cached.Session = cached
		s.Handles = []Handle{{Accepted: Accepted{ID: 1, Session: session}}}
		return s.Hash()
	}
	if of("a", "s") != of("b", "s") || of("s", "s") == of("a", "s") {
		t.Error("the hash does not tell just whether it is the handle's")
	}
}

// A summary of what is cached idles only if a speed is known, and a compression is of the
// version that was saved last (HND-66, HND-67).
func TestTheShapeKnowsWhatASummaryAndACompressionDependOn(t *testing.T) {
	of := func(version uint64, reads int) uint64 {
		var s Snapshot
		s.Cached.Session, s.Reads = "a", reads
		s.Handles = []Handle{{SessionTurn: SessionTurn{Sess: fsm.Session{Version: version}}}}
		return s.Shape()
	}
	if of(1, 0) == of(2, 0) || of(1, 0) == of(1, 7) || of(1, 7) != of(1, 8) {
		t.Error("the shape does not tell just the session's version, and whether a speed is known")
	}
}

func TestWhatIsNotAnInferenceIsAnError(t *testing.T) {
	var s Snapshot
	if err := json.Unmarshal([]byte(`{"handles":[{"inf":{"state":"thinking","rounds":"many"}}]}`), &s); err == nil {
		t.Errorf("read as %+v", s.Handles)
	}
}

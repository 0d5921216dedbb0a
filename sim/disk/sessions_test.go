package disk

import (
	"fmt"
	"reflect"
	"shelly/fsm"
	"slices"
	"testing"
)

func said(text string) []fsm.Message { return []fsm.Message{{Role: fsm.RoleUser, Text: text}} }

func save(version uint64, turn, text string) fsm.SaveSession {
	return fsm.SaveSession{
		Asked: fsm.Asked{Call: 1}, Session: "s", Turn: turn, Archive: said(text), Notes: []string{"note " + turn},
		State: fsm.Session{Version: version, History: said(text), Ratio: 7},
	}
}

// SES-3: a save is over the version that was loaded, and once for each turn.
func TestSessionsAreSavedOverTheirVersion(t *testing.T) {
	s := NewSessions(nil, "")
	if got := s.Load("s"); !reflect.DeepEqual(got, fsm.Session{}) {
		t.Fatalf("a session never saved: %+v", got)
	}
	if got, conflict := s.Save(save(0, "h1", "one")); conflict {
		t.Fatalf("the first save: %+v", got)
	}
	if got := s.Load("s"); got.Version != 1 || got.History[0].Text != "one" || got.Ratio != 7 {
		t.Fatalf("loaded %+v", got)
	}
	now, conflict := s.Save(save(0, "h2", "two"))
	if !conflict || now.Version != 1 || now.History[0].Text != "one" {
		t.Errorf("a save over an old version: %t, %+v", conflict, now)
	}
	if got, conflict := s.Save(save(0, "h1", "other")); conflict || s.Load("s").Version != 1 {
		t.Errorf("the same turn again: %+v", got)
	}
	if got, conflict := s.Save(save(1, "h2", "two")); conflict || s.Load("s").Version != 2 {
		t.Errorf("the next turn: %+v", got)
	}
	one, _ := s.find("s")
	if len(one.Archive) != 2 || !slices.Equal(one.Turns, []string{"h1", "h2"}) || !slices.Equal(s.History, []string{"note h1", "note h2"}) {
		t.Errorf("archive %v, turns %v, notes %v", one.Archive, one.Turns, s.History)
	}
}

// SES-12: MEMORY.md is written over the content that was loaded.
func TestMemoryFileIsSavedOverItsHash(t *testing.T) {
	s := NewSessions(nil, "old")
	loaded := s.Load("s")
	if loaded.Memory != "old" || loaded.MemoryHash != MemoryHash("old") {
		t.Fatalf("loaded %+v", loaded)
	}
	e := fsm.SaveSession{Session: "s", Turn: "h1", State: loaded, Memory: true}
	e.State.Memory = "new"
	s.MemoryFile = "a person's"
	if got, conflict := s.Save(e); !conflict || got.Memory != "a person's" || s.MemoryFile != "a person's" {
		t.Errorf("over another content: %+v", got)
	}
	e.State.MemoryHash = MemoryHash("a person's")
	if got, conflict := s.Save(e); conflict || s.MemoryFile != "new" || s.Load("t").Memory != "new" {
		t.Errorf("over this content: %+v, %q", got, s.MemoryFile)
	}
	other := fsm.SaveSession{Session: "t", Turn: "h2", State: fsm.Session{Memory: "ignored", MemoryHash: "old"}}
	if got, conflict := s.Save(other); conflict || s.MemoryFile != "new" {
		t.Errorf("a save that leaves MEMORY.md alone: %+v, %q", got, s.MemoryFile)
	}
	if MemoryHash("") != "" || MemoryHash("a") == MemoryHash("b") {
		t.Error("the hash does not tell contents apart")
	}
}

// SIM-5: a crash loses what was not synced, and nothing else.
func TestSessionsLoseInACrashWhatWasNotSynced(t *testing.T) {
	s := NewSessions([]Saved{{Name: "s", State: fsm.Session{History: said("zero")}}}, "old")
	if s.Load("s").Version != 1 {
		t.Fatalf("a session of the plan has version %d", s.Load("s").Version)
	}
	first := save(1, "h1", "one")
	first.Memory, first.State.Memory, first.State.MemoryHash = true, "new", MemoryHash("old")
	s.Save(first)
	s.Crash()
	if got := s.Load("s"); got.Version != 1 || got.History[0].Text != "zero" || got.Memory != "old" || len(s.History) != 0 {
		t.Errorf("after the crash: %+v, notes %v", got, s.History)
	}
	s.Save(first)
	s.Sync()
	s.Save(save(2, "h2", "two"))
	s.Crash()
	if got := s.Load("s"); got.Version != 2 || got.History[0].Text != "one" || got.Memory != "new" || !slices.Equal(s.History, []string{"note h1"}) {
		t.Errorf("after a sync and a crash: %+v, notes %v", got, s.History)
	}
	s.Save(save(2, "h2", "two"))
	if got := s.Load("s"); got.Version != 3 {
		t.Errorf("the lost turn again: %+v", got)
	}
}

// A save copies nothing of what was saved before, or a run would take the square of its turns.
func TestSavesTakeNoLongerTheMoreThereAre(t *testing.T) {
	s := NewSessions(nil, "")
	e := save(0, "", "said")
	turns := make([]string, 2000)
	for i := range turns {
		turns[i] = fmt.Sprint(i)
	}
	turn := func() {
		e.Turn, turns = turns[0], turns[1:]
		if _, conflict := s.Save(e); conflict {
			t.Fatal("a conflict")
		}
		s.Sync()
		e.State.Version++
	}
	if n := testing.AllocsPerRun(len(turns)-1, turn); n > 0 { // lists that grow allocate now and then, less than once in a turn
		t.Errorf("%v allocations a save", n)
	}
}

// SIM-5: what a crash has taken from a list comes back in no later save, however the
// lists have grown.
func TestSIM5SessionsAreAsSyncedAfterACrash(t *testing.T) {
	s := NewSessions([]Saved{{Name: "s", Archive: said("zero")}}, "")
	kept := map[string][]string{"s": {"zero"}}
	version := map[string]uint64{"s": 1}
	for round := range 8 {
		for _, lost := range []bool{true, false} {
			for _, name := range []string{"s", fmt.Sprint(round), "s"} {
				turn := fmt.Sprintf("%s, round %d, lost %t, version %d", name, round, lost, version[name])
				e := save(version[name], turn, turn)
				e.Session = name
				if now, conflict := s.Save(e); conflict {
					t.Fatalf("%s: there is version %d", turn, now.Version)
				}
				version[name]++
				if !lost {
					kept[name] = append(kept[name], turn)
				}
			}
			if lost {
				s.Crash()
				version["s"] -= 2
				delete(version, fmt.Sprint(round))
			} else {
				s.Sync()
			}
		}
	}
	s.Crash()
	got := map[string][]string{}
	for _, one := range s.Saved {
		for _, m := range one.Archive {
			got[one.Name] = append(got[one.Name], m.Text)
		}
	}
	if !reflect.DeepEqual(got, kept) {
		t.Errorf("archives %q, want %q", got, kept)
	}
	if len(s.History) != 3*8 {
		t.Errorf("%d notes", len(s.History))
	}
}

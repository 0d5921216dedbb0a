package session_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"shelly/fsm"
	"shelly/runtime/session"
)

// counted counts how many times a session is read from the store.
type counted struct {
	session.Store
	reads int
}

func (c *counted) Session(id string) ([]byte, error) {
	c.reads++
	return c.Store.Session(id)
}

// What is remembered of the sessions used last is what the store has, whatever happened in between,
// and nobody who received it can change it.
func TestSES3ASessionIsLoadedAsTheStoreHasIt(t *testing.T) {
	f, world := start(t), 0
	rapid.Check(t, func(t *rapid.T) {
		world++
		for range rapid.IntRange(1, 12).Draw(t, "turns") {
			id := fmt.Sprint(world, rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "session"))
			over := f.load(id)
			e := turn(fmt.Sprintf("t%d", rapid.IntRange(0, 20).Draw(t, "turn")), over, strings.Repeat("x", rapid.SampledFrom([]int{1, 3000}).Draw(t, "length")))
			e.Session = id
			e.State.Offer = fsm.Offer{Own: 7, Tools: []fsm.ToolDecl{{Name: "look"}}}
			f.cut.crashes = rapid.IntRange(0, 4).Draw(t, "crash") == 0
			_, _, _ = f.Save(context.Background(), e)
			f.cut.crashes = false
			loaded := f.load(id)
			afresh, err := session.Open(f.data, f.store, f.now)
			if err != nil {
				t.Fatal(err)
			}
			stored, err := afresh.Load(context.Background(), id)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(stored, loaded); diff != "" {
				t.Fatalf("session %s (-stored +loaded):\n%s", id, diff)
			}
			if cap(loaded.History) > len(loaded.History) {
				t.Fatal("appending to the loaded history changes what is kept")
			}
		}
	})
}

func TestSES3ATurnReadsNothingOfASessionThatItKnows(t *testing.T) {
	f := start(t)
	c := &counted{Store: f.store}
	s, err := session.Open(f.data, c, f.now)
	if err != nil {
		t.Fatal(err)
	}
	f.Sessions = s
	for n := range 20 {
		f.save(turn(fmt.Sprint("t", n), f.load("s"), "hello"), false)
	}
	if c.reads > 2 { // one for the first load and one for the save after it: there is no session yet
		t.Errorf("twenty turns read the session %d times", c.reads)
	}
	for n := range 64 {
		e := turn("big", f.load(fmt.Sprint(n)), strings.Repeat("x", 100<<10))
		e.Session = fmt.Sprint(n)
		f.save(e, false)
	}
	c.reads = 0
	f.load("s")
	if c.reads != 1 {
		t.Errorf("a session that gave way to others was read %d times", c.reads)
	}
	if n := len(f.load("s").History); n != 20 {
		t.Errorf("it has %d messages of 20", n)
	}
}

package store_test

import (
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/store"
)

// TXT-8: texts are counted with their length, including those of a version of shelly that stored no
// lengths.
func TestTXT8TheTextsAreCounted(t *testing.T) {
	s := open(t, t.TempDir(), store.Options{})
	counts := func(when string, want store.Held) {
		t.Helper()
		if got, err := s.Texts(); err != nil || got != want {
			t.Errorf("%s: %+v, %v; want %+v", when, got, err, want)
		}
	}
	counts("nothing is kept", store.Held{})
	text := func(owner, ref string, length int) engine.Text {
		return engine.Text{TextKey: engine.TextKey{Owner: owner, Ref: ref}, At: 1, Body: strings.Repeat("x", length)}
	}
	append := func(b engine.Batch) {
		t.Helper()
		must(t, s.Append(b, true))
	}
	session := fsm.SessionOwner("s")
	append(engine.Batch{Texts: []engine.Text{text(session, "a", 1000), text(session, "b", 200), text(fsm.SessionOwner("t"), "a", 30)}})
	counts("three are kept", store.Held{Texts: 3, Bytes: 1230})
	append(engine.Batch{Texts: []engine.Text{text(session, "a", 1000)}})
	counts("one is kept again", store.Held{Texts: 3, Bytes: 1230})
	must(t, s.ForgetLengths())
	append(engine.Batch{Texts: []engine.Text{text(session, "c", 4)}})
	counts("three have no length", store.Held{Texts: 4, Bytes: 1234})
	append(engine.Batch{Names: []engine.Names{{Owner: session, Refs: []string{"b"}}}})
	counts("two are forgotten", store.Held{Texts: 2, Bytes: 230})
}

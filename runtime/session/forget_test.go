package session_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/fsm/engine"
)

// forget drops what was archived before a time, and fails the test unless that was want parts.
func (f *fixture) forget(since fsm.Millis, want int) {
	f.t.Helper()
	f.forgetAt(since, 1<<50, want)
}

// forgetAt is forget at a time.
func (f *fixture) forgetAt(since, now fsm.Millis, want int) {
	f.t.Helper()
	if got, err := f.Forget(context.Background(), since, now); err != nil || got != want {
		f.t.Errorf("%d parts from before %d were dropped, %v; want %d", got, since, err, want)
	}
}

// saveAt saves a turn of session s at a time.
func (f *fixture) saveAt(at int64, name string) {
	f.t.Helper()
	f.at = at
	f.save(turn(name, f.load("s"), "said"), false)
}

// What is old in an archive is dropped, and the session stays (SES-19).
func TestSES19AnArchiveForgetsByAge(t *testing.T) {
	f := start(t)
	f.saveAt(10, "h1")
	f.saveAt(20, "h2")
	f.at = 15 // the clock is set back
	f.save(fsm.SaveSession{Session: "other", Turn: "h3", Archive: []fsm.Message{user("x"), user("y")}}, false)
	f.saveAt(15, "h4")
	f.forget(10, 0)
	f.forget(16, 3) // the last part of s comes after one that stays
	if diff := cmp.Diff([]string{"h2 said", "h4 said"}, f.archive("s")); diff != "" {
		t.Errorf("archive (-want +got):\n%s", diff)
	}
	f.sync()
	f.crash()
	f.forget(16, 0)
	f.forget(21, 2)
	f.saveAt(30, "h5")
	if parts, err := f.Archive("s", 0, 9); err != nil || len(parts) != 1 || parts[0].Number != 4 || parts[0].At != 30 {
		t.Errorf("archive %+v, %v; want part 4 alone", parts, err)
	}
	if s := f.load("s"); len(s.History) != 4 || s.Version != 4 {
		t.Errorf("the session is %+v; want all of its history", s)
	}
	f.save(turn("h5", f.load("s"), "said"), false)
	if n := len(f.archive("s")); n != 1 {
		t.Errorf("a turn that comes again is archived again: %d parts", n)
	}
}

// A part that was archived while the clock was ahead goes with the next one that is dropped (JRN-38).
func TestSES19AClockThatWasAheadKeepsNothingElse(t *testing.T) {
	f := start(t)
	f.saveAt(10, "h1")
	f.saveAt(1<<40, "h2")
	f.forgetAt(13, 50, 1)
	f.saveAt(12, "h3")
	f.saveAt(40, "h4")
	f.forgetAt(13, 50, 2)
	f.saveAt(1<<40, "h5")
	f.forgetAt(41, 50, 1)
	if diff := cmp.Diff([]string{"h5 said"}, f.archive("s")); diff != "" {
		t.Errorf("archive (-want +got):\n%s", diff)
	}
}

// Parts without a time, from an older shelly, are dropped with the first later part that has a time
// and is dropped, however many there are.
func TestSES19PartsWithoutATimeGoWithTheNext(t *testing.T) {
	f := start(t)
	body, err := f.store.Session("s")
	if err != nil {
		t.Fatal(err)
	}
	var old [][]byte
	for range 300 {
		part, err := json.Marshal(map[string]any{"turn": "h0", "message": user("old")})
		if err != nil {
			t.Fatal(err)
		}
		old = append(old, part)
	}
	if err := f.store.PutSession("s", append(body, `{}`...), old); err != nil {
		t.Fatal(err)
	}
	f.forget(1<<40, 0)
	f.saveAt(10, "h1")
	f.forget(10, 0)
	f.forget(11, 301)
}

func TestForgettingEndsWithItsContext(t *testing.T) {
	f := start(t)
	f.saveAt(10, "h1")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if n, err := f.Forget(ctx, 20, 30); n != 0 || !errors.Is(err, context.Canceled) || len(f.archive("s")) != 1 {
		t.Errorf("%d parts were dropped, %v", n, err)
	}
}

// An archive that cannot be read keeps no other from being shortened, and what is dropped is counted.
func TestSES19AnArchiveThatCannotBeReadKeepsNoOther(t *testing.T) {
	f := start(t)
	if err := f.store.PutSession("a", nil, [][]byte{[]byte("{")}); err != nil {
		t.Fatal(err)
	}
	f.saveAt(10, "h1")
	n, err := f.Forget(context.Background(), 20, 30)
	if err == nil || !strings.Contains(err.Error(), `session "a"`) || n != 1 || len(f.archive("s")) != 0 {
		t.Errorf("%d parts were dropped, %v; want one, and an error that names the archive", n, err)
	}
}

// What was said is gone, and a turn that was running begins the session; one that a crash has saved again does not come
// back.
func TestSES25AForgottenSessionBeginsAgain(t *testing.T) {
	f := start(t)
	f.saveAt(10, "h1")
	saved := turn("h2", f.load("s"), "said")
	f.save(saved, false)
	running := turn("h3", f.load("s"), "still running")
	f.save(fsm.SaveSession{Session: "other", Turn: "h4", Archive: []fsm.Message{user("other")}}, false)
	forget := func(id string, messages int, known bool) {
		t.Helper()
		if n, is, err := f.ForgetAll(id); n != messages || is != known || err != nil {
			t.Errorf("session %s: %d messages, known %v, %v; want %d, %v", id, n, is, err, messages, known)
		}
	}
	forget("s", 2, true)
	if s := f.load("s"); len(s.History) != 0 || s.Version != 3 {
		t.Errorf("what was loaded before is still known: %+v", s)
	}
	f.crash()
	forget("s", 0, false)
	forget("nobody's", 0, false)
	list, err := f.List()
	if len(list) != 1 || list[0].ID != "other" || err != nil {
		t.Errorf("listed %+v, %v; want only the other session", list, err)
	}
	f.save(saved, false)
	if s := f.load("s"); len(s.History) != 0 || s.Version != 3 {
		t.Errorf("a turn that was saved came back: %+v", s)
	}
	now := f.save(running, true)
	if len(now.History) != 0 {
		t.Errorf("the running turn is told of %+v", now)
	}
	running.State.History, running.State.Version = []fsm.Message{user("still running")}, now.Version
	f.save(running, false)
	if diff := cmp.Diff([]string{"h3 still running"}, f.archive("s")); diff != "" {
		t.Errorf("archive (-want +got):\n%s", diff)
	}
	if s := f.load("s"); len(s.History) != 1 || s.Version != 4 {
		t.Errorf("the session is %+v; want the running turn alone", s)
	}
	forget("s", 1, true)
}

// A request can end before its turn is saved.
func TestSES25ASessionMayBeNoMoreThanARequest(t *testing.T) {
	f := start(t)
	request := engine.Request{Key: fsm.RequestKey{Channel: "http", ID: "r"}, Index: 1, Session: "s", Text: "said", Done: true}
	running := engine.Request{Key: fsm.RequestKey{Channel: "http", ID: "u"}, Index: 2, Session: "u", Text: "said"}
	if err := f.store.Append(engine.Batch{Requests: []engine.Request{request, running}}, true); err != nil {
		t.Fatal(err)
	}
	for i, want := range []bool{true, false} {
		if n, known, err := f.ForgetAll("s"); n != 0 || known != want || err != nil {
			t.Errorf("time %d: %d messages, known %v, %v; want %v", i+1, n, known, err, want)
		}
	}
	if _, known, err := f.ForgetAll("u"); known || err != nil {
		t.Errorf("one that has only begun: known %v, %v", known, err)
	}
	if r, ok, err := f.store.Request(request.Key); r.Text != "" || !r.Forgotten || !ok || err != nil {
		t.Errorf("the request is %+v, %v, %v", r, ok, err)
	}
}

// Also what waits to be consolidated is of the session; one that has said nothing else is listed for it.
func TestSES25OnlyWhatIsLeftIsListed(t *testing.T) {
	f := start(t)
	f.save(fsm.SaveSession{Session: "nothing", Turn: "h1"}, false)
	f.save(fsm.SaveSession{Session: "waits", Turn: "h2", State: fsm.Session{Pending: []fsm.Message{user("x")}}}, false)
	f.save(fsm.SaveSession{Session: "archived", Turn: "h3", Archive: []fsm.Message{user("x")}}, false)
	list, err := f.List()
	if len(list) != 2 || list[0].ID != "archived" || list[1].ID != "waits" || err != nil {
		t.Errorf("listed %+v, %v; want those with something in them", list, err)
	}
	for id, want := range map[string]bool{"nothing": false, "waits": true, "archived": true, "nobody's": false} { // order-free
		if known, err := f.Known(id); known != want || err != nil {
			t.Errorf("session %s is known: %v, %v; want %v", id, known, err, want)
		}
	}
}

package journaltest

import (
	"testing"

	"shelly/fsm"
	"shelly/fsm/engine"
)

// text returns a text of an owner. Some owners and names are equal when joined, or are
// empty.
func text(owner, ref string, at fsm.Millis) engine.Text {
	return engine.Text{TextKey: engine.TextKey{Owner: owner, Ref: ref}, At: at, Body: "whole " + owner + ref + " 磁盘\x00"}
}

// checkTexts fails t unless the journal has some texts and not others.
func checkTexts(t *testing.T, name string, j engine.Journal, there, gone []engine.Text) {
	t.Helper()
	for _, want := range there {
		if got, ok, err := j.Text(want.TextKey); !ok || err != nil || got != want.Body {
			t.Errorf("%s: text %+v is %q, %t, %v", name, want.TextKey, got, ok, err)
		}
	}
	for _, want := range gone {
		if got, ok, err := j.Text(want.TextKey); ok || err != nil {
			t.Errorf("%s: text %+v is %q, %t, %v; want none", name, want.TextKey, got, ok, err)
		}
	}
}

// TXT-3: a text is there whole once its batch is, even if the same one is written again.
func testTexts(t *testing.T, h Harness) {
	j := h.Create(t)
	all := []engine.Text{text("a", "bc", 1), text("ab", "c", 2), text("", "abc", 3), text("abc", "", 4)}
	appendTo(t, j, engine.Batch{Records: tail(nil, 1), Texts: all}, true)
	checkTexts(t, "appended", j, all, []engine.Text{text("a", "b", 0), text("b", "c", 0)})
	appendTo(t, j, engine.Batch{Texts: all[:1]}, true)
	checkTexts(t, "appended again", j, all, nil)
	checkTexts(t, "reopened", h.Reopen(t), all, nil)
}

// TXT-8: texts that an owner no longer names are gone, from this batch and from earlier
// ones, but not those of other owners.
func testTextNames(t *testing.T, h Harness) {
	j := h.Create(t)
	others := []engine.Text{text("a", "1", 1), text("session s2", "1", 1), text("session", "s1", 1)}
	own := []engine.Text{text("session s", "1", 1), text("session s", "2", 1), text("session s", "3", 1)}
	appendTo(t, j, engine.Batch{Texts: append(others[:3:3], own[:2]...)}, true)
	appendTo(t, j, engine.Batch{Texts: own[2:], Names: []engine.Names{{Owner: "session s", Refs: []string{"2", "gone before"}}}}, true)
	checkTexts(t, "named", j, append(others[:3:3], own[1]), []engine.Text{own[0], own[2]})
	appendTo(t, j, engine.Batch{Names: []engine.Names{{Owner: "session s"}}}, true)
	checkTexts(t, "none named", j, others, own)
	checkTexts(t, "reopened", h.Reopen(t), others, own)
}

// TXT-3: a crash loses a text only with its record, and brings a text back with the loss of
// the record that dropped it.
func testTextCrash(t *testing.T, h Harness) {
	j := h.Create(t)
	first, second := text("session s", "1", 1), text("session s", "2", 1)
	appendTo(t, j, engine.Batch{Records: tail(nil, 2), Texts: []engine.Text{first}}, true)
	all := tail(nil, 2)
	next := tail(all, 1)
	appendTo(t, j, engine.Batch{Records: next, Texts: []engine.Text{second}, Names: []engine.Names{{Owner: "session s", Refs: []string{"2"}}}}, false)
	j = h.Crash(t)
	if got := replay(t, j, 0); len(got) > len(all) {
		checkTexts(t, "the record survives", j, []engine.Text{second}, []engine.Text{first})
	} else {
		checkTexts(t, "the record is lost", j, []engine.Text{first}, []engine.Text{second})
	}
}

// TXT-8: texts go by their age, and so do those of finished handles; one that was kept
// again has the age of that time.
func testTextTrim(t *testing.T, h Harness) {
	j := h.Create(t)
	old, again, young := text("session s", "1", 10), text("session s", "2", 10), text("session s", "3", 30)
	runs, done := text(fsm.HandleOwner(7), "1", 30), text(fsm.HandleOwner(77), "1", 30)
	appendTo(t, j, engine.Batch{Records: tail(nil, 1), Texts: []engine.Text{old, again, young, runs, done}}, true)
	again.At = 30
	appendTo(t, j, engine.Batch{Texts: []engine.Text{again}}, true)
	owners := []string{fsm.HandleOwner(7)}
	trim(t, j, engine.Keep{Owners: owners}, engine.Trimmed{Texts: 1})
	checkTexts(t, "no age", j, []engine.Text{old, again, young, runs}, []engine.Text{done})
	trim(t, j, engine.Keep{Since: 20, Owners: owners}, engine.Trimmed{Texts: 1})
	checkTexts(t, "an age", j, []engine.Text{again, young, runs}, []engine.Text{old})
	trim(t, j, engine.Keep{Since: 20, Owners: owners}, engine.Trimmed{})
	checkTexts(t, "after a crash", h.Crash(t), []engine.Text{again, young, runs}, []engine.Text{old, done})
}

package engine_test

import (
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/profile"
)

// still performs nothing.
type still struct{}

func (still) Perform(fsm.Effect) error { return nil }

// reading returns a driver of profile default whose machine awaits a tool, and the call.
func reading(t *testing.T, j engine.Journal) (*engine.Driver, fsm.CallID) {
	t.Helper()
	d, err := engine.Drive(j, still{})
	if err != nil {
		t.Fatal(err)
	}
	c := profile.Default()
	c.Init, c.Switches.NoCognition = fsm.InitOff, true
	c.Tools = append(c.Tools, fsm.ToolDecl{Name: "look", Effects: fsm.EffectsNone})
	err = d.Boot(engine.Now{}, c)
	for _, f := range []fsm.Fact{
		fsm.Requested{Request: fsm.RequestKey{ID: "r"}, Session: "s", Text: "look"},
		fsm.SessionLoaded{},
		fsm.BrainAnswered{Stop: fsm.StopToolUse, Calls: []fsm.ToolCall{{Name: "look", Args: "{}"}}},
	} {
		if handles := d.Machine().View().Handles; len(handles) > 0 {
			f = fsm.AnswerTo(handles[0].Await.Call, f)
		}
		if err == nil {
			err = d.Tell(engine.Now{}, f)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return d, d.Machine().View().Handles[0].Await.Call
}

// TXT-2, TXT-3: a tool's answer is cut to its share, and the whole is in the journal with
// the record that names it; an answer that already names a text stays as it is.
func TestTXT3TheWholeTextIsThereWithItsRecord(t *testing.T) {
	j := engine.NewMemoryJournal()
	d, call := reading(t, j)
	whole := strings.Repeat("0123456789", 6000)
	fact := d.Outcome(call, fsm.ToolAnswered{Answered: fsm.To(call), Text: whole})
	in := fact.(fsm.ToolAnswered)
	if in.Kept.Bytes != len(whole) || len(in.Text)+len(in.Kept.Tail) > 16_384 || !strings.HasPrefix(whole, in.Text) || !strings.HasSuffix(whole, in.Kept.Tail) {
		t.Fatalf("%d bytes of head, %d of tail, %d of all", len(in.Text), len(in.Kept.Tail), in.Kept.Bytes)
	}
	key := engine.TextKey{Owner: fsm.SessionOwner("s"), Ref: in.Kept.Ref}
	if _, there, _ := j.Text(key); there {
		t.Error("the text is there before its record")
	}
	must(t, d.Tell(engine.Now{}, fact))
	if got, there, err := j.Text(key); !there || err != nil || got != whole {
		t.Errorf("%d bytes, %t, %v", len(got), there, err)
	}
	if again := d.Outcome(call, in); again != fact {
		t.Errorf("it is cut again: %+v", again)
	}
}

// kept has one text, or an error.
type kept struct {
	text string
	err  error
}

func (k kept) Text(key engine.TextKey) (string, bool, error) {
	return k.text, key == engine.TextKey{Owner: "o", Ref: "r"} && k.err == nil, k.err
}

// TXT-5: a read returns at most as much as was asked for.
func TestTXT5WhatIsReadIsAFact(t *testing.T) {
	to := fsm.To(7)
	e := fsm.ReadText{Asked: fsm.Asked{Call: 7}, Owner: "o", Ref: "r", From: 3, Tokens: 2}
	other := e
	other.Ref = "s"
	for _, test := range []struct{ got, want fsm.Fact }{
		{engine.Read(kept{text: "0123456789abcdef"}, e), fsm.TextRead{Answered: to, Text: "3456789a", From: 3}},
		{engine.Read(kept{text: "01水水水水"}, e), fsm.TextRead{Answered: to, Text: "水水", From: 2}},
		{engine.Read(kept{text: "0123"}, other), fsm.TextRead{Answered: to, Gone: true}},
		{engine.Read(kept{err: engine.ErrDamaged}, e), fsm.TextRead{Answered: to, Error: engine.ErrDamaged.Error()}},
	} {
		if test.got != test.want {
			t.Errorf("%+v, not %+v", test.got, test.want)
		}
	}
}

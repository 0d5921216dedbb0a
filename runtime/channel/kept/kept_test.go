package kept

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"shelly/fsm/engine"
)

func TestCHN8HowFarAChannelIsSurvivesARestart(t *testing.T) {
	data := t.TempDir()
	f, err := Open(data)
	if err != nil {
		t.Fatal(err)
	}
	d, err := f.Begin("phone", 10)
	if err != nil || d.Messages != engine.LastOf(10) || d.Answers != 10 {
		t.Fatalf("a new channel begins at %+v, %v", d, err)
	}
	d.Answer(14, 11, nil)
	d.Answer(12, 12, nil)
	d.Messages = engine.PositionOf(15, 1)
	d.Part("re-1", 40)
	d.Ask("q1")
	if err := f.Save("phone", d); err != nil {
		t.Fatal(err)
	}
	if f, err = Open(data); err != nil {
		t.Fatal(err)
	}
	got, err := f.Begin("phone", 20)
	want := Delivered{Messages: engine.PositionOf(15, 1), Answers: 12, Also: []uint64{14}, Asked: []string{"q1"}, Parts: []Partly{{"re-1", 40}}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v\nwant %+v", got, err, want)
	}
	for index, want := range map[uint64]bool{11: true, 12: true, 13: false, 14: true, 15: false} {
		if got.Has(index) != want {
			t.Errorf("the answer of %d is delivered: %t", index, !want)
		}
	}
}

// A restored journal gives out numbers again; what gets them is delivered.
func TestCHN8AnOlderJournalIsFollowed(t *testing.T) {
	f, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Save("phone", Delivered{Messages: engine.PositionOf(90, 0), Answers: 80, Also: []uint64{85}}); err != nil {
		t.Fatal(err)
	}
	d, err := f.Begin("phone", 50)
	if err != nil || d.Messages != engine.LastOf(50) || d.Has(51) || d.Has(85) || !d.Has(50) {
		t.Errorf("got %+v, %v; want Messages %v, and 50 but not 51 and 85", d, err, engine.LastOf(50))
	}
}

func TestCHN8AFileThatCannotBeReadIsNotUsed(t *testing.T) {
	for _, text := range []string{"{", `{"format":2}`, "[]"} {
		data := t.TempDir()
		if err := os.WriteFile(filepath.Join(data, Name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := Open(data)
		if err == nil {
			t.Errorf("%s is read", text)
		}
		if d, err := f.Begin("phone", 3); err != nil || d.Answers != 3 {
			t.Errorf("%s: got %+v, %v; want Answers 3", text, d, err)
		}
	}
}

func TestCHN8QuestionsThatAreKnownAreBounded(t *testing.T) {
	d := Delivered{}
	for range 3 * askedMax {
		d.Ask("q")
	}
	if len(d.Asked) != askedMax {
		t.Errorf("%d are known", len(d.Asked))
	}
}

// A file of a version in which no chat could be behind is read as that version read it.
func TestCHN8AnOlderFileIsRead(t *testing.T) {
	data := t.TempDir()
	text := `{"format":1,"channels":{"phone":{"messages":983041,"answers":12,"also":[14],"asked":["q1"],"partly":{"id":"re-1","bytes":40}}}}`
	if err := os.WriteFile(filepath.Join(data, Name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Open(data)
	if err != nil {
		t.Fatal(err)
	}
	got, err := f.Begin("phone", 20)
	want := Delivered{Messages: 983041, Answers: 12, Also: []uint64{14}, Asked: []string{"q1"}, Parts: []Partly{{"re-1", 40}}}
	if err != nil || !reflect.DeepEqual(got, want) || got.PartOf("re-1") != 40 {
		t.Errorf("%+v, %v\nwant %+v", got, err, want)
	}
}

// What an older journal does not have is neither owed nor missed.
func TestCHN8AChatThatIsBehindSurvivesARestart(t *testing.T) {
	data := t.TempDir()
	f, err := Open(data)
	if err != nil {
		t.Fatal(err)
	}
	d := Delivered{Messages: engine.PositionOf(40, 0), Answers: 30}
	d.Leave("tom", engine.PositionOf(20, 0))
	d.Message("tom", engine.PositionOf(25, 0))
	d.Message("mia", engine.PositionOf(45, 0))
	d.Answer(42, 44, []uint64{43, 31, 60})
	if err := f.Save("phone", d); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		last uint64
		want Delivered
	}{
		{70, Delivered{Messages: engine.PositionOf(45, 0), Behind: map[string]uint64{"tom": engine.PositionOf(25, 0)}, Answers: 44, Owed: []uint64{31, 43}}},
		{35, Delivered{Messages: engine.LastOf(35), Behind: map[string]uint64{"tom": engine.PositionOf(25, 0)}, Answers: 35, Owed: []uint64{31}}},
		{22, Delivered{Messages: engine.LastOf(22), Answers: 22}},
	} {
		again, err := Open(data)
		if err != nil {
			t.Fatal(err)
		}
		got, err := again.Begin("phone", tt.last)
		if len(got.Behind)+len(got.Owed)+len(got.Also) == 0 {
			got.Behind, got.Owed, got.Also = nil, nil, nil
		}
		if err != nil || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%d: %+v, %v\nwant %+v", tt.last, got, err, tt.want)
		}
		for _, index := range got.Owed {
			if got.Has(index) {
				t.Errorf("the answer of %d is delivered", index)
			}
		}
	}
}

func TestCHN8WhatIsOwedIsBounded(t *testing.T) {
	var d Delivered
	var open []uint64
	for i := range uint64(3 * owedMax) {
		open = append(open, 2*i+2)
	}
	d.Answer(7*owedMax, 8*owedMax, open)
	for _, index := range open {
		if d.Has(index) {
			t.Fatalf("the answer of %d is delivered: %d", index, d.Answers)
		}
	}
	if len(d.Owed) != owedMax || !d.Has(3) || !d.Has(7*owedMax) {
		t.Errorf("%d are owed, up to %d", len(d.Owed), d.Answers)
	}
	for i := range 2 * partsMax {
		d.Part(fmt.Sprint(i), i)
	}
	if len(d.Parts) != partsMax {
		t.Errorf("%d messages are known as delivered in part", len(d.Parts))
	}
}

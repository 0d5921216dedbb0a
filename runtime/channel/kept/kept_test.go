package kept

import (
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
	d.Answer(14, 11)
	d.Answer(12, 12)
	d.Messages, d.Partly = engine.PositionOf(15, 1), &Partly{"re-1", 40}
	d.Ask("q1")
	if err := f.Save("phone", d); err != nil {
		t.Fatal(err)
	}
	if f, err = Open(data); err != nil {
		t.Fatal(err)
	}
	got, err := f.Begin("phone", 20)
	want := Delivered{Messages: engine.PositionOf(15, 1), Answers: 12, Also: []uint64{14}, Asked: []string{"q1"}, Partly: &Partly{"re-1", 40}}
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
		t.Errorf("%+v, %v", d, err)
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
			t.Errorf("%s: %+v, %v", text, d, err)
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

package sim

import (
	"errors"
	"slices"
	"testing"

	"shelly/fsm"
	"shelly/sim/script"
)

// talking is a backend whose model says the next of answers to each call. Its
// embeddings take time.
type talking struct {
	answers []Spoken
	asked   []fsm.Purpose
	offered []string // the tools of the first call
}

func (b *talking) Probe(e fsm.RunProbe, says fsm.Probed) (fsm.Fact, error) { return says, nil }

func (b *talking) Model(ask fsm.AskBrain, tools []fsm.ToolDecl) (Spoken, error) {
	for _, t := range tools {
		if len(b.asked) == 0 {
			b.offered = append(b.offered, t.Name)
		}
	}
	s := b.answers[min(len(b.asked), len(b.answers)-1)]
	b.asked = append(b.asked, ask.Purpose)
	switch in := s.Answer.(type) {
	case fsm.BrainAnswered:
		in.Call = ask.Call
		s.Answer = in
	case fsm.BrainFailed:
		in.Call = ask.Call
		s.Answer = in
	}
	return s, nil
}

func (*talking) Brain(ask fsm.AskBrain, line script.Line) (fsm.Fact, error) {
	return line.Answer(ask), nil
}
func (*talking) Tool(run fsm.RunTool, act Act) (fsm.Fact, error)     { return act.Answer(run), nil }
func (*talking) Session(_ fsm.Effect, in fsm.Fact) (fsm.Fact, error) { return in, nil }

func (*talking) Memory(e fsm.Effect, in fsm.Fact) (fsm.Fact, fsm.Millis, error) {
	if _, ok := e.(fsm.Embed); ok {
		return in, 500, nil
	}
	return in, 0, nil
}

// saying is an answer that takes a second and comes in two pieces.
func saying(text string) Spoken {
	half := len(text) / 2
	return Spoken{
		Answer: fsm.BrainAnswered{Text: text, Stop: fsm.StopEndTurn}, Took: fsm.Second,
		Pieces: []LivePiece{{script.Piece{Text: text[:half]}, 400}, {script.Piece{Text: text[half:]}, 900}},
	}
}

// livePlan is a question to a live model.
func livePlan() Plan {
	p := roundTrip()
	p.Live, p.Scripts = true, nil
	return p
}

// SCN-29: what a call took for real passes in virtual time, its pieces on the way, and
// every purpose without a script is the model's.
func TestSCN29AModelTakesItsTime(t *testing.T) {
	b := &talking{answers: []Spoken{saying("it is full"), saying("full disk")}}
	r := play(t, livePlan(), Options{Backend: b})
	if got := replies(r); !slices.Equal(got, []string{"it is full"}) {
		t.Errorf("replies %q", got)
	}
	if want := []fsm.Purpose{fsm.PurposeAnswer, fsm.PurposeSummary}; !slices.Equal(b.asked, want) {
		t.Errorf("asked for %v, want %v", b.asked, want)
	}
	if took := r.End - livePlan().Start; took != 2*fsm.Second+500 {
		t.Errorf("ended after %v, want a second for each call and half of one for the embedding", took)
	}
	if len(r.Chunks) != 2 || r.Chunks[0].Text != "it is" || r.Chunks[1].At-r.Chunks[0].At != 500 {
		t.Errorf("pieces %+v", r.Chunks)
	}
	if !slices.Equal(b.offered, []string{"exec"}) {
		t.Errorf("offered %q", b.offered)
	}
}

func TestSCN29AScriptedPurposeIsTheScripts(t *testing.T) {
	b := &talking{answers: []Spoken{saying("it is full")}}
	p := livePlan()
	p.Scripts = []script.Script{{Purpose: fsm.PurposeSummary, Lines: []script.Line{{Text: "scripted"}}}}
	r := play(t, p, Options{Backend: b})
	if len(b.asked) != 1 || len(r.Memory) != 1 || r.Memory[0].Summary != "scripted" {
		t.Errorf("asked for %v, memory %+v", b.asked, r.Memory)
	}
}

func TestSCN29ADeadlinePassesWhileTheModelThinks(t *testing.T) {
	late := saying("too late")
	late.Took = 2 * livePlan().Config.Limits.HandleTimeout
	r := play(t, livePlan(), Options{Backend: &talking{answers: []Spoken{late}}})
	if len(r.Requests) != 1 || !r.Requests[0].IsError {
		t.Errorf("requests %+v", r.Requests)
	}
}

// SCN-29: a call that is made again after a crash is asked again.
func TestSCN29ACrashAsksAgain(t *testing.T) {
	p := livePlan()
	p.Crashes = []Crash{{Point: BeforeAppend, Nth: 3, After: fsm.Second}} // of the answer
	b := &talking{answers: []Spoken{saying("first"), saying("second"), saying("summary")}}
	r := play(t, p, Options{Backend: b})
	if got := replies(r); !slices.Equal(got, []string{"second"}) || len(b.asked) != 3 {
		t.Errorf("replies %q, asked for %v", got, b.asked)
	}
}

// SCN-24, SCN-29: a fault fails a call that the model then never sees, or makes it slow.
func TestSCN29FaultsOfALiveModel(t *testing.T) {
	for _, test := range []struct {
		name  string
		fault Fault
		asked int
		took  fsm.Millis
	}{
		{"fails", Fault{Line: broken}, 0, 0},
		{"slow", Fault{Slow: true, Line: script.Line{Takes: 9 * fsm.Second}}, 2, 10*fsm.Second + 500},
	} {
		p := livePlan()
		test.fault.Kind, test.fault.Nth, test.fault.Purpose = BrainFault, 1, fsm.PurposeAnswer
		p.Faults = []Fault{test.fault}
		b := &talking{answers: []Spoken{saying("it is full")}}
		r := play(t, p, Options{Backend: b})
		if took := r.End - p.Start; len(b.asked) != test.asked || took != test.took && test.took > 0 {
			t.Errorf("%s: asked for %v, took %v", test.name, b.asked, took)
		}
	}
}

// SCN-29, SCN-30: without anybody to ask or a workshop there is no run.
func TestSCN29APlanNeedsWhatItAsksFor(t *testing.T) {
	if _, err := Run(livePlan(), Options{}); !errors.Is(err, errNoModel) {
		t.Errorf("without a backend: %v", err)
	}
	p := roundTrip()
	p.Workspace = "/workspace"
	if _, err := Run(p, Options{}); !errors.Is(err, errNoTools) {
		t.Errorf("without a workshop: %v", err)
	}
}

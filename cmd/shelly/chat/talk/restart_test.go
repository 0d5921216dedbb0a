package talk

import (
	"slices"
	"testing"
	"time"

	"shelly/fsm/state"
)

func TestCLI153TwoEscapesAtOnceAreTwo(t *testing.T) {
	p := newPerson(t)
	id := p.asks("go")
	p.presses("alt+esc")
	if !slices.Contains(p.effects, Effect(Cancel{ID: id})) {
		t.Errorf("%q is not cancelled: %+v", id, p.effects)
	}
	if _, leaves := last[Quit](p); !leaves {
		t.Errorf("got %+v; want a Quit", p.effects)
	}
}

func TestCLI153CancelAndLeave(t *testing.T) {
	p := newPerson(t)
	id := p.asks("go")
	p.types("more")
	p.presses("ctrl+c")
	if _, ok := last[Cancel](p); ok || !p.edit.Empty() {
		t.Errorf("^C empties the line first: %+v", p.effects)
	}
	p.presses("ctrl+c")
	if c, ok := last[Cancel](p); !ok || c.ID != id {
		t.Fatalf("got %+v, %v, %q; want ok true, c.ID %q", p.effects, ok, c.ID, id)
	}
	p.shows("cancelling", "esc again leaves")
	p.does(Cancelled{ID: id, Taken: false})
	p.shows("not cancelled")
	p.presses("esc")
	if _, ok := last[Quit](p); !ok || len(p.live) != 0 || !slices.Equal(p.Unfinished(), []string{id}) {
		t.Errorf("got %+v, %q live, %q unfinished; want a Quit, none live, %q unfinished", p.effects, p.live, p.Unfinished(), id)
	}
	p = newPerson(t)
	p.presses("ctrl+c")
	p.shows("^C again leaves")
	p.now = p.now.Add(time.Minute)
	p.presses("ctrl+c")
	if _, ok := last[Quit](p); ok {
		t.Error("a ^C of a minute ago counts")
	}
	p.presses("ctrl+c")
	if _, ok := last[Quit](p); !ok {
		t.Error("two of them do not leave")
	}
}

func TestCLI154ARestartGoesOnWhereItBrokeOff(t *testing.T) {
	p := newPerson(t)
	p.does(Resized{40, 8})
	id := p.asks("tell")
	p.happens(id, moves("", state.Thinking), thinks("hm"), chunk("One.\n\nTwo.\n\nThree.\n\nFo"))
	if !slices.Contains(p.above, "One.") {
		t.Fatalf("nothing stands above: %q", p.above)
	}
	p.does(Broke{ID: id})
	p.shows("no answer from shelly; trying again")
	p.does(Attached{ID: id, Restarted: true})
	p.shows0("trying again")
	p.happens(id, moves(state.Parked, ""), moves(state.Cognition, state.Thinking), instead("One."), chunk("\n\nTwo.\n\nThree."), chunk("\n\nFour."))
	p.shows("One.", "Two.", "Three.", "Four.")
	p.replies(id, "One.\n\nTwo.\n\nThree.\n\nFour.")
	p.shows("One.", "Two.", "Three.", "Four.")
	p.shows0("begins again")
}

func TestCLI154ASecondKillInTheMiddleOfTheSameAnswer(t *testing.T) {
	p := newPerson(t)
	p.does(Resized{40, 8})
	id := p.asks("tell")
	p.happens(id, chunk("One.\n\nTwo.\n\nThree.\n\nFo"))
	for _, begins := range []string{"One.", "One.\n\nTwo.\n\nThree.\n\nFour."} {
		p.does(Broke{ID: id}, Attached{ID: id, Restarted: true})
		p.happens(id, instead(begins))
	}
	p.happens(id, chunk("\n\nFive."))
	p.shows("One.", "Two.", "Three.", "Four.", "Five.")
	p.shows0("begins again")
}

func TestCLI154AnotherAnswerAfterARestartIsShownWhole(t *testing.T) {
	p := newPerson(t)
	p.does(Resized{40, 8})
	id := p.asks("tell")
	p.happens(id, chunk("One.\n\nTwo.\n\nThree.\n\nFo"))
	p.does(Broke{ID: id}, Attached{ID: id, Restarted: true})
	p.happens(id, instead("Ei"), chunk("ns.\n\nZwei."))
	p.shows("One.", "the answer begins again", "Eins.", "Zwei.")
	p.replies(id, "Eins.\n\nZwei.")
	p.shows("One.", "Eins.", "Zwei.")
}

// The rest of a text continues where it broke off, whatever came in between.
func TestCLI154TheRestOfAnAnswerGoesOnInItsPlace(t *testing.T) {
	p := newPerson(t)
	p.does(Resized{40, 12})
	id := p.asks("go")
	p.happens(id, moves(state.Cognition, ""), calls("a", "{}"), returns("a", "first", false), calls("b", "{}"))
	p.does(Broke{ID: id}, Attached{ID: id})
	p.happens(id, returns("b", "second", false), calls("a", "{}"), returns("a", "third", false), chunk("One.\n\nDo it"))
	p.does(Broke{ID: id}, Attached{ID: id})
	p.happens(id, chunk(" be"), chunk(" done."))
	p.shows("│ first", "│ second", "│ third", "One.", "Do it be done.")
	p.replies(id, "One.\n\nDo it be done.")
	p.shows("│ first", "│ second", "│ third", "One.", "Do it be done.")
}

func TestCLI154ACallThatIsStartedAgainIsTheSameCall(t *testing.T) {
	p := newPerson(t)
	id := p.asks("go")
	p.happens(id, calls("a", "{}"))
	p.does(Broke{ID: id}, Attached{ID: id, Restarted: true})
	p.happens(id, calls("a", "{}"), returns("a", "first", false))
	p.shows("│ first")
	p.shows0("→ a")
}

// A model that breaks off in the middle of its answer is asked again.
func TestCLI154WhatTheModelSaysOnceMoreIsShownOnce(t *testing.T) {
	p := newPerson(t)
	p.does(Resized{40, 8})
	id := p.asks("tell")
	p.happens(id, moves("", state.Thinking), thinks("hm"), chunk("One.\n\nTwo.\n\nThree.\n\nFo"), moves("", state.BackingOff), moves("", state.Thinking))
	p.happens(id, instead("One.\n\nTwo."), chunk("\n\nThree.\n\nFour."))
	p.shows("One.", "Two.", "Three.", "Four.")
	p.shows0("begins again")
}

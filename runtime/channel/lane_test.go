package channel_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"shelly/fsm/engine"
	"shelly/runtime/channel"
	"shelly/runtime/channel/kept"
	"shelly/runtime/comm"
)

// delivered is how far the file says that a channel has delivered.
func (w *world) delivered(f *fake) kept.Delivered {
	w.t.Helper()
	file, err := kept.Open(w.data)
	if err != nil {
		w.t.Fatal(err)
	}
	d, err := file.Begin(f.name, 1<<40)
	if err != nil {
		w.t.Fatal(err)
	}
	return d
}

// keep changes the file while no process has it.
func (w *world) keep(f *fake, change func(d *kept.Delivered)) {
	w.t.Helper()
	d := w.delivered(f)
	change(&d)
	file, err := kept.Open(w.data)
	if err == nil {
		err = file.Save(f.name, d)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// However much was delivered, the file does not grow.
func TestCHN8OfWhatIsDeliveredOnlyANumberIsKept(t *testing.T) {
	inWorld(t, func(w *world) {
		f := newFake("phone")
		w.with(spec(f))
		for n := range 3 {
			id := fmt.Sprint(n)
			w.writes(f, channel.Message{ID: id, Text: "hello"})
			w.replies(f, id, strings.TrimSpace(strings.Repeat("One sentence of it. ", 12)))
		}
		if d := w.delivered(f); d.Answers != 3 || len(d.Owed)+len(d.Also)+len(d.Parts)+len(d.Behind) != 0 {
			t.Errorf("got %+v; want Answers 3, and nothing else", d)
		}
	})
}

// Whatever of the journal cannot be read at the start: it is read again, and no answer is lost.
func TestCHN8AJournalThatCannotBeReadNowLosesNoAnswer(t *testing.T) {
	for name, errs := range map[string][]error{
		"the journal": {errAway}, "what is kept": {errAway}, "the requests": {errAway},
		"the requests that are owed": {nil, errAway}, // after a page of the later ones
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				f := newFake("phone")
				w.with(spec(f))
				w.writes(f, channel.Message{ID: "0", Text: "hello"})
				w.writes(f, channel.Message{ID: "1", Text: "hello"})
				w.replies(f, "1", "One.")
				w.wants(f, "answer mia One.")
				w.writes(f, channel.Message{ID: "2", Text: "hello"})
				w.kill()
				if d := w.delivered(f); !slices.Equal(d.Owed, []uint64{1}) || d.Answers != 2 {
					t.Fatalf("got %+v; want Owed [1], Answers 2", d)
				}
				w.front.Reply(keyOf(f, "0"), "Zero.", false)
				w.front.Reply(keyOf(f, "2"), "Two.", false)
				w.front.unread[strings.TrimSuffix(name, " that are owed")] = errs
				w.start()
				w.wants(f, "")
				w.wait(2 * time.Second)
				w.wants(f, "answer mia Zero.|answer mia Two.")
			})
		})
	}
}

// Neither the last requests nor those that the file names are another channel's.
func TestCHN8NobodyGetsTheAnswersOfAnotherChannel(t *testing.T) {
	inWorld(t, func(w *world) {
		f, other := newFake("phone"), newFake("other")
		w.with(spec(f), spec(other))
		w.writes(other, channel.Message{ID: "1", Text: "hello"})
		w.writes(f, channel.Message{ID: "2", Text: "hello"})
		w.replies(f, "2", "Two.")
		w.writes(other, channel.Message{ID: "3", Text: "hello"})
		w.wants(f, "answer mia Two.")
		w.kill()
		w.front.Reply(keyOf(other, "1"), "One.", false)
		w.front.Reply(keyOf(other, "3"), "Three.", false)
		w.keep(f, func(d *kept.Delivered) { d.Owed = []uint64{1} })
		w.start()
		w.wants(f, "")
		w.wants(other, "answer mia One.|answer mia Three.")
	})
}

// A text may have become shorter than what was delivered of it: it is no longer kept.
func TestCHN7ATextThatHasBecomeShorterIsSentAsAWhole(t *testing.T) {
	inWorld(t, func(w *world) {
		f := newFake("phone")
		w.with(spec(f))
		w.writes(f, channel.Message{ID: "1", Text: "hello"})
		w.replies(f, "1", "Hello.")
		id := w.wants(f, "answer mia Hello.")[0].ID
		w.kill()
		w.keep(f, func(d *kept.Delivered) {
			d.Answers = 0
			d.Part(id, 1000)
		})
		w.start()
		w.wants(f, "answer mia Hello.")
	})
}

func TestCHN6AnAnswerThatCannotBeReadNowIsSentLater(t *testing.T) {
	inWorld(t, func(w *world) {
		f := newFake("phone")
		w.with(spec(f))
		w.writes(f, channel.Message{ID: "1", Text: "hello"})
		w.front.unread["a request"] = []error{errAway}
		w.replies(f, "1", "Hello.")
		w.wants(f, "")
		w.wait(2 * time.Second)
		w.wants(f, "answer mia Hello.")
	})
}

func TestCHN6WhatSaysNothingIsNotSentWithoutAWord(t *testing.T) {
	inWorld(t, func(w *world) {
		f := newFake("phone")
		w.with(spec(f))
		w.sends(f, 50, "mia", " \n")
		w.sends(f, 51, "mia", "Water the plants.")
		w.writes(f, channel.Message{ID: "1", Text: "hello"})
		w.replies(f, "1", " \n")
		w.wants(f, "message mia Water the plants.|answer mia (The answer is empty.)")
		w.writes(f, channel.Message{ID: "2", Text: "hello"})
		w.front.unread["a request"] = []error{errForgotten}
		w.replies(f, "2", "Hello.")
		w.wants(f, "answer mia (There was an answer, but it is no longer kept.)")
	})
}

// Nothing is left of the words of a forgotten session: its answer is not empty, and what is brought again is not
// another message.
func TestCHN3AMessageOfAForgottenSessionIsTheSameRequest(t *testing.T) {
	inWorld(t, func(w *world) {
		f := newFake("phone")
		w.with(spec(f))
		m := channel.Message{ID: "1", Text: "hello"}
		w.writes(f, m)
		w.front.bare["1"] = true
		w.replies(f, "1", "Hello.")
		w.wants(f, "answer mia (There was an answer, but it is no longer kept.)")
		if taken := w.writes(f, m); taken.Refused != "" || taken.New || !taken.Done {
			t.Errorf("brought again: got %+v; want it done", taken)
		}
		w.wait(2 * time.Second)
		if got := f.got(); len(got) != 0 {
			t.Errorf("sent %q, want nothing more", texts(got))
		}
	})
}

// The chat whose wait ends first is the next, in whichever order they have failed.
func TestCHN6TheShortestWaitEndsFirst(t *testing.T) {
	inWorld(t, func(w *world) {
		f := newFake("phone")
		w.with(spec(f))
		const chats = 16
		for n := range chats {
			f.leaves(fmt.Sprint("c", n), 0)
			w.sends(f, uint64(50+n), fmt.Sprint("c", n), "One.")
			w.wait(20 * time.Second) // the earlier ones wait longer
		}
		f.leaves("tom", 0)
		w.sends(f, 100, "tom", "Two.")
		f.returns("tom")
		w.wait(time.Second)
		w.wants(f, "message tom Two.")
	})
}

// What is no longer to be brought again is told in words.
func TestCHN3AMessageWithTheIDOfAnotherIsRefused(t *testing.T) {
	inWorld(t, func(w *world) {
		f := newFake("phone")
		w.with(spec(f))
		w.front.Refuse(engine.ErrConflict) // it came between the check and the acceptance
		if taken := w.writes(f, channel.Message{ID: "1", Text: "hello"}); taken.Refused != channel.Conflict {
			t.Errorf("got %+v; want Refused %q", taken, channel.Conflict)
		}
		w.front.Refuse(nil)
		w.wait(2 * time.Second)
		w.wants(f, "notice mia This message has the id of another one, so I have not accepted it. Send it again.")
		if taken := w.writes(f, channel.Message{ID: "2", Text: strings.Repeat("a", 1000)}); !taken.New {
			t.Errorf("got %+v; want the longest message accepted", taken)
		}
	})
}

// What cannot be looked up is neither accepted nor refused.
func TestCHN3AMessageIsBroughtAgainIfTheDaemonCannotLook(t *testing.T) {
	for _, what := range []string{"a request", "the standings"} {
		for _, text := range []string{"hello", "approve "} {
			inWorld(t, func(w *world) {
				f, code := w.asked()
				m := channel.Message{ID: "2", Text: text}
				if text == "approve " {
					m.Text += code
				}
				w.front.unread[what] = []error{errAway}
				if taken, err := w.brings(f, m); !errors.Is(err, errAway) || taken != (channel.Taken{}) {
					t.Errorf("%q without %s: got %+v, %v; want %v", m.Text, what, taken, err, errAway)
				}
				if taken := w.writes(f, m); taken.Refused == channel.Closed || taken == (channel.Taken{}) {
					t.Errorf("%q again: got %+v", m.Text, taken)
				}
			})
		}
	}
}

// Questions of another channel are no business of a chat of the same name, and what asks nothing is none.
func TestCHN10OnlyQuestionsOfTheChannelAreAnsweredInItsChats(t *testing.T) {
	inWorld(t, func(w *world) {
		f, other := newFake("phone"), newFake("other")
		one, two := spec(f), spec(other)
		one.Decide, two.Decide = true, true
		w.with(one, two)
		w.writes(f, channel.Message{ID: "1", Text: "build it"})
		w.asks(f, "1")
		_, code, _ := strings.Cut(f.got()[0].Text, "approve ")
		code = code[:6]
		w.front.Stand(append(w.standings(), comm.Standing{Handle: 8, Request: keyOf(other, "2")})...)
		if taken := w.writes(other, channel.Message{ID: "3", Text: "approve " + code}); taken.Refused != channel.Closed || len(w.front.Seen().Told) != 0 {
			t.Errorf("got %+v, %+v; want that no such question is open there", taken, w.front.Seen().Told)
		}
		other.got()
		if taken := w.writes(other, channel.Message{ID: "4", Text: "yes"}); !taken.New {
			t.Errorf("got %+v; want a request", taken)
		}
		w.wants(other, "")
	})
}

func (w *world) standings() []comm.Standing {
	w.t.Helper()
	all, err := w.front.Front.Standings(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	return all
}

func TestCHN10AQuestionThatWaitsIsAskedOnce(t *testing.T) {
	inWorld(t, func(w *world) {
		f := newFake("phone")
		w.with(spec(f))
		w.writes(f, channel.Message{ID: "1", Text: "build it"})
		f.failing(errAway)
		w.asks(f, "1")
		w.asks(f, "1")
		f.failing(nil)
		w.wait(2 * time.Minute)
		if got := f.got(); len(got) != 1 {
			t.Errorf("got %s; want one question", texts(got))
		}
	})
}

// A channel that has changed has ended before the new one begins, which goes on where it was.
func TestCHN1AReloadEndsAChannelThatHasChanged(t *testing.T) {
	inWorld(t, func(w *world) {
		f, next := newFake("phone"), newFake("phone")
		w.with(spec(f))
		w.writes(f, channel.Message{ID: "1", Text: "hello"})
		changed := spec(next)
		changed.As = "changed"
		w.Use([]channel.Spec{changed})
		synctest.Wait()
		w.replies(f, "1", "Hello.")
		w.wants(f, "")
		w.wants(next, "answer mia Hello.")
		w.writes(next, channel.Message{ID: "2", Text: "hello"})
		w.replies(next, "2", "Hello again.")
		w.wants(f, "")
		w.wants(next, "answer mia Hello again.")
		mail := spec(newFake("mail"))
		mail.As = "changed"
		w.Use([]channel.Spec{mail})
		synctest.Wait()
		if w.Channel("phone") != nil || w.Channel("mail") != mail.Channel {
			t.Errorf("got %v and %v; want that of the mail alone", w.Channel("phone"), w.Channel("mail"))
		}
	})
}

func TestCHN2AChannelThatEndsIsInTrouble(t *testing.T) {
	inWorld(t, func(w *world) {
		f := newFake("phone")
		runs := 0
		f.runs = func(context.Context) error { runs++; return nil }
		w.with(spec(f))
		w.wait(2 * time.Second)
		if s := w.States()[0]; s.Trouble != "it has ended" || runs != 2 {
			t.Errorf("got %+v after %d runs; want Trouble %q after 2", s, runs, "it has ended")
		}
	})
}

// A message that is being accepted while a reload changes its channel is answered by the next one.
func TestCHN8WhatIsBeingAcceptedAtAReloadIsAnswered(t *testing.T) {
	inWorld(t, func(w *world) {
		f, next := newFake("phone"), newFake("phone")
		w.with(spec(f))
		in := <-f.in
		done := make(chan error, 1)
		release := w.front.Hold()
		go func() {
			_, err := in.Take(context.Background(), channel.Message{ID: "1", Chat: "mia", Sender: "mia", Text: "hello"})
			done <- err
		}()
		synctest.Wait()
		changed := spec(next)
		changed.As = "changed"
		go w.Use([]channel.Spec{changed})
		synctest.Wait()
		release()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		w.replies(next, "1", "Hello.")
		w.wants(next, "answer mia Hello.")
		if _, err := in.Take(context.Background(), channel.Message{ID: "3", Chat: "mia", Sender: "mia", Text: "hello"}); err == nil {
			t.Error("a channel that has ended accepts a message")
		}
	})
}

package channel_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/state"
	"shelly/runtime/channel"
	"shelly/runtime/comm"
	"shelly/runtime/inbox"
)

func TestCHN3AMessageIsOneRequestHoweverOftenItIsBrought(t *testing.T) {
	inWorld(t, func(w *world) {
		f := newFake("phone")
		w.with(spec(f))
		m := channel.Message{ID: "1", Text: " what is it? "}
		if taken := w.writes(f, m); !taken.New || taken.ID != "1" || taken.Done {
			t.Errorf("got %+v; want New, ID %q, not Done", taken, "1")
		}
		for range 3 {
			if taken := w.writes(f, m); taken.New || taken.Refused != "" || taken.Done {
				t.Errorf("brought again: %+v", taken)
			}
		}
		r := w.front.Seen().Requests
		if len(r) != 1 || r[0].Key != keyOf(f, "1") || r[0].Origin != (fsm.Origin{Channel: "phone", Chat: "mia"}) || r[0].Session != "" || r[0].Text != "what is it?" {
			t.Errorf("got %+v; want 1 request, Key %v, of mia on the phone, without a Session, Text %q", r, keyOf(f, "1"), "what is it?")
		}
		w.replies(f, "1", "It is four.")
		if taken := w.writes(f, m); taken.New || !taken.Done {
			t.Errorf("brought once more: %+v", taken)
		}
		got := w.wants(f, "answer mia It is four.")
		if got[0].Re != "1" || got[0].More || got[0].Failed {
			t.Errorf("got %+v; want Re %q, not More, not Failed", got[0], "1")
		}
		if taken := w.writes(f, channel.Message{ID: "1", Text: "another"}); taken.Refused != channel.Conflict {
			t.Errorf("another message with the id: %+v", taken)
		}
		if s := w.States()[0]; s.Received != 1 || s.Repeated != 4 || s.Sent != 1 || s.Open != 0 || s.Up != "connected" {
			t.Errorf("got %+v; want Received 1, Repeated 4, Sent 1, Open 0, Up %q", s, "connected")
		}
	})
}

func TestCHN3WhatIsNotDurableIsToBeBroughtAgain(t *testing.T) {
	inWorld(t, func(w *world) {
		f := newFake("phone")
		patient := spec(f)
		patient.Tells = false
		w.with(patient)
		for _, err := range []error{engine.ErrBusy, engine.ErrStopping, engine.ErrNoSpace} {
			w.front.Refuse(err)
			if _, got := w.brings(f, channel.Message{ID: "1", Text: "hello"}); !errors.Is(got, err) {
				t.Errorf("%v: got %v; want %v", err, got, err)
			}
		}
		w.front.Refuse(nil)
		if taken := w.writes(f, channel.Message{ID: "1", Text: "hello"}); !taken.New {
			t.Errorf("got %+v; want New", taken)
		}
	})
}

// A channel that panics, fails or hangs does not hold up the others.
func TestCHN2AChannelThatBreaksTouchesNoOther(t *testing.T) {
	inWorld(t, func(w *world) {
		good, panics, fails, hangs, silent := newFake("good"), newFake("panics"), newFake("fails"), newFake("hangs"), newFake("silent")
		runs := 0
		panics.runs = func(context.Context) error { runs++; panic("it is broken") }
		fails.runs = func(context.Context) error { return errAway }
		never := make(chan struct{})
		hangs.runs = func(context.Context) error { <-never; return nil }
		silent.hang = never
		w.with(spec(good), spec(panics), spec(fails), spec(hangs), spec(silent))
		w.writes(silent, channel.Message{ID: "1", Text: "hello"})
		w.replies(silent, "1", "nobody hears it")
		w.writes(good, channel.Message{ID: "1", Text: "hello"})
		w.replies(good, "1", "Hello.")
		w.wants(good, "answer mia Hello.")
		w.wait(10 * time.Minute)
		if runs < 10 || runs > 20 { // after 1, 2, 4, … seconds, then each minute
			t.Errorf("a channel that panics was run %d times in ten minutes", runs)
		}
		states := w.States()
		for i, want := range []string{"", "the channel has panicked: it is broken", errAway.Error(), "", ""} {
			if got := states[i].Trouble; !strings.Contains(got, want) || (want == "") != (got == "") {
				t.Errorf("%s is in trouble: %q", states[i].Name, got)
			}
		}
		began := time.Now()
		w.kill()
		if took := time.Since(began); took != 5*time.Second {
			t.Errorf("the end took %v", took)
		}
		close(never)
	})
}

func TestCHN6AnAnswerIsSentUntilItIsTaken(t *testing.T) {
	inWorld(t, func(w *world) {
		f := newFake("phone")
		w.with(spec(f))
		f.failing(errAway)
		w.writes(f, channel.Message{ID: "1", Text: "hello"})
		w.replies(f, "1", "Hello.")
		w.wait(time.Hour)
		if s := w.States()[0]; s.Open != 1 || s.Failed != errAway.Error() || s.Retried < 60 || s.Retried > 80 {
			t.Errorf("got %+v; want Open 1, Failed %q, Retried 60 to 80", s, errAway.Error())
		}
		f.mu.Lock()
		f.panic = true
		f.mu.Unlock()
		w.wait(2 * time.Minute)
		f.mu.Lock()
		f.panic, f.fails = false, nil
		f.mu.Unlock()
		w.wait(2 * time.Minute)
		w.wants(f, "answer mia Hello.")
	})
}

// The other side may ask for a longer wait, but not for one without an end.
func TestCHN6TheOtherSideSaysWhenToSendAgain(t *testing.T) {
	inWorld(t, func(w *world) {
		f := newFake("phone")
		w.with(spec(f))
		f.failing(&channel.Later{After: 10 * time.Minute, Err: errAway})
		w.writes(f, channel.Message{ID: "1", Text: "hello"})
		w.replies(f, "1", "Hello.")
		for _, step := range []struct {
			wait  time.Duration
			tries int
		}{{10*time.Minute - 1, 1}, {1, 2}} {
			w.wait(step.wait)
			if tries := f.tried(); tries != step.tries {
				t.Errorf("after %v: %d tries, want %d", step.wait, tries, step.tries)
			}
		}
		f.failing(&channel.Later{After: 1000 * time.Hour, Err: errAway})
		w.wait(10 * time.Minute)
		f.failing(nil)
		w.wait(time.Hour)
		w.wants(f, "answer mia Hello.")
	})
}

func TestCHN6WhatIsRefusedForGoodHoldsNobodyUp(t *testing.T) {
	inWorld(t, func(w *world) {
		f := newFake("phone")
		w.with(spec(f))
		f.failing(&channel.Refused{Why: "there is no such chat"})
		w.writes(f, channel.Message{ID: "1", Text: "hello"})
		w.replies(f, "1", "Hello.")
		f.failing(nil)
		w.writes(f, channel.Message{ID: "2", Text: "hello"})
		w.replies(f, "2", "Hello again.")
		w.wants(f, "answer mia Hello again.")
		if s := w.States()[0]; s.Lost != 1 || s.Sent != 1 || s.Open != 0 || !strings.Contains(s.Failed, "no such chat") {
			t.Errorf("got %+v; want Lost 1, Sent 1, Open 0, Failed with %q", s, "no such chat")
		}
	})
}

// sends puts a message to a chat into the journal at an index.
func (w *world) sends(f *fake, index uint64, chat, text string) {
	w.sendsAt(f, engine.PositionOf(index, 0), chat, text)
}

func (w *world) sendsAt(f *fake, position uint64, chat, text string) {
	w.front.Send(engine.Message{Position: position, SendMessage: fsm.SendMessage{To: fsm.Origin{Channel: f.name, Chat: chat}, Text: text, Session: "schedule:s1", Key: "k"}})
	synctest.Wait()
}

func TestCHN6MessagesToTheChatsAreSentInOrderAndCountAsRead(t *testing.T) {
	inWorld(t, func(w *world) {
		f := newFake("phone")
		w.with(spec(f))
		w.sends(f, 50, "mia", "Water the plants.")
		w.sends(f, 51, "tom", "The disk is full.")
		got := w.wants(f, "message mia Water the plants.|message tom The disk is full.")
		if got[0].ID == got[1].ID || got[0].From != comm.FromTool {
			t.Errorf("got %+v; want two ids, and [0].From %v", got, comm.FromTool)
		}
		if n, _, err := w.front.Inbox().Count(func(after uint64) ([]engine.Message, error) {
			return w.front.Messages(t.Context(), fsm.Origin{}, after, inbox.UnreadMax)
		}); n != 0 || err != nil {
			t.Errorf("%d are unread, %v", n, err)
		}
		f.failing(errAway)
		w.sends(f, 52, "mia", "And the roses.")
		w.writes(f, channel.Message{ID: "1", Text: "hello"})
		w.replies(f, "1", "Hello.")
		f.failing(nil)
		w.wait(2 * time.Minute)
		w.wants(f, "message mia And the roses.|answer mia Hello.")
	})
}

// Across a kill everything is delivered at least once, and a repeat has the same id.
func TestCHN8OverAKillNothingIsLostAndARepeatHasItsID(t *testing.T) {
	inWorld(t, func(w *world) {
		f := newFake("phone")
		w.with(spec(f))
		w.writes(f, channel.Message{ID: "before", Text: "hello"})
		w.replies(f, "before", "Delivered.")
		w.wants(f, "answer mia Delivered.")
		f.failing(errAway)
		for n := range 3 {
			w.writes(f, channel.Message{ID: fmt.Sprint(n), Text: "hello"})
		}
		w.replies(f, "2", "Two.")
		w.replies(f, "0", "Zero.")
		w.kill()
		w.front.Reply(keyOf(f, "1"), "One, meanwhile.", false)
		w.sends(f, 60, "tom", "Meanwhile.")
		f.failing(nil)
		w.start()
		first := w.wants(f, "message tom Meanwhile.|answer mia Zero.|answer mia One, meanwhile.|answer mia Two.")
		w.kill()
		w.start()
		w.wants(f, "") // all is kept

		file := w.data
		w.data = t.TempDir() // what is lost of the file is what was told after it
		w.kill()
		w.start()
		w.wants(f, "")
		w.data = file
		if first[1].ID == first[2].ID {
			t.Errorf("two answers have the id %s", first[1].ID)
		}
	})
}

// A request that is durable before anybody knows of it does not count as delivered when a later
// one is.
func TestCHN8WhatIsBeingAcceptedIsNotForgotten(t *testing.T) {
	inWorld(t, func(w *world) {
		f := newFake("phone")
		w.with(spec(f))
		in := <-f.in
		f.in <- in
		done := make(chan error, 1)
		go func() {
			_, err := in.Take(context.Background(), channel.Message{ID: "late", Chat: "mia", Sender: "mia", Text: "hello"})
			done <- err
		}()
		synctest.Wait()
		w.writes(f, channel.Message{ID: "2", Text: "hello"})
		w.replies(f, "2", "Two.")
		w.wants(f, "answer mia Two.")
		w.kill()
		close(w.front.late)
		if err := <-done; err != nil {
			t.Error(err)
		}
		w.front.Reply(keyOf(f, "late"), "One.", false)
		w.start()
		w.wants(f, "answer mia One.")
	})
}

// What the other side accepted while the process was ending is sent again.
func TestCHN8ARepeatHasTheIDThatItHad(t *testing.T) {
	inWorld(t, func(w *world) {
		f := newFake("phone")
		w.with(spec(f))
		w.writes(f, channel.Message{ID: "1", Text: "hello"})
		f.mu.Lock()
		f.hang = make(chan struct{})
		hang := f.hang
		f.mu.Unlock()
		w.replies(f, "1", "Hello.")
		w.kill() // while it is sent
		f.mu.Lock()
		f.hang = nil
		f.mu.Unlock()
		w.start()
		second := w.wants(f, "answer mia Hello.")
		close(hang)
		synctest.Wait()
		first := w.wants(f, "answer mia Hello.")
		if first[0].ID != second[0].ID {
			t.Errorf("%s and %s", first[0].ID, second[0].ID)
		}
	})
}

func TestCHN9NobodyIsWrittenToWhoMayNotTalk(t *testing.T) {
	inWorld(t, func(w *world) {
		f, hook := newFake("phone"), newFake("hook")
		persons := spec(f)
		persons.Person = strings.ToLower
		w.with(persons, spec(hook))
		w.sends(f, 50, "eve", "all that I know")
		w.sends(f, 51, "Mia", "Water the plants.")
		w.sends(hook, 52, "anywhere", "It goes to one place.")
		w.wants(f, "message Mia Water the plants.")
		w.wants(hook, "message anywhere It goes to one place.")
		if s := w.States()[0]; s.Lost != 1 {
			t.Errorf("got %+v; want Lost 1", s)
		}
	})
}

func TestCHN7ALongAnswerGoesOnWhereItWas(t *testing.T) {
	inWorld(t, func(w *world) {
		f := newFake("phone")
		w.with(spec(f))
		long := strings.TrimSpace(strings.Repeat("One sentence of it. ", 12))
		w.writes(f, channel.Message{ID: "1", Text: "hello"})
		refuse := make(chan struct{})
		f.mu.Lock()
		f.hang = refuse
		f.mu.Unlock()
		w.replies(f, "1", long)
		refuse <- struct{}{} // one part is taken
		synctest.Wait()
		f.failing(errAway)
		close(refuse)
		f.mu.Lock()
		f.hang = nil
		f.mu.Unlock()
		synctest.Wait()
		w.kill()
		parts := f.got()
		f.failing(nil)
		w.start()
		parts = append(parts, f.got()...)
		whole, ids := "", map[string]bool{}
		for i, p := range parts {
			whole += p.Text + " "
			ids[p.ID] = true
			if len(p.Text) > 100 || p.More != (i < len(parts)-1) {
				t.Errorf("part %d: %+v", i, p)
			}
		}
		if strings.TrimSpace(whole) != long || len(ids) != len(parts) || len(parts) != 3 {
			t.Errorf("%d parts, %d ids: %q", len(parts), len(ids), whole)
		}
	})
}

func TestCHN7NothingFollowsAPartThatIsRefusedForGood(t *testing.T) {
	inWorld(t, func(w *world) {
		f := newFake("phone")
		w.with(spec(f))
		f.failing(&channel.Refused{Why: "it is too long"})
		w.writes(f, channel.Message{ID: "1", Text: "hello"})
		w.replies(f, "1", strings.TrimSpace(strings.Repeat("One sentence of it. ", 12)))
		f.failing(nil)
		w.writes(f, channel.Message{ID: "2", Text: "hello"})
		w.replies(f, "2", "Hello again.")
		w.wants(f, "answer mia Hello again.")
		if s := w.States()[0]; f.tried() != 2 || s.Lost != 1 || s.Sent != 1 || s.Open != 0 {
			t.Errorf("%d tries, %+v", f.tried(), s)
		}
	})
}

func TestCHN4WhoMayNotTalkIsNotAnswered(t *testing.T) {
	inWorld(t, func(w *world) {
		f := newFake("phone")
		w.with(spec(f))
		for n := range 20 {
			if taken := w.writes(f, channel.Message{ID: fmt.Sprint(n), Sender: "eve", Chat: "eve", Text: "let me in"}); taken.Refused != channel.NotAllowed {
				t.Fatalf("got %+v; want Refused %q", taken, channel.NotAllowed)
			}
		}
		w.wants(f, "")
		if s := w.States()[0]; s.Refused != 20 || len(w.front.Seen().Requests) != 0 {
			t.Errorf("got %+v, %d requests; want Refused 20, and none", s, len(w.front.Seen().Requests))
		}
	})
}

func TestCHN5WhatIsTooMuchIsRefusedAndSaidOnce(t *testing.T) {
	inWorld(t, func(w *world) {
		f := newFake("phone")
		w.with(spec(f))
		for n := range 1000 {
			w.writes(f, channel.Message{ID: fmt.Sprint(n), Text: "hello"})
		}
		if n := len(w.front.Seen().Requests); n != 10 {
			t.Errorf("%d requests were made", n)
		}
		if taken := w.writes(f, channel.Message{ID: "3", Text: "hello"}); taken.Refused != "" {
			t.Errorf("one that is brought again counts: %+v", taken)
		}
		w.wants(f, "notice mia Too many messages: I accept 10 a minute, and have not accepted the last ones. Send them again later.")
		w.writes(f, channel.Message{ID: "long", Sender: "tom", Chat: "tom", Text: strings.Repeat("a", 1001)})
		w.wants(f, "notice tom This message is too long: I accept 1000 bytes. I have not accepted it.")
		w.front.Refuse(engine.ErrBusy)
		if taken := w.writes(f, channel.Message{ID: "busy", Sender: "tom", Chat: "tom", Text: "hello"}); taken.Refused != channel.Busy {
			t.Errorf("got %+v; want Refused %q", taken, channel.Busy)
		}
		w.front.Refuse(nil) // of which nothing is read either
		w.wait(2 * time.Second)
		w.wants(f, "notice tom Too much is waiting already. I have not accepted this message; send it again later.")
	})
}

// asks has a person asked about a request.
func (w *world) asks(f *fake, id string) {
	w.asksAbout(f, id, comm.Event{Args: `{"command":"make"}`})
}

// asksAbout has a person asked about a call with the arguments, the reason and the preview of an event.
func (w *world) asksAbout(f *fake, id string, e comm.Event) {
	ask := comm.Ask{Question: fsm.QuestionApprove, Handle: 7, Key: "h7.1", Tool: "exec", Args: e.Args}
	w.front.Stand(comm.Standing{Handle: 7, Request: keyOf(f, id), Asks: &ask})
	w.front.Say(keyOf(f, id), comm.Event{Type: comm.EventQuestion, Question: ask.Question, Handle: 7, Key: ask.Key, Tool: ask.Tool, Args: ask.Args, Text: e.Text, Preview: e.Preview})
	synctest.Wait()
}

func TestCHN10AQuestionIsAnsweredInTheChatWhereThatIsConfigured(t *testing.T) {
	inWorld(t, func(w *world) {
		f := newFake("phone")
		decides := spec(f)
		decides.Decide, decides.TextMax = true, 2*comm.ReasonBytesMax
		w.with(decides)
		w.writes(f, channel.Message{ID: "1", Text: "build it"})
		w.asks(f, "1")
		w.asks(f, "1")
		got := f.got()
		if len(got) != 1 || got[0].Kind != channel.KindQuestion || !strings.HasPrefix(got[0].Text, `May I run exec {"command":"make"}?`+"\nAnswer: approve ") {
			t.Fatalf("got %+v; want 1 of them, [0].Kind %q, [0].Text beginning with %q", got, channel.KindQuestion, `May I run exec {"command":"make"}?`+"\nAnswer: approve ")
		}
		_, code, _ := strings.Cut(got[0].Text, "approve ")
		code, _, _ = strings.Cut(code, ",")
		decided := func(m channel.Message, want channel.Refusal) {
			if got := w.writes(f, m); got != (channel.Taken{Refused: want}) {
				t.Errorf("%q: got %+v; want Refused %q", m.Text, got, want)
			}
		}
		decided(channel.Message{ID: "2", Sender: "tom", Chat: "tom", Text: "approve " + code}, channel.Closed)
		w.wants(f, "notice tom No question with that code is open here: it was answered or cancelled, or its time is over.")
		if told := w.front.Seen().Told; len(told) != 0 {
			t.Fatalf("another chat has decided: %+v", told)
		}
		decided(channel.Message{ID: "3", Text: "/Approve " + code}, channel.Spoken)
		w.wants(f, "notice mia It is approved.")
		w.front.Stand() // the question is closed
		decided(channel.Message{ID: "3", Text: "/Approve " + code}, channel.Spoken)
		w.wants(f, "") // once
		decided(channel.Message{ID: "3", Text: "deny " + code}, channel.Closed)
		f.got()
		w.asks(f, "1")
		f.got()
		told := w.front.Seen().Told
		if len(told) != 1 {
			t.Errorf("told is %+v, want one decision", told)
		}
		if d, is := told[0].Fact.(fsm.Decided); !is || d != (fsm.Decided{Handle: 7, Key: "h7.1", Approve: true, By: "phone:mia"}) {
			t.Errorf("got %+v, %v, %+v; want is true, d %+v", told, is, d, (fsm.Decided{Handle: 7, Key: "h7.1", Approve: true, By: "phone:mia"}))
		}
		decided(channel.Message{ID: "5", Text: "Deny " + code + ": Use the staging\nserver."}, channel.Spoken)
		w.wants(f, "notice mia It is denied.")
		told = w.front.Seen().Told
		if d, is := told[1].Fact.(fsm.Decided); !is || d != (fsm.Decided{Handle: 7, Key: "h7.1", By: "phone:mia", Reason: "Use the staging\nserver."}) {
			t.Errorf("got %+v, %v; want a refusal with its reason", told, is)
		}
		decided(channel.Message{ID: "6", Text: "deny " + code + " " + strings.Repeat("é", comm.ReasonBytesMax/2+1)}, channel.Spoken)
		w.wants(f, "notice mia It is denied. The reason is longer than 2000 bytes; I have passed on its beginning.")
		told = w.front.Seen().Told
		if d, is := told[2].Fact.(fsm.Decided); !is || len(d.Reason) > comm.ReasonBytesMax || !strings.HasSuffix(d.Reason, "é…") {
			t.Errorf("got %+v, %v; want the beginning of the reason, with its mark at most %d bytes", told[2], is, comm.ReasonBytesMax)
		}
		for _, no := range []string{"approve " + code + " and go on", "deny " + code + "0"} {
			if got := w.writes(f, channel.Message{ID: no, Text: no}); got.Refused != channel.NotRefused {
				t.Errorf("%q: got %+v; want a request", no, got)
			}
		}
		f.got() // it says of both that they wait
		decided(channel.Message{ID: "4", Text: "deny 000000"}, channel.Closed)
		w.wants(f, "notice mia No question with that code is open here: it was answered or cancelled, or its time is over.")
		if n := len(w.front.Seen().Requests); n != 3 {
			t.Errorf("%d requests were made; want 3", n)
		}
		w.kill()
		w.start()
		w.asks(f, "1")
		w.wants(f, "") // it is asked once, over a restart too
	})
}

// A chat is told once how a question has ended that was not answered in it.
func TestAPR24AChatLearnsHowItsQuestionHasEnded(t *testing.T) {
	inWorld(t, func(w *world) {
		f, _ := w.asked()
		ends := func(d comm.Decision) {
			w.front.Say(keyOf(f, "1"), comm.Event{Type: comm.EventState, State: state.Queued, Decision: &d})
			synctest.Wait()
		}
		ends(comm.Decision{Verdict: comm.Refused, By: "ann", Reason: "not on a\u202eFriday"})
		w.wants(f, `notice mia The question about exec is closed: refused by ann: not on a\u202eFriday`)
		ends(comm.Decision{Verdict: comm.Refused, By: "ann"})
		w.wants(f, "") // told again
		w.front.Say(keyOf(f, "1"), comm.Event{Type: comm.EventQuestion, Question: fsm.QuestionApprove, Handle: 7, Key: "h7.2", Tool: "exec"})
		synctest.Wait()
		f.got()
		ends(comm.Decision{Verdict: comm.Approved, By: "phone:mia"})
		w.wants(f, "") // she was told so
		w.front.Say(keyOf(f, "1"), comm.Event{Type: comm.EventQuestion, Question: fsm.QuestionApprove, Handle: 7, Key: "h7.3", Tool: "exec"})
		synctest.Wait()
		f.got()
		ends(comm.Decision{Verdict: comm.TimedOut})
		w.wants(f, "notice mia The question about exec is closed: not answered in time, so it does not run")
	})
}

// asked is a channel in whose chat a question is open that can be answered there, with its code.
func (w *world) asked() (f *fake, code string) {
	f = newFake("phone")
	decides := spec(f)
	decides.Decide = true
	w.with(decides)
	w.writes(f, channel.Message{ID: "1", Text: "build it"})
	w.asks(f, "1")
	_, code, _ = strings.Cut(f.got()[0].Text, "approve ")
	return f, code[:6]
}

func TestCHN10ADecisionIsReadAsPeopleWriteIt(t *testing.T) {
	inWorld(t, func(w *world) {
		f, code := w.asked()
		for i, c := range []struct {
			text string
			want channel.Refusal
		}{
			{"Approve " + strings.ToUpper(code) + ".", channel.Spoken},
			{"deny " + code + ",", channel.Spoken},
			{"> May I run exec?\n> Answer: approve 000000, or: deny 000000\napprove `" + code + "`\n", channel.Spoken},
			{"» May I?\n\n/deny: " + code, channel.Spoken},
			{"approve " + code + " and the next", channel.NotRefused},
			{"> approve " + code, channel.NotRefused},
		} {
			if got := w.writes(f, channel.Message{ID: fmt.Sprint("d", i), Text: c.text}); got.Refused != c.want {
				t.Errorf("%q: got %q, want %q", c.text, got.Refused, c.want)
			}
		}
	})
}

func TestCHN10AReasonIsWhatFollowsTheCode(t *testing.T) {
	inWorld(t, func(w *world) {
		f, code := w.asked()
		for i, c := range []struct{ text, reason string }{
			{"deny `" + code + "` use staging", "use staging"},
			{"deny (" + code + "): use staging!", "use staging!"},
			{"*deny " + code + "* \"use staging\"", `"use staging"`},
			{"deny " + code + " - use\nstaging", "use\nstaging"},
			{"> it publishes\ndeny " + strings.ToUpper(code) + ", use staging", "use staging"},
			{"deny `" + code + "`", ""},
		} {
			w.writes(f, channel.Message{ID: fmt.Sprint("r", i), Text: c.text})
			told := w.front.Seen().Told
			if d, is := told[len(told)-1].Fact.(fsm.Decided); !is || d.Approve || d.Reason != c.reason {
				t.Errorf("%q: got %+v; want a refusal because %q", c.text, told[len(told)-1].Fact, c.reason)
			}
		}
	})
}

func TestCHN12AMessageThatWaitsForAQuestionIsToldSo(t *testing.T) {
	inWorld(t, func(w *world) {
		f := newFake("phone")
		decides := spec(f)
		decides.Decide, decides.PartBytes = true, 1000
		w.with(decides)
		w.writes(f, channel.Message{ID: "1", Text: "build it"})
		if got := w.writes(f, channel.Message{ID: "2", Text: "ok"}); !got.New {
			t.Errorf("got %+v, want a request where no question is open", got)
		}
		w.wants(f, "")
		w.asks(f, "1")
		_, where, _ := strings.Cut(f.got()[0].Text, "\n")
		w.writes(f, channel.Message{ID: "3", Sender: "tom", Chat: "tom", Text: "yes"})
		w.wants(f, "")
		if got := w.writes(f, channel.Message{ID: "4", Text: "and test it"}); !got.New {
			t.Errorf("got %+v, want a request", got)
		}
		w.wants(f, "notice mia I will answer this once the open question here is answered.\n"+where)
		for i, text := range []string{"Yes!", "approve", "/deny", "no"} {
			if got := w.writes(f, channel.Message{ID: fmt.Sprint("w", i), Text: text}); got != (channel.Taken{Refused: channel.Closed}) {
				t.Errorf("%q: got %+v, want no request", text, got)
			}
			w.wants(f, "notice mia That does not say which question you mean.\n"+where)
		}
		if told := w.front.Seen().Told; len(told) != 0 {
			t.Errorf("a word without a code has decided: %+v", told)
		}
	})
}

func TestCHN12WithoutDecideTheMessageLearnsWhereTheQuestionIsAnswered(t *testing.T) {
	inWorld(t, func(w *world) {
		f := newFake("phone")
		one := spec(f)
		one.PartBytes = 1000
		w.with(one)
		w.writes(f, channel.Message{ID: "1", Text: "build it"})
		w.asks(f, "1")
		f.got()
		if got := w.writes(f, channel.Message{ID: "2", Text: "yes"}); !got.New {
			t.Errorf("got %+v, want a request", got)
		}
		w.wants(f, "notice mia I will answer this once the open question here is answered.\nAnswer it at the machine, with: shelly request approve 1")
	})
}

func TestAPR22AQuestionInAChatIsReadInTheOrderInWhichItRuns(t *testing.T) {
	inWorld(t, func(w *world) {
		f := newFake("phone")
		w.with(spec(f))
		w.writes(f, channel.Message{ID: "1", Text: "build it"})
		w.asksAbout(f, "1", comm.Event{Args: "{\"command\":\"a\u202eb\"}", Preview: "+c\u2066d"})
		got := f.got()
		if len(got) == 0 || !strings.Contains(got[0].Text, `{"command":"a\u202eb"}`) || !strings.Contains(got[0].Text, `+c\u2066d`) {
			t.Errorf("got %+v; want the controls of direction written as escapes", got)
		}
	})
}

// A server's question to the person is the reason of its call's (TOL-97): a yes answers that.
func TestAPR19AQuestionInAChatSaysWhyTheToolAsks(t *testing.T) {
	inWorld(t, func(w *world) {
		f := newFake("phone")
		w.with(spec(f))
		w.writes(f, channel.Message{ID: "1", Text: "buy it"})
		w.asksAbout(f, "1", comm.Event{Args: "{}", Text: "its server asks \"Pay 500\u202e?\"", Preview: "+c"})
		got, want := f.got(), "May I run exec {}? (its server asks \"Pay 500\\u202e?\")\n+c\n"
		if len(got) == 0 || !strings.HasPrefix(got[0].Text+"\n", want) {
			t.Errorf("got %+v; want %q first", got, want)
		}
	})
}

func TestCHN10ElsewhereTheChatLearnsWhereToAnswer(t *testing.T) {
	inWorld(t, func(w *world) {
		f := newFake("phone")
		w.with(spec(f))
		w.writes(f, channel.Message{ID: "1", Text: "build it"})
		w.asks(f, "1")
		w.wants(f, `question mia May I run exec {"command":"make"}?`+"\nAnswer it at the machine, with: shelly request approve 1")
		w.writes(f, channel.Message{ID: "2", Text: "approve 012345"})
		if r := w.front.Seen().Requests; len(r) != 2 || len(w.front.Seen().Told) != 0 {
			t.Errorf("got %+v, %d decisions; want 2 requests, and none", r, len(w.front.Seen().Told))
		}
	})
}

func TestCHN1AReloadLeavesAChannelThatIsAsItWas(t *testing.T) {
	inWorld(t, func(w *world) {
		f, other := newFake("phone"), newFake("other")
		w.with(spec(f), spec(other))
		<-f.in
		changed := spec(newFake("other"))
		changed.As = "changed"
		again := spec(newFake("phone"))
		w.Use([]channel.Spec{again, changed})
		synctest.Wait()
		if len(f.in) != 0 || w.Channel("phone") != channel.Channel(f) || w.Channel("other") == channel.Channel(other) || w.Channel("third") != nil {
			t.Error("not the one that has changed was run again")
		}
	})
}

func TestCHN11AChannelIsTried(t *testing.T) {
	inWorld(t, func(w *world) {
		f, hook := newFake("phone"), newFake("hook")
		mute := spec(hook)
		mute.Mute = true
		w.with(spec(f), mute)
		if _, err := w.Try(w.t.Context(), "hook", channel.TryBody{Chat: "mia"}); err == nil || hook.tried() != 0 {
			t.Errorf("a channel that sends nothing is tried: %v", err)
		}
		id, err := w.Try(w.t.Context(), "phone", channel.TryBody{Chat: "mia"})
		if got := w.wants(f, "notice mia This is a test of the channel."); err != nil || got[0].ID != id {
			t.Errorf("got %s, %v; want %s", id, err, got[0].ID)
		}
		f.failing(errAway)
		if _, err := w.Try(w.t.Context(), "phone", channel.TryBody{Chat: "mia", Text: "hello"}); !errors.Is(err, errAway) {
			t.Errorf("got %v; want %v", err, errAway)
		}
		if _, err := w.Try(w.t.Context(), "none", channel.TryBody{Chat: "mia"}); err == nil {
			t.Error("a channel that is not there is tried")
		}
	})
}

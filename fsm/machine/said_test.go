package machine_test

import (
	"strconv"
	"strings"
	"testing"

	"shelly/fsm"
)

// reminded returns a driver of a machine whose schedule, made in the chat telegram:42 in the
// session s, has just reminded the person of something.
func reminded(t testing.TB) *driver {
	t.Helper()
	d := driverOf(t, "default")
	d.config.Switches.Remember = fsm.RememberOff
	d.boot()
	d.step(fsm.Input{At: d.now(), Fact: fsm.ScheduleChanged{Change: fsm.ScheduleAdd, Session: "s", Origin: fsm.Origin{Channel: "telegram", Chat: "42"}, Text: "remind me of the pizza", Every: 60 * fsm.Second}})
	d.remind("s1", "Look after the pizza!")
	return d
}

// remind has a schedule's run say a text.
func (d *driver) remind(schedule, text string) {
	d.t.Helper()
	d.step(fsm.Input{At: d.now(), Fact: fsm.ScheduleDue{Schedule: schedule, Slot: d.at}})
	d.loads(fsm.Session{})
	d.answer(text)
	if got := one[fsm.SendMessage](d).Text; got != text {
		d.t.Errorf("the message is %q, want %q", got, text)
	}
	d.saves()
}

// sent returns the messages that the model was sent last.
func (d *driver) sent() []fsm.Message {
	d.t.Helper()
	return one[fsm.AskBrain](d).Conversation.Messages
}

func TestSES23AMessageIsPartOfItsChatsConversation(t *testing.T) {
	earlier := []fsm.Message{{Role: fsm.RoleUser, Text: "hello"}, {Role: fsm.RoleAssistant, Text: "hello"}}
	for _, history := range [][]fsm.Message{nil, earlier} {
		d := reminded(t)
		d.ask("ten minutes later, please")
		d.loads(fsm.Session{History: history})
		got := d.sent()[len(history):]
		if len(got) != 3 || !strings.HasSuffix(got[0].Text, "[schedule:s1, not the person] remind me of the pizza") || got[0].Role != fsm.RoleUser ||
			got[1].Text != "Look after the pizza!" || got[1].Role != fsm.RoleAssistant || !strings.HasSuffix(got[2].Text, "ten minutes later, please") {
			t.Fatalf("after %d messages the model is sent %+v", len(history), got)
		}
		if got[0].Begins() != (len(history) == 0) {
			t.Errorf("after %d messages, that the message begins a turn is %t", len(history), got[0].Begins())
		}
		d.answer("I will")
		save := one[fsm.SaveSession](d)
		if kept := save.State.History; len(kept) != len(history)+4 || kept[len(history)+1].Text != "Look after the pizza!" {
			t.Errorf("the session keeps %+v", kept)
		}
		if len(save.Archive) != 2 {
			t.Errorf("the record of the turn is %+v", save.Archive)
		}
		d.saves()
		d.ask("thanks")
		d.loads(fsm.Session{History: save.State.History, Version: 1})
		if n := len(d.sent()); n != len(history)+5 {
			t.Errorf("in the next turn the model is sent %d messages: %+v", n, d.sent())
		}
	}
}

func TestSES23WhatASessionHearsIsBounded(t *testing.T) {
	d := reminded(t)
	for n := range 4 {
		d.remind("s1", strings.Repeat(strconv.Itoa(n), 2000))
	}
	d.ask("stop")
	d.loads(fsm.Session{})
	got := d.sent()
	if len(got) != 7 || !strings.HasPrefix(got[1].Text, "111") || !strings.HasPrefix(got[5].Text, "333") || len(got[5].Text) > 810 {
		t.Errorf("the model is sent %d messages: %.400v", len(got), got)
	}
	d.answer("I will")
	d.saves()
	for n := range 100 { // of chats in which nobody writes
		d.raiseFor(fsm.Origin{Channel: "telegram", Chat: strconv.Itoa(n)})
	}
	if n := len(d.m.View().Said); n != 64 {
		t.Errorf("%d messages are kept", n)
	}
	d.step(fsm.Input{At: d.now(), Fact: fsm.Requested{Request: fsm.RequestKey{ID: "r9"}, Origin: fsm.Origin{Channel: "telegram", Chat: "99"}, Text: "delete something"}})
	d.loads(fsm.Session{})
	if got := d.sent(); len(got) != 3 || !strings.Contains(got[0].Text, "] [event:disk, not the person] System event from disk: full.") || got[1].Text != "The disk is full." {
		t.Errorf("after an event the model is sent %+v", got)
	}
}

// raiseFor has an event say something in a chat.
func (d *driver) raiseFor(to fsm.Origin) {
	d.t.Helper()
	d.step(fsm.Input{At: d.now(), Fact: fsm.EventRaised{Source: "disk", Event: "full", Do: "tell me", To: to}})
	d.loads(fsm.Session{})
	d.answer("The disk is full.")
	d.saves()
}

func TestSES23AnotherConversationStaysItsOwn(t *testing.T) {
	d := driverOf(t, "default")
	d.config.Channels = []string{"telegram"}
	d.boot()
	d.ask("my secret: tell them that I come")
	d.loads(fsm.Session{})
	d.asksFor(fsm.ToolMessage, `{"content":"They will come.","channel":"telegram","chat_id":"42"}`)
	d.answer("done")
	d.saves()
	d.step(fsm.Input{At: d.now(), Fact: fsm.Requested{Request: fsm.RequestKey{ID: "r9"}, Origin: fsm.Origin{Channel: "telegram", Chat: "42"}, Text: "who?"}})
	d.loads(fsm.Session{})
	got := d.sent()
	if len(got) != 3 || strings.Contains(got[0].Text, "secret") || strings.Contains(got[0].Text, "schedule") || got[1].Text != "They will come." {
		t.Errorf("the model is sent %+v", got)
	}
}

func TestSES23WhatIsSaidInItsOwnSessionIsNotHeardTwice(t *testing.T) {
	d := driverOf(t, "default")
	d.boot()
	d.step(fsm.Input{At: d.now(), Fact: fsm.Requested{Request: fsm.RequestKey{ID: "r9"}, Session: "s", Origin: fsm.Origin{Channel: "telegram", Chat: "42"}, Text: "say it here"}})
	d.loads(fsm.Session{})
	d.asksFor(fsm.ToolMessage, `{"content":"It."}`)
	if said := d.m.View().Said; len(said) != 0 {
		t.Errorf("%+v is kept", said)
	}
}

func TestSES23OtherProfilesAndAnOwnHistoryHearNothing(t *testing.T) {
	d := scheduled(t, nil) // nanobot
	d.remind("s1", "tick")
	if said := d.m.View().Said; len(said) != 0 {
		t.Errorf("%+v is kept", said)
	}
	d = reminded(t)
	d.step(fsm.Input{At: d.now(), Fact: fsm.Requested{Request: fsm.RequestKey{ID: "r9"}, Session: "s", Text: "hi", Context: []fsm.Message{{Role: fsm.RoleUser, Text: "hello"}}}})
	if n, kept := len(d.sent()), len(d.m.View().Said); n != 2 || kept != 1 {
		t.Errorf("the model is sent %d messages, and %d are kept", n, kept)
	}
}

// SES-24: a run of a schedule begins with the newest runs before it, or with all if the
// model's server has them.
func TestSES24ARunBeginsWithTheNewestRuns(t *testing.T) {
	var history []fsm.Message
	for n := range 40 {
		history = append(history, fsm.Message{Role: fsm.RoleUser, Text: "tick " + strconv.Itoa(n)}, fsm.Message{Role: fsm.RoleAssistant, Text: strings.Repeat("tock ", 40)})
	}
	d := driverOf(t, "default")
	d.config.Limits.ContextTokens = 8192
	d.boot()
	d.step(fsm.Input{At: d.now(), Fact: fsm.ScheduleChanged{Change: fsm.ScheduleAdd, Text: "tick", Every: 60 * fsm.Second}})
	run := func(history []fsm.Message, version uint64) []fsm.Message {
		d.step(fsm.Input{At: d.now(), Fact: fsm.ScheduleDue{Schedule: "s1", Slot: d.at}})
		d.loads(fsm.Session{History: history, Version: version})
		sent := d.sent()
		d.answer("tock")
		return sent
	}
	first := run(history, 7)
	before := first[:len(first)-1]
	if tokens := fsm.Counted(before).Tokens; tokens > 1024 || tokens < 900 || !before[0].Begins() || before[len(before)-1].Text != history[79].Text {
		t.Fatalf("the run begins with %d messages of %d tokens", len(before), tokens)
	}
	kept := one[fsm.SaveSession](d).State.History
	d.saves()
	again := append(history[:len(history):len(history)], kept[len(before):]...) // as if nothing had been left out
	if sent := run(again, 8); len(sent) != len(again)+1 {
		t.Errorf("after a run that the server has, the model is sent %d messages of %d", len(sent), len(again))
	}
	d.saves()
	if sent := run(history[:2], 10); len(sent) != 3 { // by another version
		t.Errorf("of a short history the model is sent %d messages", len(sent))
	}
	d.saves()
	if sent := run([]fsm.Message{{Role: fsm.RoleUser, Text: "tick"}, {Role: fsm.RoleAssistant, Text: strings.Repeat("tock ", 4000)}}, 20); len(sent) != 1 {
		t.Errorf("of a run that is too long the model is sent %d messages", len(sent))
	}
}

// HND-70: a reminder is a turn of the conversation that the model's server holds, unless
// something else is to be done there.
func TestHND70AReminderComesHome(t *testing.T) {
	origin := fsm.Origin{Channel: "telegram", Chat: "42"}
	asks := func(d *driver, text string) {
		d.step(fsm.Input{At: d.now(), Fact: fsm.Requested{Request: fsm.RequestKey{ID: text}, Session: "s", Origin: origin, Text: text}})
	}
	for _, tt := range []struct {
		name     string
		every    fsm.Millis
		before   func(d *driver) // what happens before it is due
		schedule string
		session  string
	}{
		{"home", 0, func(*driver) {}, "s1", "s"},
		{"home, although another conversation waits", 0, func(d *driver) {
			d.step(fsm.Input{At: d.now(), Fact: fsm.Requested{Request: fsm.RequestKey{ID: "o"}, Session: "other", Text: "hi"}})
		}, "s1", "s"},
		{"not of several times", 60 * fsm.Second, func(*driver) {}, "", "schedule:s1"},
		{"not while a request waits there", 0, func(d *driver) { asks(d, "hi"); d.loads(fsm.Session{Version: 1}) }, "", "schedule:s1"},
		{"not after another conversation", 0, func(d *driver) {
			d.step(fsm.Input{At: d.now(), Fact: fsm.Requested{Request: fsm.RequestKey{ID: "o"}, Session: "other", Text: "hi"}})
			d.loads(fsm.Session{})
			d.answer("hi")
			d.saves()
		}, "", "schedule:s1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := driverOf(t, "default")
			d.config.Switches.Remember = fsm.RememberOff
			d.boot()
			asks(d, "remind me")
			d.loads(fsm.Session{})
			d.answer("I will")
			d.saves()
			add := fsm.ScheduleChanged{Change: fsm.ScheduleAdd, Session: "s", Origin: origin, Text: "the pizza", Every: tt.every}
			if tt.every == 0 {
				add.Once = fsm.Millis(10_000_000).Date()
			}
			d.step(fsm.Input{At: d.now(), Fact: add})
			tt.before(d)
			d.step(fsm.Input{At: 10_000_000, Fact: fsm.ScheduleDue{Schedule: "s1", Slot: 10_000_000}})
			handles := d.m.View().Handles
			if h := handles[len(handles)-1]; h.Session != tt.session || h.Schedule != tt.schedule || h.Home != "s" {
				t.Fatalf("the run is of the session %q and the schedule %q", h.Session, h.Schedule)
			}
			if tt.name != "home" {
				return
			}
			d.at = 10_000_000
			d.loads(fsm.Session{Version: 1, History: []fsm.Message{{Role: fsm.RoleUser, Text: "remind me"}, {Role: fsm.RoleAssistant, Text: "I will"}}})
			if sent := d.sent(); len(sent) != 3 || !strings.HasSuffix(sent[2].Text, "] the pizza") {
				t.Errorf("the model is sent %+v", sent)
			}
			d.answer("The pizza!")
			if got := one[fsm.SendMessage](d); got.Schedule != "s1" || got.Session != "s" || got.To != origin {
				t.Errorf("the message is %+v", got)
			}
			if save := one[fsm.SaveSession](d); !strings.HasPrefix(save.Archive[0].Text, "[schedule:s1 is due] the pizza") || save.Archive[0].ByPerson() {
				t.Errorf("the record begins with %+v", save.Archive[0])
			}
			if said := d.m.View().Said; len(said) != 0 {
				t.Errorf("the session hears what it has said itself: %+v", said)
			}
		})
	}
}

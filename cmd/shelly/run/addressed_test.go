package run

import (
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/runtime/comm"
	"shelly/runtime/comm/fronttest"
	"shelly/runtime/config"
	"shelly/runtime/inbox"
	"shelly/sim/strict"
)

// A person has one chat, however a client writes the address.
func TestCHN33AClientNamesAChatAsItsChannelDoes(t *testing.T) {
	front := fronttest.New()
	cfg := config.Config{Channels: config.Channels{strict.Named[config.Channel]{Name: "phone", Value: config.Channel{Kind: config.ChannelXMPP}}}}
	a := addressed{front, cfg.Named}
	sent := fsm.Origin{Channel: "phone", Chat: "Mia@Example.org/Laptop"}
	want := fsm.Origin{Channel: "phone", Chat: "mia@example.org"}
	key := fsm.RequestKey{Principal: comm.Principal, Channel: "phone", ID: "a"}
	if _, err := a.Accept(t.Context(), comm.Request{Key: key, Origin: sent, Text: "hello"}); err != nil {
		t.Fatal(err)
	}
	if got := front.Seen().Requests[0].Origin; got != want {
		t.Errorf("the request is of %+v", got)
	}
	if _, _, err := a.Schedule(t.Context(), fsm.ScheduleChanged{Change: fsm.ScheduleAdd, Origin: sent}); err != nil {
		t.Fatal(err)
	}
	if told := front.Seen().Told; len(told) != 1 || told[0].Fact.(fsm.ScheduleChanged).Origin != want {
		t.Errorf("told is %+v", told)
	}
}

// A client that lists, awaits or reads messages of a chat means the same one.
func TestCHN33AClientFindsTheMessagesOfAChatHoweverItNamesIt(t *testing.T) {
	front := fronttest.New()
	a := addressed{front, func(o fsm.Origin) fsm.Origin {
		o.Chat = strings.ToLower(o.Chat)
		return o
	}}
	sent, kept := fsm.Origin{Channel: "phone", Chat: "Mia@example.org"}, fsm.Origin{Channel: "phone", Chat: "mia@example.org"}
	front.Send(engine.Message{Position: 1, SendMessage: fsm.SendMessage{To: kept, Text: "the mail is here"}})
	if found, err := a.Messages(t.Context(), sent, 0, engine.ReadMax); err != nil || len(found) != 1 {
		t.Errorf("%d messages are found, %v", len(found), err)
	}
	if err := a.Read(t.Context(), []inbox.Mark{{Channel: sent.Channel, Chat: sent.Chat, Position: 1}}); err != nil {
		t.Fatal(err)
	}
	if unread, err := a.Unread(t.Context()); err != nil || unread.Messages != 0 {
		t.Errorf("%d messages are unread, %v", unread.Messages, err)
	}
}

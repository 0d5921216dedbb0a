package run

import (
	"testing"

	"shelly/fsm"
	"shelly/runtime/comm"
	"shelly/runtime/comm/fronttest"
	"shelly/runtime/config"
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

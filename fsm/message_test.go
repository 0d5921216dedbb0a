package fsm_test

import (
	"encoding/json"
	"testing"

	"shelly/fsm"
)

// A set of sources is written as a list of names in their order; an unknown name counts as
// outside.
func TestMSG1TheWireFormOfASource(t *testing.T) {
	for _, tt := range []struct {
		source fsm.Source
		wire   string
	}{
		{fsm.FromPerson, `["person"]`},
		{fsm.FromOperator | fsm.FromWorkspace | fsm.FromModel, `["operator","workspace","model"]`},
		{fsm.FromOutside, `["outside"]`},
	} {
		data, err := json.Marshal(tt.source)
		if err != nil || string(data) != tt.wire {
			t.Errorf("%d is %s (%v), want %s", tt.source, data, err, tt.wire)
		}
		var back fsm.Source
		if err := json.Unmarshal(data, &back); err != nil || back != tt.source {
			t.Errorf("%s is read as %d (%v)", data, back, err)
		}
	}
	var s fsm.Source
	if err := json.Unmarshal([]byte(`["person","moon"]`), &s); err != nil || s != fsm.FromPerson|fsm.FromOutside {
		t.Errorf("an unknown source is %v (%v)", s.Names(), err)
	}
	if data, _ := json.Marshal(fsm.Message{Role: fsm.RoleUser}); string(data) != `{"role":"user"}` {
		t.Errorf("a message without a source is %s", data)
	}
}

// One of unknown source, as older stores have them, counts as a person's.
func TestWhatAPersonSaidIsToldFromWhatTheModelIsTold(t *testing.T) {
	for _, tt := range []struct {
		name string
		said fsm.Message
		want bool
	}{
		{"a person's", fsm.Message{Role: fsm.RoleUser, Source: fsm.FromPerson}, true},
		{"of unknown source", fsm.Message{Role: fsm.RoleUser}, true},
		{"an event", fsm.Message{Role: fsm.RoleUser, Source: fsm.FromOutside}, false},
		{"a person's, with what came from outside", fsm.Message{Role: fsm.RoleUser, Source: fsm.FromPerson | fsm.FromOutside}, false},
		{"a hint", fsm.Message{Role: fsm.RoleUser, Source: fsm.FromPerson, Aside: true}, false},
		{"the model's", fsm.Message{Role: fsm.RoleAssistant, Source: fsm.FromPerson}, false},
	} {
		if got := tt.said.ByPerson(); got != tt.want {
			t.Errorf("%s: %t", tt.name, got)
		}
	}
}

// Everything that says which part of a kept result a message shows is in its hash.
func TestTXT4AMessageSaysWhichPartItShows(t *testing.T) {
	of := func(p fsm.Part) uint64 { return (fsm.Conversation{}).Add(fsm.Message{Text: "x", Part: p}).Hash }
	whole := of(fsm.Part{Result: 1, From: 2, To: 3})
	for _, p := range []fsm.Part{{}, {Result: 2, From: 2, To: 3}, {Result: 1, From: 1, To: 3}, {Result: 1, From: 2, To: 4}} {
		if of(p) == whole {
			t.Errorf("%+v has the same hash", p)
		}
	}
}

func TestAMessageIsHashedWithItsImages(t *testing.T) {
	of := func(images ...string) uint64 {
		m := fsm.Message{Role: fsm.RoleUser, Text: "x"}
		for _, image := range images {
			m.Images = append(m.Images, []byte(image))
		}
		return fsm.Conversation{}.Add(m).Hash
	}
	for _, other := range [][]string{{}, {"a", ""}, {"b", "c"}, {"ac"}, {"c", "a"}} {
		if of(other...) == of("a", "c") {
			t.Errorf("with the images %q it has the same hash", other)
		}
	}
}

// What is appended to a fork, even to one of nothing, is not in the conversation itself.
func TestAForkLeavesItsConversationAlone(t *testing.T) {
	first, own, other := fsm.Message{Role: fsm.RoleUser, Text: "q"}, fsm.Message{Role: fsm.RoleAssistant, Text: "a"}, fsm.Message{Role: fsm.RoleUser, Text: "b"}
	for _, c := range []fsm.Conversation{{}, fsm.Conversation{}.Add(first), fsm.Conversation{}.Add(first, own)} {
		fork, goesOn := c.With(other), c.Add(own)
		if n := len(c.Messages); len(fork.Messages) != n+1 || fork.Messages[n].Text != "b" || fork.HashAt(n) != c.Hash || goesOn.Messages[n].Text != "a" {
			t.Errorf("after %d messages: %+v and %+v", n, fork.Messages, goesOn.Messages)
		}
	}
}

func TestMSG3NoHashHasTheSource(t *testing.T) {
	a, b := fsm.Message{Text: "x", Source: fsm.FromPerson}, fsm.Message{Text: "x"}
	if (fsm.Conversation{}).Add(a).Hash != (fsm.Conversation{}).Add(b).Hash {
		t.Error("the source is in the hash of a conversation")
	}
	entry := fsm.Entry{ID: "h1", Source: fsm.FromPerson}
	with, without := fsm.Store{Entry: entry}, fsm.Store{Entry: fsm.Entry{ID: "h1"}}
	if fsm.HashEffects([]fsm.Effect{with}) != fsm.HashEffects([]fsm.Effect{without}) {
		t.Error("the source is in the hash of an effect")
	}
}

// The hash of what precedes a conversation covers everything that a model's server reads
// first.
func TestWhatStandsBeforeAConversation(t *testing.T) {
	ask := fsm.AskBrain{System: "You are shelly.", Tools: fsm.AllTools}
	before := ask.Before()
	for name, other := range map[string]fsm.AskBrain{
		"system prompt": {System: "You are another.", Tools: fsm.AllTools}, "tools": {System: ask.System, Tools: fsm.NoTools},
		"offer": {System: ask.System, Tools: fsm.AllTools, Offer: fsm.Offer{Own: 7, Tools: []fsm.ToolDecl{{Name: "look"}}}},
	} {
		if other.Before() == before {
			t.Errorf("with another %s the beginning has the same hash", name)
		}
	}
}

// MSG-1: no source at all is written as null, and what is no list of names is refused.
func TestMSG1NoSourceIsNull(t *testing.T) {
	if got, err := fsm.Source(0).MarshalJSON(); string(got) != "null" || err != nil {
		t.Errorf("got %s, %v; want %q", got, err, "null")
	}
	var s fsm.Source
	if err := s.UnmarshalJSON([]byte(`5`)); err == nil {
		t.Errorf("5 is read as %v", s.Names())
	}
}

// The prompt of a call begins with its system text, if it has one.
func TestTheSystemTextComesFirst(t *testing.T) {
	talk := fsm.Conversation{}.Add(fsm.Message{Role: fsm.RoleUser, Text: "hello"})
	if got := (fsm.AskBrain{Conversation: talk}).Messages(); len(got) != 1 || got[0].Role != fsm.RoleUser {
		t.Errorf("without one: %+v", got)
	}
	if got := (fsm.AskBrain{System: "be kind", Conversation: talk}).Messages(); len(got) != 2 || got[0].Role != fsm.RoleSystem || got[0].Text != "be kind" {
		t.Errorf("with one: %+v", got)
	}
}

// A stage is not beyond itself, and each is beyond those before it.
func TestStagesAreOrdered(t *testing.T) {
	stages := []fsm.Stage{"", fsm.StageLoading, fsm.StageAccepted, fsm.StageWriting}
	for i, a := range stages {
		for k, b := range stages {
			if got := a.Beyond(b); got != (i > k) {
				t.Errorf("%q is beyond %q: %t", a, b, got)
			}
		}
	}
}

package machine_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
)

// calling returns a driver in whose turn the model has just made one call, and the call's
// result, or "" if that is awaited.
func calling(t testing.TB, tool, args string) (*driver, string) {
	t.Helper()
	d := driverOf(t, "countbot")
	if tool == fsm.ToolHelp { // it is offered where the others do not all fit
		d.config.Limits.OfferTokens = 1
	}
	d.boot()
	d.step(fsm.Input{At: d.now(), Fact: fsm.Requested{
		Request: fsm.RequestKey{ID: "r1"}, Session: "s", Origin: fsm.Origin{Channel: "telegram", Chat: "42"}, Text: "hello",
	}})
	d.loads(fsm.Session{})
	d.asksFor(tool, args)
	for _, ask := range of[fsm.AskBrain](d.effects) {
		if ask.Purpose == fsm.PurposeAnswer {
			return d, ask.Conversation.Messages[len(ask.Conversation.Messages)-1].Text
		}
	}
	return d, ""
}

func TestTOL10WhatIsWrongWithACallOfABuiltinToolIsItsResult(t *testing.T) {
	const unread = "error: the arguments "
	tests := []struct{ tool, args, want string }{
		{fsm.ToolSpawn, `{}`, "error: missing argument: task"},
		{fsm.ToolSpawn, ``, "error: missing argument: task"},
		{fsm.ToolSpawn, ` `, "error: missing argument: task"},
		{fsm.ToolSpawn, `null`, "error: missing argument: task"},
		{fsm.ToolSpawn, `{"task":" \n"}`, "error: missing argument: task"},
		{fsm.ToolSpawn, `{"task":7}`, unread},
		{fsm.ToolSpawn, `["look"]`, unread},
		{fsm.ToolSpawn, `{"task":"look"`, unread},

		{fsm.ToolMessage, `{}`, "error: missing argument: content"},
		{fsm.ToolMessage, `{"content":" ","chat_id":"7"}`, "error: missing argument: content"},
		{fsm.ToolMessage, `{"content":true}`, unread},

		{fsm.ToolLoadSkill, `{}`, "error: missing argument: name"},
		{fsm.ToolLoadReference, `{"reference":"a.md"}`, "error: missing argument: name"},
		{fsm.ToolLoadSkill, `{"name":"trains"}`, `error: there is no skill "trains"; the skills are: flights, manners`},
		{fsm.ToolLoadSkill, `{"name":["flights"]}`, unread},
		{fsm.ToolLoadReference, `{"name":"trains","reference":"a.md"}`, `error: there is no skill "trains"; the skills are: flights, manners`},
		{fsm.ToolLoadReference, `{"name":"flights"}`, "error: missing argument: reference"},
		{fsm.ToolLoadReference, `{"name":"flights","reference":"a.md"}`, "error: skill flights is not loaded; load it with load_skill first"},

		{fsm.ToolHelp, `{"name":7}`, unread},
		{fsm.ToolHelp, `{"name":"list_dir"`, unread},

		{fsm.ToolCron, `{}`, `error: action is add, list or remove, not ""`},
		{fsm.ToolCron, `{"action":"stop"}`, `error: action is add, list or remove, not "stop"`},
		{fsm.ToolCron, `{"action":"remove"}`, `error: there is no schedule ""`},
		{fsm.ToolCron, `{"action":"remove","job_id":"s7"}`, `error: there is no schedule "s7"`},
		{fsm.ToolCron, `{"action":"add","every_seconds":60}`, "error: missing argument: message"},
		{fsm.ToolCron, `{"action":"add","message":"tick"}`, "error: give exactly one of every_seconds, cron_expr and at"},
		{fsm.ToolCron, `{"action":"add","message":"tick","every_seconds":0}`, "error: give exactly one of every_seconds, cron_expr and at"},
		{fsm.ToolCron, `{"action":"add","message":"tick","every_seconds":-5}`, "error: give exactly one of every_seconds, cron_expr and at"},
		{fsm.ToolCron, `{"action":"add","message":"tick","every_seconds":60,"cron_expr":"* * * * *"}`, "error: give exactly one of every_seconds, cron_expr and at"},
		{fsm.ToolCron, `{"action":"add","message":"tick","at":"tomorrow"}`, `error: at is not a time such as 20m, 17:30, tomorrow 9:00 or 2026-01-31T09:00: "tomorrow"`},
		{fsm.ToolCron, `{"action":"add","message":"tick","every_seconds":"60"}`, unread},
	}
	for _, tt := range tests {
		t.Run(tt.tool+" "+tt.args, func(t *testing.T) {
			d, got := calling(t, tt.tool, tt.args)
			if got != tt.want && (tt.want != unread || !strings.HasPrefix(got, unread)) {
				t.Errorf("the result is %q, want %q", got, tt.want)
			}
			no[fsm.SendMessage](d)
			no[fsm.ArmSchedule](d)
			no[fsm.LoadSkill](d)
			if a := one[fsm.Audit](d); !a.Failed || a.Tool != tt.tool || a.Args != tt.args || a.Result != got || a.Attempts != 1 {
				t.Errorf("audit %+v", a)
			}
			if n := len(d.m.View().Handles); n != 1 {
				t.Errorf("there are %d handles", n)
			}
		})
	}
}

func TestTOL10WhatAModelGivesIsClippedInAResult(t *testing.T) {
	_, got := calling(t, fsm.ToolLoadSkill, `{"name":"`+strings.Repeat("x", 5000)+`"}`)
	if len(got) > 300 || !strings.Contains(got, "x …") {
		t.Errorf("the result is %q", got)
	}
}

func TestHND46AMessageGoesToAChat(t *testing.T) {
	tests := []struct {
		args string
		to   fsm.Origin
	}{
		{`{"content":"hi"}`, fsm.Origin{Channel: "telegram", Chat: "42"}},
		{`{"content":"hi","chat_id":"7"}`, fsm.Origin{Channel: "telegram", Chat: "7"}},
		{`{"content":"hi","channel":"email"}`, fsm.Origin{Channel: "email", Chat: "42"}},
		{`{"content":"hi","channel":"email","chat_id":"ada"}`, fsm.Origin{Channel: "email", Chat: "ada"}},
	}
	for _, tt := range tests {
		t.Run(tt.args, func(t *testing.T) {
			d, got := calling(t, fsm.ToolMessage, tt.args)
			send := one[fsm.SendMessage](d)
			want := fsm.SendMessage{Handle: 1, Key: send.Key, Session: "s", To: tt.to, Text: "hi"}
			if diff := cmp.Diff(want, send); diff != "" || send.Key == "" || send.Key == "h1" {
				t.Errorf("key %q: %s", send.Key, diff)
			}
			if got != "sent to "+tt.to.Channel+":"+tt.to.Chat {
				t.Errorf("the result is %q", got)
			}
		})
	}
}

// A message may go to the origin's channel, to a configured one, and to one that a request has
// come from; for any other, the model is told that there is no such channel.
func TestHND46AMessageToAChannelThatNobodyHasIsNotSent(t *testing.T) {
	send := func(d *driver, channel string) string {
		d.asksFor(fsm.ToolMessage, `{"content":"hi","channel":"`+channel+`","chat_id":"7"}`)
		asks := of[fsm.AskBrain](d.effects)
		return asks[len(asks)-1].Conversation.Messages[len(asks[len(asks)-1].Conversation.Messages)-1].Text
	}
	d := driverOf(t, "countbot")
	d.config.Channels = []string{"sms", "pager"}
	d.boot()
	from := func(id, channel string) {
		d.step(fsm.Input{At: d.now(), Fact: fsm.Requested{
			Request: fsm.RequestKey{ID: id}, Session: "s", Origin: fsm.Origin{Channel: channel, Chat: "42"}, Text: "hello",
		}})
	}
	from("r1", "web")
	d.loads(fsm.Session{})
	for _, channel := range []string{"web", "pager"} {
		if got := send(d, channel); got != "sent to "+channel+":7" {
			t.Errorf("to %s: %q", channel, got)
		}
	}
	if got, want := send(d, "mail"), `error: not sent: there is no channel "mail"; the channels are: pager, sms, web`; got != want {
		t.Errorf("the model gets %q, want %q", got, want)
	}
	no[fsm.SendMessage](d)
	from("r2", "mail")
	if got := send(d, "mail"); got != "sent to mail:7" {
		t.Errorf("once a request has come from mail: %q", got)
	}
}

// Work that came from no chat has no channel that a message could go to by default.
func TestHND46AMessageOfWorkFromNoChatNamesItsChannel(t *testing.T) {
	d := driverOf(t, "countbot")
	d.boot()
	d.raise("full")
	d.loads(fsm.Session{})
	for _, args := range []string{`{"content":"hi"}`, `{"content":"hi","chat_id":"7"}`} {
		d.asksFor(fsm.ToolMessage, args)
		no[fsm.SendMessage](d)
		if got, want := d.lastMessage().Text, "error: "+d.config.Words.Text(fsm.WordMessageNowhere); got != want {
			t.Errorf("%s: the result is %q, want %q", args, got, want)
		}
	}
	d.asksFor(fsm.ToolMessage, `{"content":"hi","channel":"sms","chat_id":"7"}`)
	if got, want := one[fsm.SendMessage](d).To, (fsm.Origin{Channel: "sms", Chat: "7"}); got != want {
		t.Errorf("sent to %+v", got)
	}
}

// LIM-1: of the channels of requests no more than 64 are remembered.
func TestLIM1TheChannelsOfRequestsAreBounded(t *testing.T) {
	d := driverOf(t, "countbot")
	d.config.Channels = []string{"pager"}
	d.boot()
	for n := range 66 { // of commands, which leave no handles
		id := strconv.Itoa(n)
		d.step(fsm.Input{At: d.now(), Fact: fsm.Requested{Request: fsm.RequestKey{ID: id}, Session: "s", Origin: fsm.Origin{Channel: "web" + id, Chat: "42"}, Text: "/help"}})
	}
	if met := d.m.View().Channels; len(met) != 64 || met[63] != "web63" {
		t.Errorf("%d channels are remembered: %q", len(met), met)
	}
}

func TestHND46EachMessageHasAKeyOfItsOwn(t *testing.T) {
	d, _ := calling(t, fsm.ToolMessage, `{"content":"hi"}`)
	first := one[fsm.SendMessage](d).Key
	d.asksFor(fsm.ToolMessage, `{"content":"hi"}`)
	if second := one[fsm.SendMessage](d).Key; second == first {
		t.Errorf("two messages have the key %q", first)
	}
}

func TestSKL4ASkillIsLoadedIntoThePromptOrTheResult(t *testing.T) {
	tests := []struct {
		profile string
		result  string
		shown   bool
	}{
		{"nanobot", "Skill 'flights' loaded.", true},
		{"countbot", "Skill 'flights' loaded.\n\nbook them", false},
	}
	for _, tt := range tests {
		t.Run(tt.profile, func(t *testing.T) {
			d := driverOf(t, tt.profile)
			d.boot()
			d.ask("hello")
			d.loads(fsm.Session{})
			d.asksFor(fsm.ToolLoadSkill, `{"name":"flights","reference":"codes.md"}`)
			if load := one[fsm.LoadSkill](d); load.Skill != "flights" || load.Reference != "" {
				t.Errorf("loads %+v", load)
			}
			no[fsm.AskBrain](d)
			d.skillSays("book them")
			if got := one[fsm.Audit](d).Result; got != tt.result {
				t.Errorf("the result is %q, want %q", got, tt.result)
			}
			if got := strings.Contains(one[fsm.AskBrain](d).System, "book them"); got != tt.shown {
				t.Errorf("the instructions are in the system prompt: %t", got)
			}
		})
	}
}

func TestSKL4ASkillThatCannotBeReadIsAFailure(t *testing.T) {
	d, _ := calling(t, fsm.ToolLoadSkill, `{"name":"flights"}`)
	d.step(fsm.Input{At: d.now(), Fact: fsm.SkillLoaded{Answered: fsm.To(d.call(fsm.CallSkill)), Error: "no such file"}})
	if got := d.lastMessage().Text; got != "error: Skill 'flights' could not be loaded: no such file" {
		t.Errorf("the result is %q", got)
	}
	if a := one[fsm.Audit](d); !a.Failed {
		t.Errorf("audit %+v", a)
	}
	d.answer("a pity")
	if skills := one[fsm.SaveSession](d).State.Skills; len(skills) > 0 {
		t.Errorf("the loaded skills are %+v", skills)
	}
}

func TestSKL5AReferenceIsLoadedOfASkillThatIsThere(t *testing.T) {
	for _, skill := range []string{"flights", "manners"} {
		t.Run(skill, func(t *testing.T) {
			d := driverOf(t, "nanobot")
			d.boot()
			d.ask("hello")
			d.loads(fsm.Session{Skills: []fsm.LoadedSkill{{Name: "flights", Text: "book them"}}})
			d.asksFor(fsm.ToolLoadReference, `{"name":"`+skill+`","reference":"codes.md"}`)
			if load := one[fsm.LoadSkill](d); load.Skill != skill || load.Reference != "codes.md" {
				t.Errorf("loads %+v", load)
			}
			d.skillSays("LIS is Lisbon")
			if got := one[fsm.Audit](d).Result; got != "Reference 'codes.md' of skill '"+skill+"' loaded." {
				t.Errorf("the result is %q", got)
			}
			if system := one[fsm.AskBrain](d).System; !strings.Contains(system, "### Reference: "+skill+"/codes.md\n\nLIS is Lisbon") {
				t.Errorf("the system prompt is %q", system)
			}
		})
	}
}

func TestSKL6LoadedSkillsAreKeptWithTheSessionOnce(t *testing.T) {
	d, _ := calling(t, fsm.ToolLoadSkill, `{"name":"flights"}`)
	d.skillSays("book them")
	d.asksFor(fsm.ToolLoadSkill, `{"name":"flights"}`)
	d.skillSays("book them")
	d.answer("good day")
	want := []fsm.LoadedSkill{{Name: "flights", Text: "book them"}}
	same(t, want, one[fsm.SaveSession](d).State.Skills)
}

func TestTOL10ABuiltinToolOfAnUnknownNameIsNone(t *testing.T) {
	if got := fsm.Builtins("spawn", "fly", "cron"); len(got) != 2 || got[0].Name != "spawn" || got[1].Name != "cron" {
		t.Errorf("the declarations are %+v", got)
	}
}

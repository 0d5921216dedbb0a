package config_test

import (
	"strings"
	"testing"
)

const channelled = `channels:
  hook: {kind: webhook, key_from: [HOOK_KEY, /run/secrets/old], url: "https://hooks.example.org/in", allow: ["*"], per_minute: 60}
  phone: {kind: xmpp, account: shelly@example.org, password_from: XMPP_PASSWORD, server: "127.0.0.1:5222", tls: off, allow: [mia@example.org], decide: true, ca_file: ca.pem}
`

func TestCHN1ChannelsAreRead(t *testing.T) {
	w := newWorld(t)
	w.File = w.write("c.yaml", channelled)
	c := w.load()
	hook, _ := c.Channels.Get("hook")
	phone, _ := c.Channels.Get("phone")
	if len(hook.KeyFrom) != 2 || hook.URL != "https://hooks.example.org/in" || hook.PerMinute != 60 || phone.Account != "shelly@example.org" || !phone.Decide || phone.TLS != "off" || phone.Allow[0] != "mia@example.org" || !strings.HasSuffix(string(phone.CAFile), "/ca.pem") {
		t.Errorf("got %+v\n%+v; want what the file says", hook, phone)
	}
	if again := reloaded(t, c.Print()); again.Print() != c.Print() {
		t.Errorf("printed, loaded and printed again:\n%s", again.Print())
	}
	if m := c.Machine(nil, nil); strings.Join(m.Channels, " ") != "cli hook phone" {
		t.Errorf("the model may send messages to %v", m.Channels)
	}
}

// A chat has one name, however its person's address is written; a webhook's chats are names of its
// own.
func TestCHN33ThePersonToTellIsNamedAsInTheChat(t *testing.T) {
	for tell, want := range map[string]string{ // order-free: each is alone
		"phone:Mia@Example.org/Laptop": "phone:mia@example.org", "hook:Ops": "hook:Ops", "other:Mia@Example.org": "other:Mia@Example.org",
	} {
		w := newWorld(t)
		w.File = w.write("c.yaml", channelled+"events: {heartbeat: {every: 30m, do: look, tell: \""+tell+"\"}}\n")
		if got := w.load().Machine(nil, nil).Heartbeat.To.Key(); got != want {
			t.Errorf("%s is %s, want %s", tell, got, want)
		}
	}
}

func TestCHN1WhatIsWrongWithAChannelIsReported(t *testing.T) {
	const hook, phone = "kind: webhook, key_from: [K]", "kind: xmpp, account: a@b.c, password_from: P"
	complains(t, "channels", []wrong{
		{"x: {}", "kind"},
		{"x: {kind: irc}", "xmpp"},
		{"X: {" + hook + "}", "a channel's name has up to 24"},
		{"http: {" + hook + "}", "already has another meaning"},
		{"x: {kind: webhook}", "channels.x.key_from: wants 1 to 8"},
		{"x: {kind: webhook, key_from: [a b]}", "channels.x.key_from: wants 1 to 8"},
		{"x: {" + hook + ", url: ftp://h}", "channels.x.url: wants an address"},
		{"x: {" + hook + ", url: \"https:///in\"}", "channels.x.url: wants an address"},
		{"x: {" + hook + ", url: \"https://mia:secret@example.org/in\"}", "channels.x.url: wants an address"},
		{"x: {" + hook + ", url: \"https://example.org/in#secret\"}", "channels.x.url: wants an address"},
		{"x: {" + hook + ", url: \"https://exa mple.org/in\"}", "channels.x.url: wants an address"},
		{"x: {kind: webhook, key_from: [A, B, C, D, E, F, G, H, I]}", "channels.x.key_from: wants 1 to 8"},
		{"x: {" + hook + ", url: \"http://example.org/\"}", "use https"},
		{"x: {" + hook + ", allow_addresses: [\"*\"]}", "channels.x.allow_addresses"},
		{"x: {" + hook + ", account: a@b.c}", "are for XMPP only"},
		{"x: {" + hook + ", allow: [\"\"]}", "channels.x.allow: wants"},
		{"x: {" + hook + ", allow: [\"a*b\"]}", "channels.x.allow: wants"},
		{"x: {" + hook + ", per_minute: 601}", "channels.x.per_minute: 601 is out of range; the most is 600"},
		{"x: {" + hook + ", per_minute: 0}", "channels.x.per_minute: 0 is out of range; the least is 1"},
		{"x: {" + hook + ", secret: s}", "unknown key"},
		{"x: {" + phone + ", url: \"https://h\"}", "are for webhooks only"},
		{"x: {kind: xmpp, account: a, password_from: P}", "channels.x.account: wants"},
		{"x: {kind: xmpp, account: a@b.c/d, password_from: P}", "channels.x.account: wants"},
		{"x: {kind: xmpp, account: a@b.c}", "channels.x.password_from: wants"},
		{"x: {" + phone + ", server: h}", "channels.x.server: wants HOST:PORT"},
		{"x: {" + phone + ", server: \"h:\"}", "channels.x.server: wants HOST:PORT"},
		{"x: {" + phone + ", server: \":5222\"}", "channels.x.server: wants HOST:PORT"},
		{"x: {" + phone + ", server: \"::1\"}", "channels.x.server: wants HOST:PORT"},
		{"x: {" + phone + ", server: \"h:xmpp\"}", "channels.x.server: wants HOST:PORT"},
		{"x: {" + phone + ", server: \"h:70000\"}", "channels.x.server: wants HOST:PORT"},
		{"x: {" + phone + ", server: \"h:5222\", tls: off}", "channels.x.tls: is off"},
		{"x: {" + phone + ", tls: off}", "channels.x.tls: is off"},
		{"x: {" + phone + ", tls: maybe}", "starttls"},
	})
	w := newWorld(t)
	w.File = w.write("c.yaml", "channels:\n  x: {"+hook+", url: \"http://127.0.0.1:9000/in\"}\n  z: {kind: webhook, key_from: [A, B, C, D, E, F, G, H]}\n  y: {"+phone+", server: \"[::1]:5222\", tls: off}\n")
	w.load()
}

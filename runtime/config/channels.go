package config

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"shelly/fsm/wording"
	"shelly/runtime/egress"
	"shelly/sim/strict"
)

// Channels are the chat systems and webhooks through which people talk with the agent (CHN), by
// name. Default: none.
type Channels = strict.ByName[Channel]

// Channel is one of Channels.
type Channel struct {
	// Kind says what it is.
	Kind string `key:"kind,required" enum:"webhook,xmpp"`
	// Allow lists who may talk to the agent and be messaged by it: XMPP addresses, or the senders
	// that a webhook's messages name; *@example.org means everyone in a domain, * means everyone.
	// Default: none, which is nobody.
	Allow []string `key:"allow"`
	// PerMinute is how many messages each may send in a minute. Default: 20.
	PerMinute int `key:"per_minute" min:"1" max:"600"`
	// Decide lets these people answer questions, such as whether a tool may run. Default: false.
	Decide bool `key:"decide"`

	// KeyFrom names the environment variables, or the files by absolute path, that hold the keys of
	// a webhook. The first key signs.
	KeyFrom []string `key:"key_from"`
	// URL is where a webhook's messages go. Default: none; nothing is sent.
	URL string `key:"url"`
	// AllowAddresses are addresses outside the public network where the URL may be, as in
	// tools.web.allow_addresses. Default: none.
	AllowAddresses []string `key:"allow_addresses"`

	// Account is the address of shelly's own account.
	Account string `key:"account"`
	// PasswordFrom names the environment variable, or the file by absolute path, that holds the
	// account's password.
	PasswordFrom string `key:"password_from"`
	// Server is the server's HOST:PORT. Default: found from the account's domain.
	Server string `key:"server"`
	// TLS says how the connection is secured. Default: starttls; off is only for servers on this machine.
	TLS string `key:"tls" enum:"starttls,direct,off"`
	// CAFile has the certificates of the authorities that may sign the server's. Default: the system's.
	CAFile Path `key:"ca_file"`
}

// The kinds of channels.
const (
	ChannelWebhook = "webhook"
	ChannelXMPP    = "xmpp"
)

// Limits of channels.
const (
	PerMinuteChannel = 20
	channelNameMax   = 24
	allowMax         = 1000
	keysMax          = 8
)

// taken returns the names of channels that already have a meaning.
func taken() []string {
	return []string{"cli", "http", "udp", "client", "openai", "ollama", "mcp", "acp", "web", "event", "schedule", "subagent", "channel", "try"}
}

// channelFaults returns what is wrong with the channels (CHN-1).
func channelFaults(all Channels) []fault {
	var c eventCheck
	for _, n := range all {
		key := "channels." + wording.Word(n.Name)
		wrong := func(field, text string) { c.wrong("channels", key+field, text) }
		switch {
		case !regexp.MustCompile(`^[a-z][a-z0-9_-]*$`).MatchString(n.Name) || len(n.Name) > channelNameMax:
			wrong("", fmt.Sprintf("a channel's name has up to %d of a-z, 0-9, - and _, and begins with a letter", channelNameMax))
		case slices.Contains(taken(), n.Name):
			wrong("", "the name already has another meaning; use another one")
		}
		if len(n.Value.Allow) > allowMax || slices.ContainsFunc(n.Value.Allow, badSender) {
			wrong(".allow", "wants a list of up to 1000 senders such as [mia@example.org], [\"*@example.org\"] or [\"*\"]")
		}
		if n.Value.Kind == ChannelWebhook {
			n.Value.webhook(wrong)
		} else {
			n.Value.xmpp(wrong)
		}
	}
	return c.faults
}

func badSender(s string) bool {
	return s == "" || len(s) > 256 || strings.ContainsFunc(s, unicode.IsControl) || strings.LastIndexByte(s, '*') > 0
}

// webhook checks a webhook.
func (c Channel) webhook(wrong func(field, text string)) {
	if c.Account != "" || c.PasswordFrom != "" || c.Server != "" || c.TLS != "" || c.CAFile != "" {
		wrong("", "account, password_from, server, tls and ca_file are for XMPP only")
	}
	if len(c.KeyFrom) == 0 || len(c.KeyFrom) > keysMax || slices.ContainsFunc(c.KeyFrom, badPlace) {
		wrong(".key_from", "wants 1 to 8 names of environment variables, or absolute paths of files, such as [HOOK_KEY]")
	}
	if c.URL != "" {
		u, err := url.Parse(c.URL)
		switch {
		case err != nil || u.Hostname() == "" || u.User != nil || u.Fragment != "" || u.Scheme != "http" && u.Scheme != "https":
			wrong(".url", "wants an address such as https://host/path, without a name or password")
		case u.Scheme == "http" && !loopback(u.Hostname()):
			wrong(".url", "sends what is said over the network unencrypted; use https")
		}
	}
	for _, a := range c.AllowAddresses {
		if _, err := egress.ParseAllowed(a); err != nil {
			wrong(".allow_addresses", wording.Quote(a)+" "+err.Error())
		}
	}
}

// xmpp checks an XMPP channel.
func (c Channel) xmpp(wrong func(field, text string)) {
	if len(c.KeyFrom) > 0 || c.URL != "" || len(c.AllowAddresses) > 0 {
		wrong("", "key_from, url and allow_addresses are for webhooks only")
	}
	name, domain, ok := strings.Cut(c.Account, "@")
	if !ok || name == "" || domain == "" || strings.ContainsAny(c.Account, "/ \t\n\r") {
		wrong(".account", "wants an address such as shelly@example.org")
	}
	if badPlace(c.PasswordFrom) {
		wrong(".password_from", "wants the name of an environment variable, or the absolute path of a file, such as XMPP_PASSWORD")
	}
	host, port, err := net.SplitHostPort(c.Server)
	if c.Server != "" && (err != nil || host == "" || checkPort(port) != nil) {
		wrong(".server", "wants HOST:PORT, such as xmpp.example.org:5222")
	}
	if c.TLS == "off" && !loopback(host) {
		wrong(".tls", "is off: that is for a server on this machine, such as 127.0.0.1:5222")
	}
}

// badPlace reports whether a text names neither an environment variable nor a file.
func badPlace(s string) bool {
	return !filepath.IsAbs(s) && !regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`).MatchString(s)
}

func loopback(host string) bool {
	a, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && a.IsLoopback()
}

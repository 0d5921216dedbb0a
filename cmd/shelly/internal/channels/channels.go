// Package channels makes the channels of a configuration (CHN-1).
package channels

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"shelly/fsm/wording"
	"shelly/runtime/channel"
	"shelly/runtime/channel/webhook"
	"shelly/runtime/channel/xmpp"
	"shelly/runtime/channel/xmpp/address"
	"shelly/runtime/config"
	"shelly/runtime/egress"
)

// Sizes of messages, in bytes.
const (
	webhookPart = 64 << 10
	xmppPart    = 4 << 10
	textMax     = 16 << 10 // of an incoming message; less if requests are limited to less
)

// Specs returns the channels of a configuration, in its order.
func Specs(cfg config.Config, log *slog.Logger) []channel.Spec {
	var all []channel.Spec
	for _, n := range cfg.Channels {
		s := channel.Spec{
			Name: n.Name, Kind: n.Value.Kind, Of: of(n.Value), As: fmt.Sprintf("%+v", n.Value),
			Allow: n.Value.Allow, PerMinute: cmp.Or(n.Value.PerMinute, config.PerMinuteChannel), TextMax: min(textMax, int(cfg.RequestBytesMax)),
			Decide: n.Value.Decide,
		}
		switch n.Value.Kind {
		case config.ChannelWebhook:
			s.PartBytes, s.Mute, s.Channel = webhookPart, n.Value.URL == "", hook(s, n.Value, log)
		default:
			s.PartBytes, s.Tells, s.Person, s.Channel = xmppPart, true, address.Person, chat(s, n.Value)
			s.Allow = address.Allow(s.Allow)
		}
		all = append(all, s)
	}
	return all
}

// of describes what a channel is connected to.
func of(c config.Channel) string {
	switch {
	case c.Kind != config.ChannelWebhook:
		return c.Account
	case c.URL == "":
		return "receives only"
	default:
		return wording.Address(c.URL)
	}
}

func hook(s channel.Spec, c config.Channel, log *slog.Logger) *webhook.Webhook {
	guard := egress.Guard{Setting: "channels." + s.Name + ".allow_addresses"}
	for _, a := range c.AllowAddresses {
		if allowed, err := egress.ParseAllowed(a); err == nil { // it was checked when the configuration was read
			guard.Allow = append(guard.Allow, allowed)
		}
	}
	return webhook.New(webhook.Options{
		Name: s.Name, URL: c.URL, Guard: guard, TextMax: s.TextMax, Log: log, Now: time.Now,
		Keys: func() ([]webhook.Key, error) { return keys(c.KeyFrom) },
	})
}

func keys(from []string) ([]webhook.Key, error) {
	var all []webhook.Key
	for _, place := range from {
		text, err := secret(place)
		if err != nil {
			return nil, err
		}
		key, err := webhook.ParseKey(text)
		if err != nil {
			return nil, fmt.Errorf("the key of %s %w", place, err)
		}
		all = append(all, key)
	}
	return all, nil
}

func chat(s channel.Spec, c config.Channel) *xmpp.XMPP {
	return xmpp.New(xmpp.Options{
		Name: s.Name, Account: c.Account, Password: func() (string, error) { return secret(c.PasswordFrom) },
		Server: c.Server, TLS: cmp.Or(c.TLS, xmpp.StartTLS), CAFile: string(c.CAFile), Now: time.Now,
	})
}

// secretMax bounds the file of a secret, in bytes.
const secretMax = 4 << 10

// secret reads an environment variable, or a file if place is a path. It is read on each use,
// so that it can be replaced without a restart.
func secret(place string) (string, error) {
	if !filepath.IsAbs(place) {
		text, ok := os.LookupEnv(place)
		if !ok || text == "" {
			return "", fmt.Errorf("the environment has no %s", place)
		}
		return text, nil
	}
	f, err := os.Open(place)
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(io.LimitReader(f, secretMax+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return "", err
	}
	if len(text) > secretMax {
		return "", fmt.Errorf("%s has more than %d bytes: it is no secret", place, secretMax)
	}
	if first := strings.TrimSpace(string(text)); first != "" {
		return first, nil
	}
	return "", fmt.Errorf("%s is empty", place)
}

// Check returns why the secrets of a channel cannot be used; nil if they can.
func Check(c config.Channel) error {
	if c.Kind == config.ChannelWebhook {
		_, err := keys(c.KeyFrom)
		return err
	}
	_, err := secret(c.PasswordFrom)
	return err
}

// Secrets maps the readable secrets of a configuration's channels to descriptions.
func Secrets(cfg config.Config) map[string]string {
	found := map[string]string{}
	for _, n := range cfg.Channels {
		for _, place := range append([]string{n.Value.PasswordFrom}, n.Value.KeyFrom...) {
			if place == "" {
				continue
			}
			if text, err := secret(place); err == nil {
				found[text] = "a secret of the channel " + n.Name
			}
		}
	}
	return found
}

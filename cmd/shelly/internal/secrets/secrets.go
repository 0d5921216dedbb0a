// Package secrets collects the secrets that shelly knows, so that they can be replaced in what
// is written or shown (CLI-16, CLI-163, COM-77).
package secrets

import (
	"os"
	"slices"
	"strings"
	"sync"

	"shelly/cmd/shelly/internal/channels"
	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/flags"
	"shelly/runtime/comm/client"
	"shelly/runtime/config"
	"shelly/sim/history/redact"
)

// Known is a set of secrets. The zero value is empty. Its methods may be called concurrently.
type Known struct {
	mu   sync.Mutex
	list []redact.Secret
}

// Add adds the secrets of a configuration, of this process's environment and of the data
// folder: values whose names suggest that they are secret, and the daemon's token. Earlier
// secrets stay known, because a journal may still hold them.
func (k *Known) Add(cfg config.Config) {
	found := ofEnviron(os.Environ())
	for _, s := range cfg.Explain() {
		found = named(found, s.Key, s.Value)
	}
	for text, kind := range channels.Secrets(cfg) { // order-free: the texts are distinct
		if !redact.TooShort(text) {
			found = append(found, redact.Secret{Kind: kind, Text: text})
		}
	}
	if token, err := client.ReadToken(cfg.Data); err == nil {
		found = append(found, redact.Secret{Kind: "the daemon's token", Text: token})
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, s := range found {
		if !slices.Contains(k.list, s) {
			k.list = append(k.list, s)
		}
	}
}

// Redactor returns a redactor for one text or report. It also knows the given secrets.
func (k *Known) Redactor(given ...redact.Secret) *redact.Redactor {
	k.mu.Lock()
	defer k.mu.Unlock()
	return redact.New(slices.Concat(k.list, given)...)
}

// Redactor returns a redactor that knows the secrets of a configuration, and those given with
// --secret: each a text, or @FILE.
func Redactor(cfg config.Config, given []string) (*redact.Redactor, error) {
	list, err := ofFlags(given)
	if err != nil {
		return nil, err
	}
	var known Known
	known.Add(cfg)
	return known.Redactor(list...), nil
}

// ofEnviron returns the variables of an environment whose names suggest that they are secret.
func ofEnviron(environ []string) []redact.Secret {
	var known []redact.Secret
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		known = named(known, name, value)
	}
	return known
}

// named adds a value whose name suggests that it is secret, if it is long enough to be told
// from ordinary words.
func named(known []redact.Secret, name, value string) []redact.Secret {
	if !redact.NamesSecret(name) || len(strings.TrimSpace(value)) < redact.BytesMin {
		return known
	}
	return append(known, redact.Secret{Kind: "the value of " + name, Text: value})
}

// ofFlags returns the secrets of --secret.
func ofFlags(values []string) ([]redact.Secret, error) {
	var known []redact.Secret
	for _, value := range values {
		kind := "a secret given with --secret"
		if file, ok := strings.CutPrefix(value, "@"); ok {
			kind = "the secret of " + file
		}
		text, err := flags.Text(value)
		if err != nil {
			return nil, exit.Errorf(exit.Usage, "--secret: %w", err)
		}
		if redact.TooShort(text) {
			return nil, exit.Errorf(exit.Usage, "--secret: %s is too short to tell from ordinary words; give at least 4 bytes", kind)
		}
		known = append(known, redact.Secret{Kind: kind, Text: text})
	}
	return known, nil
}

package request

import (
	"os"
	"strings"

	"shelly/cmd/shelly/internal/exit"
	"shelly/cmd/shelly/internal/flags"
	"shelly/runtime/comm/client"
	"shelly/runtime/config"
	"shelly/sim/history/redact"
)

// redactor knows the secrets of the configuration, the environment and --secret.
func (w *written) redactor(cfg config.Config) (*redact.Redactor, error) {
	known := secretsOf(os.Environ())
	for _, s := range cfg.Explain() {
		known = named(known, s.Key, s.Value)
	}
	if token, err := client.ReadToken(cfg.Data); err == nil {
		known = append(known, redact.Secret{Kind: "the daemon's token", Text: token})
	}
	given, err := w.given()
	if err != nil {
		return nil, err
	}
	return redact.New(append(known, given...)...), nil
}

// secretsOf are the variables of an environment whose names say that they are secret.
func secretsOf(environ []string) []redact.Secret {
	var known []redact.Secret
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		known = named(known, name, value)
	}
	return known
}

// named adds a value whose name says that it is secret, if it is long enough to be
// told from words.
func named(known []redact.Secret, name, value string) []redact.Secret {
	if !redact.NamesSecret(name) || len(strings.TrimSpace(value)) < redact.BytesMin {
		return known
	}
	return append(known, redact.Secret{Kind: "the value of " + name, Text: value})
}

// given are the secrets of --secret.
func (w *written) given() ([]redact.Secret, error) {
	var known []redact.Secret
	for _, value := range w.secrets {
		kind := "a secret given with --secret"
		if file, ok := strings.CutPrefix(value, "@"); ok {
			kind = "the secret of " + file
		}
		text, err := flags.Text(value)
		if err != nil {
			return nil, exit.Errorf(exit.Usage, "--secret %s: %w", value, err)
		}
		if redact.TooShort(text) {
			return nil, exit.Errorf(exit.Usage, "--secret: %s is too short to tell from ordinary words; give at least 4 bytes", kind)
		}
		known = append(known, redact.Secret{Kind: kind, Text: text})
	}
	return known, nil
}

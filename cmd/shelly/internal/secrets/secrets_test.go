package secrets_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"shelly/cmd/shelly/internal/secrets"
	"shelly/runtime/config"
)

// What is written or shown has none of the secrets of the environment, the configuration, the data folder and the
// flags; words with such names stay.
func TestCLI16SecretsOfEachPlaceAreKnown(t *testing.T) {
	dir := t.TempDir()
	data, file, key := filepath.Join(dir, "data"), filepath.Join(dir, "secret"), filepath.Join(dir, "key")
	token := strings.Repeat("4f", 32)
	for name, text := range map[string]string{filepath.Join(data, "token"): token + "\n", file: "in-a-file-0815\n", key: "whsec_" + strings.Repeat("QUJD", 8) + "\n"} {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("DEPLOY_PASSWORD", "of-the-environment-4711")
	t.Setenv("DEPLOY_PLACE", "no-secret-of-anybody")
	t.Setenv("SHORT_PASSWORD", "yes")
	configured := filepath.Join(dir, "c.yaml")
	if err := os.WriteFile(configured, []byte("channels: {hook: {kind: webhook, key_from: ["+key+"]}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Load(config.Sources{File: configured, Dir: dir, Home: dir})
	if err != nil {
		t.Fatal(err)
	}
	cfg.Data = data
	r, err := secrets.Redactor(cfg, []string{"of-a-flag-2342", "@" + file})
	if err != nil {
		t.Fatal(err)
	}
	for text, secret := range map[string]bool{
		"of-the-environment-4711": true, token: true, "of-a-flag-2342": true, "in-a-file-0815": true, "whsec_" + strings.Repeat("QUJD", 8): true,
		"no-secret-of-anybody": false, "yes": false,
	} {
		if shown := r.Replace("it is " + text + ", as said"); strings.Contains(shown, text) == secret {
			t.Errorf("%s: shown is %q; want a secret: %t", text, shown, secret)
		}
	}
	if _, err := secrets.Redactor(cfg, []string{"abc"}); err == nil {
		t.Error("a word of three letters is taken for a secret")
	}
}

// A secret that was configured before stays known: what is written may hold it.
func TestCLI163EarlierSecretsStayKnown(t *testing.T) {
	var known secrets.Known
	t.Setenv("DEPLOY_PASSWORD", "the-first-one-4711")
	known.Add(config.Config{})
	t.Setenv("DEPLOY_PASSWORD", "the-second-one-4711")
	known.Add(config.Config{})
	shown := known.Redactor().Replace("the-first-one-4711 the-second-one-4711")
	if strings.Contains(shown, "one-4711") {
		t.Errorf("shown is %q", shown)
	}
}

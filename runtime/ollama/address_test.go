package ollama

import (
	"strings"
	"testing"
)

func TestAnAddressIsReadInAllItsForms(t *testing.T) {
	for address, want := range map[string]string{
		"":                        "http://127.0.0.1:11434",
		" example.com ":           "http://example.com:11434",
		"example.com:1234":        "http://example.com:1234",
		":1234":                   "http://127.0.0.1:1234",
		"http://example.com":      "http://example.com:80",
		"https://example.com":     "https://example.com:443",
		"http://example.com:1/":   "http://example.com:1",
		"https://h:8443/ollama/":  "https://h:8443/ollama",
		"0.0.0.0":                 "http://127.0.0.1:11434",
		"0.0.0.0:99":              "http://127.0.0.1:99",
		"::":                      "http://[::1]:11434",
		"::1":                     "http://[::1]:11434",
		"[::1]":                   "http://[::1]:11434",
		` "h:1" `:                 "http://h:1",
		"'http://h'":              "http://h:80",
		`" h "`:                   "http://h:11434",
		`""`:                      "http://127.0.0.1:11434",
		` "::1" `:                 "http://[::1]:11434",
		"http://::1":              "http://[::1]:80",
		"[::]:99":                 "http://[::1]:99",
		"http://127.0.0.1:11434/": "http://127.0.0.1:11434",
	} {
		c, err := New(Options{BaseURL: address})
		if err != nil {
			t.Errorf("%q: %v", address, err)
		} else if got := c.base.URL.String(); got != want {
			t.Errorf("%q: %s, want %s", address, got, want)
		}
	}
}

func TestBadAddressesAreErrors(t *testing.T) {
	for _, address := range []string{
		"ftp://h", "http://h:port", "h:0", "h:65536", "a b", "http://u:p@h:1", "http://h:1/?q", "http://h:1/#f",
		"[::1", "::1]:80:", "a:b:c", "http://h:-1",
	} {
		if c, err := New(Options{BaseURL: address}); err == nil {
			t.Errorf("%q: no error but %s", address, c.BaseURL())
		}
	}
}

// What a client says has neither the path of its server's address nor what stands before the @.
func TestBRN41AddressesAreSaidWithoutTheirSecrets(t *testing.T) {
	c, err := New(Options{BaseURL: "http://127.0.0.1:1/token/v1"})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := c.BaseURL(), "http://127.0.0.1:1/…"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if _, err := c.Version(t.Context()); err == nil || !strings.Contains(err.Error(), " "+c.BaseURL()+" ") {
		t.Errorf("%v; want the address in words", err)
	}
	if _, err := New(Options{BaseURL: "http://user:token@127.0.0.1:1"}); err == nil || strings.Contains(err.Error(), "token") {
		t.Errorf("%v; want an error without the password", err)
	}
}

func TestNegativeOptionsAreErrors(t *testing.T) {
	for _, o := range []Options{{NumCtx: -1}, {NumPredict: -1}, {Timeouts: Timeouts{Idle: -1}}} {
		if _, err := New(o); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
}

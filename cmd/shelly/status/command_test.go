package status

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"shelly/cmd/shelly/internal/brain"
	"shelly/runtime/config"
)

// A daemon that a service manager started may ask another server than the one that OLLAMA_HOST names
// for this command.
func TestCLI144WhatIsLoadedIsAskedOfTheDaemonsServer(t *testing.T) {
	serves := func(model string) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, fmt.Sprintf(`{"models":[{"name":%q,"model":%q,"size":1}]}`, model, model))
		}))
		t.Cleanup(s.Close)
		return s.URL
	}
	here, there := serves("here"), serves("there")
	for _, tt := range []struct{ configured, about, want string }{
		{here, brain.AboutOllama("m", there), "there"},
		{here, brain.AboutOllama("m", there) + ", loading it for 7 s", "there"},
		{here, brain.AboutOllama("", there), "there"},
		{here + "/token", brain.AboutOllama("m", here), "here"},
		{"not an address", brain.AboutOllama("m", there), "there"},
		{here, "the demo brain", ""},
	} {
		got := ""
		for _, l := range loaded(t.Context(), config.Brain{URL: tt.configured}, tt.about) {
			got += l.Name
		}
		if got != tt.want {
			t.Errorf("configured %s, the daemon asks %q: got %q, want %q", tt.configured, tt.about, got, tt.want)
		}
	}
}

package status

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

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
	for _, tt := range []struct{ configured, server, want string }{
		{here, there, "there"},
		{here + "/token", here, "here"},
		{"not an address", there, "there"},
		{here, "", ""}, // a script answers
	} {
		got := ""
		for _, l := range loaded(t.Context(), config.Brain{URL: tt.configured}, tt.server) {
			got += l.Name
		}
		if got != tt.want {
			t.Errorf("configured %s, the daemon asks %q: got %q, want %q", tt.configured, tt.server, got, tt.want)
		}
	}
}

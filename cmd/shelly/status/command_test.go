package status

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"shelly/cmd/shelly/internal/terminal"
	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
	"shelly/runtime/comm/fronttest"
	"shelly/runtime/comm/listener"
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

// A daemon may be killed, or be too slow, while it answers.
func TestCLI144AWatchOutlastsAnAnswerThatBreaksOff(t *testing.T) {
	dir := t.TempDir()
	token, err := client.EnsureToken(dir)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 30*time.Second)
	defer stop()
	asked := 0
	h, err := comm.NewHTTP(fronttest.New(), comm.HTTPOptions{Token: token, RequestBytesMax: 4096, Complete: func(*comm.Status) {
		switch asked++; asked {
		case 1:
			panic(http.ErrAbortHandler)
		case 3:
			stop()
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	l, err := listener.TCP("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(ctx, l) }()
	if err := client.WriteEndpoint(dir, client.Endpoint{HTTP: l.Addr().String(), PID: os.Getpid()}); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	c := &Command{Every: time.Millisecond}
	err = c.watch(ctx, &terminal.Terminal{Out: &out, Err: &out}, client.New(dir, client.Options{}), config.Config{})
	if err != nil || asked != 3 || !strings.Contains(out.String(), "the connection broke") || !strings.Contains(out.String(), "serving, up") {
		t.Errorf("%v after %d questions; want nil after 3:\n%s", err, asked, out.String())
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

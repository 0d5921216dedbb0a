//go:build browser_e2e

package page

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"shelly/cmd/shelly/internal/browser"
)

// field is what is written in the chat and not sent.
func (w *world) field() (text string) {
	w.t.Helper()
	w.See("#ask", "")
	w.Script(&text, `return document.querySelector('#ask').value`)
	return text
}

// A text that is refused is in the field again: after a reload, beside what was written in the
// meantime, and where another view was shown when it was refused.
func TestCOM107WhatIsRefusedComesBack(t *testing.T) {
	w := begin(t, quick)
	w.kill(w.daemon)
	if err := os.WriteFile(filepath.Join(w.dir, "config.yaml"), []byte(settings+"request_bytes_max: 1KiB\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.run()
	w.enter()
	long := strings.TrimSpace(strings.Repeat("word ", 250))
	w.ask(long)
	w.See(".note", "Not sent")
	if text := w.field(); text != long {
		t.Errorf("the field has %.40q", text)
	}
	w.Reload()
	if text := w.field(); text != long {
		t.Errorf("after a reload the field has %.40q", text)
	}

	online := func(now bool) {
		w.Protocol("Network.emulateNetworkConditions", map[string]any{"offline": !now, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1})
	}
	w.Protocol("Network.enable", nil)
	w.See(".health", "running")
	online(false)
	w.See(".health", "unreachable")
	w.Type("#ask", browser.Enter)
	w.See(".turn .status", "not sent yet")
	w.Type("#ask", "And then?")
	online(true)
	w.See(".note", "Not sent")
	w.Press("!")
	if text, want := w.field(), long+"\n\nAnd then?!"; text != want {
		t.Errorf("the field has %.40q … %q", text, text[max(0, len(text)-20):])
	}

	w.Script(nil, `document.querySelector('#ask').value = arguments[0]`, long)
	online(false)
	w.See(".health", "unreachable")
	w.Type("#ask", browser.Enter)
	w.See(".turn .status", "not sent yet")
	w.Press(browser.Escape, "g", "t")
	w.See("h1", "Status")
	online(true)
	w.Await("the refusal", func() (refused bool) {
		w.Script(&refused, `return !sessionStorage.getItem('shelly.outbox')`)
		return refused
	})
	w.Press("g", "c")
	if text := w.field(); text != long {
		t.Errorf("after another view the field has %.40q", text)
	}
}

// What is written for a schedule and for the memory stays over another view and a reload until it is
// sent, and what is written while that is under way stays, too.
func TestCOM107WhatIsNotSentYetStays(t *testing.T) {
	w := begin(t, quick)
	w.enter()
	written := func(css string) (text string) {
		w.t.Helper()
		w.See(css, "")
		w.Script(&text, `return document.querySelector(arguments[0]).value`, css)
		return text
	}
	for view, fields := range map[string]map[string]string{ // order-free: each for itself
		"schedules": {"main textarea": "say hi", "[aria-label=Times]": "@daily"},
		"memory":    {"main textarea": "one thing"},
	} {
		w.Script(nil, `location.hash = '#/' + arguments[0]`, view)
		for css, text := range fields { // order-free: each for itself
			w.Type(css, text)
		}
		w.Script(nil, `location.hash = '#/status'`)
		w.See("h1", "Status")
		w.Script(nil, `location.hash = '#/' + arguments[0]`, view)
		for css, text := range fields { // order-free: each for itself
			if now := written(css); now != text {
				t.Errorf("%s: after another view the field has %q", view, now)
			}
		}
		w.Reload()
		for css, text := range fields { // order-free: each for itself
			if now := written(css); now != text {
				t.Errorf("%s: after a reload the field has %q", view, now)
			}
		}
	}

	w.Script(nil, `location.hash = '#/memory'`)
	w.See("h1", "Memory")
	w.Script(nil, `const send = window.fetch;
		window.fetch = async (path, how) => {
			if (how.method === 'POST') await new Promise((go) => (window.release = go));
			return send(path, how);
		}`)
	w.Click("main button", "Remember")
	w.Type("main textarea", " more")
	w.Script(nil, `window.release()`)
	w.See("main .rows", "one thing")
	if now := written("main textarea"); now != "one thing more" {
		t.Errorf("the field has %q", now)
	}
	w.Click("main button", "Remember")
	w.Script(nil, `window.release()`)
	w.See("main .rows", "one thing more")
	if now := written("main textarea"); now != "" {
		t.Errorf("after it is sent the field has %q", now)
	}
	w.clean()
}

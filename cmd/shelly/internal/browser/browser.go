// Package browser drives a real browser in tests, with the WebDriver protocol of W3C and
// chromedriver. It has only what the tests need.
package browser

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// patience bounds waits for what must happen anyway; no test passes by waiting that long.
const patience = 30 * time.Second

// Browser is one window of a browser started for a test.
type Browser struct {
	t    testing.TB
	base string // base URL of the session's routes
}

// Open starts a browser, which ends with the test. If none is installed the test is skipped.
func Open(t testing.TB) *Browser {
	t.Helper()
	for _, program := range []string{"chromium", "chromedriver"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed; the browser's tests are skipped", program)
		}
	}
	driver := exec.Command("chromedriver", "--port=0")
	driver.Env = append(os.Environ(), "NO_PROXY=127.0.0.1", "no_proxy=127.0.0.1")
	out, err := driver.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := driver.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = driver.Process.Kill()
		_ = driver.Wait()
	})
	b := &Browser{t: t, base: "http://127.0.0.1:" + port(t, out)}
	binary, _ := exec.LookPath("chromium")
	args := []string{
		"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
		"--disable-sync", "--disable-dev-shm-usage", "--window-size=1280,900", "--user-data-dir=" + t.TempDir(),
	}
	var session struct {
		ID string `json:"sessionId"`
	}
	b.do("POST", "/session", map[string]any{"capabilities": map[string]any{"alwaysMatch": map[string]any{
		"goog:chromeOptions": map[string]any{"binary": binary, "args": args}, "goog:loggingPrefs": map[string]any{"browser": "ALL"},
	}}}, &session)
	b.base += "/session/" + session.ID
	t.Cleanup(func() { _ = b.try("DELETE", "", nil, nil) })
	return b
}

// port returns the port that chromedriver reports.
func port(t testing.TB, out io.Reader) string {
	t.Helper()
	said := regexp.MustCompile(`started successfully on port (\d+)`)
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if m := said.FindStringSubmatch(lines.Text()); m != nil {
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return m[1]
		}
	}
	t.Fatal("chromedriver did not report its port")
	return ""
}

// try sends a command and decodes its value.
func (b *Browser) try(method, path string, body, to any) error {
	sent := []byte("{}")
	if body != nil {
		var err error
		if sent, err = json.Marshal(body); err != nil {
			return err
		}
	}
	request, err := http.NewRequest(method, b.base+path, bytes.NewReader(sent))
	if err != nil {
		return err
	}
	client := &http.Client{Transport: &http.Transport{Proxy: nil, DisableKeepAlives: true}, Timeout: 2 * patience}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	var answer struct {
		Value json.RawMessage `json:"value"`
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		var wrong struct{ Error, Message string }
		_ = json.Unmarshal(answer.Value, &wrong)
		return fmt.Errorf("%s: %.300s", wrong.Error, wrong.Message)
	}
	if to == nil {
		return nil
	}
	return json.Unmarshal(answer.Value, to)
}

func (b *Browser) do(method, path string, body, to any) {
	b.t.Helper()
	if err := b.try(method, path, body, to); err != nil {
		b.t.Fatalf("%s %s: %v", method, path, err)
	}
}

// Go opens a URL.
func (b *Browser) Go(url string) {
	b.t.Helper()
	b.do("POST", "/url", map[string]any{"url": url}, nil)
}

// Reload loads the page again.
func (b *Browser) Reload() {
	b.t.Helper()
	b.do("POST", "/refresh", nil, nil)
}

// Script runs a function's body in the page and decodes what it returns.
func (b *Browser) Script(to any, body string, args ...any) {
	b.t.Helper()
	if args == nil {
		args = []any{}
	}
	if to == nil {
		to = &json.RawMessage{}
	}
	b.do("POST", "/execute/sync", map[string]any{"script": body, "args": args}, to)
}

// Protocol sends a command of the browser's own protocol.
func (b *Browser) Protocol(command string, params map[string]any) {
	b.t.Helper()
	if params == nil {
		params = map[string]any{}
	}
	b.do("POST", "/goog/cdp/execute", map[string]any{"cmd": command, "params": params}, nil)
}

// Look sets the window's width and height, and the light or dark colour scheme.
func (b *Browser) Look(width, height int, dark bool) {
	b.t.Helper()
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	b.Protocol("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})
	b.Protocol("Emulation.setEmulatedMedia", map[string]any{"features": []any{map[string]any{"name": "prefers-color-scheme", "value": scheme}}})
}

// Show scrolls an element into view.
func (b *Browser) Show(css, text string) {
	b.t.Helper()
	b.Script(nil, "arguments[0].scrollIntoView({block: 'start'}); scrollBy(0, -80)", map[string]string{elementKey: b.find(css, text)})
}

// Picture saves a screenshot to the folder in BROWSER_PICTURES, if that is set.
func (b *Browser) Picture(name string) {
	b.t.Helper()
	dir := os.Getenv("BROWSER_PICTURES")
	if dir == "" {
		return
	}
	var encoded string
	b.do("GET", "/screenshot", nil, &encoded)
	data, err := base64.StdEncoding.DecodeString(encoded)
	if err = errors.Join(err, os.WriteFile(filepath.Join(dir, name+".png"), data, 0o644)); err != nil {
		b.t.Fatal(err)
	}
}

const elementKey = "element-6066-11e4-a52e-4f735466cecf"

// find waits for the first visible element of a selector whose text contains text; a file input
// need not be visible.
func (b *Browser) find(css, text string) string {
	b.t.Helper()
	var found map[string]string
	b.Await(fmt.Sprintf("%s with %q", css, text), func() bool {
		found = nil
		_ = b.try("POST", "/execute/sync", map[string]any{"args": []any{css, text}, "script": `
			return [...document.querySelectorAll(arguments[0])].find((e) => (e.type === 'file' || e.checkVisibility()) && e.textContent.includes(arguments[1])) || null`}, &found)
		return found != nil
	})
	return found[elementKey]
}

// Await waits until something holds.
func (b *Browser) Await(what string, holds func() bool) {
	b.t.Helper()
	for begin := time.Now(); !holds(); {
		if time.Since(begin) > patience {
			b.Picture("failed")
			var shown string
			_ = b.try("POST", "/execute/sync", map[string]any{"script": "return document.body.innerText", "args": []any{}}, &shown)
			b.t.Fatalf("timed out waiting for %s; the page shows:\n%s\nand the console has:\n%s", what, shown, b.Console())
		}
	}
}

// See waits for an element with a text.
func (b *Browser) See(css, text string) {
	b.t.Helper()
	b.find(css, text)
}

// Gone waits until no visible element of a selector has a text.
func (b *Browser) Gone(css, text string) {
	b.t.Helper()
	b.Await("end of "+css+" with "+text, func() bool { return b.Count(css, text) == 0 })
}

// Count returns how many visible elements of a selector contain a text.
func (b *Browser) Count(css, text string) (n int) {
	b.t.Helper()
	b.Script(&n, `return [...document.querySelectorAll(arguments[0])].filter((e) => e.checkVisibility() && e.textContent.includes(arguments[1])).length`, css, text)
	return n
}

// Click clicks an element as a person does: an element that is covered cannot be clicked.
func (b *Browser) Click(css, text string) {
	b.t.Helper()
	b.toElement(css, text, "click", nil)
}

// toElement does something to an element, and to its successor if it was redrawn in between. As a
// person would, it waits until the element takes it.
func (b *Browser) toElement(css, text, what string, how any) {
	b.t.Helper()
	for begin := time.Now(); ; {
		err := b.try("POST", "/element/"+b.find(css, text)+"/"+what, how, nil)
		if err == nil {
			return
		}
		again := strings.Contains(err.Error(), "stale element") || strings.Contains(err.Error(), "element not interactable")
		if !again || time.Since(begin) > patience {
			b.t.Fatalf("%s %s with %q: %v", what, css, text, err)
		}
	}
}

// Within does something within a frame.
func (b *Browser) Within(css string, do func()) {
	b.t.Helper()
	b.do("POST", "/frame", map[string]any{"id": b.Element(css)}, nil)
	do()
	b.do("POST", "/frame", map[string]any{"id": nil}, nil)
}

// Element returns an element as an argument of Script.
func (b *Browser) Element(css string) map[string]string {
	b.t.Helper()
	return map[string]string{elementKey: b.find(css, "")}
}

// Type types into an element; a file input takes a path.
func (b *Browser) Type(css, text string) {
	b.t.Helper()
	b.toElement(css, "", "value", map[string]any{"text": text})
}

// Keys that are not characters.
const (
	Tab    = "\ue004"
	Enter  = "\ue007"
	Shift  = "\ue008"
	Escape = "\ue00c"
)

// Press presses keys one after another, wherever the focus is; Shift is held down with the key
// after it.
func (b *Browser) Press(keys ...string) {
	b.t.Helper()
	var actions []map[string]any
	for i := 0; i < len(keys); i++ {
		held := keys[i] == Shift && i+1 < len(keys)
		if held {
			actions = append(actions, map[string]any{"type": "keyDown", "value": Shift})
			i++
		}
		for _, r := range keys[i] {
			actions = append(actions, map[string]any{"type": "keyDown", "value": string(r)}, map[string]any{"type": "keyUp", "value": string(r)})
		}
		if held {
			actions = append(actions, map[string]any{"type": "keyUp", "value": Shift})
		}
	}
	b.do("POST", "/actions", map[string]any{"actions": []any{map[string]any{"type": "key", "id": "keys", "actions": actions}}}, nil)
}

// Focused returns the element with the focus: its tag, its accessible name or text, and whether
// the focus is visible.
func (b *Browser) Focused() (tag, name string, seen bool) {
	b.t.Helper()
	var found struct {
		Tag, Name string
		Seen      bool
	}
	b.Script(&found, `const e = document.activeElement, s = getComputedStyle(e);
		return {Tag: e.tagName.toLowerCase(), Name: (e.getAttribute('aria-label') || e.textContent || e.getAttribute('placeholder') || '').trim().slice(0, 80), Seen: s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) > 0}`)
	return found.Tag, found.Name, found.Seen
}

// Console returns what the page has written to the browser's console since the last call, with
// violations of its content policy.
func (b *Browser) Console() string {
	var entries []struct{ Level, Message string }
	if err := b.try("POST", "/se/log", map[string]any{"type": "browser"}, &entries); err != nil {
		return err.Error()
	}
	var text bytes.Buffer
	for _, e := range entries {
		fmt.Fprintln(&text, e.Level, e.Message)
	}
	return text.String()
}

package main

import (
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"shelly/runtime/channel/webhook"
	"shelly/runtime/comm/client"
)

// A webhook that a reload adds accepts messages at once, and one that a reload removes accepts
// none. A sender with neither signature nor token does not learn which webhooks exist (CHN-1,
// CHN-20).
func TestCHN1AWebhookComesAndGoesWithAReload(t *testing.T) {
	bin, err := exec.LookPath("shelly") // testscript.Main put it into PATH
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file, secret := filepath.Join(dir, "config.yaml"), filepath.Join(dir, "key")
	const phrase = "a key of more than 16 bytes"
	write := func(path, text string) {
		must(t, os.WriteFile(path, []byte(text), 0o600))
	}
	write(secret, phrase)
	write(file, "init: off\n")
	p := &process{t: t, bin: bin, data: filepath.Join(dir, "data"), dir: dir, env: []string{"HOME=" + dir}, args: []string{"--config", file, "--brain", "demo"}}
	p.start()
	t.Cleanup(p.kill)
	at, err := client.ReadEndpoint(p.data)
	if err != nil {
		t.Fatal(err)
	}
	key, err := webhook.ParseKey(phrase)
	if err != nil {
		t.Fatal(err)
	}
	send := func(name, id string, sign bool) int {
		body := []byte(`{"text":"what is new?"}`)
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+at.HTTP+"/v1/channels/"+name, bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		if sign {
			webhook.Sign(r.Header, key, id, time.Now(), body)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		return answer.StatusCode
	}
	reload := func(settings, says string) {
		write(file, "init: off\n"+settings)
		must(t, p.cmd.Process.Signal(syscall.SIGHUP))
		p.log.await(t, says)
	}
	for _, sign := range []bool{false, true} {
		if got := send("hook", "m0", sign); got != http.StatusUnauthorized {
			t.Errorf("before there is one, signed %v: status %d", sign, got)
		}
	}
	reload("channels: {hook: {kind: webhook, key_from: ["+secret+`], allow: ["*"]}}`+"\n", "a channel works")
	if got := send("hook", "m1", true); got != http.StatusAccepted {
		t.Errorf("after a reload: status %d\n%s", got, p.log.text())
	}
	if a, b := send("hook", "m2", false), send("none", "m2", false); a != http.StatusUnauthorized || b != a {
		t.Errorf("without a signature: status %d, and %d of one that there is not", a, b)
	}
	reload("brain: {num_ctx: 4096}\n", "some new settings need a restart") // which is said after the rest
	if got := send("hook", "m3", true); got != http.StatusUnauthorized {
		t.Errorf("after it has gone: status %d", got)
	}
	if strings.Contains(p.log.text(), "only after a restart") {
		t.Errorf("got %s; want no %q", p.log.text(), "only after a restart")
	}
}

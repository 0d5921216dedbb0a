package mock_test

import (
	"strings"
	"testing"

	"shelly/runtime/ollama"
)

func TestAPullComesInParts(t *testing.T) {
	s := serve(t, nil)
	c, err := ollama.New(ollama.Options{BaseURL: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var last ollama.Pulling
	lines := 0
	err = c.Pull(testContext(t), "brain-embed", func(p ollama.Pulling) {
		lines++
		if p.Digest != "" {
			last = p
		}
	})
	if err != nil || lines < 10 || last.Total == 0 || last.Completed != last.Total {
		t.Errorf("%d lines, the last of a layer %+v, %v", lines, last, err)
	}
	got := request(t, s, "POST", "/api/pull", `{"model":"brain","stream":false}`)
	if got.status != 200 || got.body != `{"status":"success"}` {
		t.Errorf("got %+v; want status 200, body %q", got, `{"status":"success"}`)
	}
}

func TestAPullOfAnUnknownModelFailsAsARealServers(t *testing.T) {
	s := serve(t, nil)
	const want = `{"error":"pull model manifest: file does not exist"}`
	if got := request(t, s, "POST", "/api/pull", `{"model":"ghost","stream":false}`); got.status != 500 || got.body != want {
		t.Errorf("got %+v; want status 500, body %q", got, want)
	}
	got := request(t, s, "POST", "/api/pull", `{"name":"ghost"}`)
	if got.status != 200 || got.media != "application/x-ndjson" || !strings.HasSuffix(got.body, want+"\n") {
		t.Errorf("got %+v; want status 200, media %q, body ending with %q", got, "application/x-ndjson", want+"\n")
	}
	if got := request(t, s, "POST", "/api/pull", `{}`); got.status != 400 {
		t.Errorf("got %+v; want status 400", got)
	}
}

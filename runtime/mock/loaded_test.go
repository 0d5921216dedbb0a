package mock_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

const (
	hello    = `"messages":[{"role":"user","content":"hello"}]`
	chatPath = "/api/chat"
)

// inMemory returns what /api/ps reports: names and windows, last loaded first.
func inMemory(t *testing.T, body string) (names []string, windows []int, until []time.Time) {
	t.Helper()
	var ps struct {
		Models []struct {
			Name          string
			ContextLength int       `json:"context_length"`
			ExpiresAt     time.Time `json:"expires_at"`
		}
	}
	if err := json.Unmarshal([]byte(body), &ps); err != nil {
		t.Fatal(err)
	}
	for _, m := range ps.Models {
		names, windows, until = append(names, m.Name), append(windows, m.ContextLength), append(until, m.ExpiresAt)
	}
	return names, windows, until
}

func TestLoadedModelsAreListed(t *testing.T) {
	s := serve(t, &scripted{})
	if got := request(t, s, "GET", "/api/ps", "").body; got != `{"models":[]}` {
		t.Errorf("before any call: %s", got)
	}
	request(t, s, "POST", chatPath, `{"model":"brain","keep_alive":"2h","options":{"num_ctx":8192},`+hello+`}`)
	request(t, s, "POST", "/api/embed", `{"model":"brain-embed","input":"x"}`)
	names, windows, until := inMemory(t, request(t, s, "GET", "/api/ps", "").body)
	if strings.Join(names, " ") != "brain-embed:latest brain:latest" || windows[1] != 8192 {
		t.Errorf("got %v, %v; want %q, the second with 8192", names, windows, "brain-embed:latest brain:latest")
	}
	if kept := until[1].Sub(until[0]); kept < 100*time.Minute {
		t.Errorf("kept for %v longer", kept)
	}
	request(t, s, "POST", chatPath, `{"model":"brain:latest","keep_alive":0}`)
	if names, _, _ := inMemory(t, request(t, s, "GET", "/api/ps", "").body); len(names) != 1 {
		t.Errorf("after unloading: %v", names)
	}
	request(t, s, "POST", chatPath, `{"model":"brain","keep_alive":0,`+hello+`}`)
	if names, _, _ := inMemory(t, request(t, s, "GET", "/api/ps", "").body); len(names) != 1 {
		t.Errorf("after an answer that is not to be kept: %v", names)
	}
}

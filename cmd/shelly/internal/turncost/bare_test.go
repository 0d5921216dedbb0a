package turncost_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
)

// bare is an agent loop and nothing more: it asks the model over plain HTTP, reads the stream,
// runs the tool in the same process and asks again. With a store it makes the two syncs that a
// turn needs: of the question before the model is asked, and of the turn before its answer is
// sent.
type bare struct {
	url    string
	folder string
	http   *http.Client
	store  *pebble.DB // nil: nothing is durable
	system string     // the system prompt
}

// briefly is the shortest system prompt.
const briefly = "You are a helpful assistant."

// longer returns l with a system prompt that is longer by n bytes.
func (l *bare) longer(n int) *bare {
	const more = " Be brief."
	long := *l
	long.system += strings.Repeat(more, n/len(more))
	return &long
}

type message struct {
	Role     string `json:"role"`
	Content  string `json:"content"`
	Calls    []call `json:"tool_calls,omitempty"`
	ToolName string `json:"tool_name,omitempty"`
}

type call struct {
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
}

// offered is the one tool of a bare loop.
var offered = json.RawMessage(`[{"type":"function","function":{"name":"list_dir","description":"List a folder.",` +
	`"parameters":{"type":"object","properties":{"path":{"type":"string"}}}}}]`)

// turn runs one turn under a key of its own.
func (l *bare) turn(key string) error {
	talk := []message{{Role: "system", Content: l.system}, {Role: "user", Content: "go"}}
	if err := l.sync(key+" asked", talk); err != nil {
		return err
	}
	for {
		said, err := l.ask(talk)
		if err != nil {
			return err
		}
		talk = append(talk, said)
		if len(said.Calls) == 0 {
			if strings.TrimSpace(said.Content) != answer {
				return fmt.Errorf("the model says %q", said.Content)
			}
			return l.sync(key, talk)
		}
		for _, c := range said.Calls {
			result, err := l.run(c)
			if err != nil {
				return err
			}
			talk = append(talk, message{Role: "tool", ToolName: c.Function.Name, Content: result})
		}
	}
}

func (l *bare) ask(talk []message) (said message, err error) {
	body, err := json.Marshal(map[string]any{"model": modelName, "stream": true, "messages": talk, "tools": offered})
	if err != nil {
		return said, err
	}
	resp, err := l.http.Post(l.url+"/api/chat", "application/json", bytes.NewReader(body))
	if err != nil {
		return said, err
	}
	defer resp.Body.Close()
	said.Role = "assistant"
	for stream := json.NewDecoder(resp.Body); ; {
		var line struct {
			Message message `json:"message"`
			Done    bool    `json:"done"`
		}
		if err := stream.Decode(&line); err != nil {
			return said, err
		}
		said.Content += line.Message.Content
		said.Calls = append(said.Calls, line.Message.Calls...)
		if line.Done {
			_, err := io.Copy(io.Discard, resp.Body) // to its end, so that the connection is reused
			return said, err
		}
	}
}

// run lists the folder.
func (l *bare) run(c call) (string, error) {
	var args struct{ Path string }
	if err := json.Unmarshal(c.Function.Arguments, &args); err != nil {
		return "", err
	}
	entries, err := os.ReadDir(l.folder + "/" + args.Path)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "%s  %d bytes\n", e.Name(), info.Size())
	}
	return b.String(), nil
}

func (l *bare) sync(key string, talk []message) error {
	if l.store == nil {
		return nil
	}
	value, err := json.Marshal(talk)
	if err != nil {
		return err
	}
	return l.store.Set([]byte(key), value, pebble.Sync)
}

// loops returns the two bare loops.
func loops(b *testing.B, url, folder string, sessions int) (nothing, synced *bare) {
	b.Helper()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: sessions}}
	store, err := pebble.Open(b.TempDir(), &pebble.Options{Logger: silent{}})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		client.CloseIdleConnections()
		if err := store.Close(); err != nil {
			b.Error(err)
		}
	})
	return &bare{url, folder, client, nil, briefly}, &bare{url, folder, client, store, briefly}
}

type silent struct{}

func (silent) Infof(string, ...any)      {}
func (silent) Errorf(string, ...any)     {}
func (silent) Fatalf(f string, a ...any) { panic(fmt.Sprintf(f, a...)) }

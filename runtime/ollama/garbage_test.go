package ollama_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/runtime/ollama"
)

// A page of another program, served with status 200, is not an answer, and the reason says what
// came instead (BRN-11).
func TestBRN11APageIsGarbageAndItsTypeIsNamed(t *testing.T) {
	s := server(t, func(w http.ResponseWriter, _ *http.Request, _ string) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, "<html>Please log in</html>\n")
	})
	_, err := client(t, s, nil).Chat(testContext(t), ask("x"), nil, nil)
	wantClass(t, err, fsm.BrainGarbage, `"text/html"`, "Please log in")
}

// An answer is never decompressed, whatever its encoding: what is small on the wire stays small
// (BRN-11).
func TestBRN11APackedAnswerIsNotUnpacked(t *testing.T) {
	text := strings.Repeat(`{"message":{"content":"x"}}`+"\n", 4<<10)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = io.WriteString(z, text)
	_ = z.Close()
	s := server(t, func(w http.ResponseWriter, r *http.Request, _ string) {
		if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			t.Error("a packed answer was asked for")
		}
		w.Header().Set("Content-Type", "application/x-ndjson")
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(bytes.Repeat(packed.Bytes(), 256)) // what is packed in parts unpacks to all of them
	})
	pieces := 0
	_, err := client(t, s, nil).Chat(testContext(t), ask("x"), nil, func(c ollama.Chunk) {
		if c.Stage == "" {
			pieces++
		}
	})
	wantClass(t, err, fsm.BrainGarbage, `Content-Encoding "gzip"`)
	if pieces > 0 || packed.Len() > len(text)/100 {
		t.Errorf("%d pieces of an answer; %d bytes were packed as %d", pieces, len(text), packed.Len())
	}
}

// What is read of a list takes far more memory than the list, so a list is bounded more narrowly than
// an answer (BRN-11).
func TestBRN11AListIsBoundedByWhatItTakes(t *testing.T) {
	length := 0
	s := bare(t, func(w http.ResponseWriter, _ *http.Request, _ string) {
		_, _ = io.WriteString(w, "{"+strings.Repeat(" ", length-2)+"}")
	})
	for name, c := range map[string]struct { // order-free
		mib int
		ask func(*ollama.Client) error
	}{
		"the models":        {1, func(c *ollama.Client) error { _, err := c.Models(testContext(t)); return err }},
		"the loaded models": {1, func(c *ollama.Client) error { _, err := c.Loaded(testContext(t)); return err }},
		"the version":       {1, func(c *ollama.Client) error { _, err := c.Version(testContext(t)); return err }},
		"a model":           {4, func(c *ollama.Client) error { _, err := c.Show(testContext(t), "m"); return err }},
		"a vector":          {4, func(c *ollama.Client) error { _, _, err := c.Embed(testContext(t), "x"); return err }},
	} {
		for over := range 2 {
			length = c.mib<<20 + over
			if err := c.ask(client(t, s, nil)); (err != nil && strings.Contains(err.Error(), "larger than")) != (over > 0) {
				t.Errorf("%s in %d bytes: %v", name, length, err)
			}
		}
	}
}

package acp

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"testing"

	"shelly/runtime/comm"
	"shelly/runtime/comm/client"
	"shelly/runtime/front/rpc"
)

// Whatever an editor sends, each line of the answer is a message, and what follows is read.
func FuzzLines(f *testing.F) {
	for _, seed := range []string{
		initialize + "\n" + load + "\n" + prompt, `{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":7}}`, "\xff\n\x00", "[[[[", `{"jsonrpc":"2.0","method":"session/cancel"}`,
		`{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"acp-s","prompt":[{"type":"image","data":"=="},{"type":"resource","resource":[]}],"_meta":[]}}`,
		`{"jsonrpc":"2.0","id":1,"result":{"outcome":7}}`, `{"jsonrpc":"2.0","id":null,"method":"session/list","params":[]}`,
	} {
		f.Add([]byte(initialize + "\n" + load + "\n" + seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		d := newFake()
		d.play = func(context.Context, *fake, client.AskRequest, func(comm.Event)) (client.Reply, error) {
			return client.Reply{}, client.ErrNotRunning
		}
		var out bytes.Buffer
		a := newAgent(d, slog.New(slog.DiscardHandler))
		a.conn = rpc.New(a, &out, rpc.Options{LineBytesMax: 1 << 16})
		if err := a.conn.Serve(t.Context(), io.MultiReader(bytes.NewReader(in), bytes.NewReader([]byte("\n{")))); err != nil {
			t.Error(err)
		}
		lines := bytes.Split(bytes.TrimSuffix(out.Bytes(), []byte("\n")), []byte("\n"))
		for _, line := range lines {
			var m struct {
				Version string `json:"jsonrpc"`
			}
			if err := json.Unmarshal(line, &m); err != nil || m.Version != "2.0" {
				t.Errorf("written is %q", line)
			}
		}
		if !bytes.Contains(out.Bytes(), []byte("ends too early")) {
			t.Error("the last line is not answered")
		}
	})
}

//go:build ollama_e2e

package ollama_test

import (
	"context"
	"net"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"shelly/fsm"
	"shelly/runtime/ollama"
	"shelly/runtime/ollama/handmade"
)

// ownServer runs the Ollama at OLLAMA_BIN, listening on an address, with its own folder.
func ownServer(t *testing.T, addr, dir string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Getenv("OLLAMA_BIN"), "serve")
	cmd.Env = append(os.Environ(), "OLLAMA_HOST="+addr, "HOME="+dir, "OLLAMA_MODELS="+dir+"/models",
		"OLLAMA_NO_CLOUD=1", "OLLAMA_NOHISTORY=1", "OLLAMA_LLM_LIBRARY=cpu", "OLLAMA_FLASH_ATTENTION=0")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(t, cmd) })
	return cmd
}

// stop ends a server; its runners end with it.
func stop(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if cmd.ProcessState != nil {
		return
	}
	_ = cmd.Process.Signal(syscall.SIGTERM)
	_ = cmd.Wait()
}

// BRN-1, BRN-7: when a server is restarted during an answer, the stream is cut, the server is
// unreachable while it is down, and it answers again once it is back.
func TestAServerRestartedInTheMidstOfAnAnswer(t *testing.T) {
	if os.Getenv("OLLAMA_BIN") == "" {
		t.Skip("OLLAMA_BIN is not set: no Ollama of one's own to stop and start")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr, dir := listener.Addr().String(), t.TempDir()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	const name = "shelly-restart"
	c, err := ollama.New(ollama.Options{BaseURL: "http://" + addr, Model: name, NumCtx: realNumCtx, NumPredict: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ctx := realContext(t)
	server := ownServer(t, addr, dir)
	awaitServer(t, ctx, c)
	if err := handmade.Upload(ctx, c.BaseURL(), name, realScript); err != nil {
		t.Fatal(err)
	}

	pieces := 0
	_, err = c.Chat(ctx, ask("[loop]"), nil, func(ollama.Chunk) {
		if pieces++; pieces == 50 {
			stop(t, server)
		}
	})
	wantClass(t, err, fsm.BrainCutStream)
	t.Logf("after %d pieces: %v", pieces, err)
	_, err = c.Chat(ctx, ask("hello"), nil, nil)
	wantClass(t, err, fsm.BrainUnreachable)

	ownServer(t, addr, dir)
	awaitServer(t, ctx, c)
	began := time.Now()
	if got, err := c.Chat(ctx, ask("hello"), nil, nil); err != nil || got.Text != defaultText {
		t.Errorf("got %+v, %v; want Text %q", got, err, defaultText)
	}
	t.Logf("the first answer after the restart: %v", time.Since(began))
}

// awaitServer waits until a server answers.
func awaitServer(t *testing.T, ctx context.Context, c *ollama.Client) {
	t.Helper()
	for {
		_, err := c.Version(ctx)
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatal(err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

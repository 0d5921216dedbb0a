package ollama_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/runtime/ollama"
)

func TestCLI19PullTellsEachLine(t *testing.T) {
	s := sending(t, `{"status":"pulling manifest"}`, ``, `{"status":"pulling ab","digest":"sha256:ab","total":4,"completed":1}`, `{"status":"success"}`)
	var got []ollama.Pulling
	err := client(t, s, nil).Pull(testContext(t), "x", func(p ollama.Pulling) { got = append(got, p) })
	want := []ollama.Pulling{{Status: "pulling manifest"}, {"pulling ab", "sha256:ab", 4, 1}, {Status: "success"}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
}

func TestCLI19AFailedPullSaysWhatIsWrong(t *testing.T) {
	const offline = `{"error":"pull model manifest: Get \"https://registry.example/v2/\": dial tcp: lookup registry.example: no such host"}`
	for _, tt := range []struct {
		line string
		want error
	}{
		{`{"error":"pull model manifest: file does not exist"}`, ollama.ErrNoSuchModel},
		{offline, ollama.ErrOffline},
		{`{"error":"write /models/blobs/sha256-ab-partial: no space left on device"}`, ollama.ErrDiskFull},
	} {
		err := client(t, sending(t, `{"status":"pulling manifest"}`, tt.line), nil).Pull(testContext(t), "x", func(ollama.Pulling) {})
		if !errors.Is(err, tt.want) {
			t.Errorf("%s: got %v; want %v", tt.line, err, tt.want)
		}
	}
	refusing := server(t, func(w http.ResponseWriter, _ *http.Request, _ string) {
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = io.WriteString(w, offline)
	})
	if err := client(t, refusing, nil).Pull(testContext(t), "x", nil); !errors.Is(err, ollama.ErrOffline) {
		t.Errorf("with status 500: %v", err)
	}
	none := func(ollama.Pulling) {}
	wantClass(t, client(t, sending(t, `{"status":"pulling manifest"}`), nil).Pull(testContext(t), "x", none), fsm.BrainCutStream, "broke off the download")
	wantClass(t, client(t, sending(t, `<html>`), nil).Pull(testContext(t), "x", none), fsm.BrainGarbage)
	wantClass(t, client(t, sending(t, `{"error":"max retries exceeded"}`), nil).Pull(testContext(t), "x", none), fsm.BrainError, "max retries")
	gone := sending(t)
	gone.Close()
	wantClass(t, client(t, gone, nil).Pull(testContext(t), "x", none), fsm.BrainUnreachable)
}

func TestCLI19APullThatIsGivenUpHangsUp(t *testing.T) {
	left := make(chan struct{})
	s := server(t, func(w http.ResponseWriter, r *http.Request, _ string) {
		_, _ = io.WriteString(w, `{"status":"pulling manifest"}`+"\n")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		close(left)
	})
	ctx, cancel := context.WithCancel(testContext(t))
	err := client(t, s, nil).Pull(ctx, "x", func(ollama.Pulling) { cancel() })
	wantClass(t, err, fsm.BrainCancelled)
	<-left
}

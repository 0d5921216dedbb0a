package brain

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"shelly/runtime/config"
	"shelly/runtime/ollama"
)

// slowLoader is a server that takes a while to load a model.
type slowLoader struct {
	takes time.Duration
	fails error
}

func (l slowLoader) Preload(ctx context.Context) error {
	select {
	case <-time.After(l.takes):
		return l.fails
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (slowLoader) Models(context.Context) ([]ollama.Model, error) {
	return []ollama.Model{{Name: "other:latest"}, {Name: "qwen3:8b", Size: 5_225_388_164}}, nil
}

func (slowLoader) Show(context.Context, string) (ollama.Capabilities, error) {
	return ollama.Capabilities{ContextLength: 40960}, nil
}

func (slowLoader) Loaded(context.Context) ([]ollama.Loaded, error) {
	return []ollama.Loaded{{Name: "qwen3:8b", Bytes: 6e9, GPU: 6e9, NumCtx: 8192}}, nil
}

// logged returns a log without times, and its text.
func logged() (*slog.Logger, *bytes.Buffer) {
	var b bytes.Buffer
	return slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey || a.Key == slog.LevelKey {
			return slog.Attr{}
		}
		return a
	}})), &b
}

func TestBRN19APreloadTellsHowItGoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, out := logged()
		p := &Preload{model: "qwen3:8b", client: slowLoader{takes: 12 * time.Second}, log: log}
		go p.Run(t.Context())
		time.Sleep(7 * time.Second)
		if got := p.words(); got != ", loading it for 7 s" {
			t.Errorf("the status adds %q", got)
		}
		time.Sleep(6 * time.Second)
		synctest.Wait()
		if got := p.words(); got != "" {
			t.Errorf("once loaded the status adds %q", got)
		}
		const want = `msg="loading the model" model=qwen3:8b size="5.2 GB"
msg="loading the model" model=qwen3:8b size="5.2 GB" for=5s
msg="loading the model" model=qwen3:8b size="5.2 GB" for=10s
msg="the model is loaded" model=qwen3:8b took=12s window=8192 memory="6.0 GB" gpu_percent=100 window_max=40960
`
		if diff := cmp.Diff(want, out.String()); diff != "" {
			t.Errorf("log (-want +got)\n%s", diff)
		}
	})
}

func TestBRN19APreloadThatFailsIsReportedAndNothingElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, out := logged()
		p := &Preload{model: "qwen3:8b", client: slowLoader{takes: time.Second, fails: errors.New("no memory")}, log: log}
		p.Run(t.Context())
		const want = `msg="cannot preload the model; the first request tries again" model=qwen3:8b because="no memory"`
		if !strings.HasSuffix(out.String(), want+"\n") || p.words() != "" {
			t.Errorf("got the log %q and the words %q; want the log ending with %q and no words", out, p.words(), want+"\n")
		}
	})
}

func TestBRN19APreloadEndsWithShelly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, out := logged()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		(&Preload{model: "qwen3:8b", client: slowLoader{takes: time.Hour}, log: log}).Run(ctx)
		if took := time.Since(began); took != time.Second || strings.Contains(out.String(), "could not") {
			t.Errorf("after %v:\n%s", took, out)
		}
	})
}

func TestBRN19NothingIsLoadedThatWouldNotStay(t *testing.T) {
	o := &Ollama{}
	o.ready.Store(&chosen{chat: "qwen3:8b"})
	for _, tt := range []struct {
		c    config.Brain
		want bool
	}{
		{config.Brain{Preload: true, KeepAlive: time.Minute}, true},
		{config.Brain{Preload: true}, false},
		{config.Brain{KeepAlive: time.Minute}, false},
	} {
		if got := o.answering(tt.c, slog.Default()).Preload != nil; got != tt.want {
			t.Errorf("%+v: preloaded %v, want %v", tt.c, got, tt.want)
		}
	}
}

package telemetry

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	sdk "go.opentelemetry.io/otel/sdk/trace"

	"shelly/fsm/wording"
	"shelly/runtime/egress"
)

// exportTimeout is how long a collector may take for one batch.
const exportTimeout = 10 * time.Second

// Exporter sends spans to a collector as OTLP over HTTP, in JSON. It exists because the
// protocol's own exporter would add 7 MB of gRPC.
type Exporter struct {
	url    string
	client *http.Client
	log    *slog.Logger

	mu   sync.Mutex
	down bool // the last batch was not accepted
}

// NewExporter returns an exporter to the address of a collector's traces, such as
// http://127.0.0.1:4318/v1/traces. It does not follow redirects or use a proxy.
func NewExporter(url string, log *slog.Logger) *Exporter {
	return &Exporter{url: url, log: log, client: &http.Client{
		Timeout:       exportTimeout,
		Transport:     &http.Transport{MaxIdleConns: 1, IdleConnTimeout: time.Minute},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// ExportSpans implements sdk.SpanExporter. A batch that the collector does not accept is lost;
// this is logged once when it begins and once when it ends.
func (e *Exporter) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	err := e.send(ctx, spans)
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case err != nil && !e.down:
		e.log.Warn("the collector does not accept traces; they are lost until it does", "collector", wording.Address(e.url), "error", err)
	case err == nil && e.down:
		e.log.Info("the collector accepts traces again", "collector", wording.Address(e.url))
	}
	e.down = err != nil
	return nil // the error has been logged
}

func (e *Exporter) send(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	body, err := json.Marshal(otlp(spans))
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	response, err := e.client.Do(r)
	if err != nil {
		return egress.Bare(err)
	}
	defer func() { _ = response.Body.Close() }()
	_, _ = io.CopyN(io.Discard, response.Body, 64<<10) // so that the connection can be used again
	if response.StatusCode/100 != 2 {
		return fmt.Errorf("the collector answers %s", response.Status)
	}
	return nil
}

// Shutdown implements sdk.SpanExporter.
func (e *Exporter) Shutdown(context.Context) error {
	e.client.CloseIdleConnections()
	return nil
}

package telemetry

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
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
	e.sent(e.send(ctx, spans))
	return nil // the error has been logged
}

// sent logs why spans were lost, or that they are lost no longer; once.
func (e *Exporter) sent(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case err != nil && !e.down:
		e.log.Warn("the collector does not accept traces; they are lost until it does", "collector", wording.Address(e.url), "error", err)
	case err == nil && e.down:
		e.log.Info("the collector accepts traces again", "collector", wording.Address(e.url))
	}
	e.down = err != nil
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
	text, _ := io.ReadAll(io.LimitReader(response.Body, answerBytesMax)) // to its end, so that the connection can be used again
	if response.StatusCode/100 != 2 {
		return fmt.Errorf("the collector answers %s", response.Status)
	}
	return refused(text)
}

// answerBytesMax is how much of a collector's answer is read.
const answerBytesMax = 64 << 10

// refused returns the error of an answer of success by which the collector has refused some spans of the
// batch. An answer that is not the protocol's says nothing.
func refused(answer []byte) error {
	var a struct {
		Partial struct {
			Refused json.RawMessage `json:"rejectedSpans"` // a number, as a text too
			Why     string          `json:"errorMessage"`
		} `json:"partialSuccess"`
	}
	if json.Unmarshal(answer, &a) != nil {
		return nil
	}
	n, err := strconv.ParseInt(strings.Trim(string(a.Partial.Refused), `"`), 10, 64)
	if err != nil || n <= 0 {
		return nil
	}
	if a.Partial.Why == "" {
		return fmt.Errorf("the collector has refused %d spans of a batch", n)
	}
	return fmt.Errorf("the collector has refused %d spans of a batch: %s", n, wording.Quote(a.Partial.Why))
}

// Shutdown implements sdk.SpanExporter.
func (e *Exporter) Shutdown(context.Context) error {
	e.client.CloseIdleConnections()
	return nil
}

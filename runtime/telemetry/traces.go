package telemetry

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"shelly/fsm"
)

// TracesOptions is what traces say about their source.
type TracesOptions struct {
	Instance string // unique to this data folder; only its hash is sent
	Agent    string // the agent's name
	Provider string // of the model
	Version  string // of shelly
}

// Traces makes a trace of each piece of work (OBS-3). It is a [Teller].
type Traces struct {
	Silent
	o        TracesOptions
	to       sdk.SpanExporter
	provider *sdk.TracerProvider
	tracer   trace.Tracer
	works    map[fsm.HandleID]trace.Span
	calls    map[fsm.CallID]trace.Span
}

// NewTraces returns traces that go to an exporter, in batches, from a separate
// goroutine. Spans that do not fit its queue are dropped, so that nothing waits for a collector.
func NewTraces(to sdk.SpanExporter, o TracesOptions) *Traces {
	provider := sdk.NewTracerProvider(
		sdk.WithBatcher(to),
		sdk.WithIDGenerator(naming{}),
		sdk.WithSampler(sdk.AlwaysSample()), // whatever the environment says: if traces are configured, they are on
		sdk.WithResource(resource.NewWithAttributes(schemaURL,
			attribute.String("service.name", "shelly"), attribute.String("service.version", o.Version))),
	)
	return &Traces{
		o: o, to: to, provider: provider, tracer: provider.Tracer("shelly", trace.WithInstrumentationVersion(o.Version), trace.WithSchemaURL(schemaURL)),
		works: map[fsm.HandleID]trace.Span{}, calls: map[fsm.CallID]trace.Span{},
	}
}

// Close sends what is left, until ctx ends at the latest: what the collector has not accepted by then is
// lost, which is logged. Unfinished work is not sent: the next process continues it.
func (t *Traces) Close(ctx context.Context) error {
	err := t.provider.Shutdown(ctx)
	if e, ok := t.to.(*Exporter); ok && err != nil {
		e.sent(fmt.Errorf("the daemon stops, and not all were taken in time: %w", err))
	}
	return err
}

// Accepted implements [Teller].
func (t *Traces) Accepted(w *Work) {
	ctx := context.WithValue(context.Background(), nameKey{}, t.name(w))
	if parent := t.works[w.Parent]; parent != nil {
		ctx = trace.ContextWithSpan(ctx, parent)
	}
	_, span := t.tracer.Start(ctx, operationAgent+" "+t.o.Agent, trace.WithTimestamp(when(w.Since)), trace.WithAttributes(
		operation.String(operationAgent), agentName.String(t.o.Agent), providerName.String(t.o.Provider),
		attribute.Int64("shelly.handle", int64(w.ID)), attribute.String("shelly.kind", string(w.Kind)),
	))
	for key, value := range map[attribute.Key]string{conversation: w.Session, "shelly.request.id": w.Request.ID, "shelly.channel": w.Request.Channel} { // order-free: a set
		if value != "" {
			span.SetAttributes(key.String(value))
		}
	}
	if w.Resumed {
		span.SetAttributes(attribute.Bool("shelly.resumed", true))
	}
	t.works[w.ID] = span
}

// Held implements [Teller].
func (t *Traces) Held(w *Work, e fsm.AskPerson, at fsm.Millis) {
	t.works[w.ID].AddEvent("waits for a person", trace.WithTimestamp(when(at)), trace.WithAttributes(attribute.String("shelly.question", string(e.Question))))
}

// Began implements [Teller].
func (t *Traces) Began(c *Call) {
	d := describing[c.Kind]
	attributes := []attribute.KeyValue{}
	if d.operation != "" {
		attributes = append(attributes, operation.String(d.operation))
	}
	if d.kind == trace.SpanKindClient {
		attributes = append(attributes, providerName.String(t.o.Provider))
	}
	if e, ok := c.Call.(fsm.AskBrain); ok {
		attributes = append(attributes, attribute.String("shelly.purpose", string(e.Purpose)))
	}
	name := d.name
	if e, ok := c.Call.(fsm.RunTool); ok {
		name += " " + e.Name
		attributes = append(attributes, toolName.String(e.Name), toolCall.String(e.Key), toolType.String("function"), attribute.Int("shelly.attempt", e.Attempt))
	}
	name = cmp.Or(name, string(c.Kind))
	id := c.Identity()
	ctx := trace.ContextWithSpan(context.Background(), t.works[id.Handle])
	_, t.calls[id.Call] = t.tracer.Start(ctx, name, trace.WithTimestamp(when(c.Since)), trace.WithSpanKind(d.kind), trace.WithAttributes(attributes...))
}

// Ended implements [Teller].
func (t *Traces) Ended(c *Call) {
	id := c.Identity().Call
	span := t.calls[id]
	delete(t.calls, id)
	failed := c.Result() == resultFailed || c.Answer == nil
	if a, ok := c.Answer.(fsm.BrainAnswered); ok {
		span.SetName(operationChat + " " + a.Model.Name)
		span.SetAttributes(requestModel.String(a.Model.Name), responseModel.String(a.Model.Name), finishReasons.StringSlice([]string{string(a.Stop)}),
			inputTokens.Int(a.Tokens.Prompt), outputTokens.Int(a.Tokens.Answer))
		if a.Tokens.Read > 0 {
			span.SetAttributes(cachedTokens.Int(a.Tokens.Prompt - a.Tokens.Read))
		}
	}
	if a, ok := c.Answer.(fsm.Embedded); ok && a.Model != "" {
		span.SetName(operationEmbed + " " + a.Model)
		span.SetAttributes(requestModel.String(a.Model), responseModel.String(a.Model))
	}
	if _, ok := c.Answer.(fsm.BrainFailed); ok || failed {
		span.SetAttributes(errorType.String(c.Result()))
		span.SetStatus(codes.Error, c.Result())
	}
	span.End(trace.WithTimestamp(when(c.Until)))
}

// Replied implements [Teller].
func (t *Traces) Replied(w *Work, at fsm.Millis) {
	t.works[w.ID].AddEvent("reply", trace.WithTimestamp(when(at)))
}

// Finished implements [Teller].
func (t *Traces) Finished(w *Work, at fsm.Millis) {
	span := t.works[w.ID]
	delete(t.works, w.ID)
	span.SetAttributes(attribute.String("shelly.outcome", string(w.Outcome)), inputTokens.Int(w.Tokens.Prompt), outputTokens.Int(w.Tokens.Answer))
	switch w.Outcome {
	case fsm.OutcomeAnswered, fsm.OutcomeExhausted, fsm.OutcomeCut, fsm.OutcomeCancelled:
	default:
		span.SetAttributes(errorType.String(string(w.Outcome)))
		span.SetStatus(codes.Error, string(w.Outcome))
	}
	span.End(trace.WithTimestamp(when(at)))
}

// name returns the hash from which the ids of a work's span are made: the same after a restart.
func (t *Traces) name(w *Work) [sha256.Size]byte {
	b := binary.BigEndian.AppendUint64(nil, uint64(w.ID))
	return sha256.Sum256(append(b, strings.Join([]string{t.o.Instance, w.Request.Principal, w.Request.Channel, w.Request.ID}, "\x00")...))
}

func when(m fsm.Millis) time.Time { return time.UnixMilli(int64(m)) }

package telemetry

import (
	"strconv"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// The OTLP request for traces in JSON, with the fields that shelly uses. Ids are
// hexadecimal and 64-bit numbers are strings, as the protocol requires.
type (
	otlpRequest struct {
		ResourceSpans []otlpResource `json:"resourceSpans"`
	}
	otlpResource struct {
		Resource  otlpAttributes `json:"resource"`
		Scopes    []otlpScope    `json:"scopeSpans"`
		SchemaURL string         `json:"schemaUrl"`
	}
	otlpScope struct {
		Scope struct {
			Name    string `json:"name"`
			Version string `json:"version"`
		} `json:"scope"`
		Spans     []otlpSpan `json:"spans"`
		SchemaURL string     `json:"schemaUrl"`
	}
	otlpAttributes struct {
		Attributes []otlpAttribute `json:"attributes,omitempty"`
	}
	otlpSpan struct {
		TraceID string          `json:"traceId"`
		SpanID  string          `json:"spanId"`
		Parent  string          `json:"parentSpanId,omitempty"`
		Name    string          `json:"name"`
		Kind    trace.SpanKind  `json:"kind"` // OTLP has the same numbers
		Start   string          `json:"startTimeUnixNano"`
		End     string          `json:"endTimeUnixNano"`
		Attrs   []otlpAttribute `json:"attributes,omitempty"`
		Events  []otlpEvent     `json:"events,omitempty"`
		Status  *otlpStatus     `json:"status,omitempty"`
	}
	otlpEvent struct {
		Time  string          `json:"timeUnixNano"`
		Name  string          `json:"name"`
		Attrs []otlpAttribute `json:"attributes,omitempty"`
	}
	otlpStatus struct {
		Code    int    `json:"code"` // 2: error
		Message string `json:"message,omitempty"`
	}
	otlpAttribute struct {
		Key   string         `json:"key"`
		Value map[string]any `json:"value"` // of one member, named after its type
	}
)

// otlp returns the request for a batch of spans, which all have the same resource and scope.
func otlp(spans []sdk.ReadOnlySpan) otlpRequest {
	var r otlpResource
	scope := otlpScope{Spans: make([]otlpSpan, 0, len(spans))}
	for _, s := range spans {
		r.Resource.Attributes, r.SchemaURL = otlpOf(s.Resource().Attributes()), s.Resource().SchemaURL()
		from := s.InstrumentationScope()
		scope.Scope.Name, scope.Scope.Version, scope.SchemaURL = from.Name, from.Version, from.SchemaURL
		scope.Spans = append(scope.Spans, otlpSpanOf(s))
	}
	r.Scopes = []otlpScope{scope}
	return otlpRequest{[]otlpResource{r}}
}

func otlpSpanOf(s sdk.ReadOnlySpan) otlpSpan {
	o := otlpSpan{
		TraceID: s.SpanContext().TraceID().String(), SpanID: s.SpanContext().SpanID().String(), Name: s.Name(), Kind: s.SpanKind(),
		Start: nanos(s.StartTime().UnixNano()), End: nanos(s.EndTime().UnixNano()), Attrs: otlpOf(s.Attributes()),
	}
	if s.Parent().HasSpanID() {
		o.Parent = s.Parent().SpanID().String()
	}
	for _, e := range s.Events() {
		o.Events = append(o.Events, otlpEvent{nanos(e.Time.UnixNano()), e.Name, otlpOf(e.Attributes)})
	}
	if s.Status().Code == codes.Error {
		o.Status = &otlpStatus{2, s.Status().Description}
	}
	return o
}

func otlpOf(attributes []attribute.KeyValue) []otlpAttribute {
	all := make([]otlpAttribute, 0, len(attributes))
	for _, a := range attributes {
		all = append(all, otlpAttribute{string(a.Key), otlpValue(a.Value)})
	}
	return all
}

func otlpValue(v attribute.Value) map[string]any {
	switch v.Type() {
	case attribute.BOOL:
		return map[string]any{"boolValue": v.AsBool()}
	case attribute.INT64:
		return map[string]any{"intValue": nanos(v.AsInt64())}
	case attribute.STRINGSLICE:
		values := []any{}
		for _, s := range v.AsStringSlice() {
			values = append(values, map[string]any{"stringValue": s})
		}
		return map[string]any{"arrayValue": map[string]any{"values": values}}
	default:
		return map[string]any{"stringValue": v.String()}
	}
}

// nanos returns a 64-bit number in the protocol's JSON.
func nanos(n int64) string { return strconv.FormatInt(n, 10) }

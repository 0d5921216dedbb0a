package telemetry

import (
	"context"
	"crypto/rand"
	"crypto/sha256"

	"go.opentelemetry.io/otel/trace"
)

// nameKey is the context key of the [sha256.Size]byte from which a span's ids are made.
type nameKey struct{}

// naming makes the ids of spans: those of work from its name, so that work resumed after a
// kill is in the same trace; those of calls at random.
type naming struct{}

// NewIDs implements sdk.IDGenerator.
func (n naming) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	name, ok := ctx.Value(nameKey{}).([sha256.Size]byte)
	if !ok {
		var id trace.TraceID
		_, _ = rand.Read(id[:]) // it never fails
		return id, n.NewSpanID(ctx, id)
	}
	return trace.TraceID(name[:16]), trace.SpanID(name[16:24])
}

// NewSpanID implements sdk.IDGenerator.
func (naming) NewSpanID(ctx context.Context, _ trace.TraceID) (id trace.SpanID) {
	if name, ok := ctx.Value(nameKey{}).([sha256.Size]byte); ok {
		return trace.SpanID(name[16:24])
	}
	_, _ = rand.Read(id[:])
	return id
}

package run

import (
	"context"
	"errors"
	"net"
	"testing"
)

// A listener that ends on its own ends the daemon, with the reason; one that is
// closed does not.
func TestAListenerThatFailsEndsTheDaemon(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	s := &starting{fail: cancel}
	s.serve(ctx, func(ctx context.Context) error {
		<-ctx.Done()
		return nil
	})
	s.close()
	if err := ctx.Err(); err != nil {
		t.Fatalf("closing a listener ended the daemon: %v", err)
	}
	s.serve(ctx, func(context.Context) error { return net.ErrClosed })
	<-ctx.Done()
	if err := context.Cause(ctx); !errors.Is(err, net.ErrClosed) {
		t.Errorf("the daemon ended because of %v", err)
	}
}

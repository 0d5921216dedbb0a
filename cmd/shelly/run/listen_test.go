package run

import (
	"context"
	"errors"
	"net"
	"os"
	"slices"
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

// A reload under way at a stop would start the servers of its configuration after all have ended.
func TestCFG10AStopWaitsForAReload(t *testing.T) {
	s := &starting{}
	var order []string
	s.later(func() error {
		order = append(order, "servers are ended")
		return nil
	})
	s.beside(t.Context(), func(ctx context.Context) error {
		err := s.heed(ctx, make(chan os.Signal), nil, nil)
		order = append(order, "no more reloads")
		return err
	})
	s.close()
	if want := []string{"no more reloads", "servers are ended"}; !slices.Equal(order, want) {
		t.Errorf("%q, want %q", order, want)
	}
}

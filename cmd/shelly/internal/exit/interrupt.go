package exit

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// Interruptible returns a context that ends at ^C or SIGTERM. Its cause has the code
// that shells have for it. A second signal ends the process (CLI-2).
func Interruptible() (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		if s, ok := <-signals; ok {
			signal.Stop(signals)
			cancel(Silent(128 + int(s.(syscall.Signal))))
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(signals)
	}
}

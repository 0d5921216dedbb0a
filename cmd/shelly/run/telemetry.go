package run

import (
	"context"
	"time"

	"shelly/cmd/shelly/internal/version"
	"shelly/runtime/telemetry"
)

// tracesWait is how long the end waits until the last traces are sent.
const tracesWait = 2 * time.Second

// keepLog lets the data folder, which nobody else has now, keep the log (OBS-5).
func (s *starting) keepLog() {
	if err := s.kept.Open(s.cfg.Data); err != nil {
		s.log.Warn("the data folder keeps no log", "error", err)
	}
	s.later(s.kept.Close)
}

// tellers are who tells what the daemon does, of a store with a name of its own (OBS-1).
func (s *starting) tellers(store string) []telemetry.Teller {
	all := []telemetry.Teller{s.metrics, &s.spent, turns{by: s.supervisor}}
	if s.cfg.Telemetry.Traces == "" {
		return all
	}
	traces := telemetry.NewTraces(telemetry.NewExporter(s.cfg.Telemetry.Traces, s.log), telemetry.TracesOptions{
		Instance: store, Agent: s.cfg.About.Name, Provider: s.cfg.Brain.Kind, Version: version.Text(),
	})
	s.later(func() error {
		ctx, cancel := context.WithTimeout(context.Background(), tracesWait)
		defer cancel()
		_ = traces.Close(ctx) // what a collector does not take in time is lost, which is no failure of a stop
		return nil
	})
	return append(all, traces)
}

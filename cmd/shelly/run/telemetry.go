package run

import (
	"context"
	"time"

	"shelly/cmd/shelly/internal/version"
	"shelly/runtime/telemetry"
)

// tracesWait is how long a stop waits for the last traces to be sent.
const tracesWait = 2 * time.Second

// keepLog keeps the log in the data folder too, which is locked by now (OBS-5).
func (s *starting) keepLog() {
	if err := s.kept.Open(s.cfg.Data); err != nil {
		s.log.Warn("cannot keep a log in the data folder", "error", err)
	}
	s.later(s.kept.Close)
}

// tellers returns the observers of the daemon, for a store with this name (OBS-1).
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
		_ = traces.Close(ctx) // traces that the collector does not accept in time are lost; the stop has not failed
		return nil
	})
	return append(all, traces)
}

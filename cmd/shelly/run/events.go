package run

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"shelly/cmd/shelly/internal/watched"
	"shelly/fsm/wording"
	"shelly/runtime/access"
	"shelly/runtime/comm"
	"shelly/runtime/config"
	"shelly/runtime/event"
)

// lookOut has the daemon raise events of its own sources (EVT-1), until close.
func (s *starting) lookOut(ctx context.Context) {
	kept, err := event.OpenKept(s.cfg.Data)
	if err != nil {
		s.log.Warn("the record of raised events cannot be read; changes made while shelly was not running are not reported", "error", err)
	}
	s.events = event.New(event.Options{Raise: s.daemon.Raise, Kept: kept, Log: s.log, Now: time.Now, Told: s.metrics.Raised})
	s.watchFor(s.cfg)
	s.serve(ctx, s.events.Run)
}

// watchFor has the engine watch the sources of a configuration.
func (s *starting) watchFor(cfg config.Config) {
	sources := watched.Sources(cfg)
	s.events.Use(sources)
	if len(sources) > 0 {
		s.log.Info("watching for events", "sources", len(sources))
	}
}

// eventRoutes returns the routes that list the sources (EVT-14).
func (s *starting) eventRoutes() []comm.Route {
	return []comm.Route{{Method: http.MethodGet, Pattern: event.SourcesRoute, Right: access.All, Page: true, Handle: comm.Taking(func(w http.ResponseWriter, _ *http.Request) error {
		return comm.JSON(w, http.StatusOK, event.ListBody{Sources: append([]event.State{}, s.events.States()...)})
	})}}
}

// watching returns the sources as a status shows them; nil if there are none.
func (s *starting) watching() *comm.Watching {
	sources := s.events.States()
	if len(sources) == 0 {
		return nil
	}
	w := &comm.Watching{Sources: len(sources)}
	for _, source := range sources {
		w.Raised += source.Raised
		w.Unsaid += source.Unsaid
		if source.Trouble != "" {
			w.Trouble = append(w.Trouble, fmt.Sprintf("%s: %s", source.Name, wording.Clip(source.Trouble, 200)))
		}
	}
	return w
}

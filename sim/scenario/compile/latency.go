package compile

import (
	"shelly/sim"
	"shelly/sim/scenario/format"
)

// start is how the services are from the first start on.
func start(l *format.Latencies, p *sim.Plan) {
	p.QuietTakes, p.ToolsTake = l.Brain.Or(0), l.Tools.Or(0)
	for _, s := range []struct {
		of    *sim.Service
		takes *format.Duration
	}{
		{&p.Recalling, l.Recall}, {&p.Embedding, l.Embedding}, {&p.Storing, l.Store},
		{&p.Loading, l.Sessions}, {&p.Saving, l.Sessions}, {&p.Skilling, l.Skills},
	} {
		s.of.Takes = s.takes.Or(0)
	}
}

package telemetry

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"shelly/runtime/comm"
	"shelly/runtime/memory"
)

// Serve answers with all metrics, including those of the daemon's present status.
func (m *Metrics) Serve(w http.ResponseWriter, r *http.Request, now comm.Status) {
	present := prometheus.NewRegistry()
	present.MustRegister(standing(now))
	promhttp.HandlerFor(prometheus.Gatherers{m.registry, present}, promhttp.HandlerOpts{}).ServeHTTP(w, r)
}

// standing is a status that is collected as metrics.
type standing comm.Status

// gauge is a metric that is read from a status; absent if it has no value.
type gauge struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
	of   func(s *standing) (value float64, known bool)
}

func gaugeOf(name, help string, of func(s *standing) (float64, bool)) gauge {
	return gauge{prometheus.NewDesc("shelly_"+name, help, nil, nil), prometheus.GaugeValue, of}
}

func countOf(name, help string, of func(s *standing) int64) gauge {
	return gauge{prometheus.NewDesc("shelly_"+name, help, nil, nil), prometheus.CounterValue, func(s *standing) (float64, bool) { return float64(of(s)), true }}
}

var gauges = []gauge{
	gaugeOf("epoch", "Boots so far.", func(s *standing) (float64, bool) { return float64(s.Epoch), true }),
	gaugeOf("work_waiting", "Work that has not begun.", func(s *standing) (float64, bool) { return float64(s.Waiting), true }),
	gaugeOf("no_space", "1 if the disk is too full to accept anything.", func(s *standing) (float64, bool) { return truth(s.NoSpace != ""), true }),
	gaugeOf("damage", "Damaged places of the data folder found since the start.", func(s *standing) (float64, bool) { return float64(len(s.Damage)), true }),
	gaugeOf("journal_bytes", "Size of the records that are kept.", func(s *standing) (float64, bool) { return float64(s.Journal.Bytes), true }),
	gaugeOf("store_bytes", "Size of the store on disk.", func(s *standing) (float64, bool) {
		return of(s.Disk, func(d *comm.Disk) uint64 { return d.Store })
	}),
	gaugeOf("disk_free_bytes", "Free space of the data folder's file system.", func(s *standing) (float64, bool) {
		if s.Disk == nil || s.Disk.Free == nil {
			return 0, false
		}
		return float64(*s.Disk.Free), true
	}),
	gaugeOf("memory_entries", "Entries of the memory.", func(s *standing) (float64, bool) {
		return of(s.Memory, func(m *memory.Counts) int { return m.Entries })
	}),
	gaugeOf("memory_pending", "Entries that wait for their vector.", func(s *standing) (float64, bool) {
		return of(s.Memory, func(m *memory.Counts) int { return m.Pending })
	}),
	gaugeOf("texts_bytes", "Results of tools that are kept whole.", func(s *standing) (float64, bool) {
		return of(s.Texts, func(t *comm.Texts) int64 { return t.Bytes })
	}),
	gaugeOf("messages_unread", "Messages that nobody has read.", func(s *standing) (float64, bool) {
		if s.Unread == nil {
			return 0, true
		}
		return float64(s.Unread.Messages), true
	}),
	gaugeOf("upkeep_failed", "Summaries and consolidations that have failed in a row.", func(s *standing) (float64, bool) {
		if s.Upkeep == nil {
			return 0, true
		}
		return float64(s.Upkeep.Failed), true
	}),
	countOf("requests_accepted_total", "Requests that the listeners made durable.", func(s *standing) int64 { return s.Listeners.Accepted }),
	countOf("requests_duplicate_total", "Requests that were known already.", func(s *standing) int64 { return s.Listeners.Duplicates }),
	countOf("requests_refused_total", "Requests that were refused: busy, stopping, no space, conflict of ids.", func(s *standing) int64 { return s.Listeners.Refused }),
	countOf("bad_tokens_total", "Messages without the token, or with another.", func(s *standing) int64 { return s.Listeners.BadTokens }),
	countOf("malformed_total", "Messages that could not be read, or broke a limit.", func(s *standing) int64 { return s.Listeners.Malformed }),
	countOf("foreign_total", "Messages of another site or another machine.", func(s *standing) int64 { return s.Listeners.Foreign }),
	countOf("datagrams_unsent_total", "Datagrams that the system did not take.", func(s *standing) int64 { return s.Listeners.Unsent }),
}

// active counts the handles in each state.
var active = prometheus.NewDesc("shelly_work_active", "Work that has begun and not ended, by its state.", []string{"kind", "state"}, nil)

// lifecycle is 1 for the daemon's state.
var lifecycle = prometheus.NewDesc("shelly_lifecycle", "1, with the state of the daemon.", []string{"state"}, nil)

// Describe implements [prometheus.Collector].
func (standing) Describe(to chan<- *prometheus.Desc) {
	for _, g := range gauges {
		to <- g.desc
	}
	to <- active
	to <- lifecycle
}

// Collect implements [prometheus.Collector].
func (s standing) Collect(to chan<- prometheus.Metric) {
	for _, g := range gauges {
		if value, known := g.of(&s); known {
			to <- prometheus.MustNewConstMetric(g.desc, g.kind, value)
		}
	}
	to <- prometheus.MustNewConstMetric(lifecycle, prometheus.GaugeValue, 1, string(s.Lifecycle))
	type at struct{ kind, state string }
	count := map[at]float64{}
	for _, a := range s.Active {
		count[at{string(a.Kind), string(a.State)}]++
	}
	for where, n := range count { // order-free: metrics are sorted when they are written
		to <- prometheus.MustNewConstMetric(active, prometheus.GaugeValue, n, where.kind, where.state)
	}
}

// of returns a number of a part of a status, which has no value where the part is absent.
func of[T any, N int | int64 | uint64](part *T, number func(*T) N) (value float64, known bool) {
	if part == nil {
		return 0, false
	}
	return float64(number(part)), true
}

func truth(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

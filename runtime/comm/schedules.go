package comm

import (
	"cmp"
	"net/http"

	"shelly/fsm"
)

// ScheduleTextMax is the longest text of a schedule, and of a field of one, in bytes.
const (
	ScheduleTextMax  = 16 << 10
	scheduleFieldMax = 200
	everySecondsMax  = 1 << 32
)

// getSchedules returns the schedules (COM-52).
func (h *HTTP) getSchedules(w http.ResponseWriter, r *http.Request) error {
	if err := h.query(r); err != nil {
		return err
	}
	list, err := h.front.Schedules(r.Context())
	if err != nil {
		h.note("read the schedules", err)
		return err
	}
	writeJSON(w, http.StatusOK, SchedulesBody{list})
	return nil
}

// postSchedule adds a schedule (COM-52, HND-62). The fields have the names of the arguments of
// the tool cron, so that what is said of one is said of the other.
func (h *HTTP) postSchedule(w http.ResponseWriter, r *http.Request) error {
	in, every := fsm.ScheduleChanged{Change: fsm.ScheduleAdd}, uint64(0)
	err := cmp.Or(h.query(r), h.read(w, r, text("message", &in.Text), whole("every_seconds", &every), text("cron_expr", &in.Cron), text("at", &in.Once),
		text("zone", &in.Zone), text("session", &in.Session), text("channel", &in.Origin.Channel), text("chat", &in.Origin.Chat), text("by", &in.By)))
	if err != nil {
		return err
	}
	in.Origin, in.Every = originAt(in.Origin, ChannelHTTP), fsm.Millis(min(every, everySecondsMax))*fsm.Second
	err = cmp.Or(checkName("session", in.Session, 0, SessionBytesMax), checkName("chat", in.Origin.Chat, 0, ChatBytesMax), checkName("by", in.By, 0, ByBytesMax),
		checkName("cron_expr", in.Cron, 0, scheduleFieldMax), checkName("at", in.Once, 0, scheduleFieldMax), checkName("zone", in.Zone, 0, scheduleFieldMax))
	if in.Origin.Channel != "" {
		err = cmp.Or(err, checkChannel(in.Origin.Channel))
	}
	if len(in.Text) > ScheduleTextMax {
		err = cmp.Or(err, error(tooLarge("the message", ScheduleTextMax)))
	}
	if err != nil {
		h.o.Counters.malformed.Add(1)
		return err
	}
	return h.scheduled(w, r, in)
}

// postScheduleChange takes any other word on a schedule.
func (h *HTTP) postScheduleChange(change fsm.ScheduleChange) handling {
	return func(w http.ResponseWriter, r *http.Request) error {
		in := fsm.ScheduleChanged{Change: change, Schedule: r.PathValue("id")}
		err := cmp.Or(h.query(r), h.read(w, r, text("by", &in.By)))
		if err = cmp.Or(err, checkName("id", in.Schedule, 1, KeyBytesMax), checkName("by", in.By, 0, ByBytesMax)); err != nil {
			return err
		}
		return h.scheduled(w, r, in)
	}
}

// scheduled hands a word on a schedule to the daemon.
func (h *HTTP) scheduled(w http.ResponseWriter, r *http.Request, in fsm.ScheduleChanged) error {
	in.By = cmp.Or(in.By, Principal)
	id, taken, err := h.front.Schedule(r.Context(), in)
	if err != nil {
		h.note("change a schedule", err)
		return err
	}
	writeJSON(w, http.StatusOK, Scheduled{id, taken})
	return nil
}

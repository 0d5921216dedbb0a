package machine

import (
	"strconv"
	"strings"

	"shelly/fsm"
	"shelly/fsm/cron"
	"shelly/fsm/state"
)

// cron adds, lists or removes a schedule (HND-42).
func (m *Machine) cron(h *state.Handle) (string, bool) {
	var args struct {
		Action  string `json:"action"`
		Message string `json:"message"`
		Every   int64  `json:"every_seconds"`
		Cron    string `json:"cron_expr"`
		At      string `json:"at"`
		Zone    string `json:"zone"`
		ID      string `json:"job_id"`
	}
	if bad := m.arguments(h, &args); bad != "" {
		return bad, false
	}
	switch args.Action {
	case "list":
		return m.listSchedules(), true
	case "remove":
		return m.removeSchedule(args.ID)
	case "add":
		zone, ok := cron.ZoneNamed(m.s.Config.Zones, strings.TrimSpace(args.Zone))
		if !ok {
			return m.word(fsm.WordCronZone, "zone", strconv.Quote(fsm.Clip(args.Zone, 100)), "zones", m.zones()), false
		}
		s := fsm.Schedule{Home: h.Session, Origin: h.Origin, Source: derived(h.Inf.Talk.Messages), Text: args.Message, Cron: strings.TrimSpace(args.Cron)}
		if args.Every > 0 && args.Every <= 1<<40 {
			s.Every = fsm.Millis(args.Every) * fsm.Second
		}
		if args.At != "" {
			at, ok := cron.ParseAt(args.At, &zone)
			if !ok {
				return m.word(fsm.WordCronAtUnread, "at", strconv.Quote(fsm.Clip(args.At, 100))), false
			}
			if at <= m.s.Now {
				return m.word(fsm.WordCronAtPassed, "now", zone.Stamp(m.s.Now)), false
			}
			s.Once = at
		}
		if s.Cron != "" && !zone.IsUTC() {
			s.Zone = zone.Name
		}
		return m.addSchedule(s, &zone)
	default:
		return m.word(fsm.WordCronAction, "action", strconv.Quote(fsm.Clip(args.Action, 100))), false
	}
}

func (m *Machine) addSchedule(s fsm.Schedule, zone *fsm.Zone) (string, bool) {
	times := 0
	for _, set := range []bool{s.Every > 0, s.Cron != "", s.Once != 0} {
		if set {
			times++
		}
	}
	switch {
	case strings.TrimSpace(s.Text) == "":
		return m.word(fsm.WordMissingArgument, "argument", "message"), false
	case times != 1:
		return m.word(fsm.WordCronTimes), false
	case len(m.s.Schedules) >= m.s.Config.Limits.MaxSchedules:
		return m.word(fsm.WordCronFull, "schedules", strconv.Itoa(len(m.s.Schedules))), false
	}
	if s.Cron != "" {
		if w, args, bad := cron.Problem(s.Cron, zone, m.s.Now); bad {
			return m.word(w, args...), false
		}
	}
	m.s.LastSchedule++
	s.ID = "s" + strconv.Itoa(m.s.LastSchedule)
	s.Last = m.s.Now
	m.s.Schedules = append(m.s.Schedules[:len(m.s.Schedules):len(m.s.Schedules)], s)
	m.armSchedule(s)
	return m.word(fsm.WordCronAdded, "schedule", s.ID, "next", m.nextSlot(s, zone)), true
}

func (m *Machine) listSchedules() string {
	if len(m.s.Schedules) == 0 {
		return m.word(fsm.WordCronNone)
	}
	var lines []string
	for _, s := range m.s.Schedules {
		when := m.word(fsm.WordCronExpr, "expr", s.Cron)
		switch {
		case s.Every > 0:
			when = m.word(fsm.WordCronEvery, "every", s.Every.String())
		case s.Once != 0:
			when = m.word(fsm.WordCronAt, "at", s.Once.Date())
		}
		zone, _ := cron.ZoneNamed(m.s.Config.Zones, s.Zone)
		lines = append(lines, m.word(fsm.WordCronLine, "schedule", s.ID, "when", when, "text", s.Text, "next", m.nextSlot(s, &zone)))
	}
	return strings.Join(lines, "\n")
}

func (m *Machine) removeSchedule(id string) (string, bool) {
	for i, s := range m.s.Schedules {
		if s.ID == id {
			m.dropSchedule(i)
			m.emit(fsm.DisarmSchedule{Schedule: id})
			return m.word(fsm.WordCronRemoved, "schedule", id), true
		}
	}
	return m.word(fsm.WordCronUnknown, "schedule", strconv.Quote(fsm.Clip(id, 100))), false
}

func (m *Machine) dropSchedule(i int) {
	kept := append([]fsm.Schedule(nil), m.s.Schedules[:i]...)
	m.s.Schedules = append(kept, m.s.Schedules[i+1:]...)
}

func (m *Machine) armSchedule(s fsm.Schedule) { m.emit(m.arming(s)) }

// arming asks for a schedule's next slot. A zone that no boot brings any more is taken to
// be the first that is known: the slots go on at the times of day that were asked for.
func (m *Machine) arming(s fsm.Schedule) fsm.ArmSchedule {
	e := fsm.ArmSchedule{Schedule: s.ID, Every: s.Every, Cron: s.Cron, Once: s.Once, From: s.Last}
	if s.Zone != "" {
		zone, ok := cron.ZoneNamed(m.s.Config.Zones, s.Zone)
		if !ok {
			zone, _ = cron.ZoneNamed(m.s.Config.Zones, "")
		}
		e.Zone = zone
	}
	return e
}

// nextSlot is when a schedule runs next, as the clocks of a zone show it (HND-42).
func (m *Machine) nextSlot(s fsm.Schedule, zone *fsm.Zone) string {
	slot, _ := cron.Next(m.arming(s), m.s.Now)
	return zone.Stamp(slot)
}

// zones are the names of those that are known.
func (m *Machine) zones() string {
	names := []string{"UTC"}
	for _, z := range m.s.Config.Zones {
		if z.Name != "UTC" {
			names = append(names, z.Name)
		}
	}
	return strings.Join(names, ", ")
}

// due takes a slot, at most once: slots only grow (HND-47).
func (m *Machine) due(in fsm.ScheduleDue) {
	for i := range m.s.Schedules {
		s := m.s.Schedules[i]
		if s.ID != in.Schedule || in.Slot <= s.Last && s.Once == 0 {
			continue
		}
		if s.Once != 0 {
			m.dropSchedule(i)
		} else {
			s.Last = in.Slot
			m.s.Schedules = append([]fsm.Schedule(nil), m.s.Schedules...)
			m.s.Schedules[i] = s
			if m.s.Lifecycle != state.Stopped && m.s.Lifecycle != state.Down { // otherwise the next boot does
				m.armSchedule(s)
			}
		}
		m.admitSlot(s)
		return
	}
	m.s.Ignored.Slots++
}

// admitSlot admits a slot's handle, unless that of an earlier slot has not begun:
// then one is enough for both, and slots that come faster than they are worked off
// do not pile up.
func (m *Machine) admitSlot(s fsm.Schedule) {
	session := "schedule:" + s.ID
	for i := range m.s.Handles {
		h := &m.s.Handles[i]
		if h.Kind == fsm.KindSchedule && h.Session == session && h.ParkedOrQueued() && h.Resume == "" {
			m.s.Ignored.Joined++
			return
		}
	}
	m.admit(state.Handle{Accepted: state.Accepted{Kind: fsm.KindSchedule, Session: session, Origin: s.Origin, Input: s.Text, Source: s.Source}})
}

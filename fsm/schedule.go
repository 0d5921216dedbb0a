package fsm

import (
	"strconv"
	"strings"
)

// cron adds, lists or removes a schedule (HND-42).
func (m *Machine) cron(h *Handle) (string, bool) {
	var args struct {
		Action  string `json:"action"`
		Message string `json:"message"`
		Every   int64  `json:"every_seconds"`
		Cron    string `json:"cron_expr"`
		At      string `json:"at"`
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
		s := Schedule{Home: h.Session, Origin: h.Origin, Text: args.Message, Cron: strings.TrimSpace(args.Cron)}
		if args.Every > 0 && args.Every <= 1<<40 {
			s.Every = Millis(args.Every) * Second
		}
		if args.At != "" {
			at, ok := parseDate(args.At)
			if !ok {
				return m.word(WordCronAtUnread, "at", strconv.Quote(clip(args.At, 100))), false
			}
			if at <= m.s.Now {
				return m.word(WordCronAtPassed, "now", m.s.Now.date()), false
			}
			s.Once = at
		}
		return m.addSchedule(s)
	default:
		return m.word(WordCronAction, "action", strconv.Quote(clip(args.Action, 100))), false
	}
}

func (m *Machine) addSchedule(s Schedule) (string, bool) {
	times := 0
	for _, set := range []bool{s.Every > 0, s.Cron != "", s.Once != 0} {
		if set {
			times++
		}
	}
	switch {
	case strings.TrimSpace(s.Text) == "":
		return m.word(WordMissingArgument, "argument", "message"), false
	case times != 1:
		return m.word(WordCronTimes), false
	case len(m.s.Schedules) >= m.s.Config.Limits.MaxSchedules:
		return m.word(WordCronFull, "schedules", strconv.Itoa(len(m.s.Schedules))), false
	}
	if s.Cron != "" {
		c, bad := parseCron(s.Cron)
		if bad != nil {
			return m.word(bad.word, bad.args...), false
		}
		if _, ok := c.after(m.s.Now); !ok {
			return m.word(WordCronNever), false
		}
	}
	m.s.LastSchedule++
	s.ID = "s" + strconv.Itoa(m.s.LastSchedule)
	s.Last = m.s.Now
	m.s.Schedules = append(m.s.Schedules[:len(m.s.Schedules):len(m.s.Schedules)], s)
	m.armSchedule(s)
	return m.word(WordCronAdded, "schedule", s.ID), true
}

func (m *Machine) listSchedules() string {
	if len(m.s.Schedules) == 0 {
		return m.word(WordCronNone)
	}
	var lines []string
	for _, s := range m.s.Schedules {
		when := m.word(WordCronExpr, "expr", s.Cron)
		switch {
		case s.Every > 0:
			when = m.word(WordCronEvery, "every", s.Every.String())
		case s.Once != 0:
			when = m.word(WordCronAt, "at", s.Once.date())
		}
		lines = append(lines, m.word(WordCronLine, "schedule", s.ID, "when", when, "text", s.Text))
	}
	return strings.Join(lines, "\n")
}

func (m *Machine) removeSchedule(id string) (string, bool) {
	for i, s := range m.s.Schedules {
		if s.ID == id {
			m.dropSchedule(i)
			m.emit(DisarmSchedule{Schedule: id})
			return m.word(WordCronRemoved, "schedule", id), true
		}
	}
	return m.word(WordCronUnknown, "schedule", strconv.Quote(clip(id, 100))), false
}

func (m *Machine) dropSchedule(i int) {
	kept := append([]Schedule(nil), m.s.Schedules[:i]...)
	m.s.Schedules = append(kept, m.s.Schedules[i+1:]...)
}

func (m *Machine) armSchedule(s Schedule) {
	m.emit(ArmSchedule{Schedule: s.ID, Every: s.Every, Cron: s.Cron, Once: s.Once, From: s.Last})
}

// due takes a slot, at most once: slots only grow (HND-47).
func (m *Machine) due(in ScheduleDue) {
	for i := range m.s.Schedules {
		s := m.s.Schedules[i]
		if s.ID != in.Schedule || in.Slot <= s.Last && s.Once == 0 {
			continue
		}
		if s.Once != 0 {
			m.dropSchedule(i)
		} else {
			s.Last = in.Slot
			m.s.Schedules = append([]Schedule(nil), m.s.Schedules...)
			m.s.Schedules[i] = s
			if m.s.Lifecycle != Stopped && m.s.Lifecycle != Down { // otherwise the next boot does
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
func (m *Machine) admitSlot(s Schedule) {
	session := "schedule:" + s.ID
	for i := range m.s.Handles {
		h := &m.s.Handles[i]
		if h.Kind == KindSchedule && h.Session == session && h.parkedOrQueued() && h.Resume == "" {
			m.s.Ignored.Joined++
			return
		}
	}
	m.admit(Handle{Kind: KindSchedule, Session: session, Origin: s.Origin, Input: s.Text})
}

package machine

import (
	"slices"
	"strconv"
	"strings"

	"shelly/fsm"
	"shelly/fsm/cron"
	"shelly/fsm/heartbeat"
	"shelly/fsm/state"
	"shelly/fsm/turn"
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
		s := fsm.Schedule{Home: h.Session, Origin: h.Origin, Source: m.derived(h, h.Inf.Talk.Messages), Text: args.Message, Cron: strings.TrimSpace(args.Cron)}
		if args.Every > 0 && args.Every <= 1<<40 {
			s.Every = fsm.Millis(args.Every) * fsm.Second
		}
		s, zone, wrong := m.plan(s, args.At, args.Zone, m.s.Now)
		if wrong != "" {
			return wrong, false
		}
		return m.word(fsm.WordCronAdded, "schedule", m.addSchedule(s), "next", m.nextSlot(s, &zone)), true
	default:
		return m.word(fsm.WordCronAction, "action", strconv.Quote(fsm.Clip(args.Action, 100))), false
	}
}

// onceAt reads a single time.
func (m *Machine) onceAt(at string, zone *fsm.Zone, now fsm.Millis) (fsm.Millis, bool) {
	if m.s.Config.Edition < fsm.TwentiethEdition {
		return cron.ParseAt(at, zone)
	}
	if m.s.Config.Edition >= fsm.TwentyFirstEdition {
		plain, ok := cron.Plain(at)
		if !ok {
			return 0, false
		}
		at = plain
	}
	return cron.When(at, zone, now)
}

// plan completes a schedule with its single time and its zone, as they were written, or
// returns what is wrong with it.
func (m *Machine) plan(s fsm.Schedule, at, zoned string, now fsm.Millis) (_ fsm.Schedule, zone fsm.Zone, wrong string) {
	zone, ok := cron.ZoneNamed(m.s.Config.Zones, strings.TrimSpace(zoned))
	if !ok {
		return s, zone, m.word(fsm.WordCronZone, "zone", strconv.Quote(fsm.Clip(zoned, 100)), "zones", m.zones())
	}
	if at != "" {
		once, ok := m.onceAt(at, &zone, now)
		if !ok {
			return s, zone, m.word(fsm.WordCronAtUnread, "at", strconv.Quote(fsm.Clip(at, 100)))
		}
		if once <= now {
			return s, zone, m.word(fsm.WordCronAtPassed, "now", zone.Stamp(now))
		}
		s.Once = once
	}
	if s.Cron != "" && !zone.IsUTC() {
		s.Zone = zone.Name
	}
	s.Last = now
	return s, zone, m.unarmable(s, &zone, now)
}

// unarmable returns why a schedule cannot be armed, or "" if it can.
func (m *Machine) unarmable(s fsm.Schedule, zone *fsm.Zone, now fsm.Millis) string {
	times := 0
	for _, set := range []bool{s.Every > 0, s.Cron != "", s.Once != 0} {
		if set {
			times++
		}
	}
	switch {
	case strings.TrimSpace(s.Text) == "":
		return m.word(fsm.WordMissingArgument, "argument", "message")
	case times != 1:
		return m.word(fsm.WordCronTimes)
	case len(m.s.Schedules) >= m.s.Config.Limits.MaxSchedules:
		return m.word(fsm.WordCronFull, "schedules", strconv.Itoa(len(m.s.Schedules)))
	}
	if s.Cron != "" {
		if w, args, bad := cron.Problem(s.Cron, zone, now); bad {
			return m.word(w, args...)
		}
	}
	return ""
}

// addSchedule arms a schedule for the first time, and returns its id.
func (m *Machine) addSchedule(s fsm.Schedule) string {
	m.s.LastSchedule++
	s.ID = "s" + strconv.Itoa(m.s.LastSchedule)
	m.s.Schedules = append(m.s.Schedules[:len(m.s.Schedules):len(m.s.Schedules)], s)
	m.armSchedule(s)
	return s.ID
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
		if s.Paused {
			lines = append(lines, m.word(fsm.WordCronPaused, "schedule", s.ID, "when", when, "text", s.Text))
			continue
		}
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

// arming returns the effect that asks for a schedule's next slot.
func (m *Machine) arming(s fsm.Schedule) fsm.ArmSchedule { return cron.Arming(m.s.Config.Zones, s) }

// nextSlot returns when a schedule runs next, as the clocks of a zone show it (HND-42).
func (m *Machine) nextSlot(s fsm.Schedule, zone *fsm.Zone) string {
	next := cron.Awaited
	if m.s.Config.Edition < fsm.ThirdEdition {
		next = cron.Next
	}
	slot, _ := next(m.arming(s), m.s.Now)
	return zone.Stamp(slot)
}

// zones returns the names of the known zones.
func (m *Machine) zones() string {
	names := []string{"UTC"}
	for _, z := range m.s.Config.Zones {
		if z.Name != "UTC" {
			names = append(names, z.Name)
		}
	}
	return strings.Join(names, ", ")
}

// fresh reports whether a slot is not yet taken: it is later than the last one that was, or
// the clock was set back to before that (HND-65).
func fresh(in fsm.ScheduleDue, last fsm.Millis) bool {
	return in.Slot > last || in.Back && in.Slot < last
}

// due takes a slot, at most once: slots only grow until the clock is set back (HND-47).
func (m *Machine) due(in fsm.ScheduleDue) {
	for i := range m.s.Schedules {
		s := m.s.Schedules[i]
		if s.ID != in.Schedule || s.Paused || s.Once == 0 && !fresh(in, s.Last) {
			continue
		}
		if s.Once != 0 {
			m.dropSchedule(i)
		} else {
			s.Last = in.Slot
			m.s.Schedules[i] = s
			if m.s.Lifecycle != state.Stopped && m.s.Lifecycle != state.Down { // otherwise the next boot does
				m.armSchedule(s)
			}
		}
		m.admitSlot(s)
		return
	}
	if in.Schedule == fsm.HeartbeatSchedule {
		m.beat(in)
		return
	}
	m.s.Ignored.Slots++
}

// beat takes a beat of the heartbeat, at most once (EVT-20).
func (m *Machine) beat(in fsm.ScheduleDue) {
	hb, b, slot := &m.s.Config.Heartbeat, &m.s.Beat, in.Slot
	if hb.Every == 0 || !fresh(in, b.Last) || m.s.Lifecycle != state.Serving {
		m.s.Ignored.Slots++
		return
	}
	if in.Back { // a request or a greeting cannot lie in the future
		b.Spoke, b.Greets = min(b.Spoke, slot), min(b.Greets, slot)
	}
	first := b.Last == 0 // not a beat, but the time from which beats are counted
	b.Last = slot
	m.armBeat()
	if b.Spoke == 0 && hb.Greet.Idle > 0 {
		b.Spoke = slot
	}
	if first {
		return
	}
	zone, _ := cron.ZoneNamed(m.s.Config.Zones, hb.Zone)
	if heartbeat.Quiet(hb.Quiet, &zone, slot) || heartbeat.Quiet(hb.Quiet, &zone, m.s.Now) { // the present may be later than the slot
		return
	}
	if hb.Do != "" {
		m.admitBeat(string(fsm.HeartbeatSchedule), m.word(fsm.WordBeat, "time", zone.Stamp(slot), "do", hb.Do, "nothing", fsm.NothingMarker))
	}
	if heartbeat.Greets(hb.Greet, *b, &zone, slot) {
		m.greet(slot, &zone)
	}
}

// greet admits a greeting (EVT-22).
func (m *Machine) greet(slot fsm.Millis, zone *fsm.Zone) {
	b := &m.s.Beat
	idle := hoursOf(slot - b.Spoke)
	if today := heartbeat.Day(zone, slot); b.Day != today {
		b.Day, b.Greeted = today, 0
	}
	b.Greets, b.Greeted = slot, b.Greeted+1
	m.admitBeat(m.s.Config.Heartbeat.To.Key(), m.word(fsm.WordGreeting, "time", zone.Stamp(slot), "idle", idle, "nothing", fsm.NothingMarker))
}

// hoursOf returns a duration in words: in hours, or in minutes if it is shorter than two
// hours.
func hoursOf(d fsm.Millis) string {
	if hours := d / (3600 * fsm.Second); hours >= 2 {
		return strconv.FormatInt(int64(hours), 10) + " hours"
	}
	return strconv.FormatInt(int64(d/(60*fsm.Second)), 10) + " minutes"
}

// admitBeat admits the handle of a beat, unless that of an earlier beat in the same session
// has not begun.
func (m *Machine) admitBeat(session, input string) {
	for i := range m.s.Handles {
		if h := &m.s.Handles[i]; h.Kind == fsm.KindSchedule && h.Hush && h.Session == session && h.ParkedOrQueued() && h.Resume == "" {
			m.s.Ignored.Joined++
			return
		}
	}
	to := m.s.Config.Heartbeat.To
	m.admit(state.Handle{Accepted: state.Accepted{Kind: fsm.KindSchedule, Session: session, Home: to.Key(), Origin: to, Hush: true, Input: input, Source: fsm.FromOperator}})
}

// armBeat asks for the next beat, if there is a heartbeat. Before the first beat that is
// the last multiple of the interval that has passed.
func (m *Machine) armBeat() {
	if every := m.s.Config.Heartbeat.Every; every > 0 {
		m.emit(fsm.ArmSchedule{Schedule: fsm.HeartbeatSchedule, Every: every, From: m.s.Beat.Last})
	}
}

// reconfigured puts a configuration into effect while the machine runs.
func (m *Machine) reconfigured(in fsm.Configured) {
	before := m.s.Config.Heartbeat
	m.configure(in.Config)
	switch now := m.s.Config.Heartbeat; {
	case now == before || m.s.Lifecycle != state.Serving:
	case now.Every == 0:
		m.emit(fsm.DisarmSchedule{Schedule: fsm.HeartbeatSchedule})
	default:
		m.armBeat()
	}
}

// admitSlot admits a slot's handle, unless that of an earlier slot has not begun: then one
// is enough for both, and slots that come faster than they are handled do not pile up.
func (m *Machine) admitSlot(s fsm.Schedule) {
	for i := range m.s.Handles {
		if h := &m.s.Handles[i]; h.RunOf(s.ID) && h.ParkedOrQueued() && h.Resume == "" {
			m.s.Ignored.Joined++
			return
		}
	}
	run := state.Accepted{Kind: fsm.KindSchedule, Session: state.ScheduleSession(s.ID), Home: s.Home, Origin: s.Origin, Input: s.Text, Source: s.Source}
	if m.comesHome(s) {
		run.Session, run.Schedule, run.Source = s.Home, s.ID, s.Source|fsm.FromOperator
	}
	m.admit(state.Handle{Accepted: run})
}

// comesHome reports whether a schedule's run is a turn of the session in which the schedule was
// made (HND-70).
func (m *Machine) comesHome(s fsm.Schedule) bool {
	if s.Once == 0 || !turn.Hears(&m.s.Config) || m.s.Cached.Session != s.Home {
		return false
	}
	return !slices.ContainsFunc(m.s.Handles, func(h state.Handle) bool { return h.Session == s.Home && h.Kind != fsm.KindMemory })
}

// Unfit returns why a person's change to a schedule cannot be made at a time, or "" if it
// can. It changes nothing.
func (m *Machine) Unfit(in fsm.ScheduleChanged, now fsm.Millis) string {
	if m.s.Lifecycle != state.Initializing && m.s.Lifecycle != state.Serving {
		return m.word(fsm.WordShuttingDown) // and nothing is armed then (INV-8)
	}
	if in.Change == fsm.ScheduleAdd {
		_, _, wrong := m.planned(in, now)
		return wrong
	}
	i := slices.IndexFunc(m.s.Schedules, func(s fsm.Schedule) bool { return s.ID == in.Schedule })
	switch {
	case i < 0:
		return m.word(fsm.WordCronUnknown, "schedule", strconv.Quote(fsm.Clip(in.Schedule, 100)))
	case in.Change == fsm.SchedulePause && m.s.Schedules[i].Paused:
		return m.word(fsm.WordCronSame, "schedule", in.Schedule, "state", "paused")
	case in.Change == fsm.ScheduleResume && !m.s.Schedules[i].Paused:
		return m.word(fsm.WordCronSame, "schedule", in.Schedule, "state", "armed")
	default:
		return ""
	}
}

// planned returns the schedule that a person adds, or what is wrong with it.
func (m *Machine) planned(in fsm.ScheduleChanged, now fsm.Millis) (fsm.Schedule, fsm.Zone, string) {
	session, origin := fsm.Belongs(in.Session, in.Origin)
	s := fsm.Schedule{Home: session, Origin: origin, Source: fsm.FromPerson, Text: in.Text, Every: in.Every, Cron: strings.TrimSpace(in.Cron)}
	return m.plan(s, in.Once, in.Zone, now)
}

// scheduleChanged makes a person's change to a schedule (HND-62).
func (m *Machine) scheduleChanged(in fsm.ScheduleChanged) {
	if m.Unfit(in, m.s.Now) != "" {
		m.s.Ignored.Decisions++
		return
	}
	i := slices.IndexFunc(m.s.Schedules, func(s fsm.Schedule) bool { return s.ID == in.Schedule })
	switch in.Change {
	case fsm.ScheduleAdd:
		s, _, _ := m.planned(in, m.s.Now)
		m.addSchedule(s)
	case fsm.ScheduleRemove:
		m.removeSchedule(in.Schedule)
	case fsm.SchedulePause:
		m.s.Schedules[i].Paused = true
		m.emit(fsm.DisarmSchedule{Schedule: in.Schedule})
	case fsm.ScheduleResume:
		s := &m.s.Schedules[i]
		s.Paused, s.Last = false, m.passed(*s)
		m.armSchedule(*s)
	case fsm.ScheduleRun:
		m.admitSlot(m.s.Schedules[i])
	default:
		m.s.Ignored.Decisions++
	}
}

// passed returns the slot from which a schedule goes on once it is resumed: those that
// passed while it was paused are not run. Slots of an interval stay as far apart as they
// were.
func (m *Machine) passed(s fsm.Schedule) fsm.Millis {
	switch {
	case s.Every > 0 && m.s.Now > s.Last:
		return s.Last + (m.s.Now-s.Last)/s.Every*s.Every
	case s.Cron != "":
		return max(s.Last, m.s.Now)
	default:
		return s.Last
	}
}

package export

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"shelly/fsm"
	"shelly/fsm/engine"
	"shelly/fsm/state"
	"shelly/fsm/wording"
	"shelly/sim"
	"shelly/sim/history"
	"shelly/sim/scenario/format"
	"shelly/sim/scenario/layout"
	"shelly/sim/strict"
)

// The ids that the request has in a scenario, and another that it waits for.
const (
	requestID = "r1"
	otherID   = "r0"
	nextID    = "r0b" // of one that has its turn after a start, before the request
)

// Scenario writes the record as an ordinary scenario of this request, or of this run of an
// event or a schedule, and its subagents alone: a world, a script, a timeline from 0s on,
// and expectations (SCN-47, SCN-70). It takes the same transitions as the record; where that
// cannot be, the error says where and why. Times are rounded, and tools that nobody called
// only named, where they may be. Where the record ends after the reply but before the handle
// does, the rest is left to the machine.
func (r *Record) Scenario() (*File, error) {
	if err := r.unfit(); err != nil {
		return nil, err
	}
	exact := func(d fsm.Millis) fsm.Millis { return d }
	tellings := []telling{
		{rounded, true, false, false},
		{rounded, false, false, false}, // how long a prompt is depends on what is said of tools
		{exact, false, false, false},   // the record does not say what a crash has lost
		{exact, false, true, false},
		{exact, false, false, true}, // what comes at one time may come in any order
		{exact, false, true, true},
	}
	var holds *File // under some seeds alone
	var why error
	reached := 0 // the step that the one came to that came furthest
	for i, how := range tellings {
		file, err := r.scenario(how)
		switch {
		case err == nil && file.steady():
			return file, nil
		case err == nil && holds == nil:
			holds = file
		case err != nil && i > 0:
			if at := (*refusal)(nil); why == nil || errors.As(err, &at) && at.step > reached {
				why = err
				if at != nil {
					reached = at.step
				}
			}
		}
	}
	if holds != nil {
		return holds, nil
	}
	return nil, why
}

// unfit says why a record cannot become an ordinary scenario, as far as that shows before one is written.
func (r *Record) unfit() error {
	switch {
	case r.Run && r.kind() != fsm.KindEvent && r.schedule() == nil:
		return errors.New("only a request and the run of an event or a schedule can become a scenario; use --as replay for any other run")
	case r.Run && r.waited():
		return errors.New("the run was cancelled or parked before its turn came; use --as replay")
	case r.Ended || r.Request.Done:
		return nil
	}
	why := "the request has no reply yet"
	if r.Run {
		why = "the run has not ended yet"
	}
	return errors.New(why + "; use --as replay for what there is so far")
}

// telling is a way to write a record as a scenario.
type telling struct {
	round  func(fsm.Millis) fsm.Millis
	brief  bool // tools that nobody called are only named
	synced bool // its crashes lose nothing
	spread bool // what came from without at the time of something else comes apart from it
}

// scenario writes, loads, plays and compares it.
func (r *Record) scenario(how telling) (*File, error) {
	s, err := r.tell(how)
	if err != nil {
		return nil, err
	}
	s.brief = how.brief
	if how.synced && len(s.crashes) == 0 {
		return nil, errors.New("there is no crash")
	}
	if err := s.count(); err != nil {
		return nil, err
	}
	if err := s.strike(how.synced); err != nil {
		return nil, err
	}
	text, err := s.write()
	if err != nil {
		return nil, err
	}
	file, err := played([]byte(text))
	if file != nil {
		if other := r.compare(file.result); other != nil { // says more than what does not hold for it
			return nil, other
		}
	}
	if err != nil {
		return nil, fmt.Errorf("use --as replay: %w", err)
	}
	return file, nil
}

// write is the scenario's text.
func (s *story) write() (string, error) {
	r := s.record
	name := strings.TrimPrefix(r.name(), r.Name()+": ")
	o := object{{"scenario", format.FormatVersion}, {"name", nameOf(name)}, {"tags", []string{"export"}}}
	r.setting(&o, s.added)
	o.flag("calls_as_text", s.writesCalls())
	s.past(&o)
	o.object("tools", s.stubs())
	s.scripts(&o)
	begins, err := s.begin()
	if err != nil {
		return "", err
	}
	o.list("timeline", append(begins, s.timeline...))
	var faults object
	if !s.plain {
		s.services(&faults)
	}
	faults.list("crash", s.struck())
	o.object("faults", faults)
	o.put("expect", s.expect())
	text, err := o.render()
	if err == nil {
		text, err = shortened(text)
	}
	if err != nil {
		return "", err
	}
	what := "a request that ended as " + string(r.Request.Outcome)
	if r.Run {
		what = "a run of kind " + string(r.kind())
	}
	laid, err := layout.Text([]byte("# Exported from a journal: " + what + ".\n" + text))
	if large := (*strict.Error)(nil); errors.As(err, &large) && large.Size() { // and a replay has more
		return "", fmt.Errorf("the scenario %s", large.Problems[0].Text)
	}
	if err != nil {
		return "", fmt.Errorf("use --as replay: the scenario %w", err)
	}
	return string(laid), nil
}

// nameBytesMax is the longest name of a scenario that is exported.
const nameBytesMax = 120

// nameOf is a name of one line.
func nameOf(text string) string {
	text = wording.Clip(wording.OneLine(text), nameBytesMax)
	if strings.TrimSpace(text) == "" {
		return "a request"
	}
	return text
}

// apart is the time between entries of the timeline whose order matters: those of one time may come in
// any (SIM-2).
const apart = fsm.Millis(1)

// begin is what the timeline begins with: what the record is of, after another request that it waits for.
func (s *story) begin() ([]any, error) {
	r := s.record
	if of := r.schedule(); of != nil { // whose slots, but for this one, lie beyond the case
		o := object{{"add", of.Text}, {"every", "8760h"}}
		o.text("session", of.Home)
		o.text("channel", of.Origin.Channel)
		o.text("chat", of.Origin.Chat)
		return []any{object{{"schedule", o}}, object{{"at", span(apart)}, {"schedule", object{{"run", scheduleID}}}}}, nil
	}
	if in, ok := r.Steps[0].Input.Fact.(fsm.EventRaised); ok {
		o := object{{"source", in.Source}, {"kind", in.Event}}
		o.text("subject", in.Subject)
		o.text("detail", in.Detail)
		o.text("do", in.Do)
		o.text("channel", in.To.Channel)
		o.text("chat", in.To.Chat)
		return []any{object{{"event", o}}}, nil
	}
	request, err := r.asked()
	if err != nil || !s.follows {
		return []any{request}, err
	}
	begins := []any{s.another(otherID)}
	if s.again > 0 {
		begins = append(begins, append(object{{"at", span(apart)}}, s.another(nextID)...))
	}
	return append(begins, append(object{{"at", span(s.comes())}}, request...)), nil
}

// comes is when the request comes after another one: a command comes once the model is asked.
func (s *story) comes() fsm.Millis {
	if s.record.command() != "" {
		return fsm.Second
	}
	if s.again > 0 {
		return 2 * apart
	}
	return apart
}

// kind is what kind of work a run is.
func (r *Record) kind() fsm.Kind { return fsm.Kind(r.Request.Key.Channel) }

// scheduleID is the id that the schedule of a run has in a scenario.
const scheduleID = "s1"

// schedule is the one whose slot a run is, or that a person said to run, or nil.
func (r *Record) schedule() *fsm.Schedule {
	if !r.Run || r.kind() != fsm.KindSchedule {
		return nil
	}
	id := strings.TrimPrefix(r.Request.Session, state.ScheduleSession(""))
	if due, ok := r.Steps[0].Input.Fact.(fsm.ScheduleDue); ok { // its run may be of the session in which it was made (HND-70)
		id = due.Schedule
	}
	if said, ok := r.Steps[0].Input.Fact.(fsm.ScheduleChanged); ok {
		id = said.Schedule
	}
	i := slices.IndexFunc(r.From.Schedules, func(s fsm.Schedule) bool { return s.ID == id })
	if i < 0 { // a heartbeat's
		return nil
	}
	return &r.From.Schedules[i]
}

// session is what a session of the record is called in the scenario.
func (r *Record) session(name string) string {
	if of := r.schedule(); of != nil && name == r.Request.Session {
		return state.ScheduleSession(scheduleID)
	}
	return name
}

// asked is the request as the timeline has it.
func (r *Record) asked() (object, error) {
	in, ok := r.Steps[0].Input.Fact.(fsm.Requested)
	if !ok {
		return nil, r.refused(1, "the record is not a request")
	}
	o := object{{"user", in.Text}, {"id", requestID}}
	o.text("session", in.Session)
	o.text("channel", in.Origin.Channel)
	o.text("chat", in.Origin.Chat)
	o.list("images", images(in.Images))
	o.list("context", said(in.Context))
	return o, nil
}

// compare holds what was played against the record: the same transitions, handle by
// handle.
func (r *Record) compare(result *sim.Result) error {
	again, err := r.told(result)
	if err != nil {
		return err
	}
	want, got := r.ways(), again.ways()
	if len(want) > len(got) || r.Ended && len(want) < len(got) {
		return r.refused(1, "%d handles came of it, and of the scenario %d", len(want), len(got))
	}
	for i := range want {
		for n, t := range want[i] {
			switch {
			case n >= len(got[i]):
				return r.refused(t.step, "%s leads %s → %s, and the scenario has ended", fsm.InputKind(r.Steps[t.step-1].Input), t.From, t.To)
			case got[i][n].Move != t.Move:
				return r.refused(t.step, "%s leads %s → %s, and in the scenario %s → %s",
					fsm.InputKind(r.Steps[t.step-1].Input), t.From, t.To, got[i][n].From, got[i][n].To)
			}
		}
		if r.Ended && len(got[i]) > len(want[i]) {
			return r.refused(len(r.Steps), "the handle has ended, and in the scenario it goes on")
		}
	}
	return nil
}

// told is what came of the request, the event or the schedule in the scenario.
func (r *Record) told(result *sim.Result) (*Record, error) {
	j := engine.NewMemoryJournal()
	b := engine.Batch{Requests: result.Requests}
	for _, s := range result.Steps {
		b.Records = append(b.Records, engine.Record{Index: s.Index, Input: s.Input, Effects: fsm.HashEffects(s.Effects)})
	}
	if err := j.Append(b, true); err != nil {
		return nil, err
	}
	if !r.Run {
		i := slices.IndexFunc(result.Requests, func(q engine.Request) bool { return q.Key.ID == requestID })
		if i < 0 {
			return nil, r.refused(1, "the scenario does not accept the request")
		}
		return Read(j, result.Requests[i].Key)
	}
	runs, err := history.Runs(j, 0)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(runs, func(run history.Run) bool { return run.Kind == r.kind() })
	if i < 0 {
		return nil, r.refused(1, "nothing comes of it in the scenario")
	}
	h, err := history.OfRun(j, runs[i])
	if err != nil {
		return nil, err
	}
	return ReadOf(j, h)
}

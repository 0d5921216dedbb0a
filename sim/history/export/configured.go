package export

import (
	"reflect"
	"slices"
	"strings"

	"shelly/fsm"
	"shelly/fsm/state"
)

// setBy is what a scenario says of a configuration: neither what each start draws for its
// waits, nor how fast the model's machine was found to be. A heartbeat would beat beside the
// request.
func setBy(c fsm.Config) fsm.Config {
	c.Jitter, c.Pace, c.Heartbeat = 0, fsm.Pace{}, fsm.Heartbeat{}
	return c
}

// standing are the grants that can cover calls of the request.
func (r *Record) standing(s *state.Snapshot) []any {
	session, _ := fsm.Belongs(r.Request.Session, r.Request.Origin)
	return granted(slices.DeleteFunc(slices.Concat(s.Grants, s.Config.Grants), func(g fsm.Grant) bool {
		return g.Session != "" && g.Session != session
	}))
}

// configured tells that a step has changed the configuration or the grants, where it has. What a
// start brought was changed while no process ran. Grants that somebody else gave or revoked are
// told as a file that changed.
func (s *story) configured(n int, was, now fsm.Config, had, has []any) error {
	step := &s.record.Steps[n-1]
	regranted := !reflect.DeepEqual(had, has) && !step.About // its own decisions and a /new change them, too
	was.Grants, now.Grants = nil, nil
	if n-1 < s.first || !regranted && reflect.DeepEqual(was, now) {
		return nil
	}
	if name, differs := firstDiffering(unsaid(was), unsaid(now)); differs {
		return s.record.refused(n, "the configuration changed in %s, which a scenario cannot change as it runs", name)
	}
	at, starts := s.times[n-1], false
	if _, boots := step.Input.Fact.(fsm.Boot); boots && s.tells(n) {
		starts = true
		stopped := s.times[max(n-2, 0)]
		at = stopped + (at-stopped)/2
	}
	config := differences(&now, &was)
	if err := s.retooled(n, &config, was.Tools, now.Tools); err != nil {
		return err
	}
	if regranted {
		s.at(at, object{{"edit_grants", has}})
	}
	if !starts && len(config) == 0 { // it is read with the file of grants
		config.put("tell_time", now.Switches.TellTime)
	}
	if len(config) > 0 {
		s.at(at, object{{"configure", config}})
	}
	return nil
}

// firstDiffering is the name of the first field in which two configurations differ.
func firstDiffering(a, b fsm.Config) (name string, differs bool) {
	is, other := reflect.ValueOf(a), reflect.ValueOf(b)
	for i := range is.NumField() {
		if !reflect.DeepEqual(is.Field(i).Interface(), other.Field(i).Interface()) {
			name, _, _ = strings.Cut(is.Type().Field(i).Tag.Get("json"), ",")
			return name, true
		}
	}
	return "", false
}

// retooled adds which tools there are now, and who decides about their calls.
func (s *story) retooled(n int, config *object, was, now []fsm.ToolDecl) error {
	var approve object
	known := slices.Concat(s.record.From.Config.Tools, s.added)
	for _, t := range now {
		i := slices.IndexFunc(known, func(k fsm.ToolDecl) bool { return k.Name == t.Name })
		if i < 0 {
			s.added = append(s.added, t)
			continue
		}
		asks := t.Approve
		if t.Approve = known[i].Approve; !reflect.DeepEqual(t, known[i]) {
			return s.record.refused(n, "the configuration declares the tool %s differently", t.Name)
		}
		if before := slices.IndexFunc(was, func(w fsm.ToolDecl) bool { return w.Name == t.Name }); before >= 0 && was[before].Approve == asks || before < 0 && known[i].Approve == asks {
			continue
		}
		word := "never"
		if asks {
			word = "always"
		}
		approve.put(t.Name, word)
	}
	every := func(fsm.ToolDecl) bool { return true }
	if names := toolNames(now, every); !slices.Equal(names, toolNames(was, every)) {
		config.put("tools", names)
	}
	config.object("approve", approve)
	return nil
}

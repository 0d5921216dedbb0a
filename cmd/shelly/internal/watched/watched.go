// Package watched makes the event sources of a configuration (EVT-9).
package watched

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"shelly/fsm"
	"shelly/runtime/config"
	"shelly/runtime/event"
	"shelly/runtime/event/settle"
	"shelly/runtime/event/source"
)

// Defaults of the sources.
const (
	settleDefault  = 2 * time.Second
	longestDefault = 30 * time.Second // or ten times the settling time, if that is more
	lowHold        = time.Minute
	highHold       = 5 * time.Minute
	stateHold      = 10 * time.Second
	loadAbove      = 2 * config.Whole
	pressureAbove  = 40_00
)

// Sources returns the sources of a configuration, ordered by kind and then as in the file.
func Sources(cfg config.Config) []event.Spec {
	var all []event.Spec
	for _, s := range cfg.Events.Files {
		all = append(all, files(cfg, s.Name, s.Value))
	}
	for _, s := range cfg.Events.Disk {
		path := cmp.Or(string(s.Value.Path), "/")
		all = append(all, low(s.Name, "disk", path+" ", source.Disk{Path: path}, s.Value.WatchedLow))
	}
	for _, s := range cfg.Events.Memory {
		all = append(all, low(s.Name, "memory", "", source.Memory{}, s.Value))
	}
	for _, s := range cfg.Events.Load {
		all = append(all, high(s.Name, "load", "", source.Load{}, s.Value, loadAbove))
	}
	for _, s := range cfg.Events.Pressure {
		all = append(all, high(s.Name, "pressure", s.Value.Of+" ", source.Pressure{Of: s.Value.Of}, s.Value.WatchedHigh, pressureAbove))
	}
	for _, s := range cfg.Events.Processes {
		all = append(all, processes(s.Name, s.Value))
	}
	for _, s := range cfg.Events.Units {
		spec := told(s.Name, "units", s.Value.Telling)
		spec.Of, spec.Hold = strings.Join(s.Value.Units, " "), millis(s.Value.Hold.Or(stateHold))
		if s.Value.User {
			spec.Of += ", the user's"
		}
		spec.Source = source.Units{Names: s.Value.Units, User: s.Value.User}
		all = append(all, spec)
	}
	for i := range all {
		all[i].To = cfg.Named(all[i].To)
	}
	return all
}

func processes(name string, w config.WatchedProcess) event.Spec {
	s := told(name, "processes", w.Telling)
	s.Hold = millis(w.Hold.Or(stateHold))
	s.Of, s.Source = w.Name, source.Process{Name: w.Name}
	if most := int64(w.Memory); most > 0 {
		s.Of = fmt.Sprintf("%s above %s of memory", w.Name, w.Memory)
		s.Source = source.ProcessMemory{Process: source.Process{Name: w.Name}, Most: uint64(most)}
		s.Level = settle.Level{Enter: most, Clear: most * 3 / 4}
		s.Crossed, s.Clear = "large", "normal"
	}
	return s
}

// told returns the beginning of a source's spec: its name and kind, and what happens with its
// events.
func told(name, kind string, t config.Telling) event.Spec {
	return event.Spec{
		Name: name, Kind: kind, Do: t.Do, To: t.Chat(),
		Rate: settle.Rate{Max: cmp.Or(t.PerHour, config.PerHourDefault), Window: millis(time.Hour)},
	}
}

func files(cfg config.Config, name string, w config.WatchedFiles) event.Spec {
	s := told(name, "files", w.Telling)
	s.Folder = string(w.Path)
	s.Settle = millis(w.Settle.Or(settleDefault))
	s.Longest = max(10*s.Settle, millis(longestDefault))
	s.Of = s.Folder
	if w.Recursive {
		s.Of += ", and below"
	}
	if len(w.Ignore) > 0 {
		s.Except = event.Except + strings.Join(w.Ignore, " ")
		s.Of += s.Except
	}
	s.Source = source.Files{Folder: s.Folder, Recursive: w.Recursive, Ignore: w.Ignore, Private: []string{cfg.Data}}
	return s
}

func low(name, kind, of string, from event.Source, w config.WatchedLow) event.Spec {
	s := told(name, kind, w.Telling)
	enter, clear := w.Thresholds()
	s.Source, s.Hold = from, millis(w.Hold.Or(lowHold))
	s.Level = settle.Level{Below: true, Enter: int64(enter), Clear: int64(clear)}
	s.Crossed, s.Clear = "low", "enough"
	s.Of = fmt.Sprintf("%sbelow %s, enough at %s", of, enter, clear)
	return s
}

func high(name, kind, of string, from event.Source, w config.WatchedHigh, above config.Percent) event.Spec {
	s := told(name, kind, w.Telling)
	enter, clear := w.Thresholds(above)
	s.Source, s.Hold = from, millis(w.Hold.Or(highHold))
	s.Level = settle.Level{Enter: int64(enter), Clear: int64(clear)}
	s.Crossed, s.Clear = "high", "normal"
	s.Of = fmt.Sprintf("%sabove %s, normal at %s", of, enter, clear)
	return s
}

func millis(d time.Duration) fsm.Millis { return fsm.Millis(d.Milliseconds()) }

package config

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"time"
	"unicode"

	"shelly/fsm/wording"
)

// fault is what is wrong with one part of a map by name.
type fault struct{ field, key, text string }

// faults returns what is wrong with the sources of events (EVT-9).
func (e Events) faults() []fault {
	c := eventCheck{names: map[string]string{}}
	for _, s := range e.Files {
		key := c.source("events.files", s.Name, s.Value.Telling)
		if path := string(s.Value.Path); path == "" || path == filepath.Dir(path) {
			c.wrong("events.files", key+".path", "is the whole file system; name a folder in it")
		}
	}
	for _, s := range e.Disk {
		c.low("events.disk", s.Name, s.Value.WatchedLow)
	}
	for _, s := range e.Memory {
		c.low("events.memory", s.Name, s.Value)
	}
	for _, s := range e.Load {
		c.high("events.load", s.Name, s.Value, percentMax)
	}
	for _, s := range e.Pressure {
		c.high("events.pressure", s.Name, s.Value.WatchedHigh, Whole)
	}
	for _, s := range e.Processes {
		key := c.source("events.processes", s.Name, s.Value.Telling)
		if name := s.Value.Name; strings.TrimSpace(name) == "" || strings.ContainsFunc(name, unicode.IsControl) {
			c.wrong("events.processes", key+".name", "names no program; give it as ps has it, such as ollama")
		} else if filepath.IsAbs(name) { // no process has such a name, and a watched one would count as gone for ever
			c.wrong("events.processes", key+".name", "is a path; give the name as ps has it, such as "+wording.Quote(filepath.Base(name)))
		}
	}
	for _, s := range e.Units {
		key := c.source("events.units", s.Name, s.Value.Telling)
		if len(s.Value.Units) == 0 || len(s.Value.Units) > unitsMax {
			c.wrong("events.units", key+".units", "wants a list of 1 to 64 names such as [nginx.service]")
		}
		for _, name := range s.Value.Units {
			if strings.TrimSpace(name) == "" || strings.ContainsFunc(name, unicode.IsSpace) || strings.ContainsAny(name, "*?[") {
				c.wrong("events.units", key+".units", wording.Quote(name)+" is not the name of one unit")
			}
		}
	}
	c.heartbeat(e.Heartbeat)
	return c.faults
}

// unitsMax bounds the units of one source.
const unitsMax = 64

// beatMin is the shortest time between two beats.
const beatMin = time.Minute

func (c *eventCheck) heartbeat(h Heartbeat) {
	const key = "events.heartbeat"
	to := Telling{Tell: h.Tell}.Chat()
	switch {
	case h.Every == 0 && (h.Do != "" || h.Greet.Idle > 0):
		c.wrong(key+".every", key+".every", "is 0s, so there is no heartbeat; give a time such as 30m")
	case h.Every > 0 && h.Every < beatMin:
		c.wrong(key+".every", key+".every", formatDuration(h.Every)+" is out of range; the least is 1m")
	case h.Every > 0 && h.Do == "" && h.Greet.Idle == 0:
		c.wrong(key+".every", key+".every", "there is nothing to do at a beat; give events.heartbeat.do, or events.heartbeat.greet.idle such as 4h")
	case to.Channel == "" || to.Chat == "":
		c.wrong(key+".tell", key+".tell", "wants a chat such as cli:direct, not "+wording.Quote(h.Tell))
	}
}

// eventCheck checks sources one after another.
type eventCheck struct {
	names  map[string]string // the keys of the sources so far, by name
	faults []fault
}

func (c *eventCheck) wrong(field, key, text string) {
	c.faults = append(c.faults, fault{field, key, text})
}

// sourceNameMax is the same as for the sources of COM-10.
const sourceNameMax = 64

// source checks what all sources have in common, and returns the source's key.
func (c *eventCheck) source(field, name string, t Telling) string {
	key := field + "." + wording.Word(name)
	if what := wrongName(name, sourceNameMax); what != "" {
		c.wrong(field, key, what)
	}
	if other := c.names[name]; other != "" {
		c.wrong(field, key, "has the name of "+other+"; give it another")
	}
	c.names[name] = key
	if to := t.Chat(); t.Tell != "" && t.Tell != "none" && (to.Channel == "" || to.Chat == "" || strings.ContainsFunc(t.Tell, unicode.IsControl)) {
		c.wrong(field, key+".tell", "wants a chat such as cli:direct, or none, not "+wording.Quote(t.Tell))
	}
	return key
}

func (c *eventCheck) low(field, name string, w WatchedLow) {
	key := c.source(field, name, w.Telling)
	switch enter, clear := w.Thresholds(); {
	case enter > Whole || clear > Whole:
		c.wrong(field, key, "there is never more than 100%")
	case clear < enter:
		c.wrong(field, key+".clear", fmt.Sprintf("%s is less than below (%s), so it would be both at once", clear, enter))
	}
}

func (c *eventCheck) high(field, name string, w WatchedHigh, most Percent) {
	key := c.source(field, name, w.Telling)
	switch enter, clear := w.Thresholds(1); {
	case enter > most && w.Above > 0:
		c.wrong(field, key+".above", fmt.Sprintf("%s is out of range; the most is %s", enter, most))
	case w.Above > 0 && clear > enter:
		c.wrong(field, key+".clear", fmt.Sprintf("%s is more than above (%s), so it would be both at once", clear, enter))
	}
}

// wrongName says what is wrong with a name, or returns "".
func wrongName(name string, most int) string {
	switch {
	case !regexp.MustCompile(namePattern).MatchString(name):
		return "a name is of letters, digits, _ and -, and begins with a letter"
	case len(name) > most:
		return fmt.Sprintf("the name is %d characters long; the most is %d", len(name), most)
	default:
		return ""
	}
}

// namePattern is what the name of a tool, a server or a source may be: part of a function name as
// models write it.
const namePattern = `^[a-zA-Z][a-zA-Z0-9_-]*$`

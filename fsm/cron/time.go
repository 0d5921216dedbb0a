package cron

import (
	"strings"

	"shelly/fsm"
)

// ParseAt reads one time: a date and a time of day, in the zone given unless Z or an offset
// follows (HND-48).
func ParseAt(text string, zone *fsm.Zone) (fsm.Millis, bool) {
	local, rest, ok := fsm.ParseTime(strings.TrimSpace(text))
	if !ok {
		return 0, false
	}
	if rest = strings.TrimSpace(rest); rest != "" {
		own, ok := fsm.ParseOffset(rest)
		return own.UTC(local), ok
	}
	return zone.UTC(local), true
}

// ZoneNamed returns the zone of a name: a known one, an offset, or for the empty name the
// first known one, or UTC.
func ZoneNamed(zones []fsm.Zone, name string) (fsm.Zone, bool) {
	if name == "" && len(zones) > 0 {
		return zones[0], true
	}
	for _, z := range zones {
		if strings.EqualFold(z.Name, name) {
			return z, true
		}
	}
	if name == "" || strings.EqualFold(name, "UTC") {
		return fsm.Zone{Name: "UTC"}, true
	}
	return fsm.ParseOffset(strings.TrimPrefix(name, "UTC"))
}

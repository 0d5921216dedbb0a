package format

import (
	"slices"
	"strconv"
	"strings"

	"shelly/sim"
)

// EveryPoint stands for each crash point that the uninterrupted case meets.
const EveryPoint = "$every"

// CrashPoints are the points as a file names them; a step has a number.
func CrashPoints() []string {
	var names []string
	for _, p := range sim.Points() {
		if p == sim.AfterStep {
			p += ".1"
		}
		names = append(names, string(p))
	}
	return append(names, EveryPoint)
}

// CrashPoint returns the point and step that a file names.
func CrashPoint(name string) (point sim.Point, step int, ok bool) {
	if number, found := strings.CutPrefix(name, "step."); found {
		n, err := strconv.Atoi(number)
		return sim.AfterStep, n, err == nil && n > 0
	}
	known := slices.Contains(CrashPoints(), name)
	return sim.Point(name), 0, known
}

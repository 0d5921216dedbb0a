package source

import (
	"fmt"
	"strconv"

	"shelly/fsm"
	"shelly/fsm/wording"
)

// word names a text about what a source has seen (EVT-6).
type word int

const (
	wordDiskLow word = iota
	wordDiskEnough
	wordMemoryLow
	wordMemoryEnough
	wordLoadHigh
	wordLoadNormal
	wordPressureHigh
	wordPressureNormal
	wordProcessGone
	wordProcessRuns
	wordProcessLarge
	wordProcessSmall
	wordUnit
	wordUnitFailed
	wordUnitUnknown
	wordsEnd // the number of words
)

// words are the texts.
var words = [wordsEnd]string{
	wordDiskLow:        "Little space is left on {path}: {free} of {size} are free, which is {percent}.",
	wordDiskEnough:     "There is enough space on {path} again: {free} of {size} are free, which is {percent}.",
	wordMemoryLow:      "Little memory is left: programs can still have {free} of {size}, which is {percent}.",
	wordMemoryEnough:   "There is enough memory again: programs can have {free} of {size}, which is {percent}.",
	wordLoadHigh:       "The machine is busy: its load is {load} with {processors}, which is {percent} of what they can do.",
	wordLoadNormal:     "The machine is less busy again: its load is {load} with {processors}, which is {percent} of what they can do.",
	wordPressureHigh:   "Programs wait for {what}: in the last minute some did for {percent} of the time.",
	wordProcessGone:    "No process {name} runs any more.",
	wordProcessRuns:    "A process {name} runs now.",
	wordProcessLarge:   "The processes {name} take {size} of memory together, which is more than {most}.",
	wordProcessSmall:   "The processes {name} take less memory again, {size} together.",
	wordUnit:           "The unit {unit} is {state} now ({sub}).",
	wordUnitFailed:     "The unit {unit} has failed ({result}). What it said is in its journal: journalctl -u {unit}.",
	wordUnitUnknown:    "The unit {unit} is not known to systemd.",
	wordPressureNormal: "Programs wait less for {what}: in the last minute some did for {percent} of the time.",
}

// say returns a text with its arguments filled in: pairs of a name and the text for {name}.
func say(w word, args ...string) string { return fsm.FillIn(words[w], args...) }

// percent formats hundredths of a percent: 4.2%.
func percent(hundredths int64) string {
	tenths := (hundredths + 5) / 10
	text := strconv.FormatInt(tenths/10, 10)
	if rest := tenths % 10; rest > 0 {
		text += "." + strconv.FormatInt(rest, 10)
	}
	return text + "%"
}

// size formats a number of bytes: 1.3 GB.
func size(bytes uint64) string {
	units := []string{"kB", "MB", "GB", "TB", "PB"}
	if bytes < 1000 {
		return wording.Count(int(bytes), "byte")
	}
	value, unit := float64(bytes)/1000, 0
	for value >= 999.5 && unit < len(units)-1 {
		value, unit = value/1000, unit+1
	}
	if value < 9.95 {
		return fmt.Sprintf("%.1f %s", value, units[unit])
	}
	return fmt.Sprintf("%.0f %s", value, units[unit])
}

// part returns a's share of b in hundredths of a percent.
func part(a, b uint64) int64 {
	if b == 0 {
		return 0
	}
	return int64(float64(a) / float64(b) * 100_00)
}

package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"shelly/fsm"
	"shelly/sim/strict"
)

// Events are what the daemon looks out for by itself (EVT): sources by their names, which
// their events have. Default: none. An event costs a turn of the model, so whoever wants one
// says so.
type Events struct {
	// Files are folders whose files are watched (EVT-7).
	Files strict.ByName[WatchedFiles] `key:"files"`
	// Disk is the free space of mounts, in parts of their size (EVT-10).
	Disk strict.ByName[WatchedDisk] `key:"disk"`
	// Memory is what programs can still have of the memory, in parts of it (EVT-10).
	Memory strict.ByName[WatchedLow] `key:"memory"`
	// Load is how many programs want a processor, in parts of the processors (EVT-10).
	Load strict.ByName[WatchedHigh] `key:"load"`
	// Pressure is how much of the time something waits (EVT-10).
	Pressure strict.ByName[WatchedPressure] `key:"pressure"`
	// Processes are programs that run or do not, or take too much memory (EVT-11).
	Processes strict.ByName[WatchedProcess] `key:"processes"`
	// Units are units of systemd (EVT-12).
	Units strict.ByName[WatchedUnits] `key:"units"`

	Heartbeat Heartbeat `key:"heartbeat"`
}

// Heartbeat is what is done at intervals without anybody's asking (EVT-20).
type Heartbeat struct {
	// Every is the time between two beats; 0s: there are none. Default: 0s.
	Every time.Duration `key:"every" max:"168h"`
	// Quiet are hours of the day in which there is no beat (EVT-21). Default: 22:00-08:00.
	Quiet string `key:"quiet" is:"hours" empty:"ok"`
	// Zone is that of the hours and days. Default: empty, about.zone.
	Zone string `key:"zone" is:"zone" empty:"ok"`
	// Do is what is done at each beat. Default: empty, nothing.
	Do string `key:"do" is:"prompt" empty:"ok"`
	// Tell is the chat that gets the report, as CHANNEL:CHAT. Default: cli:direct.
	Tell  string `key:"tell" is:"name"`
	Greet Greet  `key:"greet"`
}

// Greet is when a person is greeted who has not written for long (EVT-22).
type Greet struct {
	// Idle is for how long nobody must have written; 0s: nobody is greeted. Default: 0s.
	Idle time.Duration `key:"idle" max:"8760h"`
	// PerDay is how many greetings there are a day at most. Default: 2.
	PerDay int `key:"per_day" min:"1" max:"24"`
	// Chance is that of each beat that could be a greeting, in hundredths. Default: 100.
	Chance int `key:"chance" min:"1" max:"100"`
}

// machine is the heartbeat as the machine has it.
func (h Heartbeat) machine() fsm.Heartbeat {
	if h.Every == 0 {
		return fsm.Heartbeat{}
	}
	m := fsm.Heartbeat{Every: fsm.Millis(h.Every.Milliseconds()), Zone: h.Zone, To: Telling{Tell: h.Tell}.Chat(), Do: h.Do}
	m.Quiet, _ = fsm.ParseQuiet(h.Quiet) // checked when it was read; none where it is empty
	if h.Greet.Idle > 0 {
		m.Greet = fsm.Greeting{Idle: fsm.Millis(h.Greet.Idle.Milliseconds()), PerDay: h.Greet.PerDay, Chance: fsm.Share(h.Greet.Chance)}
	}
	return m
}

// Telling is what becomes of a source's events.
type Telling struct {
	// Do is what is to be done about an event. Default: nothing is said.
	Do string `key:"do"`
	// Tell is the chat that the answers go to, as CHANNEL:CHAT, or none. Default: cli:direct.
	Tell string `key:"tell"`
	// PerHour is how many events about one subject there may be in an hour. Default: 12.
	PerHour int `key:"per_hour"`
}

// WatchedFiles is a folder.
type WatchedFiles struct {
	// Path is the folder.
	Path Path `key:"path,required"`
	// Recursive watches the folders below it, too. Default: false.
	Recursive bool `key:"recursive"`
	// Ignore are patterns as in a .gitignore. Default: none.
	Ignore []string `key:"ignore"`
	// Settle is how long nothing may change before the event. Default: 2s.
	Settle Span `key:"settle"`
	Telling
}

// WatchedDisk is a mount.
type WatchedDisk struct {
	// Path is any folder of it. Default: /.
	Path Path `key:"path"`
	WatchedLow
}

// WatchedLow is something of which there can be too little.
type WatchedLow struct {
	// Below is from where on there is too little, and Clear from where on enough. Default: 5%,
	// and three points more than below.
	Below Percent `key:"below"`
	Clear Percent `key:"clear"`
	// Hold is how long it must be so. Default: 1m.
	Hold Span `key:"hold"`
	Telling
}

// WatchedHigh is something of which there can be too much.
type WatchedHigh struct {
	// Above is from where on there is too much, and Clear from where on no longer. Default: 200%
	// of the load and 40% of pressure, and three quarters of above.
	Above Percent `key:"above"`
	Clear Percent `key:"clear"`
	// Hold is how long it must be so. Default: 5m.
	Hold Span `key:"hold"`
	Telling
}

// WatchedPressure is what something waits for.
type WatchedPressure struct {
	// Of is cpu, memory or io.
	Of string `key:"of,required" enum:"cpu,memory,io"`
	WatchedHigh
}

// WatchedProcess is a program.
type WatchedProcess struct {
	// Name is the program's, as ps has it.
	Name string `key:"name,required"`
	// Memory is what its processes may take together; in its place it is told that none runs
	// any more. Default: none.
	Memory Size `key:"memory"`
	// Hold is how long it must be so. Default: 10s.
	Hold Span `key:"hold"`
	Telling
}

// WatchedUnits are units of systemd.
type WatchedUnits struct {
	// Units are their names.
	Units []string `key:"units,required"`
	// User is the user's own systemd. Default: false, that of the machine.
	User bool `key:"user"`
	// Hold is how long a state must last. Default: 10s.
	Hold Span `key:"hold"`
	Telling
}

// Size is a size in a map by name, in bytes.
type Size int64

// Read implements [strict.Reader].
func (s *Size) Read(d *strict.Decoder, n *strict.Node, path string) {
	bytes, ok := parseSize(n.Value)
	if !n.Scalar() || !ok {
		d.Add(n, path, "wants a size such as 500MB or 4GiB, found "+n.String())
	}
	*s = bytes
}

// String is the size as a source would give it.
func (s Size) String() string { return strconv.FormatInt(int64(s), 10) }

// sizeMax bounds a size, so that its number with a unit is one of 64 bits.
const sizeMax = 1 << 20

func parseSize(text string) (Size, bool) {
	number, unit := strings.TrimSpace(text), int64(1)
	for _, u := range []struct {
		name string
		size int64
	}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}} {
		if rest, ok := strings.CutSuffix(number, u.name); ok {
			number, unit = strings.TrimSpace(rest), u.size
			break
		}
	}
	n, err := strconv.ParseInt(number, 10, 62)
	if err != nil || n < 1 || unit > 1 && n > sizeMax {
		return 0, false
	}
	return Size(n * unit), true
}

// Defaults of the sources.
const (
	TellDefault    = "cli:direct"
	PerHourDefault = 12
	perHourMax     = 3600
	settleMin      = 100 * time.Millisecond
	settleMax      = time.Hour
)

// Chat is where the answers go; none: nowhere.
func (t Telling) Chat() fsm.Origin {
	text := t.Tell
	switch text {
	case "":
		text = TellDefault
	case "none":
		return fsm.Origin{}
	}
	channel, chat, _ := strings.Cut(text, ":")
	return fsm.Origin{Channel: channel, Chat: chat}
}

// Path is a path in a map by name. It is absolute once it is loaded.
type Path string

// Percent is a part of a whole, in hundredths of a percent.
type Percent int

// The whole, and the most that a load can be.
const (
	Whole      Percent = 100_00
	percentMax         = 100 * Whole
)

// String is the part as a source would give it: 5%, 0.5%.
func (p Percent) String() string {
	text := strconv.Itoa(int(p / 100))
	if rest := p % 100; rest > 0 {
		text += strings.TrimRight(fmt.Sprintf(".%02d", rest), "0")
	}
	return text + "%"
}

// Read implements [strict.Reader].
func (p *Percent) Read(d *strict.Decoder, n *strict.Node, path string) {
	part, ok := parsePercent(n.Value)
	if !n.Scalar() || !ok {
		d.Add(n, path, "wants a percentage such as 5% or 0.5%, found "+n.String())
		return
	}
	*p = part
}

func parsePercent(text string) (Percent, bool) {
	number, ok := strings.CutSuffix(strings.TrimSpace(text), "%")
	whole, places, _ := strings.Cut(strings.TrimSpace(number), ".")
	if !ok || whole == "" || len(whole) > 5 || len(places) > 2 || strings.Trim(whole+places, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.Atoi(whole + (places + "00")[:2])
	return Percent(n), err == nil && n > 0 && Percent(n) <= percentMax
}

// Thresholds are from where on there is too little, and from where on enough.
func (w WatchedLow) Thresholds() (enter, clear Percent) {
	enter, clear = w.Below, w.Clear
	if enter == 0 {
		enter = 5_00
	}
	if clear == 0 {
		clear = min(enter+3_00, Whole)
	}
	return enter, clear
}

// Thresholds are from where on there is too much, of which a default is given, and from where
// on no longer.
func (w WatchedHigh) Thresholds(above Percent) (enter, clear Percent) {
	enter, clear = w.Above, w.Clear
	if enter == 0 {
		enter = above
	}
	if clear == 0 {
		clear = enter * 3 / 4
	}
	return enter, clear
}

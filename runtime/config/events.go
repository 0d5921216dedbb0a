package config

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"shelly/fsm"
	"shelly/sim/strict"
)

// Events says what the daemon itself watches (EVT): sources by name, which is the name in their
// events. Default: none. An event costs a turn of the model, so each source must be asked for.
type Events struct {
	// Files are folders whose files are watched (EVT-7).
	Files strict.ByName[WatchedFiles] `key:"files"`
	// Disk is the free space of mounts, as a share of their size (EVT-10).
	Disk strict.ByName[WatchedDisk] `key:"disk"`
	// Memory is the memory still available to programs, as a share of the whole (EVT-10).
	Memory strict.ByName[WatchedLow] `key:"memory"`
	// Load is how many programs want a processor, as a share of the number of processors (EVT-10).
	Load strict.ByName[WatchedHigh] `key:"load"`
	// Pressure is the share of time during which something has to wait (EVT-10).
	Pressure strict.ByName[WatchedPressure] `key:"pressure"`
	// Processes are programs that stop running, or take too much memory (EVT-11).
	Processes strict.ByName[WatchedProcess] `key:"processes"`
	// Units are units of systemd (EVT-12).
	Units strict.ByName[WatchedUnits] `key:"units"`

	Heartbeat Heartbeat `key:"heartbeat"`
}

// Heartbeat is what the agent does at intervals without being asked (EVT-20).
type Heartbeat struct {
	// Every is the time between two beats; 0s: no beats. Default: 0s.
	Every time.Duration `key:"every" max:"168h"`
	// Quiet is the hours of the day without beats (EVT-21). Default: 22:00-08:00.
	Quiet string `key:"quiet" is:"hours" empty:"ok"`
	// Zone is the time zone of these hours, and of days. Default: empty, about.zone.
	Zone string `key:"zone" is:"zone" empty:"ok"`
	// Do is what is done at each beat. Default: empty, nothing.
	Do string `key:"do" is:"prompt" empty:"ok"`
	// Tell is the chat that gets the report, as CHANNEL:CHAT. Default: cli:direct.
	Tell  string `key:"tell" is:"name"`
	Greet Greet  `key:"greet"`
}

// Greet says when to greet a person who has not written for a long time (EVT-22).
type Greet struct {
	// Idle is how long nobody may have written before a greeting; 0s: no greetings. Default: 0s.
	Idle time.Duration `key:"idle" max:"8760h"`
	// PerDay is the largest number of greetings per day. Default: 2.
	PerDay int `key:"per_day" min:"1" max:"24"`
	// Chance is the chance, in percent, that a beat that may be a greeting is one. Default: 100.
	Chance int `key:"chance" min:"1" max:"100"`
}

// machine returns the heartbeat in the machine's form.
func (h Heartbeat) machine() fsm.Heartbeat {
	if h.Every == 0 {
		return fsm.Heartbeat{}
	}
	m := fsm.Heartbeat{Every: fsm.Millis(h.Every.Milliseconds()), Zone: h.Zone, To: Telling{Tell: h.Tell}.Chat(), Do: h.Do}
	m.Quiet, _ = fsm.ParseQuiet(h.Quiet) // checked when it was read; no hours if empty
	if h.Greet.Idle > 0 {
		m.Greet = fsm.Greeting{Idle: fsm.Millis(h.Greet.Idle.Milliseconds()), PerDay: h.Greet.PerDay, Chance: fsm.Share(h.Greet.Chance)}
	}
	return m
}

// Telling says what to do with a source's events.
type Telling struct {
	// Do says what to do about an event. Default: empty, no instruction.
	Do string `key:"do"`
	// Tell is the chat that the answers go to, as CHANNEL:CHAT, or none. Default: cli:direct.
	Tell string `key:"tell"`
	// PerHour is how many events about one subject there may be per hour. Default: 12.
	PerHour int `key:"per_hour" min:"1" max:"3600"`
}

// WatchedFiles is a folder.
type WatchedFiles struct {
	// Path is the folder.
	Path Path `key:"path,required"`
	// Recursive also watches the folders below it. Default: false.
	Recursive bool `key:"recursive"`
	// Ignore are patterns as in a .gitignore. Default: none.
	Ignore []string `key:"ignore"`
	// Settle is how long there must be no change before the event. Default: 2s.
	Settle Settling `key:"settle"`
	Telling
}

// WatchedDisk is a mount.
type WatchedDisk struct {
	// Path is any folder on it. Default: /.
	Path Path `key:"path"`
	WatchedLow
}

// WatchedLow is something of which there can be too little.
type WatchedLow struct {
	// Below is the threshold of too little, Clear that of enough again. Default: 5%, and three
	// percentage points more than Below.
	Below Percent `key:"below"`
	Clear Percent `key:"clear"`
	// Hold is how long the condition must last. Default: 1m.
	Hold Span `key:"hold"`
	Telling
}

// WatchedHigh is something of which there can be too much.
type WatchedHigh struct {
	// Above is the threshold of too much, Clear that of no longer too much. Default: 200% for load
	// and 40% for pressure, and three quarters of Above.
	Above Percent `key:"above"`
	Clear Percent `key:"clear"`
	// Hold is how long the condition must last. Default: 5m.
	Hold Span `key:"hold"`
	Telling
}

// WatchedPressure is something that has to wait.
type WatchedPressure struct {
	// Of is cpu, memory or io.
	Of string `key:"of,required" enum:"cpu,memory,io"`
	WatchedHigh
}

// WatchedProcess is a program.
type WatchedProcess struct {
	// Name is the program's name as ps shows it.
	Name string `key:"name,required"`
	// Memory is how much its processes may take together. Default: none; the event is then that no
	// process of it is running any more.
	Memory Size `key:"memory"`
	// Hold is how long the condition must last. Default: 10s.
	Hold Span `key:"hold"`
	Telling
}

// WatchedUnits are units of systemd.
type WatchedUnits struct {
	// Units are their names.
	Units []string `key:"units,required"`
	// User is the user's own systemd. Default: false, the machine's.
	User bool `key:"user"`
	// Hold is how long a state must last. Default: 10s.
	Hold Span `key:"hold"`
	Telling
}

// Size is a size in bytes in a map by name.
type Size int64

// Read implements [strict.Reader].
func (s *Size) Read(d *strict.Decoder, n *strict.Node, path string) {
	bytes, ok := parseSize(n.Value)
	if !n.Scalar() || !ok {
		d.Add(n, path, "wants a size such as 500MB or 4GiB, found "+n.String())
	}
	*s = bytes
}

// String returns the size as a source would give it: in the unit of which it is the smallest whole
// number, if that can be read again.
func (s Size) String() string {
	number, unit := int64(s), ""
	for _, u := range sizeUnits() {
		if n := int64(s) / u.size; int64(s)%u.size == 0 && 0 < n && n <= sizeMax && n < number {
			number, unit = n, u.name
		}
	}
	return strconv.FormatInt(number, 10) + unit
}

// sizeMax bounds the number of a size with a unit, so that the product fits in 64 bits.
const sizeMax = 1 << 20

// sizeUnit is a unit of a size, in bytes.
type sizeUnit struct {
	name string
	size int64
}

func sizeUnits() []sizeUnit {
	return []sizeUnit{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}}
}

func parseSize(text string) (Size, bool) {
	number, unit := strings.TrimSpace(text), int64(1)
	for _, u := range sizeUnits() {
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
)

// Chat returns where the answers go, as it is written; the zero Origin for none.
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

// Percent is a share of a whole, in hundredths of a percent.
type Percent int

// Whole is 100%; percentMax is the highest load that can be given.
const (
	Whole      Percent = 100_00
	percentMax         = 100 * Whole
)

// String returns the share as a source would give it: 5%, 0.5%.
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

// Thresholds returns where too little begins and where enough begins.
func (w WatchedLow) Thresholds() (enter, clear Percent) {
	enter = cmp.Or(w.Below, 5_00)
	return enter, cmp.Or(w.Clear, min(enter+3_00, Whole))
}

// Thresholds returns where too much begins, which is above if not set, and where it ends.
func (w WatchedHigh) Thresholds(above Percent) (enter, clear Percent) {
	enter = cmp.Or(w.Above, above)
	return enter, cmp.Or(w.Clear, enter*3/4)
}

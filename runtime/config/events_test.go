package config_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"shelly/fsm"
	"shelly/runtime/config"
)

const watched = `events:
  files:
    inbox: {path: in, recursive: true, ignore: ["*.log"], settle: 5s, do: "Read it.", tell: "web:7", per_hour: 4}
  disk:
    root: {path: /, below: 5%, clear: 8.5%, hold: 30s, tell: none}
  memory:
    ram: {below: 5%}
  load:
    busy: {above: 300%}
  pressure:
    io: {of: io, above: 0.5%}
  processes:
    server: {name: ollama, hold: 3s}
    large: {name: ollama, memory: 4GiB}
  units:
    web: {units: [nginx.service, php.service], user: true}
`

func TestEVT9SourcesAreRead(t *testing.T) {
	w := newWorld(t)
	w.File = w.write("c.yaml", watched)
	c := w.load()
	inbox, _ := c.Events.Files.Get("inbox")
	if string(inbox.Path) != filepath.Join(filepath.Dir(w.File), "in") || !inbox.Recursive || inbox.Settle.Or(0) != 5*time.Second || inbox.PerHour != 4 ||
		inbox.Chat() != (fsm.Origin{Channel: "web", Chat: "7"}) {
		t.Errorf("inbox is %+v", inbox)
	}
	root, _ := c.Events.Disk.Get("root")
	if below, clear := root.Thresholds(); below != 500 || clear != 850 || root.Chat() != (fsm.Origin{}) {
		t.Errorf("root is %+v", root)
	}
	ram, _ := c.Events.Memory.Get("ram")
	if below, clear := ram.Thresholds(); below != 500 || clear != 800 || ram.Chat() != (fsm.Origin{Channel: "cli", Chat: "direct"}) {
		t.Errorf("ram is %+v", ram)
	}
	busy, _ := c.Events.Load.Get("busy")
	if above, clear := busy.Thresholds(2 * config.Whole); above != 300_00 || clear != 225_00 {
		t.Errorf("busy is %+v", busy)
	}
	large, _ := c.Events.Processes.Get("large")
	web, _ := c.Events.Units.Get("web")
	if large.Name != "ollama" || large.Memory != 4<<30 || len(web.Units) != 2 || !web.User {
		t.Errorf("large is %+v, web is %+v", large, web)
	}
	for size, want := range map[config.Size]string{4 << 30: "4GiB", 500_000_000: "500MB", 1 << 60: "1048576TiB", (1<<21 + 1) << 10: "2147484672"} { // order-free: each alone
		if size.String() != want {
			t.Errorf("%d is %s, want %s", size, size, want)
		}
	}
	if again := reloaded(t, c.Print()); again.Print() != c.Print() {
		t.Errorf("printed, loaded and printed again:\n%s", again.Print())
	}
}

func TestEVT9WhatIsWrongWithASourceIsReported(t *testing.T) {
	for text, want := range map[string]string{ // order-free
		`files: {in: {settle: 1s}}`:                                 "the key path is missing",
		`files: {in: {path: /}}`:                                    "events.files.in.path: is the whole file system; name a folder in it",
		`files: {in: {path: x, settle: 1ms}}`:                       "c.yaml:1:40: events.files.in.settle: 1ms is out of range; the least is 100ms, the most is 1h",
		`files: {"a b": {path: x}}`:                                 "a name is of letters",
		`files: {in: {path: x, tel: "a:b"}}`:                        "unknown key tel; did you mean tell?",
		`disk: {d: {below: 5}}`:                                     "wants a percentage such as 5% or 0.5%, found",
		`disk: {d: {below: 9%, clear: 5%}}`:                         "events.disk.d.clear: 5% is less than below (9%)",
		`disk: {d: {below: 101%}}`:                                  "there is never more than 100%",
		`disk: {d: {tell: direct}}`:                                 "wants a chat such as cli:direct, or none",
		`disk: {d: {per_hour: 9999}}`:                               "events.disk.d.per_hour: 9999 is out of range; the most is 3600",
		`files: {f: {path: in, per_hour: 0}}`:                       "events.files.f.per_hour: 0 is out of range; the least is 1",
		`files: {in: {path: x, settle: 0s}}`:                        "c.yaml:1:40: events.files.in.settle: 0s is out of range; the least is 100ms, the most is 1h",
		`pressure: {p: {of: cpu, above: 101%}}`:                     "events.pressure.p.above: 101% is out of range; the most is 100%",
		`load: {l: {above: 100%, clear: 101%}}`:                     "101% is more than above (100%)",
		`processes: {p: {name: " "}}`:                               "names no program; give it as ps has it",
		`processes: {p: {name: /usr/bin/ollama}}`:                   `events.processes.p.name: is a path; give the name as ps has it, such as "ollama"`,
		`processes: {p: {name: x, memory: much}}`:                   "wants a size such as 500MB or 4GiB",
		`processes: {p: {name: x, memory: 0}}`:                      "wants a size such as 500MB or 4GiB",
		`processes: {p: {name: x, memory: 0MB}}`:                    "wants a size such as 500MB or 4GiB",
		`processes: {p: {name: x, memory: -1GiB}}`:                  "wants a size such as 500MB or 4GiB",
		`processes: {p: {name: x, memory: 9999999999999999999GiB}}`: "wants a size such as 500MB or 4GiB",
		`units: {u: {units: []}}`:                                   "events.units.u.units",
		`units: {u: {units: ["*.service"]}}`:                        "is not the name of one unit",
		`heartbeat: {every: 30m}`:                                   "there is nothing to do at a beat",
		`heartbeat: {every: 1s, do: x}`:                             "events.heartbeat.every: 1s is out of range; the least is 1m",
		`heartbeat: {do: x}`:                                        "is 0s, so there is no heartbeat",
		`heartbeat: {quiet: 22-8}`:                                  "wants hours such as 22:00-08:00",
		`heartbeat: {quiet: "24:00-08:00"}`:                         "wants hours such as 22:00-08:00",
		`heartbeat: {every: 1h, do: x, tell: none}`:                 "wants a chat such as cli:direct, not",
		`pressure: {p: {of: gpu}}`:                                  "gpu",
		`disk: {d: {hold: 1m}}, files: {d: {path: x}}`:              "has the name of events.files.d; give it another",
	} {
		w := newWorld(t)
		w.File = w.write("c.yaml", "events: {"+text+"}\n")
		if err := w.complaint(); !strings.Contains(err, want) {
			t.Errorf("%s:\n%s\nwant\n%s", text, err, want)
		}
	}
}

func TestEVT20TheHeartbeatReachesTheMachine(t *testing.T) {
	w := newWorld(t)
	w.File = w.write("c.yaml", "events: {heartbeat: {every: 30m, quiet: 21:30-7:00, zone: Asia/Tokyo, do: Look., tell: 'web:7', greet: {idle: 4h, chance: 40}}}\n")
	c := w.load()
	want := fsm.Heartbeat{
		Every: 1800 * fsm.Second, Quiet: fsm.Quiet{From: 21*60 + 30, Until: 7 * 60}, Zone: "Asia/Tokyo", To: fsm.Origin{Channel: "web", Chat: "7"}, Do: "Look.",
		Greet: fsm.Greeting{Idle: 4 * 3600 * fsm.Second, PerDay: 2, Chance: 40},
	}
	if got := c.Machine(nil, nil).Heartbeat; got != want {
		t.Errorf("it is %+v, want %+v", got, want)
	}
	zones := c.ZonesAt(time.Unix(0, 0))
	if zones[len(zones)-1].Name != "Asia/Tokyo" {
		t.Errorf("the zones are %+v", zones)
	}
	if again := reloaded(t, c.Print()); again.Machine(nil, nil).Heartbeat != want {
		t.Errorf("printed:\n%s", c.Print())
	}
	w = newWorld(t)
	if got := w.load().Machine(nil, nil).Heartbeat; got != (fsm.Heartbeat{}) {
		t.Errorf("without being asked for it is %+v", got)
	}
}

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
	if again := reloaded(t, c.Print()); again.Print() != c.Print() {
		t.Errorf("printed, loaded and printed again:\n%s", again.Print())
	}
}

func TestEVT9WhatIsWrongWithASourceIsSaid(t *testing.T) {
	for text, want := range map[string]string{ // order-free
		`files: {in: {settle: 1s}}`:                    "the key path is missing",
		`files: {in: {path: /}}`:                       "events.files.in.path: is the whole file system; name a folder in it",
		`files: {in: {path: x, settle: 1ms}}`:          "events.files.in.settle: is out of range",
		`files: {"a b": {path: x}}`:                    "a name is of letters",
		`files: {in: {path: x, tel: "a:b"}}`:           "unknown key tel; did you mean tell?",
		`disk: {d: {below: 5}}`:                        "wants a percentage such as 5% or 0.5%, found",
		`disk: {d: {below: 9%, clear: 5%}}`:            "events.disk.d.clear: 5% is less than below (9%)",
		`disk: {d: {below: 101%}}`:                     "there is never more than 100%",
		`disk: {d: {tell: direct}}`:                    "wants a chat such as cli:direct, or none",
		`disk: {d: {per_hour: 9999}}`:                  "events.disk.d.per_hour: is out of range",
		`load: {l: {above: 100%, clear: 101%}}`:        "101% is more than above (100%)",
		`pressure: {p: {of: gpu}}`:                     "gpu",
		`disk: {d: {hold: 1m}}, files: {d: {path: x}}`: "has the name of events.files.d; give it another",
	} {
		w := newWorld(t)
		w.File = w.write("c.yaml", "events: {"+text+"}\n")
		if err := w.complaint(); !strings.Contains(err, want) {
			t.Errorf("%s:\n%s\nwant\n%s", text, err, want)
		}
	}
}

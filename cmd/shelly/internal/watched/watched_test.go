package watched_test

import (
	"reflect"
	"testing"

	"shelly/cmd/shelly/internal/watched"
	"shelly/fsm"
	"shelly/runtime/config"
	"shelly/sim/strict"
)

func TestCHN33AnEventIsReportedInTheChatOfItsPerson(t *testing.T) {
	cfg := config.Config{
		Channels: config.Channels{strict.Named[config.Channel]{Name: "phone", Value: config.Channel{Kind: config.ChannelXMPP}}},
		Events:   config.Events{Memory: strict.ByName[config.WatchedLow]{strict.Named[config.WatchedLow]{Name: "ram", Value: config.WatchedLow{Telling: config.Telling{Tell: "phone:Mia@Example.org"}}}}},
	}
	if all := watched.Sources(cfg); len(all) != 1 || all[0].To != (fsm.Origin{Channel: "phone", Chat: "mia@example.org"}) {
		t.Errorf("got %+v; want 1 of them, [0].To %+v", all, (fsm.Origin{Channel: "phone", Chat: "mia@example.org"}))
	}
}

// The kind in lists, in the log and in the metrics is the section of the configuration.
func TestEVT14AKindIsNamedAsItsSection(t *testing.T) {
	of := func(name string) config.Telling { return config.Telling{Do: name} }
	all := watched.Sources(config.Config{Events: config.Events{
		Files:     strict.ByName[config.WatchedFiles]{{Name: "a", Value: config.WatchedFiles{Telling: of("files")}}},
		Disk:      strict.ByName[config.WatchedDisk]{{Name: "a", Value: config.WatchedDisk{WatchedLow: config.WatchedLow{Telling: of("disk")}}}},
		Memory:    strict.ByName[config.WatchedLow]{{Name: "a", Value: config.WatchedLow{Telling: of("memory")}}},
		Load:      strict.ByName[config.WatchedHigh]{{Name: "a", Value: config.WatchedHigh{Telling: of("load")}}},
		Pressure:  strict.ByName[config.WatchedPressure]{{Name: "a", Value: config.WatchedPressure{WatchedHigh: config.WatchedHigh{Telling: of("pressure")}}}},
		Processes: strict.ByName[config.WatchedProcess]{{Name: "a", Value: config.WatchedProcess{Telling: of("processes")}}},
		Units:     strict.ByName[config.WatchedUnits]{{Name: "a", Value: config.WatchedUnits{Telling: of("units")}}},
	}})
	var sections []string
	for _, key := range strict.Keys(reflect.TypeFor[config.Events]()) {
		if key != "heartbeat" { // which is no source
			sections = append(sections, key)
		}
	}
	for i, s := range all {
		if i >= len(sections) || s.Kind != sections[i] || s.Kind != s.Do {
			t.Errorf("the source of the section %s has the kind %s; the sections are %v", s.Do, s.Kind, sections)
		}
	}
	if len(all) != len(sections) {
		t.Errorf("%d sources of %d sections", len(all), len(sections))
	}
}

func TestEVT9TheBoundOfAProcessIsShownAsItIsConfigured(t *testing.T) {
	large := strict.Named[config.WatchedProcess]{Name: "large", Value: config.WatchedProcess{Name: "ollama", Memory: 12 << 30}}
	cfg := config.Config{Events: config.Events{Processes: strict.ByName[config.WatchedProcess]{large}}}
	if all := watched.Sources(cfg); len(all) != 1 || all[0].Of != "ollama above 12GiB of memory" {
		t.Errorf("got %+v; want 1 of them, [0].Of %q", all, "ollama above 12GiB of memory")
	}
}

// A reload tells sources apart by what they are of: the machine's sshd is not the user's.
func TestEVT9TheUnitsOfTheUserAreAnotherSource(t *testing.T) {
	for _, c := range []struct {
		user bool
		want string
	}{{false, "sshd.service a.timer"}, {true, "sshd.service a.timer, the user's"}} {
		units := strict.Named[config.WatchedUnits]{Name: "a", Value: config.WatchedUnits{Units: []string{"sshd.service", "a.timer"}, User: c.user}}
		cfg := config.Config{Events: config.Events{Units: strict.ByName[config.WatchedUnits]{units}}}
		if all := watched.Sources(cfg); len(all) != 1 || all[0].Of != c.want {
			t.Errorf("got %+v; want 1 of them, [0].Of %q", all, c.want)
		}
	}
}

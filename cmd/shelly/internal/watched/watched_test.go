package watched_test

import (
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

func TestEVT9TheBoundOfAProcessIsShownAsItIsConfigured(t *testing.T) {
	large := strict.Named[config.WatchedProcess]{Name: "large", Value: config.WatchedProcess{Name: "ollama", Memory: 12 << 30}}
	cfg := config.Config{Events: config.Events{Processes: strict.ByName[config.WatchedProcess]{large}}}
	if all := watched.Sources(cfg); len(all) != 1 || all[0].Of != "ollama above 12GiB of memory" {
		t.Errorf("got %+v; want 1 of them, [0].Of %q", all, "ollama above 12GiB of memory")
	}
}

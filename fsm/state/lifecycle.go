package state

import "shelly/fsm"

// Lifecycle states.
const (
	Down         fsm.State = "down"
	Initializing fsm.State = "initializing"
	Serving      fsm.State = "serving"
	Draining     fsm.State = "draining"
	Farewell     fsm.State = "farewell"
	Stopped      fsm.State = "stopped"
)

// Lifecycle events.
const (
	OnLost        Event = "lost"        // a boot shows that the epoch before it is over
	OnBoot        Event = "boot"        // an epoch begins
	OnInitialized Event = "initialized" // the initial inference has ended, or is off
	OnSignal      Event = "signal"      // SIGTERM or SIGINT
	OnDrained     Event = "drained"     // nothing is active any more
	OnFarewelled  Event = "farewelled"  // the farewell has ended
)

// Lifecycle is the table of the daemon's life. A boot is legal everywhere: in
// any state but down, "lost" goes first.
var Lifecycle = Table{
	Name:    "lifecycle",
	Initial: Down,
	Rows: []Row{
		{Down, OnBoot, Initializing, "LIF-1"},
		{Initializing, OnInitialized, Serving, "LIF-5"},
		{Initializing, OnSignal, Draining, "LIF-7"},
		{Serving, OnSignal, Draining, "LIF-6"},
		{Draining, OnDrained, Farewell, "LIF-8"},
		{Draining, OnSignal, Stopped, "LIF-10"},
		{Farewell, OnFarewelled, Stopped, "LIF-9"},
		{Farewell, OnSignal, Stopped, "LIF-10"},
		{Initializing, OnLost, Down, "LIF-1"},
		{Serving, OnLost, Down, "LIF-1"},
		{Draining, OnLost, Down, "LIF-1"},
		{Farewell, OnLost, Down, "LIF-1"},
		{Stopped, OnLost, Down, "LIF-1"},
	},
}

package heartbeat_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"shelly/fsm"
	"shelly/fsm/heartbeat"
	"shelly/fsm/state"
)

// at returns a time in UTC.
func at(t testing.TB, text string) fsm.Millis {
	t.Helper()
	parsed, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return fsm.Millis(parsed.UnixMilli())
}

// berlin returns Europe/Berlin with both changes of 2026.
func berlin(t testing.TB) *fsm.Zone {
	return &fsm.Zone{Name: "Europe/Berlin", Offset: 3600, Changes: []fsm.Change{
		{At: at(t, "2026-03-29T01:00:00Z"), Offset: 7200}, {At: at(t, "2026-10-25T01:00:00Z"), Offset: 3600},
	}}
}

func TestEVT21QuietHoursAreThoseOfTheClock(t *testing.T) {
	night, lunch := fsm.Quiet{From: 22 * 60, Until: 8 * 60}, fsm.Quiet{From: 12 * 60, Until: 13*60 + 30}
	for _, c := range []struct {
		quiet fsm.Quiet
		at    string
		want  bool
	}{
		{night, "2026-01-10T20:59:59Z", false}, // 21:59:59 in Berlin
		{night, "2026-01-10T21:00:00Z", true},
		{night, "2026-01-10T23:30:00Z", true},
		{night, "2026-01-11T06:59:59Z", true},
		{night, "2026-01-11T07:00:00Z", false},
		{lunch, "2026-01-10T10:59:00Z", false},
		{lunch, "2026-01-10T11:00:00Z", true},
		{lunch, "2026-01-10T12:30:00Z", false},
		// The clocks go forward on 29 March: eight o'clock is at six in UTC from then on.
		{night, "2026-03-28T20:59:00Z", false}, {night, "2026-03-28T21:00:00Z", true},
		{night, "2026-03-29T05:59:00Z", true}, {night, "2026-03-29T06:00:00Z", false},
		{night, "2026-03-29T19:59:00Z", false}, {night, "2026-03-29T20:00:00Z", true},
		// They go back on 25 October: eight o'clock is at seven again.
		{night, "2026-10-24T20:00:00Z", true}, {night, "2026-10-25T06:30:00Z", true}, {night, "2026-10-25T07:00:00Z", false},
		// An hour that is shown twice is quiet twice, and one that is skipped does not
		// count.
		{fsm.Quiet{From: 120, Until: 180}, "2026-10-25T00:30:00Z", true}, {fsm.Quiet{From: 120, Until: 180}, "2026-10-25T01:30:00Z", true},
		{fsm.Quiet{From: 120, Until: 180}, "2026-10-25T02:00:00Z", false},
		{fsm.Quiet{From: 120, Until: 180}, "2026-03-29T00:59:00Z", false}, {fsm.Quiet{From: 120, Until: 180}, "2026-03-29T01:00:00Z", false},
		{fsm.Quiet{}, "2026-01-10T00:00:00Z", false}, {fsm.Quiet{From: 60, Until: 60}, "2026-01-10T00:00:00Z", false},
	} {
		if got := heartbeat.Quiet(c.quiet, berlin(t), at(t, c.at)); got != c.want {
			t.Errorf("%+v at %s is quiet: %t", c.quiet, c.at, got)
		}
	}
}

func TestEVT22AGreetingComesAfterALongSilenceAndNotTooOften(t *testing.T) {
	noon := at(t, "2026-01-10T12:00:00Z")
	hour := 3600 * fsm.Second
	g := fsm.Greeting{Idle: 4 * hour, PerDay: 2, Chance: 100}
	today := heartbeat.Day(berlin(t), noon)
	for name, c := range map[string]struct { // order-free
		greeting fsm.Greeting
		beat     state.Beat
		want     bool
	}{
		"long silence":               {g, state.Beat{Spoke: noon - 4*hour}, true},
		"not long enough":            {g, state.Beat{Spoke: noon - 4*hour + 1}, false},
		"a request after the slot":   {g, state.Beat{Spoke: noon + hour}, false},
		"greeted lately":             {g, state.Beat{Spoke: noon - 40*hour, Greets: noon - hour, Day: today, Greeted: 1}, false},
		"greeted once today":         {g, state.Beat{Spoke: noon - 40*hour, Greets: noon - 5*hour, Day: today, Greeted: 1}, true},
		"greeted often enough today": {g, state.Beat{Spoke: noon - 40*hour, Greets: noon - 5*hour, Day: today, Greeted: 2}, false},
		"often enough yesterday":     {g, state.Beat{Spoke: noon - 40*hour, Greets: noon - 20*hour, Day: today - 1, Greeted: 2}, true},
		"no greetings":               {fsm.Greeting{PerDay: 2, Chance: 100}, state.Beat{Spoke: 1}, false},
		"no chance":                  {fsm.Greeting{Idle: hour, PerDay: 2}, state.Beat{Spoke: 1}, false},
	} {
		if got := heartbeat.Greets(c.greeting, c.beat, berlin(t), noon); got != c.want {
			t.Errorf("%s: got %t; want %t", name, got, c.want)
		}
	}
}

// A slot is always decided in the same way, and about the given share of slots greet.
func TestEVT22TheChanceIsTheSlotsOwn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := fsm.Greeting{Idle: 1, PerDay: 1, Chance: fsm.Share(rapid.IntRange(0, 100).Draw(t, "chance"))}
		from, greets := rapid.Int64Range(1, 1<<40).Draw(t, "from"), 0
		for i := range int64(1000) {
			slot := fsm.Millis((from + i) * 1_800_000)
			first := heartbeat.Greets(g, state.Beat{}, &fsm.Zone{}, slot)
			if first != heartbeat.Greets(g, state.Beat{}, &fsm.Zone{}, slot) {
				t.Fatalf("slot %v is decided in two ways", slot)
			}
			if first {
				greets++
			}
		}
		if low, high := int(g.Chance)*10-120, int(g.Chance)*10+120; greets < low || greets > high {
			t.Fatalf("%d of 1000 slots greet, with a chance of %d", greets, g.Chance)
		}
	})
}

// EVT-21: quiet hours are written as two times of day.
func TestEVT21QuietHoursAreReadStrictly(t *testing.T) {
	for text, want := range map[string]fsm.Quiet{
		"22:00-08:30": {From: 22 * 60, Until: 8*60 + 30}, " 7:05 - 23:59 ": {From: 7*60 + 5, Until: 23*60 + 59}, "00:00-00:00": {},
	} {
		if got, ok := fsm.ParseQuiet(text); !ok || got != want {
			t.Errorf("%q is %+v, %v; want %+v", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "22:00", "22:00-", "-08:00", "24:00-08:00", "22:00-24:00", "22:60-08:00", "22-08", "22:0-08:00", "022:00-08:00", "22:000-08:00", "a:00-08:00", "22:0a-08:00", "22:00-08:00-09:00"} {
		if got, ok := fsm.ParseQuiet(text); ok {
			t.Errorf("%q is read as %+v", text, got)
		}
	}
}

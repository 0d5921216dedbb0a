package fsm_test

import (
	"testing"

	"shelly/fsm"
)

func TestHND48AnOffsetIsReadInItsForms(t *testing.T) {
	for text, want := range map[string]int{
		"Z": 0, "z": 0, "UTC": 0, "+00:00": 0, "+01:00": 3600, "+0130": 5400, "-3": -3 * 3600, "+9": 9 * 3600, "-03": -3 * 3600, "+130": 5400, "+14:00": 14 * 3600, "+00:59": 59 * 60,
	} {
		if got, ok := fsm.ParseOffset(text); !ok || got.Offset != want || len(got.Changes) > 0 {
			t.Errorf("%q is %+v, %t", text, got, ok)
		}
	}
	for _, text := range []string{"", "+", "-", "0100", "01:00", "Europe/Berlin", "+01000", "+00100", "+1:00", "+010:0", "+01:60", "+15:00", "+0x10", "+-100", "+65636"} {
		if got, ok := fsm.ParseOffset(text); ok {
			t.Errorf("%q is read as %+v", text, got)
		}
	}
}

func TestHND48AnOffsetIsWrittenInOneForm(t *testing.T) {
	for offset, want := range map[int]string{0: "+00:00", 3600: "+01:00", -3600: "-01:00", -12600: "-03:30", 20700: "+05:45"} {
		z := fsm.Zone{Name: "there", Offset: offset}
		if got := z.OffsetText(0); got != want {
			t.Errorf("%d seconds are written %s, want %s", offset, got, want)
		}
	}
}

// What the clocks show twice is the first time, what they never show is the end of the gap, and
// the times at which they change are shown as they are from then on (HND-48).
func TestHND48ALocalTimeAroundAChange(t *testing.T) {
	const hour = 3600 * fsm.Second
	z := fsm.Zone{Name: "there", Offset: 3600, Changes: []fsm.Change{{At: 100 * hour, Offset: 7200}, {At: 200 * hour, Offset: 3600}}}
	for _, tt := range []struct{ local, want fsm.Millis }{
		{101*hour - 1, 100*hour - 1}, // the last before the gap
		{101 * hour, 100 * hour}, {101*hour + 1, 100 * hour}, {102 * hour, 100 * hour}, {102*hour + 1, 100*hour + 1},
		{201*hour - 1, 199*hour - 1}, {201 * hour, 199 * hour}, {202*hour - 1, 200*hour - 1}, // twice
		{202 * hour, 201 * hour}, // once: the clocks were set back before they showed it
	} {
		if got := z.UTC(tt.local); got != tt.want {
			t.Errorf("%d ms past hour %d is %d ms past hour %d, want %d", tt.local%hour, tt.local/hour, got%hour, got/hour, tt.want/hour)
		}
	}
}

// Everything in a schedule's zone that decides a slot is in the hash of its effect.
func TestJRN6AZoneIsInTheHashWithItsOffsets(t *testing.T) {
	hash := func(z fsm.Zone) uint64 {
		return fsm.HashEffects([]fsm.Effect{fsm.ArmSchedule{Schedule: "s1", Zone: z}})
	}
	one := fsm.Zone{Name: "here", Offset: 3600, Changes: []fsm.Change{{At: 1, Offset: 7200}}}
	for _, other := range []fsm.Zone{
		{Name: "there", Offset: 3600, Changes: one.Changes}, {Name: "here", Offset: 7200, Changes: one.Changes}, {Name: "here", Offset: 3600},
		{Name: "here", Offset: 3600, Changes: []fsm.Change{{At: 2, Offset: 7200}}}, {Name: "here", Offset: 3600, Changes: []fsm.Change{{At: 1, Offset: 3600}}},
	} {
		if hash(one) == hash(other) {
			t.Errorf("%+v has the hash of %+v", other, one)
		}
	}
}

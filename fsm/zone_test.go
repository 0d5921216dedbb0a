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

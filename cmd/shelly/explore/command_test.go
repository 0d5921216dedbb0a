package explore

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"shelly/runtime/event"
	"shelly/runtime/event/source"
	"shelly/sim/explore"
)

// The help names every world, in its order.
func TestCLI7TheHelpNamesEachWorld(t *testing.T) {
	field, _ := reflect.TypeFor[Command]().FieldByName("World")
	help := field.Tag.Get("help")
	var want []string
	for _, b := range append(explore.Worlds(), explore.BigWorlds()...) {
		want = append(want, b.Name)
	}
	var got []string
	for _, word := range regexp.MustCompile(`[a-z]+`).FindAllString(help, -1) {
		if slices.Contains(want, word) && !slices.Contains(got, word) {
			got = append(got, word)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("the help names %v; want %v", got, want)
	}
}

// SIM-10: a walk that fills the memory gives up and reports what it has walked, before the system ends it.
func TestSIM10AWalkGivesUpBeforeTheMemoryIsFull(t *testing.T) {
	now, looks, u := time.Unix(0, 0), 0, source.Usage{Free: 2 << 30, Size: 16 << 30}
	r := &room{now: func() time.Time { return now }, read: func() (source.Usage, error) { looks++; return u, nil }}
	if r.short() {
		t.Error("an eighth is too little")
	}
	if u.Free--; r.short() || looks != 1 {
		t.Error("it looks all the time")
	}
	if now = now.Add(roomEvery); !r.short() || r.left != "2047 MiB" {
		t.Errorf("less than an eighth is enough: %q left", r.left)
	}
	if u.Free = u.Size; !r.short() || looks != 2 {
		t.Error("a walk that has given up goes on")
	}
	err := (&Command{States: 10}).gaveUp(explore.Result{Unique: 7}, r)
	if err == nil || !strings.Contains(err.Error(), "gave up after 7 unique states, because only 2047 MiB of memory are left; walk a smaller world") {
		t.Errorf("got %v", err)
	}
	if blind := (&room{now: time.Now, read: func() (source.Usage, error) { return source.Usage{}, event.ErrNotHere }}); blind.short() {
		t.Error("it gives up where nobody says what is left")
	}
}

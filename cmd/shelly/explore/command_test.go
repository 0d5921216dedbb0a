package explore

import (
	"reflect"
	"regexp"
	"slices"
	"testing"

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

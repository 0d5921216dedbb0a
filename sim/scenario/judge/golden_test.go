package judge

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"shelly/sim/scenario/format"
)

// SCN-35: what a golden can hold is what the format says.
func TestSCN35EveryAspectIsAWordOfTheFormat(t *testing.T) {
	field, _ := reflect.TypeFor[format.Expect]().FieldByName("Golden")
	var known []string
	for _, a := range aspects() {
		known = append(known, a.name)
	}
	words := strings.Split(field.Tag.Get("enum"), ",")
	slices.Sort(words)
	slices.Sort(known)
	if !slices.Equal(words, known) {
		t.Errorf("the format has %v, the code %v", words, known)
	}
}

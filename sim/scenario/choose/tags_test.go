package choose

import (
	"errors"
	"strings"
	"testing"

	"shelly/fsm/wording"
)

func TestSCN37TagsSelect(t *testing.T) {
	for _, test := range []struct {
		expr string
		yes  []string // cases, each its tags
		no   []string
	}{
		{"smoke", []string{"smoke", "a smoke"}, []string{"", "smokes", "Smoke"}},
		{"not smoke", []string{"", "a"}, []string{"smoke"}},
		{"not not smoke", []string{"smoke"}, []string{""}},
		{"faults and not nightly", []string{"faults"}, []string{"", "faults nightly", "nightly"}},
		{"a or b and c", []string{"a", "b c", "a b"}, []string{"b", "c"}},
		{"(a or b) and c", []string{"a c", "b c"}, []string{"a", "a b"}},
		{"not (a or b)", []string{"c", ""}, []string{"a", "b"}},
		{"not a or b", []string{"", "b", "a b"}, []string{"a"}},
		{"a and b and c", []string{"a b c"}, []string{"a b", "b c"}},
		{"(\tnet/http:2.x-y )", []string{"net/http:2.x-y"}, []string{"net"}},
	} {
		e, err := ParseTags(test.expr)
		if err != nil {
			t.Errorf("%s: %v", test.expr, err)
			continue
		}
		for _, tags := range test.yes {
			if !e.Match(strings.Fields(tags)) {
				t.Errorf("%s does not match [%s]", test.expr, tags)
			}
		}
		for _, tags := range test.no {
			if e.Match(strings.Fields(tags)) {
				t.Errorf("%s matches [%s]", test.expr, tags)
			}
		}
	}
}

func TestSCN37WrongTagsHaveAPlace(t *testing.T) {
	for _, test := range []struct {
		expr, want string
		col        int
	}{
		{"", `wants a tag, "not" or "("; the expression ends here`, 1},
		{"a b", "wants and, or or the end; found b", 3},
		{"a and", `wants a tag, "not" or "("; the expression ends here`, 6},
		{"a and or b", `wants a tag, "not" or "("; found or`, 7},
		{"(a or b", `wants "and", "or" or ")"; the expression ends here`, 8},
		{"a)", "wants and, or or the end; found )", 2},
		{"ä && b", "wants and, or or the end; found &", 3},
		{"not", `wants a tag, "not" or "("; the expression ends here`, 4},
		{"()", `wants a tag, "not" or "("; found )`, 2},
		{strings.Repeat("(", 2000), "has more than 1000 bytes", 1},
	} {
		_, err := ParseTags(test.expr)
		var wrong *TagError
		if !errors.As(err, &wrong) || wrong.Text != test.want || wrong.Col != test.col {
			t.Errorf("%s: %v, want column %d: %s", wording.Clip(test.expr, 20), err, test.col, test.want)
		}
	}
}

func TestSCN37AnUnknownTagIsNamed(t *testing.T) {
	e, err := ParseTags("faults and not smok")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		known []string
		want  string
	}{
		{[]string{"faults", "smok"}, ""},
		{[]string{"faults", "smoke"}, "no case has the tag smok; did you mean smoke?"},
		{[]string{"smok"}, "no case has the tag faults"},
	} {
		if got := e.Unknown(test.known); got != test.want {
			t.Errorf("%v: %q, want %q", test.known, got, test.want)
		}
	}
}

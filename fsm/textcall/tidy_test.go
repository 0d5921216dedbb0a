package textcall_test

import (
	"testing"

	"shelly/fsm/textcall"
)

func TestINF25ACommaAfterTheLastMemberIsLeftOut(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":1,}`:             `{"a":1 }`,
		"[1, 2 ,\n ]":          "[1, 2  \n ]",
		`{"a":[1,],"b":",}",}`: `{"a":[1 ],"b":",}" }`,
		`{"a":"\",}",}`:        `{"a":"\",}" }`,
		`{"a":1}`:              `{"a":1}`,
		`{"a":[1,2],}`:         `{"a":[1,2] }`,
		`{ ,}`:                 `{ ,}`,
		`{"a":1,,}`:            `{"a":1,,}`,
		`{,}`:                  `{,}`,
		`[,]`:                  `[,]`,
		`{"a":1,`:              `{"a":1,`,
		`{"a":NaN,}`:           `{"a":NaN,}`,
		`{"a":",}`:             `{"a":",}`,
		`not JSON, ] at all`:   `not JSON, ] at all`,
		``:                     ``,
	} {
		if got := textcall.TidyJSON(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

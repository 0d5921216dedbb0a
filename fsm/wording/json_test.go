package wording

import "testing"

func TestJSONIsOneLineWithoutEscapesForHTML(t *testing.T) {
	if got, err := JSON(map[string]string{"a": "<b> & c"}); err != nil || string(got) != `{"a":"<b> & c"}` {
		t.Errorf("got %s, %v; want %s", got, err, `{"a":"<b> & c"}`)
	}
	if _, err := JSON(func() {}); err == nil {
		t.Error("a function has no JSON; want an error")
	}
}

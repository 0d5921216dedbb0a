package client

import (
	"errors"
	"strings"
	"testing"

	"shelly/runtime/comm"
)

func TestCOM88WhyAStreamEndsIsNoEvent(t *testing.T) {
	text := "id: 1\nevent: message\ndata: {\"text\":\"hello\"}\n\nevent: error\ndata: {\"error\":{\"code\":\"unauthorized\",\"message\":\"the token was revoked\"}}\n\n"
	for name, c := range map[string]struct { // order-free: each is alone
		text string
		want error
	}{"said": {text, ErrUnauthorized}, "not said": {text[:strings.Index(text, "event: error")], ErrBroken}} {
		var got []string
		err := readEvents(strings.NewReader(c.text), func() {}, func(_ string, m comm.Message) bool {
			got = append(got, m.Text)
			return true
		})
		if !errors.Is(err, c.want) || strings.Join(got, ",") != "hello" {
			t.Errorf("%s: got %q, %v; want %q, %v", name, got, err, "hello", c.want)
		}
	}
}

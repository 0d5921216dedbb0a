package wording_test

import (
	"testing"

	"shelly/fsm/wording"
)

func TestWhatDiffersOnlyInNumbersIsAlike(t *testing.T) {
	const a, b, c = "dial 127.0.0.1:40112: refused", "dial 127.0.0.1:8: refused", "dial localhost:8: refused"
	if wording.Numberless(a) != wording.Numberless(b) || wording.Numberless(b) == wording.Numberless(c) {
		t.Errorf("got %q, %q, %q", wording.Numberless(a), wording.Numberless(b), wording.Numberless(c))
	}
	if got := wording.Numberless("é 12"); got != "é 0" {
		t.Errorf("got %q", got)
	}
}

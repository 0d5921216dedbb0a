package ollama

import "testing"

// A server that was gone while a model loaded may load it again for others before all who waited
// have noticed (BRN-13, BRN-18).
func TestALoadThatWasForgottenEndsNoOther(t *testing.T) {
	k := newKnown()
	before := k.join("m")
	k.forget()
	now := k.join("m")
	if k.leave("m", before) {
		t.Error("the load before is shared, want that nobody else waited for it")
	}
	if k.join("m") != now {
		t.Error("the load that is in progress was forgotten")
	}
	first, second := k.leave("m", now), k.leave("m", now)
	if !first || !second {
		t.Error("the load is not shared, want that two waited for it")
	}
	if k.join("m") == now {
		t.Error("a load that has ended is in progress")
	}
}

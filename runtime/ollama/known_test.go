package ollama

import "testing"

// A server that was gone while a model loaded may load it again for others before all who waited
// have noticed (BRN-13, BRN-18).
func TestALoadThatWasForgottenEndsNoOther(t *testing.T) {
	k := newKnown()
	before, first := k.join("m")
	if !first {
		t.Error("the first chat is to wait for a load that nobody has begun")
	}
	k.forget()
	now, first := k.join("m")
	if !first || now == before {
		t.Error("the load that was forgotten is still the one in progress")
	}
	k.loaded("m", before, nil)
	if k.shared(before) {
		t.Error("the load before is shared, want that nobody else waited for it")
	}
	if l, first := k.join("m"); l != now || first {
		t.Error("the load that is in progress was forgotten")
	}
	if k.loaded("m", now, nil); !k.shared(now) {
		t.Error("the load is not shared, want that two waited for it")
	}
	if l, first := k.join("m"); l == now || !first {
		t.Error("a load that has ended is in progress")
	}
}

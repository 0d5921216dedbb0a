package textcall

import "testing"

// INF-25: each mark may be one by its first or its last character, which is looked at before
// the marks are.
func TestINF25EachMarkIsLookedFor(t *testing.T) {
	for _, f := range families() {
		if !mayBeTagged(f.open + "x") {
			t.Errorf("what begins with %s is not held against the marks", f.open)
		}
		if f.close != "" && !mayBeTagged("x"+f.close) {
			t.Errorf("what ends with %s is not held against the marks", f.close)
		}
	}
}

package textcall

import "testing"

// INF-25: every mark passes the check of the first and the last character, which is made before
// the marks are compared.
func TestINF25EachMarkIsLookedFor(t *testing.T) {
	for _, f := range Mended.families() {
		if !mayBeTagged(f.open + "x") {
			t.Errorf("what begins with %s is not compared with the marks", f.open)
		}
		if f.close != "" && !mayBeTagged("x"+f.close) {
			t.Errorf("what ends with %s is not compared with the marks", f.close)
		}
	}
}

package exhaustive

import (
	"runtime"
	"strings"
	"testing"
)

// Test says that t tries each place of something. With the race detector it is skipped:
// "make test" runs it without. It picks such tests by their names, so the call stands in the
// test itself, and not in a part of it or in a function that several call.
func Test(t *testing.T) {
	t.Helper()
	if name := caller(); name != t.Name() {
		t.Fatalf("%s is marked in %s; the mark stands in the test itself", t.Name(), name)
	}
	if raceDetector {
		t.Skip("runs without the race detector")
	}
}

// caller is the name of the function that called Test, without its package.
func caller() string {
	var pcs [1]uintptr
	runtime.Callers(3, pcs[:])
	frame, _ := runtime.CallersFrames(pcs[:]).Next()
	return frame.Function[strings.LastIndexByte(frame.Function, '.')+1:]
}

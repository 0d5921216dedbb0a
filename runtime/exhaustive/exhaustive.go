package exhaustive

import (
	"runtime"
	"strings"
	"testing"
)

// Test marks t as exhaustive. With the race detector it is skipped; "make test" also runs it
// without. "make test" picks such tests by name, so the call must be in the test
// itself, not in a subtest or a function that several tests call.
func Test(t *testing.T) {
	t.Helper()
	if name := caller(); name != t.Name() {
		t.Fatalf("%s is marked in %s; the call must be in the test itself", t.Name(), name)
	}
	if raceDetector {
		t.Skip("runs without the race detector")
	}
}

// caller returns the name of the function that called Test, without its package.
func caller() string {
	var pcs [1]uintptr
	runtime.Callers(3, pcs[:])
	frame, _ := runtime.CallersFrames(pcs[:]).Next()
	return frame.Function[strings.LastIndexByte(frame.Function, '.')+1:]
}

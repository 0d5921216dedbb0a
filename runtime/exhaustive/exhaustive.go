package exhaustive

import "testing"

// Test says that t tries each place of something. With the race detector it is skipped:
// "make test" runs it without.
func Test(t *testing.T) {
	t.Helper()
	if raceDetector {
		t.Skip("runs without the race detector")
	}
}

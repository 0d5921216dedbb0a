package daemon

import (
	"testing"
	"testing/synctest"
)

func TestAtMost32GoroutinesWaitForACall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := crew{next: make(chan func())}
		over, release := make(chan struct{}), make(chan struct{})
		for range crewMax + 8 {
			c.performs(func() { <-release }, over)
		}
		synctest.Wait()
		close(release)
		synctest.Wait()
		if n := c.waiting.Load(); n != crewMax {
			t.Errorf("%d wait, want %d", n, crewMax)
		}
		close(over)
		c.Wait()
	})
}

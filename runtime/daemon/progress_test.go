package daemon

import (
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"shelly/fsm"
)

func TestINF50NoProgressIsReportedInTheFirstSecondsAndEachStageOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var told []fsm.Stage
		p := &progress{tell: func(s fsm.Stage, over bool) {
			mu.Lock()
			defer mu.Unlock()
			told = append(told, s)
			if over != (s == fsm.StageLoading) {
				t.Errorf("%s: over %t", s, over)
			}
		}}
		seen := func() []fsm.Stage {
			mu.Lock()
			defer mu.Unlock()
			return slices.Clone(told)
		}
		p.timer = time.AfterFunc(time.Duration(fsm.ProgressAfter)*time.Millisecond, p.begin)
		p.comes(fsm.StageLoading)
		time.Sleep(time.Second)
		p.comes(fsm.StageAccepted)
		if got := seen(); len(got) != 0 {
			t.Errorf("in the first seconds %v", got)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		p.comes(fsm.StageAccepted)
		p.comes(fsm.StageLoading)
		p.comes(fsm.StageWriting)
		p.comes("")
		p.stop()
		if want := []fsm.Stage{fsm.StageLoading, fsm.StageAccepted, fsm.StageWriting}; !slices.Equal(seen(), want) {
			t.Errorf("%v, want %v", seen(), want)
		}
	})
}

func TestINF50AQuickCallTellsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &progress{tell: func(s fsm.Stage, _ bool) { t.Error(s) }}
		p.timer = time.AfterFunc(time.Duration(fsm.ProgressAfter)*time.Millisecond, p.begin)
		p.comes(fsm.StageWriting)
		p.stop()
		time.Sleep(time.Minute)
		p.comes(fsm.StageAccepted)
	})
}

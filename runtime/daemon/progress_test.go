package daemon

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"shelly/fsm"
)

func TestINF50NoProgressIsToldInTheFirstSecondsAndEachStageOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []fsm.Stage
		p := &progress{tell: func(s fsm.Stage) { told = append(told, s) }}
		p.timer = time.AfterFunc(time.Duration(fsm.ProgressAfter)*time.Millisecond, p.begin)
		p.comes(fsm.StageLoading)
		time.Sleep(time.Second)
		p.comes(fsm.StageAccepted)
		if len(told) != 0 {
			t.Errorf("in the first seconds %v", told)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		p.comes(fsm.StageAccepted)
		p.comes(fsm.StageLoading)
		p.comes(fsm.StageWriting)
		p.comes("")
		p.stop()
		if want := []fsm.Stage{fsm.StageAccepted, fsm.StageWriting}; !slices.Equal(told, want) {
			t.Errorf("%v, want %v", told, want)
		}
	})
}

func TestINF50AQuickCallTellsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &progress{tell: func(s fsm.Stage) { t.Error(s) }}
		p.timer = time.AfterFunc(time.Duration(fsm.ProgressAfter)*time.Millisecond, p.begin)
		p.comes(fsm.StageWriting)
		p.stop()
		time.Sleep(time.Minute)
		p.comes(fsm.StageAccepted)
	})
}

package history

import (
	"fmt"
	"strings"

	"shelly/fsm"
)

// daemonEffects and daemonFacts put what is about the daemon and its time in words.
func daemonEffects() []effectRow {
	return []effectRow{
		fsm.OnEffect(func(t *teller, e fsm.SetTimer) string {
			t.timers[e.Timer] = e.Purpose
			return fmt.Sprintf("sets timer %s to %s", e.Purpose, Span(e.After))
		}),
		fsm.OnEffect(func(t *teller, e fsm.ClearTimer) string {
			if purpose := t.timers[e.Timer]; purpose != "" {
				return fmt.Sprintf("clears timer %s", purpose)
			}
			return "clears a timer"
		}),
		fsm.OnEffect(func(t *teller, e fsm.Report) string { return "tells the operator:" + t.text(e.Text) }),
		fsm.OnEffect(func(_ *teller, e fsm.ArmSchedule) string { return "arms schedule " + e.Schedule }),
		fsm.OnEffect(func(_ *teller, e fsm.DisarmSchedule) string { return "ends schedule " + e.Schedule }),
		fsm.OnEffect(func(_ *teller, e fsm.Exit) string { return fmt.Sprintf("ends the process (%s)", e.Code) }),
	}
}

func daemonFacts() []factRow {
	return []factRow{
		ofDaemon(func(t *teller, _ fsm.Boot) string {
			if t.epoch > 1 {
				return fmt.Sprintf("the daemon started again (epoch %d)", t.epoch)
			}
			return fmt.Sprintf("the daemon started (epoch %d)", t.epoch)
		}),
		ofDaemon(func(_ *teller, f fsm.Configured) string {
			return fmt.Sprintf("the configuration was read again (profile %s)", f.Config.Profile)
		}),
		ofDaemon(func(_ *teller, f fsm.Signalled) string { return "the daemon got the signal " + f.Name }),
		ofHandle(func(_ *teller, f fsm.EventRaised) string {
			return fmt.Sprintf("an event came from %s: %s", f.Source, strings.TrimSpace(f.Event+" "+f.Subject))
		}),
		ofHandle(func(_ *teller, f fsm.ScheduleDue) string { return fmt.Sprintf("schedule %s is due", f.Schedule) }),
		ofHandle(func(t *teller, f fsm.TimerFired) string {
			if purpose := t.timers[f.Timer]; purpose != "" {
				return fmt.Sprintf("timer %s fired", purpose)
			}
			return "a timer fired"
		}),
	}
}

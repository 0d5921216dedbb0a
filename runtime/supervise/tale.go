package supervise

import (
	"fmt"
	"time"
)

// Look is the daemon's loop's report about itself.
type Look struct {
	Serving  bool   // requests are worked on
	Stopping bool   // a signal was taken
	Active   int    // active handles
	Waiting  int    // waiting handles
	Short    string // why the disk is too full to accept anything, or ""
}

// Bounds of the start and the stop, which may take longer than the supervisor normally allows.
const (
	startMax = time.Hour        // from the start until the loop serves
	closeMax = 10 * time.Minute // from the loop's end until the process's
	extendBy = time.Minute      // by which one message extends the time-out
)

// tale decides what is reported to the supervisor. Times are since the start.
type tale struct {
	ready    bool
	stopping bool
	heard    bool          // the loop has answered once
	ended    bool          // the loop has ended
	endedAt  time.Duration // when
	status   string        // that was sent last
}

// answered returns the lines to send when the loop has answered (DEP-1, DEP-2).
func (t *tale) answered(l Look, at time.Duration) (lines []string) {
	t.heard = true
	if !t.ready && !l.Stopping && (l.Serving || l.Short != "") {
		t.ready = true
		lines = append(lines, "READY=1")
	}
	if l.Stopping {
		lines = append(lines, t.stop()...)
	}
	lines = append(lines, t.say(l.words())...)
	if t.stopping || !t.ready && at < startMax {
		lines = append(lines, extend())
	}
	return append(lines, "WATCHDOG=1")
}

// unanswered returns the lines to send when the loop has not answered in time. Before its first
// answer, the journal is being recovered; after that the loop hangs, and nothing is sent.
func (t *tale) unanswered(at time.Duration) []string {
	if t.heard || at >= startMax {
		return nil
	}
	return append(t.say("recovering from the journal"), extend())
}

// gone returns the lines to send while the loop has ended and the process has not.
func (t *tale) gone(at time.Duration) []string {
	if !t.ended {
		t.ended, t.endedAt = true, at
	}
	if at-t.endedAt >= closeMax {
		return nil
	}
	lines := append(t.stop(), t.say("closing")...)
	return append(lines, extend(), "WATCHDOG=1")
}

// stop returns, once, the line that the daemon is stopping.
func (t *tale) stop() []string {
	if t.stopping {
		return nil
	}
	t.stopping = true
	return []string{"STOPPING=1"}
}

// reloading returns the lines that the configuration is being read again, at a time of the
// system's monotonic clock. While the daemon starts or stops this is not reported.
func (t *tale) reloading(monotonic time.Duration) []string {
	if !t.ready || t.stopping {
		return nil
	}
	return append([]string{"RELOADING=1", fmt.Sprintf("MONOTONIC_USEC=%d", monotonic.Microseconds())}, t.say("reloading the configuration")...)
}

// reloaded returns the lines that it has been read.
func (t *tale) reloaded() []string {
	if !t.ready || t.stopping {
		return nil
	}
	return []string{"READY=1"}
}

// say returns a status line, unless it was the last one sent.
func (t *tale) say(words string) []string {
	if words == t.status {
		return nil
	}
	t.status = words
	return []string{"STATUS=" + words}
}

// words returns a look in words, for a person who reads the supervisor's status.
func (l Look) words() string {
	switch {
	case l.Short != "":
		return "waiting for disk space; records can be read"
	case l.Stopping:
		return fmt.Sprintf("stopping: %d at work", l.Active)
	case !l.Serving:
		return "starting: requests are queued until it serves"
	case l.Active+l.Waiting == 0:
		return "serving: idle"
	default:
		return fmt.Sprintf("serving: %d at work, %d waiting", l.Active, l.Waiting)
	}
}

func extend() string { return fmt.Sprintf("EXTEND_TIMEOUT_USEC=%d", extendBy.Microseconds()) }

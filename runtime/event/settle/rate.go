package settle

import "shelly/fsm"

// Rate is the most events that may be raised about one subject in a window of time (EVT-4).
type Rate struct {
	Max    int // at least 1
	Window fsm.Millis
}

// spent is the times of the last events about a subject, in order, at most Max of them.
type spent []fsm.Millis

// free returns when the next event may be raised: now or later.
func (r Rate) free(s spent, now fsm.Millis) fsm.Millis {
	if len(s) < r.Max {
		return now
	}
	return max(now, s[0]+r.Window)
}

// less forgets the last event, which was not raised.
func (s spent) less() spent { return s[:len(s)-1] }

// add notes an event.
func (r Rate) add(s spent, now fsm.Millis) spent {
	if len(s) >= r.Max {
		s = s[len(s)-r.Max+1:]
	}
	return append(s[:len(s):len(s)], now)
}

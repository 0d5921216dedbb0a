package fsm

import "testing"

// INF-50: a speed is learnt from calls that are long enough to show it, and moves by a quarter.
func TestINF50ASpeedMovesByAQuarter(t *testing.T) {
	for _, tt := range []struct {
		speed, tokens int
		took          Millis
		want          int
	}{
		{0, learntTokens, Second, learntTokens},
		{100, learntTokens, Second, (300 + learntTokens) / 4},
		{100, learntTokens - 1, Second, 100},
		{100, 2000, learntMillis, (300 + 2000*1000/learntMillis) / 4},
		{100, 2000, learntMillis - 1, 100},
		{0, learntTokens, 1000 * Second, 1},
	} {
		if got := Learn(tt.speed, tt.tokens, tt.took); got != tt.want {
			t.Errorf("%d tokens in %s after a speed of %d: %d, want %d", tt.tokens, tt.took, tt.speed, got, tt.want)
		}
	}
	for tokens, want := range map[int]Millis{0: 0, 1: Second, 3: Second, 4: 2 * Second, 10: 4 * Second} {
		if got := (Pace{Reads: 3}).Reading(tokens); got != want {
			t.Errorf("%d tokens at 3 a second take %s, want %s", tokens, got, want)
		}
	}
	if got := (Pace{}).Reading(10); got != 0 {
		t.Errorf("at an unknown speed they take %s", got)
	}
}

// A third, but no slower than what is assumed if nothing is known, and nothing of the other speed.
func TestINF50ADoubtedSpeedIsAThird(t *testing.T) {
	for _, c := range []struct{ reads, less, writes, fewer int }{
		{60, 20, 12, 4}, {29, 10, 5, 2}, {10, 10, 2, 2}, {4, 4, 1, 1}, {0, 0, 0, 0},
	} {
		p := Pace{Load: 1, Idle: 2, Reads: c.reads, Writes: c.writes}
		reading, writing := p, p
		reading.Reads, writing.Writes = c.less, c.fewer
		for stage, want := range map[Stage]Pace{ // order-free
			StageLoading: p, StageAccepted: reading, StageWriting: writing,
		} {
			if got := p.Doubt(stage); got != want {
				t.Errorf("%+v, silent while %s: %+v, want %+v", p, stage, got, want)
			}
		}
	}
}

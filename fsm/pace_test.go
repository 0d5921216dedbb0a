package fsm

import "testing"

// INF-50: a speed is learnt from calls that are long enough to show it; the time of a token so far
// counts three times. Up to the sixth edition the speed so far did.
func TestINF50TheTimeOfATokenMovesByAQuarter(t *testing.T) {
	for _, tt := range []struct {
		edition       int
		speed, tokens int
		took          Millis
		want          int
	}{
		{SeventhEdition, 0, learntTokens, Second, learntTokens},
		{SeventhEdition, 100, 2000, 10 * Second, 115}, // 4 tokens: three in 30 ms, one in 5 ms
		{SeventhEdition, 2200, 600, 10 * Second, 221}, // what a held prompt has taught does not last
		{SeventhEdition, 222, 600, 10 * Second, 132},  // rounded down, towards 60
		{SeventhEdition, 1, 600, 10 * Second, 2},      // and up
		{SeventhEdition, 60, 600, 10 * Second, 60},
		{SeventhEdition, 4, 600, 30 * Second, 5}, // exactly
		{SeventhEdition, 100, learntTokens - 1, Second, 100},
		{SeventhEdition, 100, 2000, learntMillis, 134},
		{SeventhEdition, 100, 2000, learntMillis - 1, 100},
		{SeventhEdition, 0, learntTokens, 1000 * Second, 1},
		{PresentEdition, 1, learntTokens, 1000 * Second, 1},
		{SixthEdition, 100, learntTokens, Second, (300 + learntTokens) / 4},
		{SixthEdition, 100, 2000, learntMillis, (300 + 2000*1000/learntMillis) / 4},
		{SixthEdition, 0, learntTokens, 1000 * Second, 1},
		{SixthEdition, 1, learntTokens, 1000 * Second, 1},
	} {
		if got := Learn(tt.edition, tt.speed, tt.tokens, tt.took); got != tt.want {
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

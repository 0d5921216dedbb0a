package position_test

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"shelly/fsm"
	"shelly/runtime/comm/position"
)

func TestCOM90APositionIsReadAsItWasWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := func(name string) int { return rapid.IntRange(0, math.MaxInt>>1).Draw(t, name) }
		p := position.Position{
			Epoch: n("epoch"), Place: n("place"), Record: uint64(n("record")), Nth: n("nth"), Call: fsm.CallID(n("call")), Text: n("text"), Thinking: n("thinking"),
		}
		if got, err := position.Parse(p.String()); got != p || err != nil {
			t.Errorf("%s is read as %+v, %v", p, got, err)
		}
	})
}

func TestCOM90WhatIsNotAPositionIsRefused(t *testing.T) {
	for _, text := range []string{
		"", "0", "1.2.3.4.5.6", "1.2.3.4.5.6.7.8", "1.2.3.4.5.6.x", "1.2.3.4.5.6.-7", "1.2.3.4.5.6.07", "1.2.3.4.5.6.+7", "1.2.3.4.5.6. 7",
		"1.2.99999999999999999999.4.5.6.7", "1.2.3.4.5.6.9223372036854775807", "1.2.3.4.5.6.7\n", strings.Repeat("1", 1<<20),
	} {
		if p, err := position.Parse(text); err == nil {
			t.Errorf("%q is read as %+v", text, p)
		} else if len(err.Error()) > 500 {
			t.Errorf("the error has %d bytes", len(err.Error()))
		}
	}
}

func TestCOM90WhatComesAfterAPosition(t *testing.T) {
	p := position.Position{Record: 5, Nth: 2}
	for at, want := range map[[2]int]bool{{4, 9}: false, {5, 1}: false, {5, 2}: false, {5, 3}: true, {6, 1}: true} {
		if got := p.Before(uint64(at[0]), at[1]); got != want {
			t.Errorf("%v: got %t; want %t", at, got, want)
		}
	}
}

package property

import (
	"slices"
	"testing"

	"shelly/sim"
)

// What strikes strikes as often as it should: always, never, or about as often as its chance.
func TestStrikesAreAsOftenAsTheyShouldBe(t *testing.T) {
	for _, test := range []struct{ p, calls, low, high int }{
		{thousand, 10, strikesMax, strikesMax}, {0, 10, 0, 0}, {100, 1, 0, 1},
	} {
		got := (&choices{from: sim.NewSeeded(1)}).strikes("x", test.p, test.calls)
		if len(got) < test.low || len(got) > test.high {
			t.Errorf("%+v: got %v; want at least %d of them, at most %d of them", test, got, test.low, test.high)
		}
	}
	c, struck := &choices{from: sim.NewSeeded(1)}, 0
	for range 10_000 {
		if list := c.strikes("x", 50, 20); len(list) > 0 && list[0] <= 10 {
			struck++
		}
	}
	if struck < 3800 || struck > 4230 { // 1 - 0.95^10 = 40.1 %
		t.Errorf("%d of 10,000 struck within 10 calls", struck)
	}
	if list := (&choices{from: sim.First{}}).strikes("x", 999, 20); list != nil {
		t.Errorf("the first choice strikes %v", list)
	}
}

// Every number of things is as likely, and leaving a span out leaves one thing out.
func TestSeveralIsUniformAndCanBeLeftOut(t *testing.T) {
	counts := make([]int, 5)
	for seed := range uint64(5000) {
		c, n := &choices{from: sim.NewSeeded(seed)}, 0
		c.several(1, 4, func() { n++; c.Choose("thing", 10) })
		counts[n]++
		if n < 2 || n == 4 {
			continue
		}
		without := c.spans[1]
		tape := slices.Delete(slices.Clone(c.list), without.from, without.to)
		again, m := &choices{from: sim.NewTape(tape)}, 0
		again.several(1, 4, func() { m++; again.Choose("thing", 10) })
		if m != n-1 {
			t.Fatalf("%d things without one are %d: %v, %v", n, m, c.list, c.spans)
		}
	}
	for n, got := range counts {
		if n > 0 && (got < 1100 || got > 1400) {
			t.Errorf("%d of 5,000 have %d", got, n)
		}
	}
}

func TestSimplerIsAnOrder(t *testing.T) {
	for _, test := range []struct {
		a, b []int
		want bool
	}{
		{[]int{9}, []int{1, 1}, true}, {[]int{1, 1}, []int{9}, false}, {[]int{1, 2}, []int{1, 3}, true},
		{[]int{1, 2}, []int{1, 2}, false}, {nil, []int{1}, true},
	} {
		if simpler(test.a, test.b) != test.want {
			t.Errorf("simpler(%v, %v)", test.a, test.b)
		}
	}
	if got := trimmed([]int{0, 3, 0, 0}); !slices.Equal(got, []int{0, 3}) {
		t.Errorf("trimmed %v", got)
	}
}

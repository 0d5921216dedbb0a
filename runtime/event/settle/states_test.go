package settle_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"shelly/fsm"
	"shelly/runtime/event/settle"
)

const minute = 60 * fsm.Second

func TestEVT2ALevelHasHysteresis(t *testing.T) {
	low := settle.Level{Below: true, Enter: 500, Clear: 800}
	high := settle.Level{Enter: 9000, Clear: 7000}
	for _, c := range []struct {
		level  settle.Level
		values []int64
		want   string // of each value: whether it is crossed
	}{
		{low, []int64{900, 500, 499, 600, 799, 800, 600, 499}, "..xxx..x"},
		{high, []int64{8000, 9000, 9001, 8000, 7001, 7000, 8999}, "..xxx.."},
		{settle.Level{Below: true, Enter: 500, Clear: 500}, []int64{499, 500, 499}, "x.x"},
	} {
		crossed, got := false, ""
		for _, v := range c.values {
			crossed = c.level.Crossed(crossed, v)
			got += map[bool]string{true: "x", false: "."}[crossed]
		}
		if got != c.want {
			t.Errorf("%+v of %v is %s, want %s", c.level, c.values, got, c.want)
		}
	}
}

func TestEVT3AStateIsReportedOnceItHasHeld(t *testing.T) {
	s := settle.States{Hold: minute, Rate: settle.Rate{Max: 10, Window: 60 * minute}}
	s.Begin("/", "clear")
	s.See(0, "/", "low", "4 %")
	if _, ok := s.Take(minute - 1); ok {
		t.Error("the state was reported before it had held")
	}
	s.See(minute/2, "/", "clear", "9 %")
	if at, ok := s.Due(); ok {
		t.Errorf("what is as it was told is due at %v", at)
	}
	s.See(minute, "/", "low", "3 %")
	c, ok := s.Take(2 * minute)
	if want := (settle.Change{Subject: "/", From: "clear", To: "low", Text: "3 %", Since: minute, Unsaid: 2}); !ok || c != want {
		t.Errorf("told is %+v, want %+v", c, want)
	}
	if _, ok := s.Due(); ok {
		t.Error("the state is due twice")
	}
}

func TestEVT3TheFirstSightIsNotAChange(t *testing.T) {
	s := settle.States{Rate: settle.Rate{Max: 1, Window: minute}}
	s.See(0, "sshd", "running", "")
	if _, ok := s.Due(); ok {
		t.Error("what was there from the beginning is due")
	}
	s.See(1, "sshd", "gone", "")
	if c, ok := s.Take(1); !ok || c.From != "running" || c.To != "gone" {
		t.Errorf("told is %+v", c)
	}
}

func TestEVT4SubjectsAreBounded(t *testing.T) {
	s := settle.States{Rate: settle.Rate{Max: 1, Window: minute}}
	for i := range settle.SubjectsMax + 7 {
		s.See(0, fmt.Sprint(i), "a", "")
	}
	if n := len(s.Subjects()); n != settle.SubjectsMax || s.Foreign() != 7 {
		t.Errorf("%d subjects, %d foreign", n, s.Foreign())
	}
}

// Whatever is seen, no window has more events about a subject than the rate allows, no state is
// reported before it has held, the last state is reported in the end, and each change of a state is in
// an event or counted by one. Some events are refused.
func TestEVT4StatesKeepTheirRateAndLoseNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := settle.States{
			Hold: fsm.Millis(rapid.Int64Range(0, 50).Draw(t, "hold")),
			Rate: settle.Rate{Max: rapid.IntRange(1, 4).Draw(t, "max"), Window: fsm.Millis(rapid.Int64Range(1, 200).Draw(t, "window"))},
		}
		names, states := []string{"a", "b"}, []string{"x", "y", "z"}
		seen, told, turns := map[string]string{}, map[string][]fsm.Millis{}, map[string]int{}
		last := map[string]string{}
		now := fsm.Millis(0)
		take := func(refused bool) {
			for c, ok := s.Take(now); ok; c, ok = s.Take(now) {
				if refused {
					s.Return(c)
					return
				}
				if c.From == c.To || last[c.Subject] != "" && last[c.Subject] != c.From {
					t.Fatalf("told is %+v, after %s", c, last[c.Subject])
				}
				if c.Since+s.Hold > now {
					t.Fatalf("%+v has not held at %v", c, now)
				}
				last[c.Subject] = c.To
				told[c.Subject] = append(told[c.Subject], now)
				if n := turns[c.Subject]; n != 1+c.Unsaid {
					t.Fatalf("%d changes of a state, and told is %+v", n, c)
				}
				turns[c.Subject] = 0
			}
		}
		for range rapid.IntRange(1, 80).Draw(t, "steps") {
			now += fsm.Millis(rapid.Int64Range(0, 30).Draw(t, "pause"))
			name, state := rapid.SampledFrom(names).Draw(t, "name"), rapid.SampledFrom(states).Draw(t, "state")
			if before, known := seen[name]; known && before != state {
				turns[name]++
			}
			seen[name] = state
			s.See(now, name, state, "")
			take(rapid.Bool().Draw(t, "refused"))
		}
		for at, ok := s.Due(); ok; at, ok = s.Due() {
			now = max(now, at)
			take(false)
		}
		for _, name := range names {
			if last[name] != "" && last[name] != seen[name] {
				t.Fatalf("%s is %s and was told to be %s", name, seen[name], last[name])
			}
			for i := s.Rate.Max; i < len(told[name]); i++ {
				if told[name][i]-told[name][i-s.Rate.Max] < s.Rate.Window {
					t.Fatalf("%s: more than %d events in %v: %v", name, s.Rate.Max, s.Rate.Window, told[name])
				}
			}
		}
	})
}

// Numbers that stay between both thresholds are reported at most once.
func TestEVT2NothingFlapsAroundAThreshold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		level := settle.Level{Below: true, Enter: 500, Clear: 800}
		s := settle.States{Rate: settle.Rate{Max: 100, Window: 1}}
		s.Begin("/", "clear")
		crossed, events := false, 0
		for i, v := range rapid.SliceOfN(rapid.Int64Range(400, 799), 1, 100).Draw(t, "values") {
			crossed = level.Crossed(crossed, v)
			s.See(fsm.Millis(i), "/", map[bool]string{true: "low", false: "clear"}[crossed], "")
			if _, ok := s.Take(fsm.Millis(i)); ok {
				events++
			}
		}
		if events > 1 {
			t.Fatalf("%d events", events)
		}
	})
}

// The next event is the one that is due first, whatever the subjects' order.
func TestEVT3TheSubjectThatHasHeldLongestIsNext(t *testing.T) {
	for _, order := range [][]string{{"a", "b", "c"}, {"c", "b", "a"}, {"b", "a", "c"}} {
		s := settle.States{Hold: 60, Rate: settle.Rate{Max: 5, Window: 1000}}
		for _, name := range order {
			s.Begin(name, "x")
		}
		for i, name := range order {
			s.See(fsm.Millis(10*i), name, "y", "")
		}
		for i, name := range order {
			at, ok := s.Due()
			if want := fsm.Millis(10*i + 60); !ok || at != want {
				t.Errorf("%v: due is %d, %t; want %d", order, at, ok, want)
			}
			if c, ok := s.Take(at); !ok || c.Subject != name {
				t.Errorf("%v: at %d got %+v, %t; want %s", order, at, c, ok, name)
			}
		}
	}
}

package sizing_test

import (
	"testing"
	"time"

	"shelly/cmd/shelly/internal/sizing"
)

const gib = 1 << 30

// eight is a model with eight billion parameters; a token takes 144 KiB in its cache.
func eight() sizing.Model {
	return sizing.Model{Weights: 5 * gib, PerToken: 36 * 8 * 256, Window: 40960}
}

func machine(available int64) sizing.Machine {
	return sizing.Machine{Total: 24 * gib, Available: available, Cores: 8}
}

func TestCLI10AFreedModelMakesNoMoreThanAllMemoryAvailable(t *testing.T) {
	if got := machine(20 * gib).With(9 * gib).Available; got != 24*gib {
		t.Errorf("more than the total: %d", got)
	}
}

func TestCLI10TheCacheGrowsWithTheWindow(t *testing.T) {
	got := eight().Need(8192, 1, sizing.NumberBytes)
	if want := (sizing.Need{Weights: 5 * gib, Cache: 8192 * 144 << 10, Room: sizing.RoomBytes}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if one, two := got.Cache, eight().Need(8192, 2, sizing.NumberBytes).Cache; two != 2*one {
		t.Errorf("two at a time take %d, one takes %d", two, one)
	}
}

func TestCLI10TheLargestWindowThatFits(t *testing.T) {
	for _, tt := range []struct {
		free   int64
		number int
		want   int
	}{
		{20 * gib, sizing.NumberBytes, 40960}, // the model's own
		{8 * gib, sizing.NumberBytes, 16384},
		{8 * gib, sizing.NumberBytesQ8_0, 32768},
		{6 * gib, sizing.NumberBytes, 2048},
		{5 * gib, sizing.NumberBytes, 0},
	} {
		if got := eight().Largest(tt.free, tt.number); got != tt.want {
			t.Errorf("%d GiB with %d bytes a number: %d, want %d", tt.free/gib, tt.number, got, tt.want)
		}
	}
	if got := eight().Parallel(9*gib, 8192, 4); got != 3 {
		t.Errorf("%d at a time, want 3", got)
	}
	if got := eight().Parallel(gib, 8192, 4); got != 1 {
		t.Errorf("%d at a time where none fits, want 1", got)
	}
}

func TestCLI10SettingsFitTheModelAndTheMemory(t *testing.T) {
	now := sizing.Settings{NumCtx: 8192, NumPredict: 1024, KeepAlive: 30 * time.Minute}
	with := func(change func(*sizing.Settings)) sizing.Settings {
		s := now
		change(&s)
		return s
	}
	thinking, narrow := eight(), eight()
	thinking.Thinks = true
	narrow.Window = 4096
	for _, tt := range []struct {
		name  string
		now   sizing.Settings
		model sizing.Model
		free  int64
		want  sizing.Settings
	}{
		{"all is well", now, eight(), 24 * gib, now},
		{"too little memory", now, eight(), 9*gib - gib/2, with(func(s *sizing.Settings) { s.NumCtx = 4096 })},
		{"far too little", now, eight(), gib, now},
		{"a smaller window", now, narrow, 24 * gib, with(func(s *sizing.Settings) { s.NumCtx = 4096 })},
		{"thinking takes the answer", now, thinking, 24 * gib, with(func(s *sizing.Settings) { s.NumPredict = 4096 })},
		{"an answer as long as the window", with(func(s *sizing.Settings) { s.NumPredict = 8000 }), eight(), 24 * gib, with(func(s *sizing.Settings) { s.NumPredict = 2048 })},
		{"loaded again each time", with(func(s *sizing.Settings) { s.KeepAlive = 0 }), eight(), 24 * gib, now},
	} {
		if got := sizing.Recommend(tt.now, tt.model, machine(tt.free)); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
	if got := sizing.Recommend(now, eight(), sizing.Machine{}); got != now {
		t.Errorf("on an unknown machine: %+v", got)
	}
}

func TestCLI10TimesFollowFromTheSpeed(t *testing.T) {
	s := sizing.Settings{NumCtx: 8192, NumPredict: 1024}
	if got, want := sizing.Longest(eight(), s, sizing.Speed{}), (sizing.Times{Load: 51 * time.Second}); got != want {
		t.Errorf("of an unknown speed: %v, want %v", got, want)
	}
	if got, want := sizing.Longest(eight(), s, sizing.Speed{Prompt: 64, Answer: 8}), (sizing.Times{51 * time.Second, 128 * time.Second, 256 * time.Second}); got != want {
		t.Errorf("%v, want %v", got, want)
	}
	if got := sizing.Generous(179 * time.Second); got != 5*time.Minute {
		t.Errorf("generous is %v", got)
	}
	if got := sizing.Turn(sizing.Speed{Prompt: 100, Answer: 10}); got != 53*time.Second {
		t.Errorf("a turn takes %v", got)
	}
	if got := sizing.Turn(sizing.Speed{}); got != 0 {
		t.Errorf("of an unknown speed: %v", got)
	}
}

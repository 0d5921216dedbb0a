package source_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"shelly/runtime/event"
	"shelly/runtime/event/settle"
	"shelly/runtime/event/source"
)

// looks has a source look for a while of virtual time and returns what it reported.
func looks(t *testing.T, s event.Source, d time.Duration) (lines []string, err error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder()
		ctx, cancel := context.WithTimeout(t.Context(), d)
		defer cancel()
		err = s.Watch(ctx, r)
		lines = r.all
	})
	return lines, err
}

func TestEVT10TheMachineIsMeasured(t *testing.T) {
	free := []uint64{4_200_000_000, 90_000_000_000}
	disk := source.Disk{Path: "/var", Read: func(string) (source.Usage, error) {
		u := source.Usage{Free: free[0], Size: 100_000_000_000}
		free = append(free[1:], free[0])
		return u, nil
	}}
	memory := source.Memory{Read: func() (source.Usage, error) { return source.Usage{Free: 512 << 20, Size: 8 << 30}, nil }}
	load := source.Load{CPUs: 4, Read: func() (int64, error) { return 9_05, nil }}
	io := source.Pressure{Of: "io", Read: func(string) (int64, error) { return 41_50, nil }}
	for name, c := range map[string]struct { // order-free
		source event.Source
		time   time.Duration
		want   []string
	}{
		"disk": {disk, 31 * time.Second, []string{
			"level /var 420: Little space is left on /var: 4.2 GB of 100 GB are free, which is 4.2%. / There is enough space on /var again: 4.2 GB of 100 GB are free, which is 4.2%.",
			"seen 4.2% free, 4.2 GB",
			"level /var 9000: Little space is left on /var: 90 GB of 100 GB are free, which is 90%. / There is enough space on /var again: 90 GB of 100 GB are free, which is 90%.",
			"seen 90% free, 90 GB",
		}},
		"memory": {memory, time.Second, []string{
			"level memory 625: Little memory is left: programs can still have 537 MB of 8.6 GB, which is 6.3%. / There is enough memory again: programs can have 537 MB of 8.6 GB, which is 6.3%.",
			"seen 6.3% available, 537 MB",
		}},
		"load": {load, time.Second, []string{
			"level load 22625: The machine is busy: its load is 9.05 with 4 processors, which is 226.3% of what they can do. / The machine is less busy again: its load is 9.05 with 4 processors, which is 226.3% of what they can do.",
			"seen 226.3%, load 9.05",
		}},
		"pressure": {io, time.Second, []string{
			"level io 4150: Programs wait for the disk: in the last minute some did for 41.5% of the time. / Programs wait less for the disk: in the last minute some did for 41.5% of the time.",
			"seen 41.5% of the last minute",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := looks(t, c.source, c.time); err != nil || !slices.Equal(got, c.want) {
				t.Errorf("%v, reported is\n%q\nwant\n%q", err, got, c.want)
			}
		})
	}
}

// An example is of what is not so now, in words that fit together.
func TestCLI199AnExampleIsOfWhatIsNotSoNow(t *testing.T) {
	none := func(string) ([]uint64, error) { return nil, nil }
	one := func(string) ([]uint64, error) { return []uint64{1 << 20}, nil }
	usage := source.Usage{Free: 61_000_000_000, Size: 271_000_000_000}
	show := func(context.Context, bool, []string) (string, error) {
		return "LoadState=loaded\nActiveState=active\nSubState=running\n", nil
	}
	low, high := settle.Level{Below: true, Enter: 5_00, Clear: 8_00}, settle.Level{Enter: 95_00, Clear: 40_00}
	for name, c := range map[string]struct { // order-free
		source event.Source
		level  settle.Level
		want   string
	}{
		"disk":     {source.Disk{Path: "/", Read: func(string) (source.Usage, error) { return usage, nil }}, low, "Little space is left on /: 11 GB of 271 GB are free, which is 4%."},
		"memory":   {source.Memory{Read: func() (source.Usage, error) { return usage, nil }}, low, "Little memory is left: programs can still have 11 GB of 271 GB, which is 4%."},
		"load":     {source.Load{CPUs: 2, Read: func() (int64, error) { return 12, nil }}, high, "The machine is busy: its load is 2.28 with 2 processors, which is 114% of what they can do."},
		"pressure": {source.Pressure{Of: "io", Read: func(string) (int64, error) { return 12, nil }}, high, "Programs wait for the disk: in the last minute some did for 100% of the time."},
		"none":     {source.Process{Name: "ollama", Read: none}, settle.Level{}, "A process ollama runs now."},
		"one":      {source.Process{Name: "ollama", Read: one}, settle.Level{}, "No process ollama runs any more."},
		"large": {
			source.ProcessMemory{Process: source.Process{Name: "ollama", Read: one}, Most: 12 << 30}, settle.Level{Enter: 12 << 30, Clear: 9 << 30},
			"The processes ollama take 15 GB of memory together, which is more than 13 GB.",
		},
		"units": {source.Units{Names: []string{"a.service"}, Show: show}, settle.Level{}, "The unit a.service has failed (exit-code). What it said is in its journal: journalctl -u a.service."},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := event.Try(t.Context(), event.Spec{Name: "x", Source: c.source, Level: c.level, Do: "Look."})
			if err != nil || len(got.Now) > 0 || len(got.Other) != 1 || got.Other[0].Detail != c.want || got.Other[0].Do != "Look." {
				t.Errorf("got %v and\n%+v; want an example only:\n%s", err, got, c.want)
			}
		})
	}
}

// EVT-10: of a file system without a size, such as /proc, nothing can be left.
func TestEVT10AFileSystemWithoutASizeIsNotFull(t *testing.T) {
	disk := source.Disk{Path: "/proc", Read: func(string) (source.Usage, error) { return source.Usage{}, nil }}
	if lines, err := looks(t, disk, time.Minute); err == nil || err.Error() != "the file system of /proc has no size" || len(lines) > 0 {
		t.Errorf("got %v, and reported is %q", err, lines)
	}
}

func TestEVT13WhatCannotBeMeasuredIsReported(t *testing.T) {
	gone := errors.New("no such mount")
	disk := source.Disk{Path: "/gone", Read: func(string) (source.Usage, error) { return source.Usage{}, gone }}
	if _, err := looks(t, disk, time.Minute); !errors.Is(err, gone) || err.Error() != "measure the space on /gone: no such mount" {
		t.Errorf("it is said: %v", err)
	}
}

func TestEVT11ProgramsAreSeenToRunAndToTakeMemory(t *testing.T) {
	all := [][]uint64{nil, {3 << 30, 2 << 30}}
	read := func(name string) ([]uint64, error) {
		if name != "ollama" {
			t.Errorf("asked for is %q", name)
		}
		now := all[0]
		all = append(all[1:], now)
		return now, nil
	}
	p := source.Process{Name: "ollama", Read: read}
	got, err := looks(t, p, 6*time.Second)
	if want := []string{
		"state ollama gone: No process ollama runs any more.", "seen none",
		"state ollama running: A process ollama runs now.", "seen 2 processes",
	}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, reported is %q", err, got)
	}
	got, err = looks(t, source.ProcessMemory{Process: p, Most: 4 << 30}, 6*time.Second)
	if want := []string{
		"level ollama 0: The processes ollama take 0 bytes of memory together, which is more than 4.3 GB. / The processes ollama take less memory again, 0 bytes together.", "seen 0 processes, 0 bytes",
		"level ollama 5368709120: The processes ollama take 5.4 GB of memory together, which is more than 4.3 GB. / The processes ollama take less memory again, 5.4 GB together.", "seen 2 processes, 5.4 GB",
	}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, reported is %q", err, got)
	}
}

func TestEVT12UnitsAreSeenInTheirStates(t *testing.T) {
	u := source.Units{Names: []string{"a.service", "b.service", "c.service"}, User: true, Show: func(_ context.Context, user bool, names []string) (string, error) {
		if !user || len(names) != 3 {
			t.Errorf("asked is %v, %q", user, names)
		}
		return "Result=success\nLoadState=loaded\nActiveState=active\nSubState=running\n\n" +
			"Result=exit-code\nLoadState=loaded\nActiveState=failed\nSubState=failed\n\n" +
			"Result=success\nLoadState=not-found\nActiveState=inactive\nSubState=dead\n", nil
	}}
	got, err := looks(t, u, time.Second)
	if want := []string{
		"state a.service active: The unit a.service is active now (running).",
		"state b.service failed: The unit b.service has failed (exit-code). What it said is in its journal: journalctl -u b.service.",
		"state c.service not-found: The unit c.service is not known to systemd.",
		"seen 1 active, 1 failed, 1 not-found",
	}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, reported is %q", err, got)
	}
}

// Of units that were not asked for nothing is said.
func TestEVT12OnlyTheUnitsThatWereAskedForAreSeen(t *testing.T) {
	u := source.Units{Names: []string{"a.service"}, Show: func(context.Context, bool, []string) (string, error) {
		return "LoadState=loaded\nActiveState=active\nSubState=running\n\nLoadState=loaded\nActiveState=failed\nResult=signal\n", nil
	}}
	got, err := looks(t, u, time.Second)
	if want := []string{"state a.service active: The unit a.service is active now (running).", "seen 1 active"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, reported is %q", err, got)
	}
}

func TestEVT12WithoutSystemdTheSourceSaysSo(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := looks(t, source.Units{Names: []string{"a.service"}}, time.Minute)
	if !errors.Is(err, event.ErrNotHere) || err.Error() != "there is no systemd: not on this machine" {
		t.Errorf("it is said: %v", err)
	}
}

package zone_test

import (
	"archive/zip"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"shelly/fsm"
	"shelly/fsm/cron"
	"shelly/runtime/zone"
)

// names lists every zone of Go's own database.
func names(t *testing.T) []string {
	t.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	z, err := zip.OpenReader(filepath.Join(strings.TrimSpace(string(root)), "lib", "time", "zoneinfo.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	var all []string
	for _, f := range z.File {
		if !strings.HasSuffix(f.Name, "/") {
			all = append(all, f.Name)
		}
	}
	if len(all) < 400 {
		t.Fatalf("%d zones in the database", len(all))
	}
	return all
}

const minute = 60 * fsm.Second

// wall is a time as a zone's clocks show it by the zone database.
func wall(loc *time.Location, t fsm.Millis) fsm.Millis {
	_, offset := time.UnixMilli(int64(t)).In(loc).Zone()
	return t + fsm.Millis(offset)*fsm.Second
}

// TestHND48SlotsFollowTheZoneDatabase asks, around every change of every zone over fifty years,
// for the slots of a day: every quarter of an hour once, the first time that the clocks show
// it, or at the end of the gap that it lies in.
func TestHND48SlotsFollowTheZoneDatabase(t *testing.T) {
	from, to := time.Date(1976, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	changes, seen := 0, map[string]bool{}
	for _, name := range names(t) {
		loc, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		z := zone.Of(loc, name, from, to)
		if key := fmt.Sprint(z.Offset, z.Changes); seen[key] {
			continue // another name of a zone
		} else {
			seen[key] = true
		}
		for _, c := range z.Changes {
			changes++
			around(t, loc, &z, c.At)
		}
	}
	if changes < 10_000 {
		t.Errorf("%d changes were tried", changes)
	}
}

// around compares the slots from 27 hours before a change to 27 hours after it.
func around(t *testing.T, loc *time.Location, z *fsm.Zone, at fsm.Millis) {
	t.Helper()
	const reach = 27 * 60 * minute
	shown, last := map[fsm.Millis]fsm.Millis{}, fsm.Millis(0) // when a local time is shown first
	step := 15 * minute
	if at%step != 0 { // a few, at a minute past midnight
		step = minute
	}
	for now := at - reach; now <= at+reach; now += step {
		local := wall(loc, now)
		if z.Local(now) != local {
			t.Fatalf("%s: %s is %s, and the database says %s", z.Name, now.Date(), z.Local(now).Date(), local.Date())
		}
		for skipped := last + step; last > 0 && skipped < local; skipped += step {
			if _, ok := shown[skipped]; !ok {
				shown[skipped] = now // the end of the gap
			}
		}
		if _, ok := shown[local]; !ok {
			shown[local] = now
		}
		last = max(last, local)
	}
	for local, first := range shown {
		if got := z.UTC(local); got != first {
			t.Fatalf("%s: %s is at %s, want %s", z.Name, local.Date(), got.Date(), first.Date())
		}
		if local%(60*minute) != 0 || first < at-60*minute || first > at+60*minute {
			continue
		}
		// A daily schedule at that time of day runs once, then.
		arm := fsm.ArmSchedule{Cron: fmt.Sprintf("0 %d * * *", local/(60*minute)%24), From: first - minute, Zone: *z}
		slot, ok := cron.Next(arm, arm.From)
		if !ok || slot != first {
			t.Fatalf("%s: %q after %s is at %s, want %s", z.Name, arm.Cron, arm.From.Date(), slot.Date(), first.Date())
		}
		arm.From = slot
		if again, ok := cron.Next(arm, slot); !ok || z.Local(again)-local < 23*60*minute && z.Local(again) > local {
			t.Fatalf("%s: %q after %s is at %s again", z.Name, arm.Cron, slot.Date(), again.Date())
		}
	}
}

func berlin(t *testing.T) fsm.Zone {
	t.Helper()
	z, err := zone.Named("Europe/Berlin", time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// slots lists the next slots of an expression after a time in UTC.
func slots(z fsm.Zone, expr, from string, n int) (all []string) {
	at, _ := cron.ParseAt(from, &fsm.Zone{})
	for range n {
		at, _ = cron.Next(fsm.ArmSchedule{Cron: expr, From: at, Zone: z}, at)
		all = append(all, at.Date()[5:])
	}
	return all
}

func TestHND48BothChangesOfAYear(t *testing.T) {
	z := berlin(t)
	for _, test := range []struct {
		expr, from string
		want       string
	}{
		{"30 2 * * *", "2026-03-28T00:00", "03-28 01:30, 03-29 01:00, 03-30 00:30"},      // in the gap: at its end
		{"0 3 * * *", "2026-03-28T12:00", "03-29 01:00, 03-30 01:00"},                    // the gap's end itself
		{"*/20 2 * * *", "2026-03-28T12:00", "03-29 01:00, 03-30 00:00, 03-30 00:20"},    // three in the gap are one
		{"30 2 * * *", "2026-10-24T12:00", "10-25 00:30, 10-26 01:30"},                   // shown twice: the first time
		{"30 2 * * *", "2026-10-25T00:45", "10-26 01:30"},                                // not the second time
		{"0 * * * *", "2026-10-24T23:30", "10-25 00:00, 10-25 01:00, 10-25 02:00"},       // every hour goes on by the hour
		{"*/30 * * * *", "2026-03-29T00:15", "03-29 00:30, 03-29 01:00, 03-29 01:30"},    // and here
		{"@daily", "2026-03-28T12:00", "03-28 23:00, 03-29 22:00"},                       // a day of 23 hours
		{"0 9 * * mon-FRI", "2026-03-27T12:00", "03-30 07:00, 03-31 07:00"},              // names of days
		{"0 9 1 jan,July *", "2026-03-27T12:00", "07-01 07:00, 01-01 08:00"},             // and of months
		{"0 9 * * Sat-Sun", "2026-03-27T12:00", "03-28 08:00, 03-29 07:00, 04-04 07:00"}, // through the week's end
	} {
		if got := strings.Join(slots(z, test.expr, test.from, strings.Count(test.want, ",")+1), ", "); got != test.want {
			t.Errorf("%q after %s: %s, want %s", test.expr, test.from, got, test.want)
		}
	}
}

// The latest passed slot is found, however many slots lie between.
func TestHND48TheLatestSlotThatHasPassed(t *testing.T) {
	z := berlin(t)
	for _, expr := range []string{"30 2 * * *", "*/7 * * * *", "0 2 29 * *", "*/20 2,3 * * *", "0 0 29 2 *"} {
		from := fsm.Millis(time.Date(2025, 10, 20, 0, 0, 0, 0, time.UTC).UnixMilli())
		slot, next := fsm.Millis(0), from
		now := from
		for range 300 {
			now += 7*60*minute + 13*minute
			for next <= now {
				at, ok := cron.Next(fsm.ArmSchedule{Cron: expr, From: next, Zone: z}, next)
				if !ok || at > now {
					break
				}
				slot, next = at, at
			}
			if got, ok := cron.Next(fsm.ArmSchedule{Cron: expr, From: from, Zone: z}, now); slot != 0 && (!ok || got != slot) {
				t.Fatalf("%q at %s: %s, want %s", expr, now.Date(), got.Date(), slot.Date())
			}
		}
	}
}

func TestHND48ATimeIsLocalUnlessItSaysOtherwise(t *testing.T) {
	z := berlin(t)
	for text, want := range map[string]string{
		"2026-07-01T09:00": "2026-07-01 07:00", "2026-01-01 09:00:30": "2026-01-01 08:00", "2026-07-01T09:00Z": "2026-07-01 09:00",
		"2026-07-01T09:00:00+02:00": "2026-07-01 07:00", "2026-07-01T09:00-0330": "2026-07-01 12:30", "2026-07-01T09:00 +5": "2026-07-01 04:00",
		"2026-03-29T02:30": "2026-03-29 01:00", "2026-10-25T02:30": "2026-10-25 00:30",
	} {
		if got, ok := cron.ParseAt(text, &z); !ok || got.Date() != want {
			t.Errorf("%s is %s (%t), want %s", text, got.Date(), ok, want)
		}
	}
	for _, text := range []string{"", "tomorrow", "2026-07-01", "2026-07-01T25:00", "2026-07-01T09:00+99:00", "2026-07-01T09:00 CET", "2026-02-30T09:00"} {
		if got, ok := cron.ParseAt(text, &z); ok {
			t.Errorf("%q is taken for %s", text, got.Date())
		}
	}
	summer, _ := cron.ParseAt("2026-07-01T09:00", &z)
	if got, want := z.Stamp(summer), "2026-07-01 09:00 Europe/Berlin (UTC+02:00), Wednesday"; got != want {
		t.Errorf("it is shown as %s, want %s", got, want)
	}
}

func TestWhatIsNotAZone(t *testing.T) {
	for _, name := range []string{"", "Local", "Mars/Base", "../etc/passwd"} {
		if z, err := zone.Named(name, time.Now()); err == nil {
			t.Errorf("%q is %+v", name, z)
		}
	}
	if z, err := zone.Named("local", time.Now()); err != nil || z.Name == "" {
		t.Errorf("the machine's own is %+v, %v", z, err)
	}
	if z, err := zone.Named("UTC", time.Now()); err != nil || !z.IsUTC() {
		t.Errorf("UTC is %+v, %v", z, err)
	}
}

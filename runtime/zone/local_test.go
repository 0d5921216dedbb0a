package zone

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// CFG-18: the machine's zone has the name of its times. TZ may name a file, or nothing that is known,
// and then the link to another zone's file says nothing about the times.
func TestCFG18TheMachinesZoneIsCalledByItsTimes(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "zoneinfo")
	file := func(name string) string {
		at := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		return at
	}
	berlin, tokyo := file("Europe/Berlin"), file("Asia/Tokyo")
	loc := func(name string) *time.Location {
		l, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	for name, c := range map[string]struct { // order-free: each for itself
		loc      *time.Location
		tz, link string
		want     string
	}{
		"no TZ":                           {loc("Europe/Berlin"), "", berlin, "Europe/Berlin"},
		"TZ is a name":                    {loc("Asia/Tokyo"), "Asia/Tokyo", berlin, "Asia/Tokyo"},
		"TZ is a name after a colon":      {loc("Asia/Tokyo"), ":Asia/Tokyo", berlin, "Asia/Tokyo"},
		"TZ is a file":                    {loc("Asia/Tokyo"), tokyo, berlin, "Asia/Tokyo"},
		"TZ is a file after a colon":      {loc("Asia/Tokyo"), ":" + tokyo, berlin, "Asia/Tokyo"},
		"TZ is unknown":                   {time.UTC, "Nowhere/City", berlin, "UTC"},
		"TZ is a rule":                    {time.UTC, "CET-1CEST,M3.5.0,M10.5.0/3", berlin, "UTC"},
		"TZ is empty, which means UTC":    {time.UTC, "", berlin, "UTC"},
		"no link":                         {loc("Asia/Tokyo"), "", filepath.Join(folder, "none"), "local"},
		"no link, and UTC only in winter": {loc("Europe/London"), "", filepath.Join(folder, "none"), "local"},
	} {
		at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		got := local(c.loc, names(c.tz, c.link), at.AddDate(-1, 0, 0), at.AddDate(2, 0, 0))
		_, offset := at.In(c.loc).Zone()
		if shown := got.Local(1767225600000); got.Name != c.want || int64(shown) != 1767225600000+int64(offset)*1000 {
			t.Errorf("%s: %s, which says %s; want %s", name, got.Name, shown.Date(), c.want)
		}
	}
}

// CFG-18: what TZ says is told if it is no zone that is known, and the times are in UTC instead.
func TestCFG18AnUnknownZoneIsTold(t *testing.T) {
	tokyo, err := time.LoadLocation("Asia/Tokyo")
	if err != nil {
		t.Fatal(err)
	}
	utc, err := time.LoadLocation("Etc/UTC")
	if err != nil {
		t.Fatal(err)
	}
	for tz, c := range map[string]struct { // order-free: each for itself
		loc  *time.Location
		want string
	}{
		"":             {time.UTC, ""},
		"UTC":          {time.UTC, ""},
		":UTC":         {time.UTC, ""},
		"UTC0":         {time.UTC, ""},
		"Etc/UTC":      {utc, ""},
		"Asia/Tokyo":   {tokyo, ""},
		"CET-1CEST":    {time.UTC, "CET-1CEST"},
		"Nowhere/City": {time.UTC, "Nowhere/City"},
	} {
		if got := unknown(tz, c.loc); got != c.want {
			t.Errorf("%q: told %q; want %q", tz, got, c.want)
		}
	}
}

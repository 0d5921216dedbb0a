package cron_test

import (
	"testing"
	"time"

	"shelly/fsm"
	"shelly/fsm/cron"
)

// berlin is a zone whose clocks go forward on 2026-03-29 and back on 2026-10-25.
func berlin(t *testing.T) *fsm.Zone {
	return &fsm.Zone{Name: "Europe/Berlin", Offset: 3600, Changes: []fsm.Change{
		{At: instant(t, "2026-03-29 01:00:00"), Offset: 7200}, {At: instant(t, "2026-10-25 01:00:00"), Offset: 3600},
	}}
}

func TestHND48ATimeIsReadAsPeopleSayIt(t *testing.T) {
	const monday, eve, friday = "2026-01-05 09:00:00", "2026-03-28 12:00:00", "2026-01-02 23:30:00"
	for _, c := range []struct{ text, now, want string }{ // in UTC; Berlin is an hour ahead in winter, two in summer
		{"2026-01-31T09:00", monday, "2026-01-31 08:00:00"},
		{"2026-01-31T09:00:00.000Z", monday, "2026-01-31 09:00:00"},
		{"2026-01-31t09:00:00.5+02:00", monday, "2026-01-31 07:00:00"},
		{"20m", monday, "2026-01-05 09:20:00"},
		{"in 20 minutes", monday, "2026-01-05 09:20:00"},
		{" In 1 Hour ", monday, "2026-01-05 10:00:00"},
		{"in an hour", monday, "2026-01-05 10:00:00"},
		{"a minute", monday, "2026-01-05 09:01:00"},
		{"+2h", monday, "2026-01-05 11:00:00"},
		{"1h30m", monday, "2026-01-05 10:30:00"},
		{"1 hour and 30 minutes", monday, "2026-01-05 10:30:00"},
		{"1 hour, 5 secs", monday, "2026-01-05 10:00:05"},
		{"after 90 sec", monday, "2026-01-05 09:01:30"},
		{"2 days", monday, "2026-01-07 09:00:00"},
		{"in 1 week", monday, "2026-01-12 09:00:00"},
		{"1 day", eve, "2026-03-29 11:00:00"},    // at the same time by the clock
		{"24 hours", eve, "2026-03-29 12:00:00"}, // at another
		{"17:30", monday, "2026-01-05 16:30:00"},
		{"9:00", monday, "2026-01-06 08:00:00"}, // it is 10:00 there
		{"10:00", monday, "2026-01-06 09:00:00"},
		{"10:00:01", monday, "2026-01-05 09:00:01"},
		{"0:15", friday, "2026-01-03 23:15:00"}, // it is 0:30 of the third there
		{"5pm", monday, "2026-01-05 16:00:00"},
		{"at 5:30 p.m.", monday, "2026-01-05 16:30:00"},
		{"12 am", monday, "2026-01-05 23:00:00"},
		{"12 pm", monday, "2026-01-05 11:00:00"},
		{"tomorrow 9:00", monday, "2026-01-06 08:00:00"},
		{"9 am tomorrow", monday, "2026-01-06 08:00:00"},
		{"tomorrow at 02:30", eve, "2026-03-29 01:00:00"}, // the clocks never show it
		{"today at 9:00", monday, "2026-01-05 08:00:00"},  // in the past, as the caller finds
		{"tonight 21:00", monday, "2026-01-05 20:00:00"},
		{"on friday at 8:05", monday, "2026-01-09 07:05:00"},
		{"Mon 11:00", monday, "2026-01-05 10:00:00"},
		{"monday 9:00", monday, "2026-01-12 08:00:00"},
		{"sunday 9:00", friday, "2026-01-04 08:00:00"},
	} {
		at, ok := cron.When(c.text, berlin(t), instant(t, c.now))
		if !ok || at != instant(t, c.want) {
			t.Errorf("%q at %s: %s (%t), want %s", c.text, c.now, time.UnixMilli(int64(at)).UTC(), ok, c.want)
		}
	}
	for _, text := range []string{
		"", " ", "soon", "5", "in", "in 5", "m", "an", "0m", "-5m", "5 months", "1.5h", "4000 days", "3000 days 3000 hours 3000 days", "99999999999 s", "9223372036854775807s", "10 years", "20mm", "m20",
		"24:00", "9:60", "9:5", "9:00:60", "009:00", "13pm", "0am", "9:00 pm am", "am", ":30", "9:00:00:00", "noon", "tomorrow", "friday", "next monday 9:00",
		"today tomorrow 9:00", "friday friday 9:00", "fri day 9:00", "2026-01-31", "2026-13-01T09:00", "01/31 09:00",
	} {
		if at, ok := cron.When(text, berlin(t), instant(t, monday)); ok {
			t.Errorf("%q is read as %s", text, time.UnixMilli(int64(at)).UTC())
		}
	}
}

// What people say is put in plain words first, and what could mean two times is refused.
func TestHND48WhatPeopleSayIsPutInPlainWords(t *testing.T) {
	const monday, night = "2026-01-05 09:00:00", "2026-01-05 23:30:00"
	for _, c := range []struct{ text, now, want string }{ // in UTC; Berlin is an hour ahead
		{"5 minutes from now", monday, "2026-01-05 09:05:00"},
		{"20m later", monday, "2026-01-05 09:20:00"},
		{"in two hours", monday, "2026-01-05 11:00:00"},
		{"an hour from now", monday, "2026-01-05 10:00:00"},
		{"in half an hour", monday, "2026-01-05 09:30:00"},
		{"PT1H30M", monday, "2026-01-05 10:30:00"},
		{"Tomorrow, 09:00", monday, "2026-01-06 08:00:00"},
		{"tomorrow at noon", monday, "2026-01-06 11:00:00"},
		{"five pm", monday, "2026-01-05 16:00:00"},
		{"tonight 21:00", monday, "2026-01-05 20:00:00"},
		{"tonight at 9:00", monday, "2026-01-05 20:00:00"},
		{"9 pm tonight", monday, "2026-01-05 20:00:00"},
		{"8 tonight", monday, "2026-01-05 19:00:00"},
		{"tonight 1 am", monday, "2026-01-06 00:00:00"},
		{"tonight at 1:00 a.m.", night, "2026-01-06 00:00:00"},
		{"tonight 6 pm", "2026-01-05 18:30:00", "2026-01-05 17:00:00"}, // in the past, as the caller finds
		{"2026-01-31, 09:00", monday, "2026-01-31 08:00:00"},
		{"2026-01-31 09:00", monday, "2026-01-31 08:00:00"},
		{"1 hour and 30 minutes", monday, "2026-01-05 10:30:00"},
	} {
		plain, ok := cron.Plain(c.text)
		at, read := cron.When(plain, berlin(t), instant(t, c.now))
		if !ok || !read || at != instant(t, c.want) {
			t.Errorf("%q at %s, %q: %s (%t), want %s", c.text, c.now, plain, time.UnixMilli(int64(at)).UTC(), read, c.want)
		}
	}
	for _, text := range []string{
		"", "1 7:30", "1 2 m", "tonight", "tonight 1:00", "tonight 13:00", "tonight 12:00", "tonight 7 am", "tonight at half 9", "9:00 from now", "from now", "later",
		"an hour and a half", "half", "midnight", "next monday 9:00", "P1M", "two", "tonight tonight 9:00", "tonight tomorrow 9:00",
	} {
		plain, ok := cron.Plain(text)
		if at, read := cron.When(plain, berlin(t), instant(t, monday)); ok && read {
			t.Errorf("%q, %q, is read as %s", text, plain, time.UnixMilli(int64(at)).UTC())
		}
	}
}

// Before 1970 and at the ends of time a day has a beginning as well.
func TestHND48ATimeOfDayIsReadAtAnyTime(t *testing.T) {
	if at, ok := cron.When("8:00", &fsm.Zone{}, instant(t, "1969-12-30 09:00:00")); !ok || at != instant(t, "1969-12-31 08:00:00") {
		t.Errorf("before 1970: %s (%t)", time.UnixMilli(int64(at)).UTC(), ok)
	}
	if at, ok := cron.When("10:00", &fsm.Zone{}, instant(t, "1969-12-30 09:00:00")); !ok || at != instant(t, "1969-12-30 10:00:00") {
		t.Errorf("the same day before 1970: %s (%t)", time.UnixMilli(int64(at)).UTC(), ok)
	}
	if at, ok := cron.When("wed 8:00", &fsm.Zone{}, instant(t, "1969-12-30 09:00:00")); !ok || at != instant(t, "1969-12-31 08:00:00") {
		t.Errorf("a day before 1970: %s (%t)", time.UnixMilli(int64(at)).UTC(), ok)
	}
}

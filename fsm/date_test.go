package fsm

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// anyInstant draws a time of the years 1000 to 9999, to the millisecond.
func anyInstant() *rapid.Generator[Millis] {
	first, last := time.Date(1000, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 999e6, time.UTC)
	return rapid.Map(rapid.Int64Range(first.UnixMilli(), last.UnixMilli()), func(n int64) Millis { return Millis(n) })
}

func TestADateIsThatOfTheCalendar(t *testing.T) {
	same := func(t rapid.TB, at Millis) {
		if got, want := at.Stamp(), time.UnixMilli(int64(at)).UTC().Format("2006-01-02 15:04 MST, Monday"); got != want {
			t.Errorf("%d is %s, want %s", at, got, want)
		}
		if got, want := at.Date(), time.UnixMilli(int64(at)).UTC().Format("2006-01-02 15:04"); got != want {
			t.Fatalf("%d is %s, want %s", int64(at), got, want)
		}
	}
	for _, text := range []string{
		"1970-01-01T00:00:00Z", "1969-12-31T23:59:59Z", "1968-02-29T12:00:00Z", "2000-02-29T00:00:00Z", "2000-03-01T00:00:00Z",
		"1900-02-28T23:59:59Z", "1900-03-01T00:00:00Z", "2024-02-29T23:59:59Z", "2023-12-31T23:59:59Z", "2100-02-28T00:00:00Z",
		"2100-03-01T00:00:00Z", "2400-02-29T00:00:00Z", "9999-12-31T23:59:59Z",
	} {
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		same(t, Millis(at.UnixMilli()))
	}
	rapid.Check(t, func(t *rapid.T) { same(t, anyInstant().Draw(t, "at")) })
}

// ParseDate parses a time in UTC with all its parts.
func ParseDate(text string) (Millis, bool) {
	at, rest, ok := ParseTime(text)
	return at, ok && rest == "Z" && text[10] == 'T' && len(text) == len("2026-01-31T09:00:00Z")
}

// A time is read to the minute or to the second; what follows it is left (HND-48).
func TestHND48ATimeIsReadWithOrWithoutSeconds(t *testing.T) {
	for _, tt := range []struct {
		text    string
		seconds Millis
		rest    string
	}{
		{"1970-01-01T00:01", 60, ""}, {"1970-01-01 00:01Z", 60, "Z"}, {"1970-01-01T00:01+01:00", 60, "+01:00"},
		{"1970-01-01T00:01:30", 90, ""}, {"1970-01-01 00:01:30 UTC", 90, " UTC"}, {"1970-01-01T00:01:3", 60, ":3"},
	} {
		if got, rest, ok := ParseTime(tt.text); !ok || got != tt.seconds*Second || rest != tt.rest {
			t.Errorf("%s is read as %d, and %q is left (%t)", tt.text, int64(got), rest, ok)
		}
	}
}

func TestADateThatIsReadIsTheOneThatWasWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := anyInstant().Draw(t, "at")
		at -= (at%Second + Second) % Second // to the second
		text := time.UnixMilli(int64(at)).UTC().Format(time.RFC3339)
		if got, ok := ParseDate(text); !ok || got != at {
			t.Fatalf("%s is read as %d (%t), want %d", text, int64(got), ok, int64(at))
		}
	})
}

// A text of the right form is a date exactly if package time says so.
func TestWhatIsNotADateIsNotRead(t *testing.T) {
	two := rapid.StringMatching(`[0-6][0-9]`)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[1-9][0-9]{3}`).Draw(t, "year") + "-" + two.Draw(t, "month") + "-" + two.Draw(t, "day") + "T" +
			two.Draw(t, "hour") + ":" + two.Draw(t, "minute") + ":" + two.Draw(t, "second") + "Z"
		want, err := time.Parse(time.RFC3339, text)
		got, ok := ParseDate(text)
		if ok != (err == nil) || ok && int64(got) != want.UnixMilli() {
			t.Fatalf("%s is read as %d (%t); the calendar says %v, %v", text, int64(got), ok, want, err)
		}
	})
	for _, text := range []string{
		"", "2026-01-31", "2026-01-31 09:00:00Z", "2026-01-31T09:00:00", "2026-01-31T09:00:00+01:00", "2026-1-31T09:00:00Zx",
		"2026-01-31T09:00:00.5Z", "+026-01-31T09:00:00Z", "2026-01-3 T09:00:00Z", "２６-01-31T09:00:00Z", "2026/01/31T09:00:00Z",
		"2023-02-29T00:00:00Z", "2100-02-29T00:00:00Z", "2026-04-31T00:00:00Z", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z",
		"2026-01-00T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T23:60:00Z", "2026-01-01T23:59:60Z",
	} {
		if at, ok := ParseDate(text); ok {
			t.Errorf("%q is read as %s", text, at.Date())
		}
	}
	const date = "2024-02-29T00:00:00Z"
	for i := range date { // a letter in place of each character, including the separators
		text := date[:i] + "x" + date[i+1:]
		if at, ok := ParseDate(text); ok {
			t.Errorf("%q is read as %s", text, at.Date())
		}
	}
	for _, text := range []string{date, "2000-02-29T23:59:59Z"} {
		if _, ok := ParseDate(text); !ok {
			t.Errorf("%q is not read", text)
		}
	}
}

// A time that is read exists in the calendar, and is shown as it was written.
func FuzzParseDate(f *testing.F) {
	for _, text := range []string{"2026-01-31T09:00:00Z", "2024-02-29T23:59:59Z", "2026-02-29T00:00:00Z", "0000-01-01T00:00:00Z", "9999-12-31T24:00:00Z", "2026-01-31", ""} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, ok := ParseDate(text)
		want, err := time.Parse("2006-01-02T15:04:05Z", text)
		if ok != (err == nil && len(text) == len("2006-01-02T15:04:05Z")) {
			t.Fatalf("%q is taken: %t; the library says %v", text, ok, err)
		}
		if ok && int64(got) != want.UnixMilli() {
			t.Errorf("%q is %d, want %d", text, got, want.UnixMilli())
		}
	})
}

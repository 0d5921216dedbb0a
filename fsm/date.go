package fsm

import "strconv"

const dayMillis = 86400 * Second

// Date formats a time as YYYY-MM-DD HH:MM in UTC.
func (t Millis) Date() string {
	days, rest := t/dayMillis, t%dayMillis
	if rest < 0 {
		days, rest = days-1, rest+dayMillis
	}
	year, month, day := Civil(int64(days))
	minutes := int64(rest) / 60_000
	return strconv.FormatInt(year, 10) + "-" + two(month) + "-" + two(day) + " " + two(minutes/60) + ":" + two(minutes%60)
}

// Stamp formats a time as Date does, with its zone and the day of the week.
func (t Millis) Stamp() string {
	return t.Date() + " UTC, " + t.weekday()
}

// weekday returns the day of the week in UTC.
func (t Millis) weekday() string {
	days := t / dayMillis
	if t%dayMillis < 0 {
		days--
	}
	weekdays := [7]string{"Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"} // 1970-01-01 was the first
	return weekdays[((int64(days)%7)+7)%7]
}

// Civil returns the date of a day counted from 1970-01-01. It is Howard Hinnant's
// civil_from_days, which needs neither a clock nor a zone.
func Civil(days int64) (year, month, day int64) {
	z := days + 719468
	era := z / 146097
	if z < 0 {
		era = (z - 146096) / 146097
	}
	doe := z - era*146097
	yoe := (doe - doe/1460 + doe/36524 - doe/146096) / 365
	doy := doe - (365*yoe + yoe/4 - yoe/100)
	mp := (5*doy + 2) / 153
	day = doy - (153*mp+2)/5 + 1
	month = mp + 3
	if mp >= 10 {
		month = mp - 9
	}
	year = yoe + era*400
	if month <= 2 {
		year++
	}
	return year, month, day
}

func two(n int64) string {
	if n < 10 {
		return "0" + strconv.FormatInt(n, 10)
	}
	return strconv.FormatInt(n, 10)
}

// ParseTime reads a date and a time of day such as 2026-01-31T09:00 or 2026-01-31 09:00:30,
// taken as UTC, and returns what follows it in rest: nothing, or a zone.
func ParseTime(s string) (t Millis, rest string, ok bool) {
	const least, most = len("2026-01-31T09:00"), len("2026-01-31T09:00:00")
	if len(s) < least || s[4] != '-' || s[7] != '-' || s[10] != 'T' && s[10] != ' ' || s[13] != ':' {
		return 0, "", false
	}
	end := least
	if len(s) >= most && s[least] == ':' {
		end = most
	}
	var n [6]int64
	for i, at := range [6]int{0, 5, 8, 11, 14, 17} {
		if at >= end {
			break
		}
		for _, c := range []byte(s[at : at+2+2*(1-min(i, 1))]) {
			if c < '0' || c > '9' {
				return 0, "", false
			}
			n[i] = n[i]*10 + int64(c-'0')
		}
	}
	if n[3] > 23 || n[4] > 59 || n[5] > 59 {
		return 0, "", false
	}
	days, ok := dayOf(n[0], n[1], n[2])
	return Millis(days)*dayMillis + Millis(n[3]*3600+n[4]*60+n[5])*Second, s[end:], ok
}

// dayOf returns the days from 1970-01-01 to a date, or false if there is no such date.
func dayOf(year, month, day int64) (days int64, ok bool) {
	if month < 1 || month > 12 || day < 1 || day > 31 {
		return 0, false
	}
	if month <= 2 {
		year--
	}
	year += 400 // January of the year 0 is in the year before it
	era := year / 400
	yoe := year - era*400
	mp := (month + 9) % 12
	doy := (153*mp+2)/5 + day - 1
	doe := yoe*365 + yoe/4 - yoe/100 + doy
	days = (era-1)*146097 + doe - 719468
	_, _, back := Civil(days)
	return days, back == day // different if the month is shorter
}

// String formats the duration as limits are written: in seconds if it is a whole number of
// them.
func (d Millis) String() string {
	if d%Second == 0 {
		return strconv.FormatInt(int64(d/Second), 10) + "s"
	}
	return strconv.FormatInt(int64(d), 10) + "ms"
}

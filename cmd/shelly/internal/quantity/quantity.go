// Package quantity formats sizes and durations for people.
package quantity

import (
	"fmt"
	"time"
)

// units are powers of 1000, as in Ollama's own lists.
var units = []string{"B", "kB", "MB", "GB", "TB"}

// unit returns the unit for a size, and its bytes.
func unit(bytes int64) (name string, per int64) {
	per = 1
	for i, name := range units {
		if bytes < 1000*per || i == len(units)-1 {
			return name, per
		}
		per *= 1000
	}
	return
}

// number formats a size in a unit: with one decimal below ten, as a whole number above.
func number(bytes, per int64) string {
	if tenths := 10 * bytes / per; per > 1 && tenths < 100 {
		return fmt.Sprintf("%d.%d", tenths/10, tenths%10)
	}
	return fmt.Sprint(bytes / per)
}

// Bytes formats a size: 5.2 GB.
func Bytes(n int64) string {
	name, per := unit(n)
	return number(n, per) + " " + name
}

// Of formats a part of a size, in the unit of the whole: 2.1 of 5.2 GB.
func Of(n, whole int64) string {
	name, per := unit(whole)
	return number(n, per) + " of " + number(whole, per) + " " + name
}

// Time formats a duration; less than a second counts as one.
func Time(t time.Duration) string {
	switch {
	case t < time.Second:
		return "1 s"
	case t < 2*time.Minute:
		return fmt.Sprintf("%d s", int(t.Seconds()))
	case t < 2*time.Hour:
		return fmt.Sprintf("%d min", int(t.Minutes()))
	default:
		return fmt.Sprintf("%d h %d min", int(t.Hours()), int(t.Minutes())%60)
	}
}

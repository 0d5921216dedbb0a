package cron

import (
	"slices"
	"strconv"
	"strings"
)

// Plain returns a time in the words that [When] reads, or false if it could mean two times: numbers that are
// written out, half an hour, noon, from now, PT20M, and tonight, which goes on past midnight.
func Plain(text string) (string, bool) {
	words := strings.Fields(strings.ToLower(text))
	for i, word := range words {
		if words[i] = strings.TrimSuffix(word, ","); strings.HasPrefix(word, "pt") {
			words[i] = word[len("pt"):]
		}
		if n := slices.Index(numbers(), words[i]); n >= 0 {
			words[i] = strconv.Itoa(n + 1)
		}
		if words[i] == "noon" || words[i] == "midday" {
			words[i] = "12:00"
		}
	}
	if i := slices.Index(words, "half"); i >= 0 && len(words) > i+2 && words[i+1] == "an" && words[i+2] == "hour" {
		words = slices.Replace(words, i, i+3, "30", "minutes")
	}
	if rest, ok := fromNowOn(words); ok {
		words = append([]string{"in"}, rest...)
	}
	if i := slices.Index(words, "tonight"); i >= 0 {
		var ok bool
		if words, ok = thisNight(slices.Delete(words, i, i+1)); !ok {
			return "", false
		}
	}
	for i, word := range words[min(1, len(words)):] { // 1 7:30
		if before := words[i]; endsInDigit(before) && !strings.Contains(before, "-") && beginsWithDigit(word) {
			return "", false
		}
	}
	return strings.Join(words, " "), true
}

// numbers are the words for 1 to 12.
func numbers() []string {
	return []string{"one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"}
}

func endsInDigit(word string) bool {
	return word != "" && strings.IndexByte(digits, word[len(word)-1]) >= 0
}

func beginsWithDigit(word string) bool { return word != "" && strings.IndexByte(digits, word[0]) >= 0 }

// fromNowOn returns the words before "from now" or "later".
func fromNowOn(words []string) ([]string, bool) {
	n := len(words)
	switch {
	case n > 2 && words[n-2] == "from" && words[n-1] == "now":
		return words[:n-2], true
	case n > 1 && words[n-1] == "later":
		return words[:n-1], true
	default:
		return nil, false
	}
}

// thisNight returns the words of a time tonight: in the evening of this day, or the next time of
// that name in the night. Of one that is neither it returns false.
func thisNight(words []string) ([]string, bool) {
	words = slices.DeleteFunc(words, func(word string) bool { return word == "at" })
	clock := strings.ReplaceAll(strings.Join(words, ""), ".", "")
	time, ok := timeOfDay(clock)
	if !ok {
		time, ok = timeOfDay(clock + "am") // 9
	}
	const hour = 60 * minuteMillis
	half := strings.HasSuffix(clock, "am") || strings.HasSuffix(clock, "pm")
	switch {
	case !ok:
		return nil, false
	case time >= 17*hour:
		return append([]string{"today"}, words...), true
	case half && time < 5*hour:
		return words, true
	case !half && time >= 5*hour && time < 12*hour:
		return append([]string{"today"}, append(words, "pm")...), true
	default:
		return nil, false
	}
}

package regression

import (
	"cmp"
	"slices"
	"strings"
)

// Class says how two decisions differ.
type Class string

// The classes, from alike to worst.
const (
	Same      Class = "same"
	Reordered Class = "reordered" // the same calls in another order
	Arguments Class = "arguments" // the same tools in the same order with other arguments
	Tools     Class = "tools"     // other tools
	Verdicts  Class = "verdict"   // a text instead of calls, and the like
	Failed    Class = "failed"    // one of them is no answer
)

// Classes returns all classes, from alike to worst.
func Classes() []Class { return []Class{Same, Reordered, Arguments, Tools, Verdicts, Failed} }

// Difference is how a new decision differs from the one it is held against.
type Difference struct {
	Class Class    `json:"class"`
	Keys  []string `json:"keys,omitempty"`  // of class arguments: TOOL.KEY of each argument that differs
	Alike *int     `json:"alike,omitempty"` // of two texts or needs: the share of their words that both have, in percent
}

// Compare holds a new decision against another. Two texts are the same decision
// whatever they say, and so are two needs: only a person can tell whether they say
// the same.
func Compare(against, now Decision) Difference {
	switch {
	case against.Verdict == VerdictFailed || now.Verdict == VerdictFailed:
		return Difference{Class: Failed}
	case against.Verdict != now.Verdict:
		return Difference{Class: Verdicts}
	case now.Verdict == VerdictCalls:
		return compareCalls(against.Calls, now.Calls)
	case now.Verdict == VerdictText || now.Verdict == VerdictNeed:
		share := alike(against.Text, now.Text)
		return Difference{Class: Same, Alike: &share}
	default:
		return Difference{Class: Same}
	}
}

func compareCalls(against, now []Call) Difference {
	if slices.Equal(against, now) {
		return Difference{Class: Same}
	}
	if slices.Equal(sorted(against), sorted(now)) {
		return Difference{Class: Reordered}
	}
	if !slices.EqualFunc(against, now, func(a, b Call) bool { return a.Name == b.Name }) {
		return Difference{Class: Tools}
	}
	d := Difference{Class: Arguments}
	for i := range now {
		for _, key := range keys(against[i].Args, now[i].Args) {
			if name := now[i].Name + "." + key; !slices.Contains(d.Keys, name) {
				d.Keys = append(d.Keys, name)
			}
		}
	}
	return d
}

func sorted(calls []Call) []Call {
	return slices.SortedFunc(slices.Values(calls), func(a, b Call) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Args, b.Args))
	})
}

// alike is the share of words that two texts have in common, in percent: twice what
// both have through what each has (the coefficient of Dice, over words as often as
// they occur, without case and punctuation around them).
func alike(a, b string) int {
	x, y := words(a), words(b)
	if len(x)+len(y) == 0 {
		return 100
	}
	left := map[string]int{}
	for _, word := range x {
		left[word]++
	}
	both := 0
	for _, word := range y {
		if left[word] > 0 {
			left[word]--
			both++
		}
	}
	return 200 * both / (len(x) + len(y))
}

func words(text string) []string {
	list := strings.Fields(strings.ToLower(text))
	for i, word := range list {
		if bare := strings.Trim(word, ".,;:!?()[]{}\"'`*_…"); bare != "" {
			list[i] = bare
		}
	}
	return list
}

package match

import (
	"slices"
	"strconv"
	"strings"

	"shelly/fsm/wording"
	"shelly/sim/scenario/data"
	"shelly/sim/strict"
)

// Explain adds what helps to see why a value does not match: the nearest candidate,
// the entries that are missing or too many, or where two texts differ (SCN-33). It is
// done once a mismatch is reported, for matching is also how candidates are tried.
func (w *Mismatch) Explain() {
	if w.of == nil || w.Hint != "" {
		return
	}
	if w.value.Kind == data.ListKind && len(w.Got) > ShownBytes {
		w.Got = w.of.briefly(w.value.List)
	}
	if w.key != "" {
		w.Hint = w.whatThereIs()
		return
	}
	switch w.of.op {
	case opScalar, opLiteral:
		if w.Hint = w.whereTextsDiffer(); w.Hint == "" {
			w.Hint = w.asText()
		}
	case opList:
		w.explainList()
	case opContains:
		inner := &w.of.list[0]
		switch {
		case w.value.Kind == data.ListKind:
			w.Hint = inner.nearestEntry(w.value.List, nil)
		case w.value.Kind == data.TextKind && inner.data.Kind == data.TextKind:
			w.Hint = longestPart(inner.data.Text, w.value.Text)
		}
	case opRegex:
		w.Hint = slashed(w.of.data.Text)
	case opUnordered:
		w.explainUnordered()
	}
}

// ShownBytes is how much is shown of a wanted or got value.
const ShownBytes = 600

// briefly shows of each entry of a list what the wanted entries speak of, so that the first does not hide
// the others.
func (m *Matcher) briefly(list []data.Value) string {
	var parts []string
	for _, v := range list {
		parts = append(parts, wording.Clip(m.spokenOf(v).String(), partBytesMax))
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// spokenOf returns what the wanted entries of a list speak of in an entry; all of it if they do not say.
func (m *Matcher) spokenOf(v data.Value) data.Value {
	var keys []string
	main := false
	for i := range m.list {
		keys = append(keys, m.list[i].Keys()...)
		main = main || v.Main != "" && m.list[i].wantsMain()
	}
	switch {
	case v.Kind != data.MapKind, len(keys) == 0 && !main:
		return v
	case len(keys) == 0:
		return v.Get(v.Main)
	case main:
		keys = append(keys, v.Main)
	}
	p := data.Value{Kind: data.MapKind}
	for _, have := range v.Members {
		if slices.Contains(keys, have.Key) {
			p.Members = append(p.Members, have)
		}
	}
	return p
}

// whatThereIs tells of a key that a map lacks which it has.
func (w *Mismatch) whatThereIs() string {
	const shownMax = 12
	var keys []string
	for _, m := range w.among.Members {
		keys = append(keys, wording.Word(m.Key))
	}
	text := "there is no " + wording.Word(w.key)
	if len(keys) == 0 {
		return text + ", nor anything else"
	}
	shown := keys
	if len(keys) > shownMax {
		shown = append(keys[:shownMax:shownMax], "…")
	}
	return text + "; " + wording.Meant(w.key, keys, "there is: "+strings.Join(shown, ", "))
}

// asText tells of a number, true or false that a text looks like.
func (w *Mismatch) asText() string {
	if w.value.Kind != data.TextKind || w.of.data.Kind == data.TextKind || w.of.data.String() != w.value.Text {
		return ""
	}
	return "what was got is a text; quote it: " + w.value.String()
}

// slashed tells of a regular expression in slashes, as other languages write one, that they
// are part of it and how its flags are written.
func slashed(text string) string {
	inner, flags, found := strings.Cut(strings.TrimPrefix(text, "/"), "/")
	if !found || text[0] != '/' || inner == "" || strings.Trim(flags, "dgimsuvy") != "" {
		return ""
	}
	if flags = strings.Trim(flags, "dguvy"); flags != "" {
		inner = "(?" + flags + ")" + inner
	}
	return "the slashes are part of the expression; without them it is " + wording.Quote(inner)
}

const alignedMax = 400 // entries of a list that are aligned with others

// explainList aligns the wanted entries of a list with those got, and tells of those
// that have no partner. Where one is missing, its own place in the file is named.
func (w *Mismatch) explainList() {
	want, got := w.of.list, w.value.List
	if w.value.Kind != data.ListKind || len(want) == len(got) || len(want) > alignedMax || len(got) > alignedMax {
		return
	}
	missing, surplus := align(want, got)
	if len(missing) == 1 && len(surplus) == 0 {
		w.Pos = want[missing[0]].pos
	}
	w.Hint = unpaired(want, got, missing, surplus)
}

// explainUnordered tells of the wanted entries that found no partner, and of the
// entries that nobody wants.
func (w *Mismatch) explainUnordered() {
	m, got := w.of, w.value.List
	if w.value.Kind != data.ListKind || len(m.list) > alignedMax || len(got) > alignedMax {
		return
	}
	taker := make([]int, len(got))
	var missing, surplus []int
	for i := range m.list {
		if !m.assign(i, got, taker, make([]bool, len(got))) {
			missing = append(missing, i)
		}
	}
	for i := range got {
		if taker[i] == 0 {
			surplus = append(surplus, i)
		}
	}
	w.Hint = unpaired(m.list, got, missing, surplus)
}

// unpaired names what came nearest to the first wanted entry that is missing, where
// it is a map, or else which entries are missing and which are too many.
func unpaired(want []Matcher, got []data.Value, missing, surplus []int) string {
	if len(missing) > 0 && len(surplus) > 0 && want[missing[0]].op == opMap {
		left := make([]bool, len(got))
		for _, i := range surplus {
			left[i] = true
		}
		if line := want[missing[0]].nearestEntry(got, func(i int) bool { return left[i] }); line != "" {
			return line
		}
	}
	var parts []string
	if len(missing) > 0 {
		parts = append(parts, "missing: "+some(missing, func(i int) string { return want[i].String() }))
	}
	if len(surplus) > 0 {
		parts = append(parts, "too many: "+some(surplus, func(i int) string { return got[i].String() }))
	}
	return strings.Join(parts, "; ")
}

// some names the first of several entries by index and text, and counts the rest.
func some(list []int, name func(int) string) string {
	const shownMax = 4
	var parts []string
	for _, i := range list[:min(len(list), shownMax)] {
		parts = append(parts, strict.Element("", i)+" "+wording.Clip(name(i), partBytesMax))
	}
	text := strings.Join(parts, ", ")
	if rest := len(list) - shownMax; rest > 0 {
		text += " and " + strconv.Itoa(rest) + " more"
	}
	return text
}

// align pairs wanted entries with those got, as many as possible in their order (a
// longest common subsequence), and returns the indexes of those without a partner.
func align(want []Matcher, got []data.Value) (missing, surplus []int) {
	pairs := make([][]int, len(want)+1) // how many pairs the rest from [i][k] has
	fits := make([][]bool, len(want))
	for i := range pairs {
		pairs[i] = make([]int, len(got)+1)
	}
	for i := len(want) - 1; i >= 0; i-- {
		fits[i] = make([]bool, len(got))
		for k := len(got) - 1; k >= 0; k-- {
			fits[i][k] = want[i].Fits(got[k])
			pairs[i][k] = max(pairs[i+1][k], pairs[i][k+1])
			if fits[i][k] {
				pairs[i][k] = max(pairs[i][k], pairs[i+1][k+1]+1)
			}
		}
	}
	i, k := 0, 0
	for i < len(want) && k < len(got) {
		switch {
		case fits[i][k] && pairs[i][k] == pairs[i+1][k+1]+1:
			i, k = i+1, k+1
		case pairs[i+1][k] >= pairs[i][k+1]:
			missing, i = append(missing, i), i+1
		default:
			surplus, k = append(surplus, k), k+1
		}
	}
	for ; i < len(want); i++ {
		missing = append(missing, i)
	}
	for ; k < len(got); k++ {
		surplus = append(surplus, k)
	}
	return missing, surplus
}

package golden

import (
	"fmt"
	"hash/fnv"
	"strings"

	"shelly/sim/scenario/document"
	"shelly/sim/scenario/format"
)

// slugBytesMax is how long the part of a golden's name that tells cases apart may be
// before it is cut.
const slugBytesMax = 60

// Name gives the goldens of a file's cases names (SCN-35): NAME.golden.yaml, or in
// a matrix NAME.a-1.b-x.golden.yaml of the case [a=1, b=x]. One that is too long, or that
// differs from another's in nothing that every file system keeps apart, ends in a hash of
// the case's values.
func Name(cases []*format.File) []Kept {
	labels := make([]string, len(cases))
	for i, f := range cases {
		labels[i] = f.Label()
	}
	goldens := make([]Kept, len(cases))
	for i, s := range slugs(labels) {
		f := cases[i]
		if f.Expect == nil || f.Expect.Golden == nil {
			continue
		}
		if s != "" {
			s = "." + s
		}
		goldens[i].Path = strings.TrimSuffix(f.Path(), document.Suffix) + s + Suffix
	}
	return goldens
}

// slugs are what tells the goldens of cases apart, by the cases' labels.
func slugs(labels []string) []string {
	list := make([]string, len(labels))
	count := map[string]int{} // of cases with a slug, but for upper and lower case; only looked up
	for i, label := range labels {
		list[i] = slug(label)
		count[strings.ToLower(list[i])]++
	}
	for i, s := range list {
		if labels[i] == "" || s != "" && len(s) <= slugBytesMax && count[strings.ToLower(s)] == 1 {
			continue
		}
		h := fnv.New64a()
		h.Write([]byte(labels[i]))
		short := strings.TrimRight(s[:min(len(s), slugBytesMax)], "-.")
		list[i] = strings.TrimLeft(short+fmt.Sprintf("-%012x", h.Sum64()>>16), "-")
	}
	return list
}

// slug is a case's values in letters, digits, _ and -, with dots between them.
// Different values may have the same.
func slug(label string) string {
	var parts []string
	for part := range strings.SplitSeq(strings.TrimPrefix(label, " ["), ", ") {
		words := strings.FieldsFunc(part, func(r rune) bool {
			return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
		})
		if len(words) > 0 {
			parts = append(parts, strings.Join(words, "-"))
		}
	}
	return strings.Join(parts, ".")
}

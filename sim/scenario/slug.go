package scenario

import (
	"fmt"
	"hash/fnv"
	"strings"
)

// slugBytesMax is how long the part of a golden's name that tells cases apart may be
// before it is cut.
const slugBytesMax = 60

// nameGoldens gives the goldens of a matrix's cases names (SCN-35): NAME.a-1.b-x of the
// case [a=1, b=x]. One that is too long, or that differs from another's in nothing that
// every file system keeps apart, ends in a hash of the case's values.
func nameGoldens(cases []*File) {
	count := map[string]int{} // of cases with a slug, but for upper and lower case; only looked up
	for _, f := range cases {
		f.slug = slug(f.Label())
		count[strings.ToLower(f.slug)]++
	}
	for _, f := range cases {
		if f.Label() == "" || f.slug != "" && len(f.slug) <= slugBytesMax && count[strings.ToLower(f.slug)] == 1 {
			continue
		}
		h := fnv.New64a()
		h.Write([]byte(f.Label()))
		short := strings.TrimRight(f.slug[:min(len(f.slug), slugBytesMax)], "-.")
		f.slug = strings.TrimLeft(short+fmt.Sprintf("-%012x", h.Sum64()>>16), "-")
	}
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

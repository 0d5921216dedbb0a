package golden

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// SCN-35: the goldens of a matrix's cases are named after their values.
func TestSCN35TheGoldensOfAMatrixAreNamedAfterItsValues(t *testing.T) {
	hashed := regexp.MustCompile(`-[0-9a-f]{12}$`)
	for _, test := range []struct {
		labels []string
		want   string // without hashes
	}{
		{[]string{""}, ""},
		{[]string{" [a=1, b=x]", " [a=1, b=y]"}, "a-1.b-x a-1.b-y"},
		{[]string{" [what=Hello you!, n_1=1.5]"}, "what-Hello-you.n_1-1-5"},
		{[]string{" [a=x y]", " [a=x-y]", " [a=z]"}, "a-x-y-* a-x-y-* a-z"},
		{[]string{" [a=Yes]", " [a=yes]"}, "a-Yes-* a-yes-*"},
		{[]string{" [a=日本]", " [a=../../etc]"}, "a a-etc"},
		{[]string{" [a=日本]", " [a=東京]"}, "a-* a-*"},
		{[]string{" [a=" + strings.Repeat("x", 200) + "]"}, "a-" + strings.Repeat("x", 58) + "-*"},
	} {
		var got []string
		for _, s := range slugs(test.labels) {
			got = append(got, hashed.ReplaceAllString(s, "-*"))
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%v: got %v, want %s", test.labels, got, test.want)
		}
	}
}

func TestSCN35NoTwoCasesHaveOneGolden(t *testing.T) {
	allowed := regexp.MustCompile(`^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$`)
	word := rapid.OneOf(rapid.StringMatching(`[aAé ,./=-]{0,6}`), rapid.String())
	rapid.Check(t, func(t *rapid.T) {
		labels := rapid.SliceOfNDistinct(rapid.Map(word, func(s string) string { return " [a=" + s + "]" }), 1, 8, rapid.ID[string]).Draw(t, "labels")
		seen := map[string]string{}
		for i, s := range slugs(labels) {
			if other, twice := seen[strings.ToLower(s)]; twice {
				t.Fatalf("%q and %q are both %s", other, labels[i], s)
			}
			if seen[strings.ToLower(s)] = labels[i]; !allowed.MatchString(s) || len(s) > slugBytesMax+13 {
				t.Fatalf("%q is %q", labels[i], s)
			}
		}
	})
}

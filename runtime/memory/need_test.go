package memory

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
)

// metBy counts the need's keywords that a text has by comparing the complete lists of both.
func metBy(need, text string) int {
	if whole := lowered(need); whole != "" && strings.Contains(lowered(text), whole) {
		list := terms(need, asked)
		slices.Sort(list)
		return len(slices.Compact(list)) + 1
	}
	met, has := map[string]bool{}, terms(text, indexed)
	for _, t := range terms(need, asked) {
		if slices.Contains(has, t) {
			met[t] = true
		}
	}
	return len(met)
}

// A text is searched piece by piece, which must give the same result as searching it whole.
func TestMEM13PiecesMeetWhatTheWholeTextMeets(t *testing.T) {
	words := strings.Fields("Disk disks rotated rotating node.js disk_usage don't 10.0.0.1 (full) größere Straße ΣΊΣΥΦΟΣ cafe\u0301 ＶＰＮ ﾃﾞｨｽｸ " +
		"磁盘 磁 满了 ディスク サーバ 디스크가 ดิสก์ the of -- ... ! 3,14 it's e-mail ann@example.org 、 。 ひらがな 京都タワー xyz")
	between := []string{" ", " ", "  ", "\t", "", ", ", "。", "\u00a0", "\u3000", "/"}
	rng := rand.New(rand.NewPCG(1, 16))
	sentence := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteString(words[rng.IntN(len(words))] + between[rng.IntN(len(between))])
		}
		return b.String()
	}
	for range 300 {
		query := sentence(1 + rng.IntN(4))
		need := NewNeed(query)
		for range 10 {
			text := sentence(rng.IntN(12))
			if got, want := need.Meets(text), metBy(query, text); got != want {
				t.Fatalf("need %q, text %q: met %d, of the whole text %d", query, text, got, want)
			}
		}
	}
}

func lowered(text string) string {
	return strings.ToLower(norm.NFKC.String(strings.TrimSpace(text)))
}

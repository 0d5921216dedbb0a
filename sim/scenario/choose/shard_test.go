package choose

import (
	"strconv"
	"testing"
)

func TestSCN37ShardsDivideTheCases(t *testing.T) {
	for _, count := range []int{1, 2, 3, 7, 16} {
		sizes := make([]int, count)
		for n := range 1000 {
			name, in := "case "+strconv.Itoa(n), 0
			for i := range count {
				if (Shard{i + 1, count}).Has(name) {
					sizes[i]++
					in++
				}
			}
			if in != 1 || !(Shard{}).Has(name) {
				t.Fatalf("%s is in %d of %d parts", name, in, count)
			}
		}
		for i, size := range sizes {
			if size < 1000/count/2 || size > 1000/count*2 {
				t.Errorf("part %d of %d has %d of 1000 cases", i+1, count, size)
			}
		}
	}
}

// A part never changes: a release that moved cases would run some twice and some
// never where two machines have two releases.
func TestSCN37TheShardOfANameIsFixed(t *testing.T) {
	for name, part := range map[string]int{"": 3, "disk question, one tool round trip": 1, "größe": 2} {
		if !(Shard{part, 3}).Has(name) {
			t.Errorf("%q is not in part %d of 3", name, part)
		}
	}
}

func TestSCN37AWrongShardIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		"0/3":     "wants a part from 1 to 3, not 0",
		"4/3":     "wants a part from 1 to 3, not 4",
		"x":       "wants I/N such as 1/3, not x",
		"":        `wants I/N such as 1/3, not ""`,
		"1/0":     "wants from 1 to 10000 parts, not 0",
		"1/2/3":   "wants I/N such as 1/3, not 1/2/3",
		"1/99999": "wants from 1 to 10000 parts, not 99999",
	} {
		if _, err := ParseShard(text); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	if s, err := ParseShard("2/3"); err != nil || s != (Shard{2, 3}) {
		t.Errorf("got %v, %v; want %v", s, err, (Shard{2, 3}))
	}
}

package memory

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"shelly/fsm"
	"shelly/runtime/exhaustive"
	"shelly/runtime/yardstick"
)

// texts makes vectors like those of embedding models: all share a part, those of one topic share
// another part, and the rest is each one's own. The cosine is about 0.75 within a topic, 0.3
// between topics.
type texts struct {
	rng    *rand.Rand
	common []float32
	topics [][]float32
}

func newTexts(seed uint64, dimensions, topics int) *texts {
	t := &texts{rng: rand.New(rand.NewPCG(seed, 1))}
	t.common = random(t.rng, dimensions)
	for range topics {
		t.topics = append(t.topics, random(t.rng, dimensions))
	}
	return t
}

func (t *texts) next() []float32 {
	v := random(t.rng, len(t.common))
	topic := t.topics[t.rng.IntN(len(t.topics))]
	for i := range v {
		v[i] = 0.55*t.common[i] + 0.67*topic[i] + 0.5*v[i]
	}
	return v
}

// noise makes random vectors, and needs that are near one of them.
type noise struct {
	rng        *rand.Rand
	dimensions int
	made       [][]float32
}

func (n *noise) next() []float32 {
	n.made = append(n.made, random(n.rng, n.dimensions))
	return n.made[len(n.made)-1]
}

// near returns a vector with a cosine of about 0.6 to one that was made.
func (n *noise) near() []float32 {
	v := random(n.rng, n.dimensions)
	of := n.made[n.rng.IntN(len(n.made))]
	for i := range v {
		v[i] = 0.6*of[i] + 0.8*v[i]
	}
	return v
}

// searched returns the best results of a search, and all results.
func searched(v *vectors, need []float32, wanted func(int) bool) (best []int, found map[int]float64) {
	found = map[int]float64{}
	u, _ := unit(wire(need))
	v.search(u, wanted, func(h hit) { found[h.slot] = h.score; best = append(best, h.slot) })
	slices.SortFunc(best, func(a, b int) int { return cmp.Or(cmp.Compare(found[b], found[a]), cmp.Compare(a, b)) })
	return best[:min(10, len(best))], found
}

// recallOf asks n needs and returns the share of the ten best by the plain formula that are among a
// search's own ten best.
func recallOf(v *vectors, all [][]float32, needs int, need func() []float32) float64 {
	met, wanted := 0, 0
	for range needs {
		q := need()
		var exact []int
		cosines := make([]float64, len(all))
		for slot, of := range all {
			if cosines[slot] = cosine(q, of); cosines[slot] >= MinCosine {
				exact = append(exact, slot)
			}
		}
		slices.SortFunc(exact, func(a, b int) int { return cmp.Compare(cosines[b], cosines[a]) })
		exact = exact[:min(10, len(exact))]
		best, _ := searched(v, q, nil)
		wanted += len(exact)
		for _, slot := range exact {
			if slices.Contains(best, slot) {
				met++
			}
		}
	}
	return float64(met) / float64(max(1, wanted))
}

// Among many vectors, comparing only those with near signs finds what comparing all would (MEM-7):
// with topics and in noise, and also after many are removed.
func TestMEM7NearSignsFindWhatComparingAllWould(t *testing.T) {
	exhaustive.Test(t)
	const dimensions, count, needs = 128, 2*exactMax + 1, 20
	topics, isotropic := newTexts(1, dimensions, 60), &noise{rng: rand.New(rand.NewPCG(2, 2)), dimensions: dimensions}
	for _, test := range []struct {
		name       string
		next, need func() []float32
		least      float64
	}{
		{"topics", topics.next, topics.next, 0.93},
		{"noise", isotropic.next, isotropic.near, 0.99},
	} {
		t.Run(test.name, func(t *testing.T) {
			v := &vectors{space: space{model: "m", dimensions: dimensions}}
			var all [][]float32
			for slot := range count {
				all = append(all, test.next())
				v.put(slot, fsm.Entry{Model: "m", Vector: wire(all[slot])})
			}
			if v.signs.mean == nil {
				t.Fatal("there are too few vectors for signs")
			}
			got := recallOf(v, all, needs, test.need)
			t.Logf("%d vectors, %d compared: recall of the ten best %.3f", count, max(nearMin, count/nearShare), got)
			if got < test.least {
				t.Errorf("recall of the ten best %.3f; want %.2f", got, test.least)
			}
			for slot := range count / 2 {
				v.remove(slot)
			}
			best, _ := searched(v, all[count-1], nil)
			if len(best) == 0 || best[0] != count-1 {
				t.Errorf("after many were removed a vector finds %v first; want itself, %d", best, count-1)
			}
		})
	}
}

// What is wanted from one session is found, however far down it is among all entries (MEM-6).
func TestMEM6AFewWantedAreFoundAmongMany(t *testing.T) {
	topics := newTexts(3, 64, 20)
	v := &vectors{space: space{model: "m", dimensions: 64}}
	for slot := range exactMax + 100 {
		v.put(slot, fsm.Entry{Model: "m", Vector: wire(topics.next())})
	}
	wanted := func(slot int) bool { return slot%500 == 7 }
	_, found := searched(v, topics.common, wanted)
	if len(found) == 0 {
		t.Error("nothing is found")
	}
	for slot := range found {
		if !wanted(slot) {
			t.Errorf("entry %d is found and not wanted", slot)
		}
	}
}

// BenchmarkVectors measures a search by vector alone in memories of three sizes. The yardstick is
// computing each cosine by definition.
func BenchmarkVectors(b *testing.B) {
	const dimensions = 768
	for _, count := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("entries=%d", count), func(b *testing.B) {
			topics, all := newTexts(1, dimensions, count/100), make([][]float32, count)
			v := &vectors{space: space{model: "m", dimensions: dimensions}}
			for slot := range count {
				all[slot] = topics.next()
				v.put(slot, fsm.Entry{Model: "m", Vector: wire(all[slot])})
			}
			asked := topics.next()
			need, _ := unit(wire(asked))
			n := 0
			b.ResetTimer()
			for b.Loop() {
				n = 0
				v.search(need, nil, func(hit) { n++ })
			}
			b.ReportMetric(float64(n), "found")
			b.ReportMetric(float64(len(v.slots)*(dimensions+8*perRow(dimensions)+4+4+4))/float64(count), "B/vector")
			sum := 0.0
			yardstick.Of(b, "all-cosines", func() {
				for _, of := range all {
					sum += cosine(asked, of)
				}
			})
			if sum == 0 {
				b.Fatal("nothing was compared")
			}
		})
	}
}

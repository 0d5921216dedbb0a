package lately_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"shelly/runtime/lately"
)

// The most recently used values are kept, as many as fit.
func TestWhatWasUsedLastIsKept(t *testing.T) {
	const most = 100
	rapid.Check(t, func(t *rapid.T) {
		k := lately.Keep[int, int](most)
		type entry struct{ key, value, bytes int }
		var want []entry // the one that was used last comes last
		find := func(key int) int { return slices.IndexFunc(want, func(e entry) bool { return e.key == key }) }
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			key := rapid.IntRange(0, 9).Draw(t, "key")
			i := find(key)
			switch rapid.IntRange(0, 9).Draw(t, "what") {
			case 0:
				k.Clear()
				want = nil
			case 1:
				k.Drop(key)
				if i >= 0 {
					want = slices.Delete(want, i, i+1)
				}
			case 2, 3, 4:
				got, ok := k.Get(key)
				if ok != (i >= 0) || ok && got != want[i].value {
					t.Fatalf("%d is %d, %t; want %v", key, got, ok, want)
				}
				if i >= 0 {
					want = append(slices.Delete(slices.Clone(want), i, i+1), want[i])
				}
			default:
				e := entry{key, rapid.Int().Draw(t, "value"), rapid.IntRange(0, 40).Draw(t, "bytes")}
				k.Put(e.key, e.value, e.bytes)
				if i >= 0 {
					want = slices.Delete(want, i, i+1)
				}
				if e.bytes > most/4 {
					break
				}
				want = append(want, e)
				for sum := func() (n int) {
					for _, e := range want {
						n += e.bytes
					}
					return n
				}; sum() > most; {
					want = want[1:]
				}
			}
		}
		for key := range 10 {
			if _, ok := k.Get(key); ok != (find(key) >= 0) {
				t.Fatalf("%d is kept: %t; want %v", key, ok, want)
			}
		}
	})
}

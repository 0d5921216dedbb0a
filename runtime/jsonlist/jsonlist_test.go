package jsonlist_test

import (
	"slices"
	"testing"

	"shelly/runtime/jsonlist"
)

func TestOnlyTheFirstItemsAreRead(t *testing.T) {
	for text, want := range map[string][]int{`[]`: nil, `null`: nil, `[1]`: {1}, `[1,2]`: {1, 2}, `[1,2,3,"x"]`: {1, 2}} { // order-free
		if got, err := jsonlist.First[int]([]byte(text), 2); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{``, `{}`, `"a"`, `["a"]`, `1`} {
		if got, err := jsonlist.First[int]([]byte(text), 2); err == nil {
			t.Errorf("%s is read as %v", text, got)
		}
	}
}

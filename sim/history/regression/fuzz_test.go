package regression

import (
	"encoding/json"
	"testing"
)

// One form stays as it is, and JSON stays JSON, whatever a model writes (CLI-24).
func FuzzCanonical(f *testing.F) {
	for _, seed := range []string{`{"b":1.50,"a":[true,null,"x"]}`, `-0e5`, `1e-7`, `12.00e30`, `{"a":`, "", `"\ud800"`, `1E400`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		once := Canonical(text)
		if twice := Canonical(once); twice != once {
			t.Errorf("%q is %q and then %q", text, once, twice)
		}
		if json.Valid([]byte(text)) && !json.Valid([]byte(once)) {
			t.Errorf("%q became %q, which is no JSON", text, once)
		}
	})
}

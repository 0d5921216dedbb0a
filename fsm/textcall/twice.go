package textcall

import (
	"encoding/json"
	"math"
	"strings"
)

// Twice returns a key that an object in a JSON text has twice, at any depth, so that it is
// unclear which of the two values is meant.
func Twice(text string) (key string, twice bool) { return twiceIn(text, math.MaxInt) }

// twiceIn looks into objects down to a depth.
func twiceIn(text string, depth int) (key string, twice bool) {
	type level struct {
		keys  map[string]bool // of an object; nil: a list
		value bool            // the next token is a value
	}
	if strings.Count(text, ":") < 2 {
		return "", false // one key at most
	}
	var open []level
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	for {
		t, err := d.Token()
		if err != nil {
			return "", false
		}
		last := len(open) - 1
		if name, ok := t.(string); ok && last >= 0 && open[last].keys != nil && !open[last].value {
			if open[last].keys[name] && len(open) <= depth {
				return name, true
			}
			open[last].keys[name], open[last].value = true, true
			continue
		}
		if last >= 0 {
			open[last].value = false
		}
		switch t {
		case json.Delim('{'):
			open = append(open, level{keys: map[string]bool{}})
		case json.Delim('['):
			open = append(open, level{})
		case json.Delim('}'), json.Delim(']'):
			open = open[:last]
		}
	}
}

package textcall

import (
	"encoding/json"
	"strings"
)

// Values returns the texts and numbers that a JSON text holds, in their order, the keys of
// objects left out.
func Values(text string) []string {
	var values []string
	var objects []bool // of what is open: it is an object, and not a list
	key := false       // the next text is a key
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	for {
		t, err := d.Token()
		if err != nil {
			return values
		}
		inObject := func() bool { return len(objects) > 0 && objects[len(objects)-1] }
		switch t := t.(type) {
		case json.Delim:
			switch t {
			case '{', '[':
				objects = append(objects, t == '{')
			default:
				objects = objects[:len(objects)-1]
			}
		case string:
			if key {
				key = false
				continue
			}
			values = append(values, t)
		case json.Number:
			values = append(values, t.String())
		}
		key = inObject()
	}
}

package textcall

import (
	"encoding/json"
	"strings"
)

// Values returns the strings and numbers in a JSON text, in their order, without the keys
// of objects.
func Values(text string) []string {
	var values []string
	var objects []bool // for each open bracket, whether it is an object rather than a list
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

package textcall

import (
	"encoding/json"
	"strings"
)

// Wrapped returns the object below the one key of an object, if the key means arguments and is there
// once.
func Wrapped(args string) (key, inner string, ok bool) {
	if !strings.HasPrefix(strings.TrimLeft(args, jsonBlanks), "{") || strings.Count(args, "{") < 2 {
		return "", "", false
	}
	var o map[string]json.RawMessage
	if json.Unmarshal([]byte(args), &o) != nil || len(o) != 1 {
		return "", "", false
	}
	for _, key := range argumentKeys() {
		if inner := o[key]; len(inner) > 0 && inner[0] == '{' && !keyTwice(json.RawMessage(args)) {
			return key, string(inner), true
		}
	}
	return "", "", false
}

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

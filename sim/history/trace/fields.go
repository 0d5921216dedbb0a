package trace

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
)

// fields are the values of a JSON object, each with its path, at most FieldsMax, and how
// many there are beyond them. What every input has is left out.
func fields(body []byte, cut func(string) string) (list []Field, left int) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	add := func(path, text string) {
		switch {
		case path == "v" || path == "at" || path == "kind":
		case len(list) == FieldsMax:
			left++
		default:
			list = append(list, Field{path, cut(text)})
		}
	}
	if err := flat(d, "", add); err != nil {
		add("", err.Error())
	}
	return list, left
}

// flat calls add for each value that is neither an object nor a list, in order.
func flat(d *json.Decoder, path string, add func(path, text string)) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	switch token {
	case json.Delim('{'):
		for d.More() {
			key, err := d.Token()
			if err != nil {
				return err
			}
			name := fmt.Sprint(key)
			if path != "" {
				name = path + "." + name
			}
			if err := flat(d, name, add); err != nil {
				return err
			}
		}
		_, err = d.Token()
	case json.Delim('['):
		for i := 0; d.More(); i++ {
			if err := flat(d, path+"["+strconv.Itoa(i)+"]", add); err != nil {
				return err
			}
		}
		_, err = d.Token()
	default:
		add(path, fmt.Sprint(token))
	}
	return err
}

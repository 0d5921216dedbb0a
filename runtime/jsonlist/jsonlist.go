// Package jsonlist reads lists that come from outside no further than they are used: an item of two bytes takes
// up to a thousand times as much memory and time to read.
package jsonlist

import (
	"bytes"
	"encoding/json"
	"errors"
)

// First decodes at most so many items of a JSON list; null is none. The rest of the text is not
// looked at.
func First[T any](text []byte, most int) (list []T, err error) {
	if len(text) < 2*most { // it has room for no more, and is read faster as a whole
		err := json.Unmarshal(text, &list)
		return list, err
	}
	in := json.NewDecoder(bytes.NewReader(text))
	switch open, err := in.Token(); {
	case err != nil, open == nil:
		return nil, err
	case open != json.Delim('['):
		return nil, errors.New("it is not a list")
	}
	for in.More() && len(list) < most {
		var one T
		if err := in.Decode(&one); err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return list, nil
}

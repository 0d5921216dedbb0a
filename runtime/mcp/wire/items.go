package wire

import (
	"bytes"
	"encoding/json"
	"errors"
)

// itemsMax bounds the tools of a page, and the content of a result, that are read (TOL-93). Each takes up to a
// thousand times as much memory and time to read as its two bytes to send.
const itemsMax = 10_000

// items are the first items of a list. It reads one more than itemsMax.
type items []json.RawMessage

// UnmarshalJSON implements [json.Unmarshaler].
func (l *items) UnmarshalJSON(b []byte) error {
	*l = nil
	in := json.NewDecoder(bytes.NewReader(b))
	switch open, err := in.Token(); {
	case err != nil, open == nil:
		return err
	case open != json.Delim('['):
		return errors.New("it is not a list")
	}
	for in.More() && len(*l) <= itemsMax {
		var one json.RawMessage
		if err := in.Decode(&one); err != nil {
			return err
		}
		*l = append(*l, one)
	}
	return nil
}

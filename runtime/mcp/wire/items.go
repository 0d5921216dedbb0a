package wire

import (
	"encoding/json"

	"shelly/runtime/jsonlist"
)

// itemsMax bounds the tools of a page, and the content of a result, that are read (TOL-93).
const itemsMax = 10_000

// items are the first items of a list, at most one more than itemsMax.
type items []json.RawMessage

// UnmarshalJSON implements [json.Unmarshaler].
func (l *items) UnmarshalJSON(text []byte) (err error) {
	*l, err = jsonlist.First[json.RawMessage](text, itemsMax+1)
	return err
}

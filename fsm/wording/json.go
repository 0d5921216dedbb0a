package wording

import (
	"bytes"
	"encoding/json"
)

// JSON returns a value as JSON on one line, with <, > and & as they are: what reads it is no HTML.
func JSON(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

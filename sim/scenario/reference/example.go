package reference

import (
	"encoding/json"
	"fmt"
)

// Example shows a key as a scenario has it that is played in every test of the project.
type Example struct {
	Text string `json:"text"` // the key and its value
	File string `json:"file"` // the scenario
}

// Examples are an example for each key, by [Key.ID].
type Examples map[string]Example

// ReadExamples reads the examples that are kept beside the schema.
func ReadExamples(text []byte) (Examples, error) {
	var e Examples
	if err := json.Unmarshal(text, &e); err != nil {
		return nil, fmt.Errorf("the examples cannot be read: %w", err)
	}
	return e, nil
}

// ID names a key among all of the format: its map and its name.
func (k *Key) ID() string {
	if isMatcher(k.Name) {
		return k.Name
	}
	return k.Kind + "." + k.Name
}

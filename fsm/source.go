package fsm

import (
	"encoding/json"
	"slices"
)

// Source says where a text came from (MSG-1): a set, because what is derived from several
// texts has the sources of all of them (MSG-2). The zero value is that nobody knows: an
// older build has not noted it. Nothing is decided by it (MSG-3).
type Source uint8

// The sources.
const (
	FromOperator  Source = 1 << iota // prompts, settings, skills, and what the machine says itself
	FromPerson                       // what a request says, and what a person decides
	FromWorkspace                    // files that the tools read
	FromOutside                      // whatever else a tool returns, and events
	FromModel                        // what a model has written
)

// sources are their names on the wire, in order.
func sources() []string { return []string{"operator", "person", "workspace", "outside", "model"} }

// Names returns the sources of the set, in order.
func (s Source) Names() []string {
	var names []string
	for i, name := range sources() {
		if s&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return names
}

// MarshalJSON writes a list of names.
func (s Source) MarshalJSON() ([]byte, error) { return json.Marshal(s.Names()) }

// UnmarshalJSON reads one. A name that this build does not know is of outside.
func (s *Source) UnmarshalJSON(data []byte) error {
	var names []string
	if err := json.Unmarshal(data, &names); err != nil {
		return err
	}
	*s = 0
	for _, name := range names {
		if i := slices.Index(sources(), name); i >= 0 {
			*s |= 1 << i
		} else {
			*s |= FromOutside
		}
	}
	return nil
}

package session

import (
	"testing"

	"shelly/fsm"
	"shelly/runtime/session"
)

// A search asks for each part of an archive once, and for no part of one that is empty.
func TestCLI145ASearchReadsNoFurtherThanTheLastMessage(t *testing.T) {
	asked := 0
	r := reader{
		list: func() ([]session.Listed, error) {
			return []session.Listed{{ID: "a", Last: 3}, {ID: "empty"}, {ID: "z", Last: 1}}, nil
		},
		archive: func(id string, after uint64) (page []session.Archived, err error) {
			asked++
			for n := after + 1; n <= min(after+2, map[string]uint64{"a": 3, "z": 1}[id]); n++ {
				page = append(page, session.Archived{Number: n, At: fsm.Millis(n), Message: fsm.Message{Text: "The Lighthouse"}})
			}
			return page, nil
		},
	}
	c := searchCmd{Text: []string{"lighthouse"}}
	found, err := c.find(r)
	if err != nil || len(found) != 4 || asked != 3 {
		t.Errorf("%v: found %d messages with %d questions; want 4 with 3: two parts of a and one of z", err, len(found), asked)
	}
}

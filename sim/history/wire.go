package history

import (
	"encoding/json"
	"fmt"
	"strconv"

	"shelly/fsm"
	"shelly/fsm/state"
)

// wire is a step as JSON.
type wire struct {
	N       int               `json:"n"`
	Index   uint64            `json:"index"`
	Epoch   int               `json:"epoch"`
	Handle  fsm.HandleID      `json:"handle,omitempty"`
	About   bool              `json:"about,omitempty"`
	Input   json.RawMessage   `json:"input"`
	Moves   []state.Move      `json:"moves,omitempty"`
	Effects []json.RawMessage `json:"effects,omitempty"`
	Differs bool              `json:"differs,omitempty"`

	Recorded string `json:"recorded"` // hashes are hexadecimal: JSON's numbers are too short for them
	Today    string `json:"today"`
}

// MarshalJSON implements [json.Marshaler].
func (s Step) MarshalJSON() ([]byte, error) {
	w := wire{
		N: s.N, Index: s.Index, Epoch: s.Epoch, Handle: s.Handle, About: s.About, Moves: s.Moves, Differs: s.Differs,
		Recorded: fmt.Sprintf("%016x", s.Recorded), Today: fmt.Sprintf("%016x", s.Today),
	}
	var err error
	if w.Input, err = fsm.MarshalInput(s.Input); err != nil {
		return nil, err
	}
	for _, e := range s.Effects {
		body, err := fsm.MarshalEffect(e)
		if err != nil {
			return nil, err
		}
		w.Effects = append(w.Effects, body)
	}
	return json.Marshal(w)
}

// UnmarshalJSON implements [json.Unmarshaler].
func (s *Step) UnmarshalJSON(data []byte) error {
	var w wire
	if err := json.Unmarshal(data, &w); err != nil {
		return err
	}
	*s = Step{N: w.N, Index: w.Index, Epoch: w.Epoch, Handle: w.Handle, About: w.About, Moves: w.Moves, Differs: w.Differs}
	var err error
	if s.Recorded, err = strconv.ParseUint(w.Recorded, 16, 64); err != nil {
		return fmt.Errorf("decode step %d: %w", w.N, err)
	}
	if s.Today, err = strconv.ParseUint(w.Today, 16, 64); err != nil {
		return fmt.Errorf("decode step %d: %w", w.N, err)
	}
	if s.Input, err = fsm.UnmarshalInput(w.Input); err != nil {
		return err
	}
	for _, body := range w.Effects {
		e, err := fsm.UnmarshalEffect(body)
		if err != nil {
			return err
		}
		s.Effects = append(s.Effects, e)
	}
	return nil
}

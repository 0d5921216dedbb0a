package fork

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"shelly/fsm"
)

// Edit says what an input is told as instead.
type Edit struct{ Key, Value string }

// ErrEdit says that an edit does not fit its step.
var ErrEdit = errors.New("cannot be edited so")

// Edited returns an input as it is told with edits; the last of one key counts. The keys
// are those of [EditKeys]. A failure of the model that is edited is an answer.
func Edited(in fsm.Input, edits []Edit) (fsm.Input, error) {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b Edit) int { return cmp.Compare(b.Key, a.Key) }) // says drops the calls, so it goes before calls
	for _, e := range edits {
		if keys := EditKeys(in); !slices.Contains(keys, e.Key) {
			if len(keys) == 0 {
				return fsm.Input{}, fmt.Errorf("%s: %w: the step is a %s, of which nothing can be edited", e.Key, ErrEdit, fsm.InputKind(in))
			}
			return fsm.Input{}, fmt.Errorf("%s: %w: the step is a %s, whose keys are %s", e.Key, ErrEdit, fsm.InputKind(in), strings.Join(keys, ", "))
		}
		var err error
		if in.Fact, err = e.apply(in.Fact); err != nil {
			return fsm.Input{}, fmt.Errorf("%s: %w: %w", e.Key, ErrEdit, err)
		}
	}
	return in, nil
}

// EditKeys returns what can be edited of an input:
//
//	text      of requested and resolved
//	result    of tool_answered; failed, true or false, says whether it is an error
//	says      of brain_answered and brain_failed: the text, and no calls
//	calls     of the same: [{"name": "exec", "args": {…}}], beside the text
//	recalled  of recalled: ["a summary", …], or [{"id": "h1", "summary": "…"}]
//	approve   of decided: true or false
func EditKeys(in fsm.Input) []string {
	switch in.Fact.(type) {
	case fsm.Requested, fsm.Resolved:
		return []string{"text"}
	case fsm.ToolAnswered:
		return []string{"result", "failed"}
	case fsm.BrainAnswered, fsm.BrainFailed:
		return []string{"says", "calls"}
	case fsm.Recalled:
		return []string{"recalled"}
	case fsm.Decided:
		return []string{"approve"}
	default:
		return nil
	}
}

// apply returns in with the edit; its key fits.
func (e Edit) apply(in fsm.Fact) (_ fsm.Fact, err error) {
	switch in := in.(type) {
	case fsm.Requested:
		in.Text = e.Value
		return in, nil
	case fsm.Resolved:
		in.Text = e.Value
		return in, nil
	case fsm.Decided:
		in.Approve, err = truth(e.Value)
		return in, err
	case fsm.ToolAnswered:
		if e.Key == "failed" {
			in.Failed, err = truth(e.Value)
			in.Nothing, in.Invalid = false, false
			return in, err
		}
		in.Text = e.Value
		return in, nil
	case fsm.BrainFailed:
		return e.apply(fsm.BrainAnswered{Answered: fsm.To(in.Call), Stop: fsm.StopEndTurn})
	case fsm.BrainAnswered:
		return e.answer(in)
	case fsm.Recalled:
		in.Error = ""
		in.Entries, err = memories(e.Value)
		return in, err
	default:
		return in, nil
	}
}

// answer is what the model says with the edit.
func (e Edit) answer(in fsm.BrainAnswered) (fsm.Fact, error) {
	if e.Key == "says" {
		in.Text, in.Calls = e.Value, nil
	} else {
		calls, err := toolCalls(e.Value)
		if err != nil {
			return nil, err
		}
		in.Calls = calls
	}
	in.Thinking, in.Tokens = "", fsm.Tokens{}
	if in.Stop = fsm.StopEndTurn; len(in.Calls) > 0 {
		in.Stop = fsm.StopToolUse
	}
	return in, nil
}

func truth(text string) (bool, error) {
	if text != "true" && text != "false" {
		return false, fmt.Errorf("wants true or false, not %q", text)
	}
	return text == "true", nil
}

func toolCalls(text string) ([]fsm.ToolCall, error) {
	var list []struct {
		Name string          `json:"name"`
		Args json.RawMessage `json:"args"`
	}
	if err := strict(text, &list); err != nil {
		return nil, fmt.Errorf(`wants a list such as [{"name": "list_dir", "args": {"path": "."}}]: %w`, err)
	}
	var calls []fsm.ToolCall
	for i, c := range list {
		args := strings.TrimSpace(string(c.Args))
		switch {
		case c.Name == "":
			return nil, fmt.Errorf("call %d has no name", i+1)
		case args == "":
			args = "{}"
		case args[0] != '{':
			return nil, fmt.Errorf("call %d: args wants an object such as {\"path\": \".\"}", i+1)
		}
		calls = append(calls, fsm.ToolCall{ID: "edit_" + strconv.Itoa(i), Name: c.Name, Args: args})
	}
	return calls, nil
}

func memories(text string) ([]fsm.Memory, error) {
	var texts []string
	if strict(text, &texts) == nil {
		var entries []fsm.Memory
		for i, t := range texts {
			entries = append(entries, fsm.Memory{ID: "edit" + strconv.Itoa(i+1), Summary: t})
		}
		return entries, nil
	}
	var entries []fsm.Memory
	if err := strict(text, &entries); err != nil {
		return nil, fmt.Errorf(`wants a list such as ["a summary"]: %w`, err)
	}
	return entries, nil
}

// strict decodes one JSON value without unknown keys.
func strict(text string, to any) error {
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		return err
	}
	if d.More() {
		return errors.New("something follows the value")
	}
	return nil
}

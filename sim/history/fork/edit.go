package fork

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"shelly/fsm"
	"shelly/fsm/wording"
)

// Edit replaces a part of an input.
type Edit struct{ Key, Value string }

// ErrEdit says that an edit does not fit its step.
var ErrEdit = errors.New("cannot be edited so")

// unfit says that a step has no such key.
type unfit struct {
	Key string
	in  fsm.Input
}

// Error implements error.
func (u *unfit) Error() string {
	keys := EditKeys(u.in)
	if len(keys) == 0 {
		return fmt.Sprintf("%s: %v: the step is a %s, of which nothing can be edited", u.Key, ErrEdit, fsm.InputKind(u.in))
	}
	return fmt.Sprintf("%s: %v: the step is a %s, whose keys are %s", u.Key, ErrEdit, fsm.InputKind(u.in), strings.Join(keys, ", "))
}

// Unwrap returns ErrEdit.
func (*unfit) Unwrap() error { return ErrEdit }

// edited returns an input with edits; the last of one key counts. The keys
// are those of [EditKeys]. A failure of the model that is edited is an answer.
func edited(in fsm.Input, edits []Edit) (fsm.Input, error) {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b Edit) int { return cmp.Compare(b.Key, a.Key) }) // says drops the calls, so it goes before calls
	for _, e := range edits {
		if !slices.Contains(EditKeys(in), e.Key) {
			return fsm.Input{}, &unfit{Key: e.Key, in: in}
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
//	result    of tool_answered, which then asks nobody; failed, true or false, says whether it is an error
//	says      of brain_answered and brain_failed: the text, and no calls
//	calls     of the same: [{"name": "exec", "args": {…}}], beside the text
//	recalled  of recalled: ["a summary", …], or [{"id": "h1", "summary": "…"}]
//	approve   of decided: true or false
//	reason    of decided: it is refused, for this reason
func EditKeys(in fsm.Input) []string {
	var keys []string
	for _, one := range editing() {
		if one.fits(in.Fact) {
			keys = append(keys, one.key)
		}
	}
	return keys
}

// apply returns in with the edit; its key fits.
func (e Edit) apply(in fsm.Fact) (fsm.Fact, error) {
	for _, one := range editing() {
		if one.key == e.Key && one.fits(in) {
			return one.edit(in, e.Value)
		}
	}
	return in, nil
}

// editable is one key of a kind of fact, and the fact with another value of it.
type editable struct {
	key  string
	fits func(fsm.Fact) bool
	edit func(in fsm.Fact, value string) (fsm.Fact, error)
}

// of is a key of the facts that edit takes.
func of[F fsm.Fact](key string, edit func(F, string) (fsm.Fact, error)) editable {
	return editable{
		key:  key,
		fits: func(f fsm.Fact) bool { _, ok := f.(F); return ok },
		edit: func(f fsm.Fact, value string) (fsm.Fact, error) { return edit(f.(F), value) },
	}
}

// editing lists all that can be edited.
func editing() []editable {
	return []editable{
		of("text", func(in fsm.Requested, v string) (fsm.Fact, error) { in.Text = v; return in, nil }),
		of("text", func(in fsm.Resolved, v string) (fsm.Fact, error) { in.Text = v; return in, nil }),
		of("result", func(in fsm.ToolAnswered, v string) (fsm.Fact, error) {
			in.Text, in.Kept, in.Asks = v, fsm.Kept{}, "" // the record has kept another
			return in, nil
		}),
		of("failed", func(in fsm.ToolAnswered, v string) (_ fsm.Fact, err error) {
			in.Failed, err = truth(v)
			in.Nothing, in.Invalid, in.Asks = false, false, ""
			return in, err
		}),
		of("says", says), of("calls", calling),
		of("says", func(in fsm.BrainFailed, v string) (fsm.Fact, error) { return says(answered(in), v) }),
		of("calls", func(in fsm.BrainFailed, v string) (fsm.Fact, error) { return calling(answered(in), v) }),
		of("recalled", func(in fsm.Recalled, v string) (_ fsm.Fact, err error) {
			in.Error = ""
			in.Entries, err = memories(v)
			return in, err
		}),
		of("approve", func(in fsm.Decided, v string) (_ fsm.Fact, err error) {
			if in.Approve, err = truth(v); in.Approve {
				in.Reason = ""
			} else {
				in.Grant = fsm.GrantOnce
			}
			return in, err
		}),
		of("reason", func(in fsm.Decided, v string) (fsm.Fact, error) {
			in.Approve, in.Grant, in.Reason = false, fsm.GrantOnce, strings.TrimSpace(v)
			if n := len(in.Reason); n > fsm.ReasonBytesMax {
				return in, fmt.Errorf("the reason has %s bytes, and a reason has at most %s; shorten it", wording.Thousands(n), wording.Thousands(fsm.ReasonBytesMax))
			}
			return in, nil
		}),
	}
}

// answered is an empty answer in place of a failure.
func answered(in fsm.BrainFailed) fsm.BrainAnswered { return fsm.BrainAnswered{Answered: in.Answered} }

// says is an answer of another text.
func says(in fsm.BrainAnswered, text string) (fsm.Fact, error) {
	in.Text, in.Calls = text, nil
	return spoken(in), nil
}

// calling is an answer with other calls.
func calling(in fsm.BrainAnswered, text string) (fsm.Fact, error) {
	calls, err := toolCalls(text)
	if err != nil {
		return nil, err
	}
	in.Calls = calls
	return spoken(in), nil
}

// spoken is an edited answer without what the model's server said of its own.
func spoken(in fsm.BrainAnswered) fsm.BrainAnswered {
	in.Thinking, in.Tokens = "", fsm.Tokens{}
	if in.Stop = fsm.StopEndTurn; len(in.Calls) > 0 {
		in.Stop = fsm.StopToolUse
	}
	return in
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
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the value")
	}
	return nil
}

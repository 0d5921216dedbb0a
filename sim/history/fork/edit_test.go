package fork

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
)

func TestSIM15EachKindOfInputCanBeEdited(t *testing.T) {
	for _, test := range []struct {
		in   fsm.Input
		edit []Edit
		want fsm.Input
	}{
		{fsm.Input{At: 1, Fact: fsm.Requested{Text: "a"}}, []Edit{{"text", "b"}}, fsm.Input{At: 1, Fact: fsm.Requested{Text: "b"}}},
		{fsm.Input{Fact: fsm.Resolved{Handle: 2}}, []Edit{{"text", "b"}}, fsm.Input{Fact: fsm.Resolved{Handle: 2, Text: "b"}}},
		{fsm.Input{Fact: fsm.Decided{Key: "k", Approve: true}}, []Edit{{"approve", "false"}}, fsm.Input{Fact: fsm.Decided{Key: "k"}}},
		{fsm.Input{Fact: fsm.Decided{Key: "k", Reason: "no"}}, []Edit{{"approve", "true"}}, fsm.Input{Fact: fsm.Decided{Key: "k", Approve: true}}},
		{fsm.Input{Fact: fsm.Decided{Key: "k", Approve: true, Grant: fsm.GrantAlways}}, []Edit{{"reason", " b\n"}}, fsm.Input{Fact: fsm.Decided{Key: "k", Reason: "b"}}},
		{fsm.Input{Fact: fsm.ToolAnswered{Answered: fsm.To(3), Text: "a"}}, []Edit{{"result", ""}}, fsm.Input{Fact: fsm.ToolAnswered{Answered: fsm.To(3)}}},
		{fsm.Input{Fact: fsm.ToolAnswered{Answered: fsm.To(3), Text: "a"}}, []Edit{{"failed", "true"}, {"result", "no"}}, fsm.Input{Fact: fsm.ToolAnswered{Answered: fsm.To(3), Text: "no", Failed: true}}},
		{fsm.Input{Fact: fsm.ToolAnswered{Answered: fsm.To(3), Text: "a", Kept: fsm.Kept{Ref: "r", Tail: "z", Bytes: 9, Tokens: 3}}}, []Edit{{"result", "b"}}, fsm.Input{Fact: fsm.ToolAnswered{Answered: fsm.To(3), Text: "b"}}},
		{fsm.Input{Fact: fsm.ToolAnswered{Answered: fsm.To(3), Text: "a", Failed: true, Nothing: true, Asks: "why"}}, []Edit{{"result", "b"}, {"failed", "false"}}, fsm.Input{Fact: fsm.ToolAnswered{Answered: fsm.To(3), Text: "b"}}},
		{fsm.Input{Fact: fsm.ToolAnswered{Answered: fsm.To(3), Failed: true, Nothing: true}}, []Edit{{"failed", "false"}}, fsm.Input{Fact: fsm.ToolAnswered{Answered: fsm.To(3)}}},
		{
			fsm.Input{Fact: fsm.BrainAnswered{Answered: fsm.To(3), Stop: fsm.StopToolUse, Calls: []fsm.ToolCall{{Name: "x"}}, Thinking: "hm"}},
			[]Edit{{"says", "b"}}, fsm.Input{Fact: fsm.BrainAnswered{Answered: fsm.To(3), Stop: fsm.StopEndTurn, Text: "b"}},
		},
		{
			fsm.Input{At: 5, Fact: fsm.BrainFailed{Answered: fsm.To(3), Class: fsm.BrainBusy}},
			[]Edit{{"calls", `[{"name": "exec", "args": {"cmd": "ls"}}, {"name": "look"}]`}, {"says", "b"}},
			fsm.Input{At: 5, Fact: fsm.BrainAnswered{Answered: fsm.To(3), Stop: fsm.StopToolUse, Text: "b", Calls: []fsm.ToolCall{
				{ID: "edit_0", Name: "exec", Args: `{"cmd": "ls"}`}, {ID: "edit_1", Name: "look", Args: "{}"},
			}}},
		},
		{fsm.Input{Fact: fsm.Recalled{Answered: fsm.To(3), Error: "no"}}, []Edit{{"recalled", `["s"]`}}, fsm.Input{Fact: fsm.Recalled{Answered: fsm.To(3), Entries: []fsm.Memory{{ID: "edit1", Summary: "s"}}}}},
		{fsm.Input{Fact: fsm.Recalled{Answered: fsm.To(3)}}, []Edit{{"recalled", `[{"id": "h1", "summary": "s"}]`}}, fsm.Input{Fact: fsm.Recalled{Answered: fsm.To(3), Entries: []fsm.Memory{{ID: "h1", Summary: "s"}}}}},
	} {
		got, err := edited(test.in, test.edit)
		if diff := cmp.Diff(test.want, got); diff != "" || err != nil {
			t.Errorf("%T with %v: %v\n%s", test.in.Fact, test.edit, err, diff)
		}
	}
}

func TestSIM15AnEditThatDoesNotFit(t *testing.T) {
	for _, test := range []struct {
		in   fsm.Input
		edit Edit
		want string
	}{
		{fsm.Input{Fact: fsm.ToolAnswered{}}, Edit{"says", "b"}, "says: cannot be edited so: the step is a tool_answered, whose keys are result, failed"},
		{fsm.Input{Fact: fsm.Stored{}}, Edit{"text", "b"}, "the step is a stored, of which nothing can be edited"},
		{fsm.Input{Fact: fsm.Decided{}}, Edit{"approve", "yes"}, `wants true or false, not "yes"`},
		{fsm.Input{Fact: fsm.Decided{}}, Edit{"reason", strings.Repeat("é", fsm.ReasonBytesMax/2) + "."}, "the reason has 2,001 bytes, and a reason has at most 2,000; shorten it"}, // APR-23
		{fsm.Input{Fact: fsm.BrainAnswered{}}, Edit{"calls", "exec"}, `wants a list such as [{"name": "list_dir", "args": {"path": "."}}]`},
		{fsm.Input{Fact: fsm.BrainAnswered{}}, Edit{"calls", `[{"args": {}}]`}, "call 1 has no name"},
		{fsm.Input{Fact: fsm.BrainAnswered{}}, Edit{"calls", `[{"name": "x", "args": []}]`}, "call 1: args wants an object"},
		{fsm.Input{Fact: fsm.BrainAnswered{}}, Edit{"calls", `[] []`}, "something follows the value"},
		{fsm.Input{Fact: fsm.BrainAnswered{}}, Edit{"calls", `[{"name": "x"}]]`}, "something follows the value"},
		{fsm.Input{Fact: fsm.Recalled{}}, Edit{"recalled", `[{"text": "s"}]`}, `unknown field "text"`},
	} {
		if _, err := edited(test.in, []Edit{test.edit}); !errors.Is(err, ErrEdit) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v of %T: %v; want %s", test.edit, test.in.Fact, err, test.want)
		}
	}
}

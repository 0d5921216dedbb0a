package regression

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/fsm/profile"
)

func TestCLI18ArgumentsAreHeldAgainstEachOtherAsValues(t *testing.T) {
	for _, test := range []struct{ a, b string }{
		{`{"b": 1, "a": [true, null]}`, `{"a":[true,null],"b":1.0}`},
		{`{"n":1e2}`, `{"n":100}`},
		{`{"n":-0.50}`, `{"n":-5e-1}`},
		{`{"n":0.0}`, `{"n":-0}`},
		{`{"n":12345678901234567890123.0}`, `{"n":12345678901234567890123}`},
		{`{"s":"\u00e9<"}`, `{"s":"é<"}`},
		{`{"k":1,"k":2}`, `{"k":2}`},
		{` not json `, `not json`},
	} {
		if Canonical(test.a) != Canonical(test.b) {
			t.Errorf("%s is %s, and %s is %s", test.a, Canonical(test.a), test.b, Canonical(test.b))
		}
	}
	for _, test := range []struct{ a, b string }{
		{`{"n":1}`, `{"n":10}`},
		{`{"n":1}`, `{"n":"1"}`},
		{`{"n":0.1}`, `{"n":0.01}`},
		{`{"n":9007199254740993}`, `{"n":9007199254740992}`},
		{`{"n":1e999999999}`, `{"n":1e999999998}`},
		{`{"n":1}`, `{"n":-1}`},
		{`[1,2]`, `[2,1]`},
		{`{} {}`, `{}`},
	} {
		if Canonical(test.a) == Canonical(test.b) {
			t.Errorf("%s and %s are both %s", test.a, test.b, Canonical(test.a))
		}
	}
}

func calls(list ...string) Decision {
	d := Decision{Verdict: VerdictCalls}
	for i := 0; i < len(list); i += 2 {
		d.Calls = append(d.Calls, Call{list[i], Canonical(list[i+1])})
	}
	return d
}

func text(s string) Decision { return Decision{Verdict: VerdictText, Text: s} }

func TestCLI18ADifferenceHasAClass(t *testing.T) {
	share := func(n int) *int { return &n }
	for _, test := range []struct {
		name         string
		against, now Decision
		want         Difference
	}{
		{"the same calls", calls("a", `{"x":1}`), calls("a", `{"x":1.0}`), Difference{Class: Same}},
		{"another order", calls("a", `{}`, "b", `{}`), calls("b", `{}`, "a", `{}`), Difference{Class: Reordered}},
		{
			"other arguments", calls("a", `{"x":1,"y":2,"z":3}`, "a", `{"x":1}`), calls("a", `{"x":1,"y":3}`, "a", `{"x":2}`),
			Difference{Class: Arguments, Keys: []string{"a.y", "a.z", "a.x"}},
		},
		{"no object", calls("a", `7`), calls("a", `8`), Difference{Class: Arguments}},
		{"other tools", calls("a", `{}`), calls("b", `{}`), Difference{Class: Tools}},
		{"one call more", calls("a", `{}`), calls("a", `{}`, "a", `{}`), Difference{Class: Tools}},
		{"a text instead", calls("a", `{}`), text("No."), Difference{Class: Verdicts}},
		{"two texts", text("It is Four."), text("it is five"), Difference{Class: Same, Alike: share(66)}},
		{"a text and nothing", text("x"), Decision{Verdict: VerdictEmpty}, Difference{Class: Verdicts}},
		{"two needs", Decision{Verdict: VerdictNeed, Text: "my name"}, Decision{Verdict: VerdictNeed, Text: "name, my"}, Difference{Class: Same, Alike: share(100)}},
		{"both cut", Decision{Verdict: VerdictCut, Text: "a"}, Decision{Verdict: VerdictCut, Text: "b"}, Difference{Class: Same}},
		{"a failure", text("x"), Failure(fsm.BrainTimeout, "late"), Difference{Class: Failed}},
		{"two failures", Failure(fsm.BrainTimeout, "late"), Failure(fsm.BrainTimeout, "late"), Difference{Class: Failed}},
	} {
		if diff := cmp.Diff(test.want, Compare(test.against, test.now)); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
	}
}

func TestCLI18AnAnswerIsReadAsTheMachineReadsIt(t *testing.T) {
	config := profile.Nanobot()
	config.Switches.TextCalls = true
	config.Tools = []fsm.ToolDecl{{Name: "list_dir"}}
	tooled := Question{Ask: fsm.AskBrain{Tools: fsm.AllTools}, config: &config}
	asking, bare := tooled, Question{config: &config}
	asking.Cognition = true
	call := fsm.BrainAnswered{Stop: fsm.StopToolUse, Calls: []fsm.ToolCall{{Name: "list_dir", Args: `{ "path" : "." }`}}}
	const written = `{"name":"list_dir","arguments":{}}`
	for _, test := range []struct {
		name string
		q    Question
		in   fsm.BrainAnswered
		want Decision
	}{
		{"calls", tooled, call, calls("list_dir", `{"path":"."}`)},
		{"calls that were not offered", bare, call, Decision{Verdict: VerdictEmpty}},
		{"calls as text", tooled, fsm.BrainAnswered{Text: written, AsText: true}, calls("list_dir", `{}`)},
		{"calls as text of a model that has others", tooled, fsm.BrainAnswered{Text: written}, Decision{Verdict: VerdictEmpty, Text: written}},
		{"a call that cannot run", tooled, fsm.BrainAnswered{Text: "Action: list_dir\nAction Input: ."}, Decision{Verdict: VerdictEmpty, Text: "Action: list_dir\nAction Input: ."}},
		{"a need", asking, fsm.BrainAnswered{Text: "\nNEED: the name"}, Decision{Verdict: VerdictNeed, Text: "the name"}},
		{"a marker that means nothing", tooled, fsm.BrainAnswered{Text: "NEED: the name"}, text("NEED: the name")},
		{"a text", tooled, fsm.BrainAnswered{Text: " four\n"}, text("four")},
		{"nothing", tooled, fsm.BrainAnswered{Text: " \n", Thinking: "hm"}, Decision{Verdict: VerdictEmpty}},
		{"a cut answer", tooled, fsm.BrainAnswered{Stop: fsm.StopMaxTokens, Text: "fo", Calls: call.Calls}, Decision{Verdict: VerdictCut, Text: "fo"}},
	} {
		if diff := cmp.Diff(test.want, test.q.Read(test.in)); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
	}
}

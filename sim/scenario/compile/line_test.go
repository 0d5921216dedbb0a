package compile_test

import (
	"reflect"
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/sim/scenario"
	"shelly/sim/script"
	"shelly/sim/strict"
)

// SCN-27, SCN-28: what the forms of a line stand for.
func TestSCN28LinesAreWhatTheyStandFor(t *testing.T) {
	yes := &script.Stream{Chunks: 2, Every: 200}
	list := &script.Stream{Texts: []string{"a", "b"}}
	loading := script.Line{Fails: fsm.BrainLoading, Reason: script.LoadingReason, Takes: script.LoadMax}
	for _, test := range []struct {
		yaml string
		want script.Line
	}{
		{`{says: ab, stream: {chunks: 2, every: 200ms}, takes: 1s, slow_load: 2s}`, script.Line{Text: "ab", Stream: yes, Takes: 3000}},
		{`{stream: {chunks: [a, b]}}`, script.Line{Text: "ab", Stream: list}},
		{`{says: ab, stream: {chunks: [a, b]}}`, script.Line{Text: "ab", Stream: list}},
		{`{needs: b, stream: {chunks: 2, every: 200ms}}`, script.Line{Text: "NEED: b", Stream: yes}},
		{`{quotes: last, stream: {chunks: 2, every: 200ms}}`, script.Line{Quotes: true, Stream: yes}},
		{`{hangs: true, stream: {chunks: [a, b]}}`, script.Line{Hangs: true, Text: "ab", Stream: list}},
		{`{cut: true, stream: {chunks: [a, b]}}`, script.Line{Fails: fsm.BrainCutStream, Reason: "the stream ended without its last line", Stream: list}},
		{`{says: a, slow_load: 5m, takes: 1s}`, script.Line{Text: "a", Takes: 301_000}},
		{`{says: a, slow_load: 300001ms, takes: 1s}`, loading},
		{`{says: a, slow_load: 4m, takes: 1m, stream: {chunks: 1}}`, script.Line{Text: "a", Takes: 300_000, Stream: &script.Stream{Chunks: 1}}},
		{`{says: a, slow_load: 4m, takes: 61s, stream: {chunks: 1}}`, script.Line{Text: "a", Takes: 301_000, Stream: &script.Stream{Chunks: 1}}},
		{`{says: a, takes: 6m}`, script.Line{Text: "a", Takes: 360_000}},
		{`{truncated: {prompt_tokens: 9}}`, script.Line{Fails: fsm.BrainContextTruncated, Reason: script.TruncatedReason(9), Tokens: fsm.Tokens{Prompt: 9}}},
		{`{fails: {retryable: true}}`, script.Line{Fails: fsm.BrainBusy}},
		{`{fails: {retryable: false, message: m}}`, script.Line{Fails: fsm.BrainError, Reason: "m"}},
		{`{fails: {code: timeout, retryable: true}}`, script.Line{Fails: fsm.BrainTimeout}},
		{`{unknown_tool: t}`, script.Line{Calls: []fsm.ToolCall{{Name: "t", Args: "{}"}}}},
		{`{unknown_tool: {tool: t, args: {x: 1}}, says: a}`, script.Line{Text: "a", Calls: []fsm.ToolCall{{Name: "t", Args: `{"x":1}`}}}},
		{`{malformed_arguments: t}`, script.Line{Calls: []fsm.ToolCall{{Name: "t", Args: `{"`}}, BadArgs: true}},
		{`{malformed_arguments: {tool: t, args: x}}`, script.Line{Calls: []fsm.ToolCall{{Name: "t", Args: "x"}}, BadArgs: true}},
	} {
		if got := planFrom(t, "brain: ["+test.yaml+"]\n").Scripts[0].Lines[0]; !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s\n is %+v\nwant %+v", test.yaml, got, test.want)
		}
	}
}

// SCN-27, SCN-28: what cannot be is an error that says what can.
func TestSCN28LinesThatCannotBe(t *testing.T) {
	for _, test := range []struct{ line, want string }{
		{`{says: a, stream: {every: 1s}}`, "brain[0].stream: the key chunks is missing"},
		{`{says: a, stream: {chunks: 0}}`, "stream.chunks: wants a number of at least 1, not 0"},
		{`{says: a, stream: {chunks: []}}`, "stream.chunks: lists no piece"},
		{`{says: ab, stream: {chunks: [a, ""]}}`, `stream.chunks: the pieces make "a", not "ab"`},
		{`{says: a, stream: {chunks: [a, ""]}}`, "stream.chunks[1]: is empty"},
		{`{stream: {chunks: 3}}`, "stream.chunks: there is no text to cut; list the pieces"},
		{`{cut: true, stream: {chunks: 3}}`, "there is no text to cut; list the pieces"},
		{`{quotes: last, stream: {chunks: [a]}}`, "what is quoted is not known yet; say how many pieces"},
		{`{empty: true, stream: {chunks: [a]}}`, "brain[0].stream: an empty answer has no pieces"},
		{`{fails: {code: busy}, stream: {chunks: [a]}}`, "brain[0].stream: a failure of class busy comes before the first piece"},
		{`{says: a, stream: {chunks: 1, every: 61s}}`, "stream.every: a client waits at most 60s for the next piece; for a longer silence say hangs, or fails: {code: timeout}"},
		{`{says: "a < b", stream: {chunks: ["a <", " b"]}}`, `the client keeps back what may begin <think>, as "a <" does at its end`},
		{`{says: "a<think>b", stream: {chunks: 1}}`, "give thinking as thinks"},
		{`{fails: {code: unreachable}, slow_load: 1s}`, "brain[0].slow_load: a failure of class unreachable comes before the model is loaded; say takes"},
		{`{fails: {message: m}}`, "brain[0].fails: give code, or retryable alone"},
		{`{fails: {code: bussy}}`, "brain[0].fails.code: unknown class bussy; did you mean busy?"},
		{`{fails: {code: busy, retryable: false}}`, "fails.retryable: the model is asked again after a failure of class busy; leave retryable out, or the code"},
		{`{fails: {code: error, retryable: true}}`, "fails.retryable: the model is not asked again after a failure of class error"},
		{`{unknown_tool: exec}`, "brain[0].unknown_tool: the tool exec is declared; name one that is not, or say calls"},
		{`{unknown_tool: {tool: exec}}`, "brain[0].unknown_tool: the tool exec is declared"},
		{`{unknown_tool: x, calls: [{tool: exec}]}`, "brain[0]: calls and unknown_tool exclude each other"},
		{`{unknown_tool: x, cut: true}`, "says or calls and cut exclude each other"},
		{`{malformed_arguments: {tool: exec, args: "{}"}}`, "brain[0].malformed_arguments.args: is a JSON object, or taken for an empty one; say calls with args"},
		{`{malformed_arguments: {tool: exec, args: " "}}`, "is a JSON object, or taken for an empty one"},
		{`{calls: [{tool: exec, malformed_arguments: "{\"a\": 1}"}]}`, "brain[0].calls[0].malformed_arguments: is a JSON object"},
		{`{truncated: {prompt_tokens: 9}, tokens: {prompt: 8}}`, "truncated and tokens exclude each other"},
		{`{truncated: {}}`, "brain[0].truncated: is empty; the keys here are: prompt_tokens"},
	} {
		_, err := scenario.Parse("f.scenario.yaml", []byte("scenario: 1\nname: x\ntools: {exec: []}\nbrain: ["+test.line+"]\nexpect: {ends: serving}\n"))
		if err == nil || !strings.Contains(err.(*strict.Error).Detail(), test.want) {
			t.Errorf("%s: %v\nwant %s", test.line, err, test.want)
		}
	}
}

// A tool that a later configuration declares or takes away may be unknown for a
// while: then it is not reported.
func TestAToolMayBeUnknownUnderAnotherConfiguration(t *testing.T) {
	const file = "scenario: 1\nname: x\ntools: {exec: []}\nbrain: [{unknown_tool: exec}]\nexpect: {ends: serving}\n"
	for _, more := range []string{"config: {tools: []}\n", "timeline: [{configure: {tools: []}}]\n"} {
		if _, err := scenario.Parse("f.scenario.yaml", []byte(file+more)); err != nil {
			t.Errorf("%q: got %v; want no error", more, err)
		}
	}
}

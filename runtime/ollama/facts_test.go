package ollama_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"shelly/fsm/spec"
)

// ollamaFacts are facts about how a server behaves, each with the rule that takes it into account
// and the test that shows this. A rule may also matter outside this package.
var ollamaFacts = []struct{ fact, rule, test string }{
	// The window.
	{"the default window depends on the machine, so one is always sent, the same each time", "BRN-2", "TestBRN2TheWindowAndTheLengthAreAlwaysSent"},
	{"loading, chats and vectors of one model ask for one window, as another reloads it", "BRN-19", "TestBRN19PreloadAsksForWhatTheChatsAskFor"},
	{"a larger window than the model's is silently made smaller", "BRN-17", "TestBRN17ASmallerWindowCountsAndIsWarnedOfOnce"},
	{"a model may have been loaded with another window", "BRN-17", "TestBRN17AModelWithAnotherWindowIsLoadedAgain"},
	{"truncation is silent; a count that fills the window tells", "BRN-3", "TestBRN3AFullWindowMeansTruncation"},
	{"whole messages go, so the count may end below the window", "BRN-3", "TestBRN3ACountBelowTheLeastMeansTruncation"},
	{"the prompt is budgeted by an estimate, and the ratio to the count is learnt", "CTX-2", "TestCTX2AnEstimateIsCorrectedByWhatTheModelCounts"},
	{"truncate: false is refused with words of its own", "BRN-7", "TestBRN7RecordedErrorsAreTyped"},
	{"shift: false ends an answer at the window", "BRN-2", "TestBRN2TheWindowAndTheLengthAreAlwaysSent"},

	// The end of an answer.
	{"done_reason never names calls", "BRN-4", "TestINF2RecordedAnswersAreRead"},
	{"length means num_predict too, which is always sent", "BRN-2", "TestBRN2TheWindowAndTheLengthAreAlwaysSent"},
	{"a stream without its last line is a failure", "BRN-1", "TestINF6BrokenStreamsAreTyped"},
	{"an error may come in the midst, under status 200", "BRN-7", "TestINF6BrokenStreamsAreTyped"},
	{"a proxy sends lines and pages of its own", "BRN-11", "TestBRN11APageIsGarbageAndItsTypeIsNamed"},

	// Calls.
	{"calls come in lines of their own, before an empty last one", "BRN-5", "TestINF2RecordedAnswersAreRead"},
	{"the order of arguments matters", "BRN-5", "TestBRN5ArgumentsAreKeptAsTheyCame"},
	{"arguments in a string are refused when they are sent back", "BRN-5", "TestAWholeConversationIsSent"},
	{"results carry the tool's name and the call's id; thinking, text and calls go together", "BRN-5", "TestAWholeConversationIsSent"},
	{"a call of a tool that was not offered comes as an empty answer, which is none", "INF-20", "TestINF20AnEmptyAnswerIsAskedAgain"},
	{"a call that was cut comes as an empty answer with length", "BRN-4", "TestINF2RecordedAnswersAreRead"},
	{"small models write calls as text", "INF-25", "TestBRN5OddCallsEndAsTheyShould"},
	{"a call that the parser cannot read is not an outage", "BRN-31", "TestBRN31ACallThatTheServerCannotReadIsTheModelsFault"},
	{"a runner that died is loaded again by the next call", "BRN-31", "TestBRN31ARunnerThatDiedIsLoadedAgain"},
	{"a model without tools refuses them; what it can is asked first", "BRN-16", "TestBRN16AModelWithoutToolsLearnsOfThemInThePrompt"},
	{"what a model can is asked once", "BRN-13", "TestBRN13WhatAModelCanIsAskedOnce"},

	// Thinking.
	{"think left out means on, of models that think", "BRN-6", "TestBRN6ThinkingIsAskedForWhereItIsSet"},
	{"thinking may use up the whole answer, whose text is then empty", "INF-20", "TestBRN5OddCallsEndAsTheyShould"},
	{"a model that cannot think, or not in levels, refuses", "BRN-14", "TestBRN14ARefusalToThinkIsAskedOnceAgain"},
	{"think: false is understood by all", "BRN-14", "TestBRN14AModelThatCannotThinkIsNotToldTo"},
	{"some leave the tags in the text, at any border of two pieces", "BRN-6", "TestBRN6TagsAreFoundHoweverTheTextIsCut"},

	// A schema for the answer: no question needs JSON. Verdicts are a marker at the beginning of a
	// text, and summaries are prose, so format is never sent.
	{"a schema wins over tools", "BRN-2", "TestBRN2TheWindowAndTheLengthAreAlwaysSent"},

	// Errors.
	{"an unknown model is worded in many ways, and is known by its status", "BRN-7", "TestEmbedFailuresAreTyped"},
	{"an option of a wrong type is a 500 that no waiting helps", "BRN-7", "TestBRN7RecordedErrorsAreTyped"},
	{"a full queue is a 503, perhaps with a time to wait", "BRN-7", "TestBRN7ABusyServerSaysHowLong"},
	{"nothing listens at the address", "BRN-7", "TestBRN7NoServerIsUnreachable"},
	{"499 is a call that was given up", "BRN-7", "TestBRN7AServerThatGivesUpIsACutStream"},
	{"those who lost one server come back at different times", "INF-15", "TestINF15AWaitIsLongerByTheJitterOfTheBoot"},

	// Vectors.
	{"a list gives a list, and nothing gives nothing", "BRN-7", "TestEmbedFailuresAreTyped"},
	{"dimensions differ per model, so model and dimension go with a vector", "MEM-8", "TestMEM8"},

	// Loading.
	{"a first call can take minutes, and has deadlines of its own", "BRN-18", "TestBRN18ALoadThatTakesTooLongIsTyped"},
	{"who waits for a load is informed", "BRN-18", "TestBRN18ALoadIsReported"},
	{"connecting, the first line, silence and the whole have theirs", "BRN-8", "TestBRN8DeadlinesAreTyped"},
	{"an empty list of messages loads", "BRN-19", "TestBRN19PreloadAsksForWhatTheChatsAskFor"},
	{"a model is unloaded after five minutes by default", "BRN-2", "TestAWholeConversationIsSent"},

	// Images.
	{"a model that cannot see drops images in silence", "BRN-15", "TestBRN15ImagesAreNotSentToAModelThatCannotSee"},
	{"images go with their message, in base64", "INF-27", "TestTheSystemPromptGoesBeforeTheConversation"},
}

// The rules and tests that the facts name exist; a test is named by the beginning of its name.
func TestEachFactHasItsRuleAndItsTest(t *testing.T) {
	top := filepath.Join("..", "..")
	docs, err := spec.Documents(os.DirFS(top))
	if err != nil {
		t.Fatal(err)
	}
	rules, err := spec.Rules(docs)
	if err != nil {
		t.Fatal(err)
	}
	var tests strings.Builder
	function := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	err = filepath.WalkDir(top, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		for _, f := range function.FindAllStringSubmatch(string(source), -1) {
			tests.WriteString("\n" + f[1])
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range ollamaFacts {
		if !slices.ContainsFunc(rules, func(r spec.Rule) bool { return r.ID == f.rule }) {
			t.Errorf("%s: there is no rule %s", f.fact, f.rule)
		}
		if !strings.Contains(tests.String(), "\n"+f.test) {
			t.Errorf("%s: there is no test %s", f.fact, f.test)
		}
	}
}

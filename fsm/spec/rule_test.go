package spec_test

import (
	"reflect"
	"regexp"
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/fsm/spec"
)

func TestRulesAreTheParagraphsThatBeginWithAnID(t *testing.T) {
	md := "# title\n\n" +
		"**ABC-1** One.\n" +
		"- **ABC-2** Two,\n  over two lines.\n\n*Why*: there are\ntwo of them.\n\nMore words.\n" +
		"| a table |\n\n" +
		"Words about **ABC-9** are none.\n\n" +
		"```text\n**ABC-8** nor is this\n```\n" +
		"**XYZ-10**   Ten.\n## heading\nand no more.\n"
	got, err := spec.Rules(documents(md))
	if err != nil {
		t.Fatal(err)
	}
	want := []spec.Rule{
		{ID: "ABC-1", Text: "One.", File: "SPEC.md", Line: 3},
		{ID: "ABC-2", Text: "Two, over two lines.", Why: "there are two of them.", File: "SPEC.md", Line: 4},
		{ID: "XYZ-10", Text: "Ten.", File: "SPEC.md", Line: 18},
	}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("rules\n%+v, want\n%+v", got, want)
	}
}

// documents returns a specification of one file.
func documents(md string) []spec.Document {
	return []spec.Document{{File: "SPEC.md", Text: []byte(md)}}
}

func TestARuleThatIsThereTwiceIsAnError(t *testing.T) {
	_, err := spec.Rules(documents("**ABC-1** One.\n\n**ABC-2**\n\n**ABC-1** Again.\n"))
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"SPEC.md:5: rule ABC-1 is already at SPEC.md:1", "SPEC.md:3: rule ABC-2 says nothing"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q lacks %q", err, want)
		}
	}
}

func TestUpdateTouchesTheBlocksAlone(t *testing.T) {
	text, err := spec.Render("effects")
	if err != nil {
		t.Fatal(err)
	}
	const before, after = "above\n<!-- generated: effects -->\n", "<!-- end -->\nbelow\n<!-- generated: effects -->\n"
	got, err := documents(before + "old\n" + after + "<!-- end -->\n")[0].Update()
	if err != nil {
		t.Fatal(err)
	}
	if want := before + text + after + text + "<!-- end -->\n"; string(got) != want {
		t.Fatalf("got\n%s\nwant\n%s", got, want)
	}
}

func TestUpdateRefusesBrokenBlocks(t *testing.T) {
	for _, test := range []struct{ name, md, want string }{
		{"unknown", "a\n<!-- generated: nothing -->\n<!-- end -->\n", `SPEC.md:2: there is no generated block "nothing"; the blocks are: path, lifecycle`},
		{"no end", "<!-- generated: limits -->\n", "SPEC.md:1: block limits has no end"},
		{"two begin", "<!-- generated: limits -->\n<!-- generated: effects -->\n<!-- end -->\n", "SPEC.md:1: block limits has no end before the next one begins"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := documents(test.md)[0].Update()
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("error %v, want %q", err, test.want)
			}
		})
	}
}

func TestATableIsRenderedWithItsDiagram(t *testing.T) {
	text := rendered(t, "inference")
	for _, want := range []string{
		"Begins in `thinking`. Final: `completed`, `exhausted`, `broken`, `aborted`.\n",
		"| from | on | to | rule |\n| ",
		"| thinking | end_turn | completed | INF-3 |\n",
		"stateDiagram-v2\n    [*] --> thinking\n    thinking --> acting: tools_asked INF-2\n",
		"    thinking --> broken: max_tokens INF-5 / error INF-6\n",
		"    completed --> [*]\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the block lacks %q:\n%s", want, text)
		}
	}
}

func TestTheOtherBlocksSayWhatTheCodeSays(t *testing.T) {
	for block, want := range map[string]string{
		"lifecycle":  "No state is final.",
		"path":       "| 7 | the tool returns | `tool_answered` | inference acting → acting; inference acting → thinking | INF-4 | `audit`, `ask_brain` (answer) |\n",
		"invariants": "\n**INV-12** In every state",
		"limits":     "| limit | default | shelly | countbot | nanobot | omniemployee | bounds | rule |\n",
		"switches":   "| | `checkpoint` | it ends before its next tool or model call | countbot | HND-32 |\n",
		"profiles":   "| countbot | `off` | 0.7 | 4096 | `spawn`, ",
		"failures":   "| asked again (INF-15) | `unreachable`, `loading`, `busy`, ",
		"effects":    "| not declared | no | yes ",
		"prompts":    "`prompts.init`:\n\n```text\nYou just started. You know nothing about this machine.\nExplore your environment and report what you find.\n```\n",
	} {
		if text := rendered(t, block); !strings.Contains(text, want) {
			t.Errorf("block %s lacks %q:\n%s", block, want, text)
		}
	}
}

func TestEachProfileHasItsValueOfALimit(t *testing.T) {
	text := rendered(t, "limits")
	for _, want := range []string{
		"| `max_iterations` | 30 | 1000 | 25 | 20 | 50 | answers of the model in one inference | INF-17 |\n",
		"| `backoff` | 1s, 2s, 5s, 15s, 30s | none | none | none | none |",
		"| `handle_timeout` | 3600s | 300s |",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the block lacks %q:\n%s", want, text)
		}
	}
}

func TestATextOfSeveralProfilesIsShownOnce(t *testing.T) {
	text := rendered(t, "prompts")
	if !strings.Contains(text, "`prompts.at_length` of default, countbot, nanobot:\n") {
		t.Errorf("a text is not shown with the profiles that have it:\n%s", text)
	}
	if n := strings.Count(text, fsm.DefaultPrompts().Init); n != 1 {
		t.Errorf("the prompt that all profiles share is there %d times", n)
	}
}

// rendered returns a block with every run of blanks reduced to one, so that a test does not
// depend on the widths of a table.
func rendered(t *testing.T, block string) string {
	t.Helper()
	text, err := spec.Render(block)
	if err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile(`(\S) {2,}`).ReplaceAllString(text, "$1 ")
}

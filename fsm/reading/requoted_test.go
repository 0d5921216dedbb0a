package reading

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
)

// writing offers a tool with two parameters that are required and one that is not, and one that does not say
// what it takes.
func writing() *fsm.Config {
	c := careful()
	for i := range c.Tools {
		if c.Tools[i].Name == "look" {
			c.Tools[i].Parameters = `{"properties":{"path":{}}}`
		}
	}
	c.Tools = append(c.Tools,
		fsm.ToolDecl{Name: "save", Effects: fsm.EffectsUnsafe, Parameters: `{"properties":{"path":{},"text":{},"mode":{}},"required":["path","text"]}`},
		fsm.ToolDecl{Name: "vague", Effects: fsm.EffectsUnsafe})
	return c
}

func TestINF25QuotesInATextAreItsOwn(t *testing.T) {
	const args = `{"path":"a.py","text":"print("a", "b")"}`
	said := `{"path":"a.py","text":"print(\"a\", \"b\")"}`
	call := func(args string) []fsm.ToolCall { return []fsm.ToolCall{written(0, "save", args)} }
	for text, want := range map[string]Understood{
		`{"name":"save","arguments":` + args + `}`:                                       {Calls: call(said)},
		"```json\n{\"name\":\"save\",\"arguments\":" + args + "}\n```":                   {Calls: call(said)},
		"<tool_call>\n{\"name\":\"save\",\"arguments\":" + args + "}\n</tool_call>":      {Calls: call(said)},
		"I save.\n<tool_call>{\"name\":\"save\",\"arguments\":" + args + "}</tool_call>": {Calls: call(said), Text: "I save."},
		"I save (it):\n```json\n{\"name\":\"save\",\"arguments\":" + args + "}\n```":     {Calls: call(said), Text: "I save (it):"},
		`[TOOL_CALLS]save[ARGS]` + args:                                                  {Calls: call(said)},
		`<function=save>` + args + `</function>`:                                         {Calls: call(said)},
		`<|channel|>commentary to=functions.save<|message|>` + args + `<|call|>`:         {Calls: call(said)},
		`save(path="a.py", text="print("a", "b")")`:                                      {Calls: call(said)},
		"```tool_code\nprint(save(path='a.py', text='''print(\"a\", \"b\")'''))\n```":    {Calls: call(said)},
		`save(path="a", text="say "x"\nso")`:                                             {Calls: call(`{"path":"a","text":"say \"x\"\nso"}`)},
		`[save(path="a.py", text="it's "x"")]`:                                           {Calls: call(`{"path":"a.py","text":"it's \"x\""}`)},
		`<tool_call>{"name":"save","arguments":` + args + `}</tool_call><tool_call>{"name":"save","arguments":` + args + `}</tool_call>`: {
			Calls: append(call(said), written(1, "save", said))},
		`<tool_call>{"name":"look","arguments":{"path":"."}}</tool_call><tool_call>{"name":"save","arguments":` + args + `}</tool_call>`: {
			Calls: []fsm.ToolCall{written(0, "look", `{"path":"."}`), written(1, "save", said)}},
		`{"name":"save","arguments":{"path":"a.json","text":"{"path": "b", "text": "c"}"}}`: {Calls: call(`{"path":"a.json","text":"{\"path\": \"b\", \"text\": \"c\"}"}`)},
		`{"name":"save","arguments":{"path":"a.json","text":"{"k": "b", "l": "c"}","mode":"w"}}`: {
			Calls: call(`{"path":"a.json","text":"{\"k\": \"b\", \"l\": \"c\"}","mode":"w"}`)},
		"```json\n{\"name\":\"save\",\"arguments\":" + args + "}\n```\n":   {Calls: call(said)},
		`{"name":"save","arguments":{"path":"a","text":"say "mode" now"}}`: {Calls: call(`{"path":"a","text":"say \"mode\" now"}`)},
		`save(path="a", text="x mode=1 "y"")`:                              {Calls: call(`{"path":"a","text":"x mode=1 \"y\""}`)},
		`{"name":"save","arguments":{"path":"a","text":"\d+ "x""}}`:        {Calls: call(`{"path":"a","text":"\\d+ \"x\""}`)},
	} {
		got := Understand(writing(), fsm.AllTools, fsm.Conversation{}, fsm.BrainAnswered{Text: text, AsText: true}, 4)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
}

func TestINF25QuotesThatMayBeNoTextsOwn(t *testing.T) {
	for _, text := range []string{
		`{"name":"vague","arguments":{"path":"a","text":"say "x""}}`,
		`{"name":"fly","arguments":{"path":"a","text":"say "x""}}`,
		`{"name":"save","arguments":{"text":"say "x""}}`,
		`{"name":"save","arguments":{"path":"a","text":"say "x"","note":"so"}}`,
		`{"name":"save","arguments":{"path":"a","text":"{"k": "b", "mode": "c"}"}}`,
		`{"name":"save","arguments":{"path":"a","text":"say "x"","path":"b"}}`,
		`{"name":"save","arguments":{"path":"a","text":"` + strings.Repeat(`"x" `, 1<<15) + `"}}`,
		`save(path="C:\new", text="say "x"")`, "save(path='a', text='say 'x' \\\ny')", "save(path='a', text='say 'x' \\\r\ny')",
		`save(path="a", text="x,mode=1 "y"")`,
		`To save, write {"name":"save","arguments":{"path":"a","text":"say "x""}}`,
	} {
		in := fsm.BrainAnswered{Text: text, AsText: true}
		if got := Understand(writing(), fsm.AllTools, fsm.Conversation{}, in, 4); len(got.Calls) > 0 {
			t.Errorf("%.80s: %+v", text, got)
		}
	}
	before := writing()
	before.Edition = fsm.SixteenthEdition
	const text = `{"name":"save","arguments":{"path":"a","text":"say "x""}}`
	if got := Understand(before, fsm.AllTools, fsm.Conversation{}, fsm.BrainAnswered{Text: text, AsText: true}, 4); len(got.Calls) > 0 || !got.Unrunnable {
		t.Errorf("in an earlier edition: %+v", got)
	}
	if got := Understand(writing(), fsm.AllTools, fsm.Conversation{}, fsm.BrainAnswered{Text: text}, 4); len(got.Calls) > 0 || !got.Unrunnable {
		t.Errorf("of a model with native calls, a tool with effects: %+v", got)
	}
}

// Where something else is wrong with a call, too, a text must not swallow what comes after it.
func TestINF25NoTextSwallowsWhatFollowsIt(t *testing.T) {
	for _, text := range []string{
		`{"name":"save","arguments":{"path":"a","text":"x" "mode":"w"}}`,
		`{"name":"save","arguments":{"path":"a","text":"x" "note":"w"}}`,
		`{"name":"save","arguments":{"path":"a","text":"x"; "mode":"w"}}`,
		`{"name":"save","arguments":{"path":"a","text":"x,"mode":"w"}}`,
		`{"name":"save","arguments":{"path":"a","mode":w","text":"x"}}`,
		`{"name":"save","arguments":{"path":"a","text":"x","mode":07w,"text":"y"}}`,
		`{"name":"save","arguments":{"path":"a","text":"x" + "y"}}`,
		"{\"name\":\"save\",\"arguments\":{\"path\":\"a\",\"text\":\"x\"\n\"y\"}}",
		`save(path="a", text="x" + "y")`, `save(path="a", text="x %s" % "y")`, `save(path="a", text="x", mode=f"w")`, `save(path="a", text="x" mode="w")`,
		`save(path="a", text="x", mode"w")`, `save(path="a", text="x"} mode "w")`, `{"name":"save","arguments":{"path":"a","text":"x", mode": "w"}}`,
		`{"name":"save","arguments":{"path":"a","text":"x", "mo"de": "w"}}`,
		`{"name":"save","arguments":{"path":"a","text":""x"}}`, `{"name":"save","arguments":{"path":"a","text":"x""}}`, `{"name":"save","arguments":{"path":"a","text":""x"""}}`,
		`{"name":"save","arguments":{"path":"a","text":"""x""""}}`,
		"{\"name\":\"save\",\"arguments\":{\"path\":\"a\",\"text\":\"x\" // \"y\"\n}}", "save(path=\"a\", text=\"x\" # \"y\"\n)",
		`[{"name":"look","arguments":{"path":"x"}} {"name":"look","arguments":{"path":"y"}}]`,
		`{"name":"look","arguments":{"path":"x"}} and {"name":"look","arguments":{"path":"y"}}`,
		"{\"name\":\"look\",\"arguments\":{\"path\":\"x}}\n{\"name\":\"look\",\"arguments\":{\"path\":\"y\"}}",
		`look(path="x") and look(path="y")`,
	} {
		if got := Understand(writing(), fsm.AllTools, fsm.Conversation{}, fsm.BrainAnswered{Text: text, AsText: true}, 4); len(got.Calls) > 0 {
			t.Errorf("%s: %+v", text, got)
		}
	}
	for text, want := range map[string]string{
		`{"name":"save","arguments":{"path":"a","text":"x = "}" + "y" % z"}}`:       `{"path":"a","text":"x = \"}\" + \"y\" % z"}`,
		`save(path="a", text="f(")", ", ", " ", "%d")")`:                            `{"path":"a","text":"f(\")\", \", \", \" \", \"%d\")"}`,
		`{"name":"save","arguments":{"path":"a","text":"{"path":"b","note":"c"}"}}`: `{"path":"a","text":"{\"path\":\"b\",\"note\":\"c\"}"}`,
	} {
		got := Understand(writing(), fsm.AllTools, fsm.Conversation{}, fsm.BrainAnswered{Text: text, AsText: true}, 4)
		if len(got.Calls) != 1 || got.Calls[0].Args != want {
			t.Errorf("%s: %+v", text, got)
		}
	}
}

// What a result says is no call when the model repeats it, although it has to be mended.
func TestINF40QuotesInAResultAreNoCall(t *testing.T) {
	const text = `<tool_call>{"name":"save","arguments":{"path":"a","text":"say "x""}}</tool_call>`
	for _, result := range []string{"The file: " + text, `{"name":"save","arguments":{"path":"a","text":"say \"x\""}}`} {
		talk := fsm.Conversation{}.Add(fsm.Message{Role: fsm.RoleTool, Text: result})
		if got := Understand(writing(), fsm.AllTools, talk, fsm.BrainAnswered{Text: text, AsText: true}, 4); len(got.Calls) > 0 {
			t.Errorf("after %s: %+v", result, got)
		}
	}
}

func TestBRN40CallsWithQuotesOfTheirOwnAreNotShown(t *testing.T) {
	const call = `{"name":"save","arguments":{"path":"a","text":"say "x""}}`
	for text, want := range map[string]string{call: "", "I save.\n<tool_call>" + call + "</tool_call>": "I save.\n", "<tool_call>" + call + "</tool_call>": ""} {
		for _, pieces := range [][]string{{text}, letters(text)} {
			if got := shown(writing(), pieces); got != want {
				t.Errorf("of %q in %d pieces %q is shown", text, len(pieces), got)
			}
		}
	}
}

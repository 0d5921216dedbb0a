package reading

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
)

func careful() *fsm.Config {
	c := textTools()
	c.Switches.Reading, c.Edition = fsm.ReadingCareful, fsm.PresentEdition
	return c
}

func TestINF25WhoseCallsAreTaken(t *testing.T) {
	const look = `{"name":"look","arguments":{"path":"."}}`
	taken := Understood{Calls: []fsm.ToolCall{written(0, "look", `{"path":"."}`)}}
	asked := func(text string) Understood { return Understood{Text: text, Unrunnable: true} }
	said := func(text string) Understood { return Understood{Text: text} }
	tests := []struct {
		name   string
		set    fsm.Toolset
		asText bool
		text   string
		want   Understood
	}{
		{"of a model that writes calls", fsm.AllTools, true, look, taken},
		{"of a model that has others", fsm.AllTools, false, look, asked(look)},
		{"of a tool that is not offered, bare", fsm.AllTools, true, `{"name":"fly","arguments":{}}`, said(`{"name":"fly","arguments":{}}`)},
		{"of a tool that is not offered, marked", fsm.AllTools, true, `[TOOL_CALLS]fly{}`, asked(`[TOOL_CALLS]fly{}`)},
		{"of a tool that is not offered, in channels", fsm.AllTools, true, `<|channel|>commentary to=functions.fly<|message|>{}`, asked(`<|channel|>commentary to=functions.fly<|message|>{}`)},
		{"of one that is among others, bare", fsm.AllTools, true, `[look(), fly()]`, said(`[look(), fly()]`)},
		{"without an end", fsm.AllTools, true, `[TOOL_CALLS]look{`, asked(`[TOOL_CALLS]look{`)},
		{"without an end, of a model that has others", fsm.AllTools, false, `[TOOL_CALLS]look{`, asked(`[TOOL_CALLS]look{`)},
		{"cut, of a tool that is not offered", fsm.AllTools, true, `{"name":"fly","arguments":{`, said(`{"name":"fly","arguments":{`)},
		{"of no tool, marked", fsm.AllTools, true, "<function=></function>", asked("<function=></function>")},
		{"where no tools are offered", fsm.NoTools, true, look, said(look)},
		{"of a builtin tool, in a subagent", fsm.SubagentTools, true, `{"name":"spawn","arguments":{"task":"a"}}`, said(`{"name":"spawn","arguments":{"task":"a"}}`)},
		{"prose", fsm.AllTools, true, "I look around.", said("I look around.")},
		{"prose in channels", fsm.AllTools, false, "<|channel|>final<|message|>I look.", said("I look.")},
		{"prose in channels, without tools", fsm.NoTools, false, "<|channel|>final<|message|>I look.", said("I look.")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Understand(careful(), tt.set, fsm.Conversation{}, fsm.BrainAnswered{Text: tt.text, AsText: tt.asText}, 4)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	c := careful()
	c.Switches.TextCalls = false
	if got := Understand(c, fsm.AllTools, fsm.Conversation{}, fsm.BrainAnswered{Text: look}, 4); !cmp.Equal(got, said(look)) {
		t.Errorf("without text_calls: %+v", got)
	}
	if got := Understand(c, fsm.AllTools, fsm.Conversation{}, fsm.BrainAnswered{Text: look, AsText: true}, 4); !cmp.Equal(got, taken) {
		t.Errorf("without text_calls, of a model that writes calls: %+v", got)
	}
}

// INF-29, INF-40: the first edition asks again only for what describes a call where none was made.
func TestINF40TheFirstEditionTakesCallsBeforeText(t *testing.T) {
	const action = "Action: look\nAction Input: ."
	first := careful()
	first.Switches.Reading = fsm.ReadingPlain
	own := []fsm.ToolCall{{ID: "1", Name: "note", Args: "{}"}}
	for text, want := range map[string]Understood{ // order-free: each alone
		action:                           {Calls: own, Text: action},
		`{"name":"look","arguments":{}}`: {Calls: own, Text: `{"name":"look","arguments":{}}`},
	} {
		if diff := cmp.Diff(want, Understand(first, fsm.AllTools, fsm.Conversation{}, fsm.BrainAnswered{Text: text, Calls: own}, 4)); diff != "" {
			t.Errorf("beside a call: %s", diff)
		}
	}
	if got := Understand(first, fsm.AllTools, fsm.Conversation{}, fsm.BrainAnswered{Text: action}, 4); !got.Unrunnable {
		t.Errorf("alone: %+v", got)
	}
}

// INF-41 is no rule of the first edition.
func TestINF41WhoIsToldThatAKeyIsGivenTwice(t *testing.T) {
	first := careful()
	first.Switches.Reading = fsm.ReadingPlain
	call := fsm.ToolCall{Name: "note", Args: `{"n":1,"n":2}`}
	if key, twice := GivesTwice(careful(), call); key != "n" || !twice {
		t.Errorf("got %q, %t; want %q, twice true", key, twice, "n")
	}
	if key, twice := GivesTwice(first, call); key != "" || twice {
		t.Errorf("in the first edition %q, %t", key, twice)
	}
}

func TestINF40AResultOfThisConversationIsNotACall(t *testing.T) {
	tests := []struct {
		name, result, text string
		said               bool
	}{
		{"the result itself", `[look(path="a b")]`, `[look(path="a b")]`, true},
		{"another result", "a\nb\nc", `[look(path="a")]`, false},
		{"the name alone", "look around", `[look(path="a")]`, false},
		{"the argument alone", "in a file", `[look(path="a")]`, false},
		{"name and argument far apart", "look " + long(60) + " a", `[look(path="a")]`, false},
		{"name and argument near", "look " + long(10) + " a", `[look(path="a")]`, true},
		{"name and argument apart by as many words as the arguments have", "look " + long(24) + " x y z", `[look(path="x y z")]`, true},
		{"name apart from what precedes it by as many words as that has", "x y z " + long(24) + " look", `[look(path="x y z")]`, true},
		{"the result itself, in other quotes", "It says: look(path='a b')", "look(path=\"a b\")", true},
		{"a word that the name begins", "looking at a", `[look(path="a")]`, false},
		{"arguments in another order", `{"b":"y","a":"x","tool":"look"}`, `[look(a="x", b="y")]`, true},
		{"one argument of two", `{"tool":"look","a":"x"}`, `[look(a="x", b="y")]`, false},
		{"a call without arguments", `[look()]`, `[look()]`, true},
		{"a call without arguments of a tool that is named", `look`, `[look()]`, false},
		{"a call with blanks between", "so [look( )\n]", `[ look() ]`, true},
		{"a call in other quotes", "so {`name`: 'look', \"arguments\": {}}", `{"name":"look","arguments":{}}`, true},
		{"a call that is shown in a fence", "so look()", "```python\nlook()\n```", true},
		{"an argument without words of a tool that is named", "look around", `[look(path=".")]`, false},
		{"one call of two", `{"name":"look","arguments":{"path":"a"}}`, `[note(n=5), look(path="a")]`, true},
		{"in escapes", `"{\"name\":\"look\",\"arguments\":{\"path\":\"a\\nb\"}}"`, `{"name":"look","arguments":{"path":"a\nb"}}`, true},
		{"in the escapes of a character", `{"name":"look","arguments":{"path":"caf\u00e9"}}`, `[look(path="café")]`, true},
		{"in the entities of a page", "look(path=caf&eacute;)", `[look(path="café")]`, true},
		{"in a fence between marks", "So:\n<tool_call>\n```json\n{\"name\":\"look\"}\n```\n</tool_call>", "<tool_call>\n```json\n{\"name\":\"look\"}\n```\n</tool_call>", true},
		{"without the fence between marks", "<tool_call>\n```json\n{\"name\":\"look\"}\n```\n</tool_call>", "<tool_call>{\"name\":\"look\"}</tool_call>", true},
		{"in a fence between marks that is escaped", `"<tool_call>\n` + "```json" + `\n{\"look\":{}}\n` + "```" + `\n</tool_call>"`, "<tool_call>\n```json\n{\"look\":{}}\n```\n</tool_call>", true},
		{"an object with a name alone, between marks", `{"name": "look"}`, `<tool_call>{"name":"look"}</tool_call>`, true},
		{"arguments without words beside the name, between marks", `{"name": "look", "all": true}`, `<tool_call>{"name":"look","all":true}</tool_call>`, true},
		{"a tool as the key, between marks", `{"look": {"all": true}}`, `<tool_call>{"look":{"all":true}}</tool_call>`, true},
		{"arguments without words behind the name, after other words", "So: <tool_call>look\n{\"all\": true}</tool_call>", "I look.\n<tool_call>look\n{\"all\": true}</tool_call>", true},
		{"in a fence, as Python", "so look(all=True)", "```python\nlook(all=True)\n```", true},
		{"in a fence between marks, behind the name", "<tool_call>\n```json\nlook\n{\"all\": true}\n```\n</tool_call>", "<tool_call>look\n{\"all\": true}</tool_call>", true},
		{"a fence of something else", "```\nx\n```", `[look(path="a")]`, false},
		{"other arguments without words", `{"name": "look", "all": false}`, `<tool_call>{"name":"look","all":true}</tool_call>`, false},
		{"without arguments, twice", "<function=look></function>", "<function=look></function><function=look></function>", true},
		{"without arguments, in another family's form", "<function=look></function>", `<tool_call>{"name":"look","arguments":{}}</tool_call>`, true},
		{"without arguments, in MiniMax's tags", "<minimax:tool_call><invoke name=\"look\"></invoke></minimax:tool_call>", `<tool_call>{"name":"look","arguments":{}}</tool_call>`, true},
		{"without arguments, of a tool that begins so", "<function=lookout></function>", `<tool_call>{"name":"look","arguments":{}}</tool_call>`, false},
		{"in numbered lines", "1: {\n2: \"name\": \"look\",\n3: \"arguments\": {\"path\": \"a/b.txt\"}}", `{"name":"look","arguments":{"path":"a/b.txt"}}`, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			talk := fsm.Conversation{}.Add(fsm.Message{Role: fsm.RoleUser, Text: tt.text}, fsm.Message{Role: fsm.RoleTool, Text: "nothing"}, fsm.Message{Role: fsm.RoleTool, Text: tt.result})
			got := Understand(careful(), fsm.AllTools, talk, fsm.BrainAnswered{Text: tt.text, AsText: true}, 4)
			if got.Unrunnable || (got.Text == tt.text) != tt.said || (len(got.Calls) > 0) == tt.said {
				t.Errorf("it is %+v", got)
			}
		})
	}
}

// A mark that ends a turn belonged to what is compared before the sixteenth edition.
func TestINF40AnEndOfATurnInAnEarlierEdition(t *testing.T) {
	const call = `<function=look></function>`
	for edition, said := range map[int]bool{fsm.FifteenthEdition: false, fsm.SixteenthEdition: true} { // order-free: each alone
		c := careful()
		c.Edition = edition
		talk := fsm.Conversation{}.Add(fsm.Message{Role: fsm.RoleTool, Text: "So: " + call})
		if got := Understand(c, fsm.AllTools, talk, fsm.BrainAnswered{Text: call + "<|im_end|>", AsText: true}, 4); (len(got.Calls) == 0) != said {
			t.Errorf("in edition %d it is %+v", edition, got)
		}
	}
}

// long returns a text of n words.
func long(words int) string {
	text := ""
	for range words {
		text += "word "
	}
	return text
}

// INF-29: a model with native calls that writes calls again when it was asked to call, or has done so
// before in the conversation, is taken at its word; up to the thirteenth edition it was not.
func TestINF29AModelThatWritesItsCallAgain(t *testing.T) {
	const look, fly = `{"name":"look","arguments":{"path":"."}}`, `{"name":"fly","arguments":{}}`
	asked := fsm.Message{Role: fsm.RoleUser, Text: fsm.PresentWords().Text(fsm.WordCallUntaken), Aside: true}
	before := []fsm.Message{{Role: fsm.RoleAssistant, Calls: []fsm.ToolCall{{Name: "look", Text: true}}}, {Role: fsm.RoleTool}}
	native := []fsm.Message{{Role: fsm.RoleAssistant, Calls: []fsm.ToolCall{{Name: "look"}}}, {Role: fsm.RoleTool}}
	for _, tt := range []struct {
		name    string
		edition int
		talk    []fsm.Message
		text    string
		taken   bool
	}{
		{"at once", fsm.PresentEdition, nil, look, false},
		{"when it was asked", fsm.PresentEdition, []fsm.Message{asked}, look, true},
		{"after another hint", fsm.PresentEdition, []fsm.Message{{Role: fsm.RoleUser, Text: "Call a tool.", Aside: true}}, look, false},
		{"when a person says the same", fsm.PresentEdition, []fsm.Message{{Role: fsm.RoleUser, Text: asked.Text}}, look, false},
		{"once it has", fsm.PresentEdition, before, look, true},
		{"after a native call", fsm.PresentEdition, native, look, false},
		{"of a tool that is not offered", fsm.PresentEdition, []fsm.Message{asked}, `[TOOL_CALLS]fly{}`, false},
		{"beside one that is not offered", fsm.PresentEdition, []fsm.Message{asked}, `<tool_call>` + look + `</tool_call><tool_call>` + fly + `</tool_call>`, false},
		{"in an earlier edition", fsm.ThirteenthEdition, []fsm.Message{asked}, look, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := careful()
			c.Words, c.Edition = fsm.PresentWords(), tt.edition
			got := Understand(c, fsm.AllTools, fsm.Conversation{}.Add(tt.talk...), fsm.BrainAnswered{Text: tt.text}, 4)
			if (len(got.Calls) == 1) != tt.taken || got.Unrunnable == tt.taken {
				t.Errorf("got %+v", got)
			}
		})
	}
}

// INF-29: calls of tools without effects, and nothing else, are taken at once since the sixteenth edition.
func TestINF29ACallWithoutEffectsIsTakenAtOnce(t *testing.T) {
	const look, note = `<tool_call>{"name":"look","arguments":{"path":"."}}</tool_call>`, `<tool_call>{"name":"note","arguments":{}}</tool_call>`
	for _, tt := range []struct {
		name, text string
		change     func(*fsm.Config)
		taken      bool
	}{
		{"a call", look, func(*fsm.Config) {}, true},
		{"after words", "I look.\n" + look, func(*fsm.Config) {}, false},
		{"beside a call with effects", look + note, func(*fsm.Config) {}, false},
		{"a tool that asks", look, func(c *fsm.Config) { c.Tools[0].Approve = true }, false},
		{"a tool that may ask", look, func(c *fsm.Config) { c.Tools[0].Rules = []fsm.ApproveRule{{}} }, false},
		{"in an earlier edition", look, func(c *fsm.Config) { c.Edition = fsm.FifteenthEdition }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := careful()
			c.Tools[0].Effects, c.Tools[1].Effects = fsm.EffectsNone, fsm.EffectsIdempotent
			tt.change(c)
			got := Understand(c, fsm.AllTools, fsm.Conversation{}, fsm.BrainAnswered{Text: tt.text}, 4)
			if (len(got.Calls) > 0) != tt.taken || got.Unrunnable == tt.taken {
				t.Errorf("got %+v", got)
			}
		})
	}
}

package fsm

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func careful() *Config {
	c := textTools()
	c.Switches.Reading = ReadingCareful
	return c
}

func TestINF25WhoseCallsAreTaken(t *testing.T) {
	const look = `{"name":"look","arguments":{"path":"."}}`
	taken := Understood{Calls: []ToolCall{written(0, "look", `{"path":"."}`)}}
	asked := func(text string) Understood { return Understood{Text: text, Unrunnable: true} }
	said := func(text string) Understood { return Understood{Text: text} }
	tests := []struct {
		name   string
		set    Toolset
		asText bool
		text   string
		want   Understood
	}{
		{"of a model that writes calls", AllTools, true, look, taken},
		{"of a model that has others", AllTools, false, look, asked(look)},
		{"of a tool that is not offered, bare", AllTools, true, `{"name":"fly","arguments":{}}`, said(`{"name":"fly","arguments":{}}`)},
		{"of a tool that is not offered, marked", AllTools, true, `[TOOL_CALLS]fly{}`, asked(`[TOOL_CALLS]fly{}`)},
		{"of one that is among others, bare", AllTools, true, `[look(), fly()]`, said(`[look(), fly()]`)},
		{"without an end", AllTools, true, `[TOOL_CALLS]look{`, asked(`[TOOL_CALLS]look{`)},
		{"without an end, of a model that has others", AllTools, false, `[TOOL_CALLS]look{`, asked(`[TOOL_CALLS]look{`)},
		{"cut, of a tool that is not offered", AllTools, true, `{"name":"fly","arguments":{`, said(`{"name":"fly","arguments":{`)},
		{"where no tools are offered", NoTools, true, look, said(look)},
		{"of a builtin tool, in a subagent", SubagentTools, true, `{"name":"spawn","arguments":{"task":"a"}}`, said(`{"name":"spawn","arguments":{"task":"a"}}`)},
		{"prose", AllTools, true, "I look around.", said("I look around.")},
		{"prose in channels", AllTools, false, "<|channel|>final<|message|>I look.", said("I look.")},
		{"prose in channels, without tools", NoTools, false, "<|channel|>final<|message|>I look.", said("I look.")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := careful().Understand(tt.set, Conversation{}, BrainAnswered{Text: tt.text, AsText: tt.asText}, 4)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	c := careful()
	c.Switches.TextCalls = false
	if got := c.Understand(AllTools, Conversation{}, BrainAnswered{Text: look}, 4); !cmp.Equal(got, said(look)) {
		t.Errorf("without text_calls: %+v", got)
	}
	if got := c.Understand(AllTools, Conversation{}, BrainAnswered{Text: look, AsText: true}, 4); !cmp.Equal(got, taken) {
		t.Errorf("without text_calls, of a model that writes calls: %+v", got)
	}
}

func TestINF40AResultOfThisConversationIsNoCall(t *testing.T) {
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
		{"a word that the name begins", "looking at a", `[look(path="a")]`, false},
		{"arguments in another order", `{"b":"y","a":"x","tool":"look"}`, `[look(a="x", b="y")]`, true},
		{"one argument of two", `{"tool":"look","a":"x"}`, `[look(a="x", b="y")]`, false},
		{"a call without arguments", `[look()]`, `[look()]`, true},
		{"a call without arguments of a tool that is named", `look`, `[look()]`, false},
		{"one call of two", `{"name":"look","arguments":{"path":"a"}}`, `[note(n=5), look(path="a")]`, true},
		{"in escapes", `"{\"name\":\"look\",\"arguments\":{\"path\":\"a\\nb\"}}"`, `{"name":"look","arguments":{"path":"a\nb"}}`, true},
		{"in numbered lines", "1: {\n2: \"name\": \"look\",\n3: \"arguments\": {\"path\": \"a/b.txt\"}}", `{"name":"look","arguments":{"path":"a/b.txt"}}`, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			talk := Conversation{}.Add(Message{Role: RoleUser, Text: tt.text}, Message{Role: RoleTool, Text: "nothing"}, Message{Role: RoleTool, Text: tt.result})
			got := careful().Understand(AllTools, talk, BrainAnswered{Text: tt.text, AsText: true}, 4)
			if got.Unrunnable || (got.Text == tt.text) != tt.said || (len(got.Calls) > 0) == tt.said {
				t.Errorf("it is %+v", got)
			}
		})
	}
}

// long is a text of n words.
func long(words int) string {
	text := ""
	for range words {
		text += "word "
	}
	return text
}

func TestAPR9ACallWrittenAsTextNeedsApproval(t *testing.T) {
	for _, tt := range []struct {
		effects ToolEffects
		approve bool
		text    bool
		reading ReadingMode
		want    bool
	}{
		{EffectsUnsafe, false, true, ReadingCareful, true},
		{EffectsIdempotent, false, true, ReadingCareful, true},
		{"", false, true, ReadingCareful, true},
		{EffectsNone, false, true, ReadingCareful, false},
		{EffectsNone, true, true, ReadingCareful, true},
		{EffectsUnsafe, false, false, ReadingCareful, false},
		{EffectsUnsafe, true, false, ReadingPlain, true},
		{EffectsUnsafe, false, true, ReadingPlain, false},
	} {
		c := Config{Switches: Switches{Reading: tt.reading}}
		if got := c.NeedsApproval(&ToolDecl{Effects: tt.effects, Approve: tt.approve}, ToolCall{Text: tt.text}); got != tt.want {
			t.Errorf("%+v: %t", tt, got)
		}
	}
}

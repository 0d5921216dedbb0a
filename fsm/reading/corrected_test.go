package reading

import (
	"cmp"
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"shelly/fsm"
)

// Schemas like those of tools for files, and of servers.
const (
	readSchema = `{"type":"object","properties":{"path":{"type":"string"},"offset":{"type":"integer"},"limit":{"type":"integer"}},"required":["path"],"additionalProperties":false}`
	grepSchema = `{"type":"object","properties":{"pattern":{"type":"string"},"path":{"type":"string"},"glob":{"type":"string"},"ignore_case":{"type":"boolean"}},"required":["pattern"],"additionalProperties":false}`
	editSchema = `{"type":"object","properties":{"path":{"type":"string"},"old":{"type":"string"},"new":{"type":"string"},"all":{"type":"boolean"},` +
		`"edits":{"type":"array","items":{"type":"object","properties":{"old":{"type":"string"},"new":{"type":"string"}},"required":["old","new"],"additionalProperties":false}}},` +
		`"required":["path"],"additionalProperties":false}`
	manySchema   = `{"type":"object","properties":{"reads":{"type":"array","items":{"type":"object","properties":{"path":{"type":"string"}}}}}}`
	wordsSchema  = `{"type":"object","properties":{"query":{"type":"array","items":{"type":"string"}}},"required":["query"]}`
	eitherSchema = `{"type":"object","properties":{"query":{"type":"string"},"keywords":{"type":"array","items":{"type":"string"}}},"additionalProperties":false}`
	nullSchema   = `{"type":"object","properties":{"days":{"anyOf":[{"type":"array","items":{"type":"string"}},{"type":"null"}],"default":null},"unit":{"anyOf":[{"type":"string"},{"type":"null"}]},` +
		`"at":{"type":["object","null"]},"path":{"type":["null","string"]},"any":{"anyOf":[{"type":"array"},{"type":"string"},{"type":"null"}]}}}`
	openSchema = `{"type":"object","properties":{"path":{"type":"string"},"limit":{"type":"integer"},"names":{"type":"array","items":{"type":"string"}},"where":{"type":"object","properties":{"url":{"type":"string"}}}},"required":["path"],"additionalProperties":true}`
)

func TestINF58ArgumentsAreWhatTheyMean(t *testing.T) {
	const reads, writes = fsm.EffectsNone, fsm.EffectsUnsafe
	for _, tt := range []struct {
		name         string
		effects      fsm.ToolEffects
		schema, args string
		want         string // empty: as they are
	}{
		{"as other agents read", reads, readSchema, `{"file_path":"a.go","start_line":3,"maxLines":9}`, `{"limit":9,"offset":3,"path":"a.go"}`},
		{"as other agents search", reads, grepSchema, `{"query":"x","directory":"src","include":"*.go","-i":true}`, `{"glob":"*.go","ignore_case":true,"path":"src","pattern":"x"}`},
		{"in a wrapper, too", reads, readSchema, `{"arguments":{"filename":"a"}}`, `{"path":"a"}`},
		{"other capitals alone", reads, readSchema, `{"Path":"a"}`, ``},
		{"two names of a folder", reads, grepSchema, `{"pattern":"x","dir":"a","folder":"b"}`, ``},
		{"a name that may be two", reads, grepSchema, `{"file_pattern":"*.go"}`, ``},
		{"what is given already", reads, readSchema, `{"path":"a","file_path":"b"}`, ``},
		{"another kind", reads, readSchema, `{"file_path":["a"]}`, ``},
		{"null is not given", reads, readSchema, `{"path":null,"file_path":"b"}`, `{"path":"b"}`},
		{"null is nothing", reads, readSchema, `{"path":"a","file_path":null}`, ``},
		{"null is nothing, whatever is taken", reads, `{"properties":{"path":{}}}`, `{"file_path":null}`, ``},
		{"a name twice", reads, readSchema, `{"file_path":"a","file_path":"b"}`, ``},
		{"in the objects of a list", reads, manySchema, `{"reads":[{"file":"a"},{"path":"b"}]}`, `{"reads":[{"path":"a"},{"path":"b"}]}`},
		{"a list under another name, in a text", reads, wordsSchema, `{"keywords":"[\"a\"]"}`, `{"query":["a"]}`},
		{"one word under another name", reads, wordsSchema, `{"q":"a"}`, ``},
		{"a list where none belongs", reads, eitherSchema, `{"query":["a","b"]}`, `{"keywords":["a","b"]}`},
		{"no list where one belongs", reads, eitherSchema, `{"keywords":"a b"}`, `{"query":"a b"}`},
		{"both ways", reads, eitherSchema, `{"query":["a"],"keywords":["b"]}`, ``},
		{"an open schema keeps what it may know", reads, openSchema, `{"path":"a","count":3}`, ``},
		{"but for what is required", reads, openSchema, `{"file":"a"}`, `{"path":"a"}`},
		{"an object in a text", reads, openSchema, `{"path":"a","where":"{\"uri\":\"u\"}"}`, `{"path":"a","where":{"url":"u"}}`},
		{"a tool with effects has its own names", writes, editSchema, `{"file_path":"a","old_string":"x"}`, ``},
		{"a list in a text", writes, editSchema, `{"path":"a","edits":"[{\"old\":\"x\",\"new\":\"y\"}]"}`, `{"edits":[{"old":"x","new":"y"}],"path":"a"}`},
		{"a list in a text, as Python writes it", writes, editSchema, `{"path":"a","edits":"[{'old': 'x', 'new': 'y'}]"}`, `{"edits":[{"old":"x","new":"y"}],"path":"a"}`},
		{"objects in texts in a list", writes, editSchema, `{"path":"a","edits":["{\"old\":\"x\",\"new\":\"y\"}"]}`, `{"edits":[{"old":"x","new":"y"}],"path":"a"}`},
		{"texts as they were written", writes, editSchema, `{"path":"<a&b>","edits":{"old":"\u003c","new":"<é>"}}`, `{"edits":[{"old":"\u003c","new":"<é>"}],"path":"<a&b>"}`},
		{"an object for a list", writes, editSchema, `{"path":"a","edits":{"old":"x","new":"y"}}`, `{"edits":[{"old":"x","new":"y"}],"path":"a"}`},
		{"a text that holds no list", writes, editSchema, `{"path":"a","edits":"[all of it"}`, ``},
		{"a file of JSON stays a text", writes, editSchema, `{"path":"a","new":"[1]"}`, ``},
		{"one word for a list of them", writes, openSchema, `{"path":"a","names":"x"}`, `{"names":["x"],"path":"a"}`},
		{"several words", writes, openSchema, `{"path":"a","names":"x, y"}`, ``},
		{"no word", writes, openSchema, `{"path":"a","names":""}`, ``},
		{"a number in a text stays one", writes, openSchema, `{"path":"a","limit":"3"}`, ``},
		{"what may also be null", writes, nullSchema, `{"days":"[\"a\"]","unit":"[1]","at":"{'x': 1}"}`, `{"at":{"x":1},"days":["a"],"unit":"[1]"}`},
		{"one of what may also be null", reads, nullSchema, `{"days":"a","file":"b"}`, `{"days":["a"],"path":"b"}`},
		{"what may be several things", writes, nullSchema, `{"any":"[1]"}`, ``},
		{"no schema", reads, ``, `{"file_path":"a"}`, ``},
		{"a schema that refers elsewhere", reads, `{"$ref":"#/$defs/a"}`, `{"file_path":"a"}`, ``},
		{"a schema of another form", reads, `{"properties":{"path":true,"n":{"type":["integer","null"]}}}`, `{"file":"a","n":"x"}`, `{"n":"x","path":"a"}`},
		{"no object", reads, readSchema, `["a"]`, ``},
		{"no JSON", reads, readSchema, `{"file_path":`, ``},
	} {
		c := careful()
		c.Tools = []fsm.ToolDecl{{Name: "do", Parameters: tt.schema, Effects: tt.effects}}
		in := fsm.BrainAnswered{Calls: []fsm.ToolCall{{ID: "1", Name: "do", Args: tt.args}}}
		if got := Understand(c, fsm.AllTools, fsm.Conversation{}, in, 1).Calls[0].Args; got != cmp.Or(tt.want, tt.args) {
			t.Errorf("%s: got  %s\nwant %s", tt.name, got, cmp.Or(tt.want, tt.args))
		}
		c.Edition = fsm.EighteenthEdition
		if got := Understand(c, fsm.AllTools, fsm.Conversation{}, in, 1).Calls[0].Args; tt.effects == writes && got != tt.args {
			t.Errorf("%s: in an earlier edition got %s", tt.name, got)
		}
	}
}

// A name that contains that of a parameter is a guess, which a tool without effects may get.
func TestINF58ANameThatContainsAnotherIsForToolsWithoutEffects(t *testing.T) {
	for effects, want := range map[fsm.ToolEffects]string{fsm.EffectsNone: `{"page":3}`, fsm.EffectsUnsafe: `{"page_number":3}`} { // order-free
		c := careful()
		c.Tools = []fsm.ToolDecl{{Name: "do", Parameters: `{"properties":{"page":{"type":"integer"}},"required":["page"]}`, Effects: effects}}
		in := fsm.BrainAnswered{Calls: []fsm.ToolCall{{ID: "1", Name: "do", Args: `{"page_number":3}`}}}
		if got := Understand(c, fsm.AllTools, fsm.Conversation{}, in, 1).Calls[0].Args; got != want {
			t.Errorf("%s: got %s, want %s", effects, got, want)
		}
	}
}

// A tool that only reads may be called by the name that it has elsewhere, unless a tool of that name was there
// before, or two may be meant.
func TestINF58AToolThatOnlyReadsMayHaveAnotherName(t *testing.T) {
	tool := func(name string, effects fsm.ToolEffects) fsm.ToolDecl {
		return fsm.ToolDecl{Name: name, Parameters: readSchema, Effects: effects}
	}
	own := []fsm.ToolDecl{tool("read_file", fsm.EffectsNone), tool("grep", fsm.EffectsNone), tool("write_file", fsm.EffectsUnsafe), tool("exec", fsm.EffectsUnsafe)}
	before := fsm.Conversation{Messages: []fsm.Message{{Role: fsm.RoleAssistant, Calls: []fsm.ToolCall{{ID: "0", Name: "Read"}}}}}
	for _, tt := range []struct {
		name, want string
		tools      []fsm.ToolDecl
		talk       fsm.Conversation
	}{
		{"Read", "read_file", own, fsm.Conversation{}}, {"readFile", "read_file", own, fsm.Conversation{}}, {"Grep", "grep", own, fsm.Conversation{}}, {"rg", "grep", own, fsm.Conversation{}},
		{"functions.read_file", "functions.read_file", own, fsm.Conversation{}},
		{"write", "write", own, fsm.Conversation{}}, {"WriteFile", "WriteFile", own, fsm.Conversation{}}, {"bash", "bash", own, fsm.Conversation{}},
		{"Read", "Read", own, before},
		{"read", "read", append(own[:1:1], tool("view_file", fsm.EffectsNone)), fsm.Conversation{}},
		{"Read", "Read", nil, fsm.Conversation{}}, {"", "", own, fsm.Conversation{}},
	} {
		for _, text := range []bool{false, true} {
			c := careful()
			c.Tools = tt.tools
			in := fsm.BrainAnswered{Calls: []fsm.ToolCall{{ID: "1", Name: tt.name, Args: `{"path":"a"}`}}}
			if text {
				in = fsm.BrainAnswered{AsText: true, Text: `{"name":"` + tt.name + `","arguments":{"path":"a"}}`}
			}
			got := Understand(c, fsm.AllTools, tt.talk, in, 1).Calls
			if text && len(got) == 0 && tt.want == tt.name {
				continue // no call of a tool that there is not
			}
			if len(got) != 1 || got[0].Name != tt.want || got[0].Args != `{"path":"a"}` {
				t.Errorf("%s, as text %t: got %+v, want %s", tt.name, text, got, tt.want)
			}
			c.Edition = fsm.EighteenthEdition
			if got := Understand(c, fsm.AllTools, tt.talk, in, 1).Calls; len(got) > 0 && got[0].Name != tt.name {
				t.Errorf("%s: in an earlier edition got %+v", tt.name, got)
			}
		}
	}
}

// A model that answers with a line of a program does not call what has a name like a tool's.
func TestINF58ALineOfAProgramIsNoCall(t *testing.T) {
	c := careful()
	c.Tools = []fsm.ToolDecl{{Name: "read_file", Parameters: readSchema, Effects: fsm.EffectsNone}}
	for text, called := range map[string]bool{ // order-free
		`cat("a")`: false, `read(path="a")`: false, "```python\nread(path=\"a\")\n```": false, `cat("a"`: false, `read(path=`: false,
		`read_file(path="a")`: true, `{"name":"read","arguments":{"path":"a"}}`: true, `<tool_call>{"name":"read","arguments":{"path":"a"}}</tool_call>`: true,
	} {
		got := Understand(c, fsm.AllTools, fsm.Conversation{}, fsm.BrainAnswered{AsText: true, Text: text}, 1)
		if (len(got.Calls) == 1) != called || got.Unrunnable {
			t.Errorf("%s: %+v", text, got)
		}
	}
}

// An object that was asked for is an answer, although it has the name of another agent's tool.
func TestINF58AnObjectWithOtherMembersIsNoCall(t *testing.T) {
	c := careful()
	c.Tools = []fsm.ToolDecl{{Name: "read_file", Parameters: readSchema, Effects: fsm.EffectsNone}}
	for text, called := range map[string]bool{ // order-free
		`{"name":"cat","arguments":{"lives":9}}`: false, `{"name":"cat","arguments":{"path":"a","lives":9}}`: false, `{"name":"cat","arguments":{}}`: false,
		`{"name":"cat","arguments":{"file":"a"}}`: true, `{"name":"read_file","arguments":{"lives":9}}`: true,
		`<tool_call>{"name":"cat","arguments":{"lives":9}}</tool_call>`: true,
	} {
		got := Understand(c, fsm.AllTools, fsm.Conversation{}, fsm.BrainAnswered{Text: text}, 1)
		if (len(got.Calls) == 1) != called || got.Unrunnable || !called && got.Text != text {
			t.Errorf("%s: %+v", text, got)
		}
		c.Edition = fsm.NineteenthEdition
		if got := Understand(c, fsm.AllTools, fsm.Conversation{}, fsm.BrainAnswered{Text: text}, 1); len(got.Calls) != 1 {
			t.Errorf("%s in the edition before: %+v", text, got)
		}
		c.Edition = fsm.TwentiethEdition
	}
}

// A server writes the schema, and what is in it the model may call. The machine must not stop for that: at each level
// a value is corrected only once, so this ends.
func TestINF58ADeepSchemaTakesNoTime(t *testing.T) {
	const deep = 48 // as deep as a server's schema may be
	schema, args, want := `{"type":"string"}`, `"a"`, `"a"`
	for range deep {
		schema = `{"type":"object","properties":{"path":` + schema + `},"required":["path"]}`
		args, want = `{"file":`+args+`}`, `{"path":`+want+`}`
	}
	if got := corrected(&fsm.ToolDecl{Parameters: schema, Effects: fsm.EffectsNone}, args); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// What fits a schema is what it was. A call is corrected once. A member may take a name that another could then
// have had, so that once more would find that, but not for ever: each time a member gets its place.
func TestINF58WhatFitsStays(t *testing.T) {
	texts := rapid.SampledFrom([]string{`"a"`, `""`, `"[1]"`, `"{}"`, `"x y"`, `null`})
	names := rapid.SampledFrom([]string{"path", "old", "new", "search", "file", "edits", "reads", "query", "keywords", "pattern", "dir", "limit", "q"})
	values := rapid.OneOf(texts, rapid.SampledFrom([]string{`true`, `3`, `["a"]`, `[{"old":"a","new":"b"}]`, `{"old_str":"a"}`, `"[{'old': 'x'}]"`}))
	schemas := rapid.SampledFrom([]string{editSchema, readSchema, grepSchema, manySchema, wordsSchema, eitherSchema, openSchema})
	const namesMax = 4
	rapid.Check(t, func(t *rapid.T) {
		schema, args := schemas.Draw(t, "schema"), "{"
		for i, name := range rapid.SliceOfNDistinct(names, 0, namesMax, rapid.ID[string]).Draw(t, "names") {
			if i > 0 {
				args += ","
			}
			args += `"` + name + `":` + values.Draw(t, "value")
		}
		args += "}"
		decl := &fsm.ToolDecl{Parameters: schema, Effects: rapid.SampledFrom([]fsm.ToolEffects{fsm.EffectsNone, fsm.EffectsUnsafe}).Draw(t, "effects")}
		once := corrected(decl, args)
		if !json.Valid([]byte(once)) {
			t.Fatalf("%s becomes %s", args, once)
		}
		again := once
		for range namesMax {
			again = corrected(decl, again)
		}
		if more := corrected(decl, again); more != again {
			t.Errorf("%s becomes %s, in the end %s, and that %s", args, once, again, more)
		}
		var before, after map[string]json.RawMessage
		_, _ = json.Unmarshal([]byte(args), &before), json.Unmarshal([]byte(once), &after)
		s := shapeOf(json.RawMessage(schema))
		for name, value := range before {
			if of, known := s.Properties[name]; known && kindOf(value) != kindNull && shapeOf(of).takes(value) && kindOf(after[name]) != kindOf(value) {
				t.Errorf("%s becomes %s, although %s fits", args, once, name)
			}
		}
	})
}

package reading

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
)

func TestINF57ArgumentsAreAsTheSchemaHasThem(t *testing.T) {
	const schema, required = `{"type":"object","properties":{"path":{"type":"string"}}}`, `{"type":"object","properties":{"path":{},"n":{}},"required":["path"]}`
	for _, tt := range []struct{ name, schema, args, want string }{
		{"a wrapper", schema, `{"arguments":{"path":"a"}}`, `{"path":"a"}`},
		{"a parameter of that name", `{"properties":{"arguments":{}}}`, `{"arguments":{"path":"a"}}`, `{"arguments":{"path":"a"}}`},
		{"a tool that lists no parameters", `{"type":"object"}`, `{"arguments":{"path":"a"}}`, `{"arguments":{"path":"a"}}`},
		{"something beside it", schema, `{"arguments":{"path":"a"},"path":"b"}`, `{"arguments":{"path":"a"},"path":"b"}`},
		{"a name that contains the right one", required, `{"file_path":"a","n":1}`, `{"n":1,"path":"a"}`},
		{"in a wrapper, too", required, `{"input":{"file_path":"a"}}`, `{"path":"a"}`},
		{"the right name beside it", required, `{"file_path":"a","path":"b"}`, `{"file_path":"a","path":"b"}`},
		{"two names that contain it", required, `{"file_path":"a","path_name":"b"}`, `{"file_path":"a","path_name":"b"}`},
		{"that name twice", required, `{"file_path":"a","file_path":"b"}`, `{"file_path":"a","file_path":"b"}`},
		{"another argument twice", required, `{"file_path":"a","n":1,"n":2}`, `{"file_path":"a","n":1,"n":2}`},
		{"a wrapper twice", schema, `{"arguments":{"path":"a"},"arguments":{"path":"b"}}`, `{"arguments":{"path":"a"},"arguments":{"path":"b"}}`},
		{"an argument twice in a wrapper", schema, `{"arguments":{"path":"a","path":"b"}}`, `{"path":"a","path":"b"}`},
		{"a short name that is in many", `{"properties":{"id":{}},"required":["id"]}`, `{"width":1}`, `{"width":1}`},
		{"a name of three letters", `{"properties":{"url":{}},"required":["url"]}`, `{"page_url":"a"}`, `{"page_url":"a"}`},
		{"another name", required, `{"file":"a"}`, `{"file":"a"}`},
		{"another case", required, `{"PATH":"a"}`, `{"PATH":"a"}`},
		{"a parameter that need not be given", schema, `{"file_path":"a"}`, `{"file_path":"a"}`},
		{"no object", required, `["path"]`, `["path"]`},
		{"no wrapper", schema, `{"path":{"a":"b"}}`, `{"path":{"a":"b"}}`},
	} {
		for _, text := range []bool{false, true} {
			c := careful()
			c.Edition = fsm.EighteenthEdition // which knows no other names (INF-58)
			c.Tools = []fsm.ToolDecl{{Name: "look", Parameters: tt.schema, Effects: fsm.EffectsNone}}
			in := fsm.BrainAnswered{Calls: []fsm.ToolCall{{ID: "1", Name: "look", Args: tt.args}}}
			if text && strings.HasPrefix(tt.args, "{") {
				in = fsm.BrainAnswered{AsText: true, Text: `{"name":"look","arguments":` + tt.args + `}`}
			}
			got := Understand(c, fsm.AllTools, fsm.Conversation{}, in, 1).Calls
			if len(got) != 1 || got[0].Args != tt.want {
				t.Errorf("%s: got %+v; want Args %s", tt.name, got, tt.want)
			}
			if !text && in.Calls[0].Args != tt.args {
				t.Errorf("%s: the answer itself has become %s", tt.name, in.Calls[0].Args)
			}
			c.Edition = fsm.FifteenthEdition
			if got := Understand(c, fsm.AllTools, fsm.Conversation{}, in, 1).Calls; len(got) != 1 || got[0].Args != tt.args {
				t.Errorf("%s: in an earlier edition got %+v", tt.name, got)
			}
		}
	}
}

// Up to the eighteenth edition, what a tool with effects is to do was for the model to say.
func TestINF57AToolWithEffectsGetsTheNamesThatWereGiven(t *testing.T) {
	for _, effects := range []fsm.ToolEffects{fsm.EffectsIdempotent, fsm.EffectsUnsafe, ""} {
		c := careful()
		c.Edition = fsm.EighteenthEdition
		c.Tools = []fsm.ToolDecl{{Name: "look", Parameters: `{"properties":{"path":{}},"required":["path"]}`, Effects: effects}}
		in := fsm.BrainAnswered{Calls: []fsm.ToolCall{{ID: "1", Name: "look", Args: `{"file_path":"a"}`}}}
		if diff := cmp.Diff(in.Calls, Understand(c, fsm.AllTools, fsm.Conversation{}, in, 1).Calls); diff != "" {
			t.Errorf("%s: %s", effects, diff)
		}
	}
}

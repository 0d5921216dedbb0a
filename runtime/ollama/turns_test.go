package ollama_test

import (
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"shelly/fsm"
	"shelly/runtime/ollama"
)

// sentMessage is what a template sees of a message.
type sentMessage struct {
	Role       string `json:"role"`
	Content    string `json:"content"`
	ToolCallID string `json:"tool_call_id"`
	ToolCalls  []struct {
		ID string `json:"id"`
	} `json:"tool_calls"`
}

var nineDigits = regexp.MustCompile(`^[0-9]{9}$`)

// refusal is what the strictest templates say of a conversation, or "".
func refusal(messages []sentMessage) string {
	speaker := "assistant" // who spoke last, calls and results left out
	for i, m := range messages {
		if id := m.ToolCallID; m.Role == "tool" && !nineDigits.MatchString(id) {
			return "Tool call IDs should be alphanumeric strings with length 9!"
		}
		for _, c := range m.ToolCalls {
			if !nineDigits.MatchString(c.ID) {
				return "Tool call IDs should be alphanumeric strings with length 9!"
			}
		}
		switch {
		case m.Role == "system" && i > 0:
			return "System message must be at the beginning."
		case m.Role == "system", m.Role == "tool", len(m.ToolCalls) > 0:
		case m.Role == speaker:
			return "After the optional system message, conversation roles must alternate user/assistant/user/assistant/..."
		default:
			speaker = m.Role
		}
	}
	return ""
}

// strict returns a server whose model has such a template, and what it was sent.
func strict(t *testing.T) (s *strictServer) {
	s = &strictServer{}
	s.url = server(t, func(w http.ResponseWriter, _ *http.Request, body string) {
		s.bodies = append(s.bodies, body)
		var in struct{ Messages []sentMessage }
		if err := json.Unmarshal([]byte(body), &in); err != nil {
			t.Error(err)
		}
		if text := refusal(in.Messages); text != "" || s.refuses != nil && s.refuses(body) {
			passedOn, _ := json.Marshal(`{"error":{"code":500,"message":"\n------------\nWhile executing CallExpression at line 85, column 32 in source:\n` +
				strings.Repeat("...", 100) + `\nError: Jinja Exception: ` + text + `","type":"server_error"}}`)
			w.WriteHeader(http.StatusInternalServerError)
			_, _ = io.WriteString(w, `{"error":`+string(passedOn)+`}`)
			return
		}
		recorded(t, w, "chat-text")
	}).URL
	return s
}

type strictServer struct {
	url     string
	bodies  []string
	refuses func(body string) bool // more than strict templates do
}

func (s *strictServer) client(t *testing.T, change func(*ollama.Options)) *ollama.Client {
	return client(t, playing(t, "chat-text"), func(o *ollama.Options) {
		if o.BaseURL = s.url; change != nil {
			change(o)
		}
	})
}

func TestBRN46AStrictTemplateGetsTurns(t *testing.T) {
	a := ask("")
	a.System = "be kind"
	a.Conversation.Messages = []fsm.Message{
		{Role: fsm.RoleSystem, Text: "earlier: hello"},
		{Role: fsm.RoleUser, Text: "look", Images: [][]byte{{1}}},
		{Role: fsm.RoleUser, Text: "you remember a", Aside: true},
		{Role: fsm.RoleAssistant, Thinking: "hm", Calls: []fsm.ToolCall{{ID: "call_1", Name: "f", Args: "{}"}, {Name: "g", Args: "{}"}}},
		{Role: fsm.RoleTool, Text: "two", Tool: "g"},
		{Role: fsm.RoleTool, Text: "one", Tool: "f", ToolCall: "call_1"},
		{Role: fsm.RoleUser, Text: "think about it", Aside: true},
		{Role: fsm.RoleAssistant, Text: "well"},
		{Role: fsm.RoleAssistant, Text: "I call", Calls: []fsm.ToolCall{{ID: "call_1", Name: "f", Args: "{}"}}},
		{Role: fsm.RoleTool, Text: "three", Tool: "f", ToolCall: "call_1"},
		{Role: fsm.RoleAssistant, Text: "done"},
		{Role: fsm.RoleSystem, Text: "be short"},
		{Role: fsm.RoleUser, Text: "again"},
		{Role: fsm.RoleAssistant, Calls: []fsm.ToolCall{{Name: "f", Args: "{}"}}},
		{Role: fsm.RoleAssistant, Text: "without a result"},
	}
	s := strict(t)
	c := s.client(t, nil)
	for range 2 {
		if _, err := c.Chat(testContext(t), a, nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	if len(s.bodies) != 3 {
		t.Fatalf("%d calls, want one refused and two in turns", len(s.bodies))
	}
	same(t, `{"role":"system","content":"be kind\n\nearlier: hello"},`+
		`{"role":"user","content":"look\n\nyou remember a","images":["AQ=="]},`+
		`{"role":"assistant","content":"","thinking":"hm","tool_calls":[`+
		`{"id":"000000001","function":{"index":0,"name":"f","arguments":{}}},{"id":"000000002","function":{"index":1,"name":"g","arguments":{}}}]},`+
		`{"role":"tool","content":"two","tool_name":"g","tool_call_id":"000000002"},`+
		`{"role":"tool","content":"one\n\nthink about it","tool_name":"f","tool_call_id":"000000001"},`+
		`{"role":"assistant","content":"well\n\nI call","tool_calls":[{"id":"000000003","function":{"index":0,"name":"f","arguments":{}}}]},`+
		`{"role":"tool","content":"three","tool_name":"f","tool_call_id":"000000003"},`+
		`{"role":"assistant","content":"done"},`+
		`{"role":"user","content":"be short\n\nagain"},`+
		`{"role":"assistant","content":"","tool_calls":[{"id":"000000004","function":{"index":0,"name":"f","arguments":{}}}]},`+
		`{"role":"assistant","content":"without a result"}`, listOf(s.bodies[1]))
	same(t, s.bodies[1], s.bodies[2])
}

// listOf returns the messages in a request, without their brackets.
func listOf(body string) string {
	_, list, _ := strings.Cut(body, `"messages":[`)
	list, _, _ = strings.Cut(list, `],"options":{`)
	list, _, _ = strings.Cut(list, `],"tools":[{"type"`)
	return list
}

// After a compaction a conversation may begin with an answer (CTX-5).
func TestBRN46ASummaryBeforeAnAnswerIsTheUsers(t *testing.T) {
	a := ask("")
	a.System = "be kind"
	a.Conversation.Messages = []fsm.Message{
		{Role: fsm.RoleSystem, Text: "earlier: hello"}, {Role: fsm.RoleAssistant, Text: "well"}, {Role: fsm.RoleUser, Text: "again"},
	}
	s := strict(t)
	if _, err := s.client(t, nil).Chat(testContext(t), a, nil, nil); err != nil {
		t.Fatal(err)
	}
	same(t, `{"role":"system","content":"be kind"},{"role":"user","content":"earlier: hello"},`+
		`{"role":"assistant","content":"well"},{"role":"user","content":"again"}`, listOf(s.bodies[1]))
}

func TestBRN46ATemplateThatRefusesTurnsTooGetsNoTools(t *testing.T) {
	native := func(body string) bool { return strings.Contains(body, `"tools":[`) }
	all := func(string) bool { return true }
	for name, c := range map[string]struct {
		by      ollama.ToolsBy
		refuses func(body string) bool
		asked   int
		answers bool
	}{
		"its tools are described":                   {ollama.ToolsAuto, native, 3, true},
		"unless the configuration forbids it":       {ollama.ToolsNative, native, 2, false},
		"if that does not help, the call fails":     {ollama.ToolsAuto, all, 3, false},
		"and at once if they were described before": {ollama.ToolsDescribed, all, 2, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := strict(t)
			s.refuses = c.refuses
			_, err := s.client(t, func(o *ollama.Options) { o.Tools = c.by }).Chat(testContext(t), ask("x"), []fsm.ToolDecl{{Name: "f"}}, nil)
			if len(s.bodies) != c.asked || c.answers != (err == nil) {
				t.Errorf("asked %d times, error %v; want %d times", len(s.bodies), err, c.asked)
			}
			if !c.answers {
				wantClass(t, err, fsm.BrainError, "(Jinja Exception:)", "take another model")
			}
		})
	}
}

func TestBRN46ARefusalWithoutToolsIsNotOfTools(t *testing.T) {
	s := strict(t)
	s.refuses = func(string) bool { return true }
	c := s.client(t, nil)
	_, err := c.Chat(testContext(t), ask("x"), nil, nil)
	wantClass(t, err, fsm.BrainError, "take another model")
	s.refuses = nil
	if _, err := c.Chat(testContext(t), ask("x"), []fsm.ToolDecl{{Name: "f"}}, nil); err != nil || !strings.Contains(s.bodies[len(s.bodies)-1], `"tools":[`) {
		t.Errorf("error %v, sent %s; want the tools offered", err, s.bodies[len(s.bodies)-1])
	}
}

// A conversation that grows is refused at most once, and what was sent stays as it was, so that the
// server need not read it again.
func TestBRN46AConversationInTurnsGrows(t *testing.T) {
	s := strict(t)
	clients := map[ollama.ToolsBy]*ollama.Client{ollama.ToolsNative: s.client(t, nil), ollama.ToolsDescribed: s.client(t, func(o *ollama.Options) { o.Tools = ollama.ToolsDescribed })}
	rapid.Check(t, func(r *rapid.T) {
		a := ask("question")
		a.Session = rapid.StringMatching("[a-z]{8}").Draw(r, "session")
		a.System = rapid.SampledFrom([]string{"", "be kind"}).Draw(r, "system")
		c := clients[rapid.SampledFrom([]ollama.ToolsBy{ollama.ToolsNative, ollama.ToolsDescribed}).Draw(r, "tools")]
		var before string
		for i := range rapid.IntRange(1, 8).Draw(r, "turns") {
			s.bodies = nil
			if _, err := c.Chat(testContext(t), a, []fsm.ToolDecl{{Name: "f"}}, nil); err != nil {
				r.Fatal(err)
			}
			list := listOf(s.bodies[len(s.bodies)-1])
			if len(s.bodies) == 1 && i > 0 && !strings.HasPrefix(list, strings.TrimRight(before, `"}`)) {
				r.Fatalf("sent before:\n%s\nand now:\n%s", before, list)
			}
			before = list
			a.Conversation.Messages = append(a.Conversation.Messages, grown(r)...)
		}
	})
}

// grown is what one inference adds to a conversation.
func grown(r *rapid.T) []fsm.Message {
	aside := fsm.Message{Role: fsm.RoleUser, Text: "an aside", Aside: true}
	question := fsm.Message{Role: fsm.RoleUser, Text: "another question"}
	called := []fsm.Message{
		{Role: fsm.RoleAssistant, Calls: []fsm.ToolCall{{ID: rapid.SampledFrom([]string{"", "c", "call_123456"}).Draw(r, "id"), Name: "f", Args: "{}"}}},
		{Role: fsm.RoleTool, Tool: "f", Text: "a result"},
	}
	called[1].ToolCall = called[0].Calls[0].ID
	answer := fsm.Message{Role: fsm.RoleAssistant, Text: "an answer"}
	return rapid.SampledFrom([][]fsm.Message{
		{answer, question}, {answer, question, aside}, called, append(called, aside), append(called, answer, question),
		{answer, {Role: fsm.RoleSystem, Text: "a rule"}, question},
	}).Draw(r, "grown")
}

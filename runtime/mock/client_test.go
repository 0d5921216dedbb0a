package mock_test

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"shelly/fsm"
	"shelly/runtime/mock"
	"shelly/runtime/ollama"
)

func client(t *testing.T, s *httptest.Server, timeouts ollama.Timeouts) *ollama.Client {
	t.Helper()
	c, err := ollama.New(ollama.Options{BaseURL: s.URL, Model: "brain", EmbedModel: "brain-embed", NumCtx: 4096, Timeouts: timeouts})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func ask(messages ...fsm.Message) fsm.AskBrain {
	if len(messages) == 0 {
		messages = []fsm.Message{{Role: fsm.RoleUser, Text: "hello"}}
	}
	return fsm.AskBrain{Purpose: fsm.PurposeAnswer, Session: "cli", Tools: fsm.AllTools, Conversation: fsm.Conversation{Messages: messages}}
}

func TestWhatTheBrainSaysIsWhatTheClientHears(t *testing.T) {
	calls := []fsm.ToolCall{{ID: "a", Name: "f", Args: `{"z":1,"a":"<b>"}`}, {ID: "b", Name: "g", Args: "{}"}}
	tests := map[string]struct {
		said mock.Answer
		want fsm.BrainAnswered
	}{
		"text": {mock.Answer{Text: "Grüße, 世界"}, fsm.BrainAnswered{Stop: fsm.StopEndTurn, Text: "Grüße, 世界"}},
		"text in pieces": {
			mock.Answer{Pieces: []mock.Piece{{Text: "Grüße, "}, {}, {Text: "世"}, {Text: "界"}}},
			fsm.BrainAnswered{Stop: fsm.StopEndTurn, Text: "Grüße, 世界"},
		},
		"thinking": {
			mock.Answer{Pieces: []mock.Piece{{Thinking: "hm, "}, {Thinking: "hm"}, {Text: "so"}}, Every: time.Nanosecond},
			fsm.BrainAnswered{Stop: fsm.StopEndTurn, Text: "so", Thinking: "hm, hm"},
		},
		"calls": {mock.Answer{Text: "look: ", Calls: calls}, fsm.BrainAnswered{Stop: fsm.StopToolUse, Text: "look: ", Calls: calls}},
		"a call without an id": {
			mock.Answer{Calls: []fsm.ToolCall{{Name: "f", Args: "{}"}}},
			fsm.BrainAnswered{Stop: fsm.StopToolUse, Calls: []fsm.ToolCall{{ID: "call_1", Name: "f", Args: "{}"}}},
		},
		"broken arguments": {
			mock.Answer{Calls: []fsm.ToolCall{{ID: "a", Name: "f", Args: `{"p":`}}},
			fsm.BrainAnswered{Stop: fsm.StopToolUse, Calls: []fsm.ToolCall{{ID: "a", Name: "f", Args: `{"p":`}}},
		},
		"length": {mock.Answer{Text: "half", Length: true}, fsm.BrainAnswered{Stop: fsm.StopMaxTokens, Text: "half"}},
		"length after calls": {
			mock.Answer{Calls: calls, Length: true},
			fsm.BrainAnswered{Stop: fsm.StopMaxTokens, Calls: calls},
		},
		"empty": {mock.Answer{Empty: true, Text: "unsaid", Calls: calls}, fsm.BrainAnswered{Stop: fsm.StopEndTurn}},
		"late":  {mock.Answer{Text: "a", Delay: time.Millisecond}, fsm.BrainAnswered{Stop: fsm.StopEndTurn, Text: "a"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			tt.said.PromptTokens = 33
			c := client(t, serve(t, &scripted{answer: tt.said}), ollama.Timeouts{})
			got, err := c.Chat(testContext(t), ask(), nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			tt.want.Model = got.Model   // a real client says which
			tt.want.Tokens = got.Tokens // except the prompt's: a real client reports counts and durations
			tt.want.Tokens.Prompt = 33
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestINF6HowTheServerFailsIsHowTheClientTellsIt(t *testing.T) {
	const soon = 20 * time.Millisecond
	tests := map[string]struct {
		said     mock.Answer
		err      error
		timeouts ollama.Timeouts
		class    fsm.BrainClass
		part     string // of the reason
	}{
		"busy":                 {said: mock.Answer{Status: 503, Error: "server busy, please try again"}, class: fsm.BrainBusy},
		"no tools":             {said: mock.Answer{Status: 400, Error: "brain does not support tools"}, class: fsm.BrainNoTools},
		"too long":             {said: mock.Answer{Status: 400, Error: "the input length exceeds the context length"}, class: fsm.BrainContextTruncated},
		"a missing model":      {said: mock.Answer{Status: 404, Error: "model 'brain' not found"}, class: fsm.BrainMissingModel},
		"any other status":     {said: mock.Answer{Status: 418, Error: "boom"}, class: fsm.BrainError},
		"a dead runner":        {said: mock.Answer{Status: 500, Error: "llama runner process has terminated: signal: killed"}, class: fsm.BrainCrashed},
		"a runner's death":     {said: mock.Answer{Text: "a", Error: "unexpected EOF"}, class: fsm.BrainCrashed},
		"a plain 500":          {said: mock.Answer{Status: 500, Error: "boom"}, class: fsm.BrainCrashed},
		"a call it can't read": {said: mock.Answer{Status: 500, Error: "error parsing tool call: raw='{\"a\"'"}, class: fsm.BrainBadCall},
		"no chat":              {said: mock.Answer{Status: 400, Error: `"brain" does not support chat`}, class: fsm.BrainNoChat},
		"a brain's error":      {err: errors.New("no line is left"), class: fsm.BrainError},
		"an error line":        {said: mock.Answer{Text: "a", Error: "boom"}, class: fsm.BrainError},
		"a cut stream":         {said: mock.Answer{Text: "a", Cut: true}, class: fsm.BrainCutStream},
		"an empty stream":      {said: mock.Answer{Cut: true}, class: fsm.BrainCutStream},
		"garbage":              {said: mock.Answer{Text: "a", Garbage: "<html>"}, class: fsm.BrainGarbage},
		"silence":              {said: mock.Answer{Text: "a", Hang: true}, timeouts: ollama.Timeouts{Idle: soon}, class: fsm.BrainTimeout, part: "timeouts.idle"},
		"silence at once":      {said: mock.Answer{Hang: true}, timeouts: ollama.Timeouts{FirstToken: soon}, class: fsm.BrainLoading},
		"a long delay":         {said: mock.Answer{Delay: time.Hour}, timeouts: ollama.Timeouts{Total: soon}, class: fsm.BrainTimeout},
		"a truncated prompt":   {said: mock.Answer{Text: "a", PromptTokens: 4096}, class: fsm.BrainContextTruncated},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c := client(t, serve(t, &scripted{answer: tt.said, err: tt.err}), tt.timeouts)
			_, err := c.Chat(testContext(t), ask(), nil, nil)
			var e *ollama.Error
			if !errors.As(err, &e) || e.Class != tt.class || !strings.Contains(e.Reason, tt.part) {
				t.Errorf("%v, want class %s and %q", err, tt.class, tt.part)
			}
		})
	}
}

func TestWhatTheClientAsksIsWhatTheBrainIsAsked(t *testing.T) {
	brain := &scripted{answer: mock.Answer{Text: "a"}}
	conversation := []fsm.Message{
		{Role: fsm.RoleUser, Text: "hello", Images: [][]byte{[]byte("png")}},
		{Role: fsm.RoleAssistant, Text: "so", Thinking: "hm", Calls: []fsm.ToolCall{{ID: "c1", Name: "f", Args: `{"z":1,"a":2}`}}},
		{Role: fsm.RoleTool, Text: "one", Tool: "f", ToolCall: "c1"},
	}
	a := ask(conversation...)
	a.Purpose, a.Session, a.System = fsm.PurposeSummary, "café & co: 1%", "be kind"
	a.Options = fsm.Options{Temperature: 700, MaxTokens: 64}
	if _, err := client(t, serve(t, brain), ollama.Timeouts{}).Chat(testContext(t), a, []fsm.ToolDecl{{Name: "f"}, {Name: "g"}}, nil); err != nil {
		t.Fatal(err)
	}
	want := []mock.Question{{
		Purpose: "summary", Session: "café & co: 1%", System: "be kind", Messages: conversation,
		Tools: []string{"f", "g"}, NumPredict: 64, Temperature: 700,
	}}
	if diff := cmp.Diff(want, brain.questions()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestACallerWithoutHeadersAsksForAnAnswer(t *testing.T) {
	brain := &scripted{}
	request(t, serve(t, brain), "POST", chatPath, `{"model":"brain:latest",`+hello+`}`)
	if q := brain.questions(); len(q) != 1 || q[0].Purpose != "answer" || q[0].Session != "" {
		t.Errorf("got %+v; want 1 of them, [0].Purpose %q, [0].Session %q", q, "answer", "")
	}
}

func TestABrokenAnswerInOnePieceIsABrokenResponse(t *testing.T) {
	whole := `{"model":"brain","stream":false,` + hello + `}`
	if got := request(t, serve(t, &scripted{answer: mock.Answer{Error: "boom"}}), "POST", chatPath, whole); got.status != 500 || got.body != `{"error":"boom"}` {
		t.Errorf("got %+v; want status 500, body %q", got, `{"error":"boom"}`)
	}
	if got := request(t, serve(t, &scripted{answer: mock.Answer{Garbage: "<html>"}}), "POST", chatPath, whole); got.body != "<html>" {
		t.Errorf("got %+v; want body %q", got, "<html>")
	}
}

func TestTheClientFindsTheMocksModels(t *testing.T) {
	ctx := testContext(t)
	s := serve(t, nil)
	c, err := ollama.New(ollama.Options{BaseURL: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if v, err := c.Version(ctx); v != mock.DefaultVersion || err != nil {
		t.Errorf("version %q, %v", v, err)
	}
	if chat, embed, err := c.Choose(ctx); chat != "brain:latest" || embed != "brain-embed:latest" || err != nil {
		t.Errorf("got %q, %q, %v; want %q, %q", chat, embed, err, "brain:latest", "brain-embed:latest")
	}
	want := ollama.Capabilities{Completion: true, Tools: true, Thinking: true, Vision: true, ContextLength: 131072}
	if got, err := c.Show(ctx, "brain"); !reflect.DeepEqual(got, want) || err != nil {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}

	bare := httptest.NewServer(mock.New(mock.Options{}))
	defer bare.Close()
	if c, err = ollama.New(ollama.Options{BaseURL: bare.URL}); err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if chat, embed, err := c.Choose(ctx); chat != "mock:latest" || embed != "" || err != nil {
		t.Errorf("got %q, %q, %v; want %q, %q", chat, embed, err, "mock:latest", "")
	}
	_, _, err = c.With("mock", mock.DefaultEmbedModel).Embed(ctx, "x")
	var e *ollama.Error
	if !errors.As(err, &e) || e.Class != fsm.BrainMissingModel {
		t.Errorf("got %v; want the class %v", err, fsm.BrainMissingModel)
	}
}

func TestVectorsOfSimilarTextsAreNear(t *testing.T) {
	c := client(t, serve(t, nil), ollama.Timeouts{})
	vector := func(text string) []float64 {
		raw, model, err := c.Embed(testContext(t), text)
		if err != nil || model != "brain-embed" || len(raw) != 4*128 {
			t.Fatalf("%d bytes, %q, %v", len(raw), model, err)
		}
		v := make([]float64, len(raw)/4)
		for i := range v {
			v[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:])))
		}
		return v
	}
	cosine := func(a, b string) float64 {
		x, y := vector(a), vector(b)
		var dot float64 // both have length 1
		for i := range x {
			dot += x[i] * y[i]
		}
		return dot
	}
	const disk = "The root disk is full"
	if got := cosine(disk, "the ROOT disk is full!"); got < 0.999 {
		t.Errorf("the same words: %.3f", got)
	}
	if got := cosine(disk, "the disk is nearly full"); got < 0.5 {
		t.Errorf("similar texts: %.3f", got)
	}
	if got := cosine(disk, "bake an apple cake"); math.Abs(got) > 0.4 {
		t.Errorf("unrelated texts: %.3f", got)
	}
	if got := cosine("磁盘满了", "磁盘空了"); got < 0.5 {
		t.Errorf("similar texts without spaces: %.3f", got)
	}
}

// An empty text in a list has a vector of zeros; alone it counts as no text.
func TestAnEmptyInputHasNoVector(t *testing.T) {
	s := httptest.NewServer(mock.New(mock.Options{EmbedDims: 2}))
	defer s.Close()
	for input, want := range map[string]string{
		``: `[]`, `, "input": null`: `[]`, `, "input": ""`: `[]`, `, "input": []`: `[]`, `, "input": [""]`: `[[0,0]]`,
	} {
		resp, err := http.Post(s.URL+"/api/embed", "application/json", strings.NewReader(`{"model": "mock-embed"`+input+`}`))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusOK || !strings.Contains(string(body), `"embeddings":`+want) {
			t.Errorf("%q: got %d %s, %v; want %s", input, resp.StatusCode, body, err, want)
		}
	}
}

func TestAnotherWayToEmbedCanBeGiven(t *testing.T) {
	s := httptest.NewServer(mock.New(mock.Options{EmbedDims: 1, Embed: func(text string) []float32 { return []float32{float32(len(text))} }}))
	defer s.Close()
	c := client(t, s, ollama.Timeouts{}).With("mock", "mock-embed")
	raw, _, err := c.Embed(testContext(t), "four")
	if err != nil || math.Float32frombits(binary.LittleEndian.Uint32(raw)) != 4 {
		t.Errorf("got %x, %v; want the first number 4", raw, err)
	}
}

package ollama_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"shelly/fsm"
	"shelly/runtime/ollama"
	"shelly/runtime/ollama/transcript"
)

// notMet are the recorded answers that the client cannot receive, and why.
var notMet = map[string]string{
	"00-root":                        "asks only below /api",
	"26-empty-model":                 "names a model always",
	"28-get-not-allowed":             "posts what is to be posted",
	"66-ps-after-num_ctx-over":       "read in TestModelsAreReadAsARealServerTellsThem",
	"90-ps":                          "read in TestModelsAreReadAsARealServerTellsThem",
	"70-generate":                    "does not generate",
	"71-generate-raw":                "does not generate",
	"72-generate-suffix-unsupported": "does not generate",
	"73-generate-embed-model":        "does not generate",
	"81-embed-batch-dims4":           "asks for one vector at a time",
	"82-embed-empty-list":            "asks for one vector at a time",
	"89-embeddings-legacy":           "asks embed",
	"96-delete-unknown":              "deletes nothing",
}

const (
	realDefault = "end_turn: This is the scripted default answer of the handmade test model."
	realPlan    = "end_turn: (The user wants a plan. I should think briefly.) Here is the plan: one step, then stop."
)

// read says how the client reads each recorded answer: as stop reason, thinking in parentheses,
// text and calls; as the class of a failure and a part of its reason; or as the description of a
// model.
var read = map[string]string{
	"01-version":      "0.17.4",
	"02-tags":         "brain:latest brain-embed:latest brain-notools:latest brain-think:latest",
	"03-show-brain":   "completion tools 131072",
	"04-show-think":   "completion tools thinking 131072",
	"05-show-embed":   "embedding 512",
	"06-show-notools": "completion 131072",
	"07-show-unknown": "missing_model: ghost",

	"10-chat-default-nostream":          realDefault,
	"11-chat-default-stream":            realDefault,
	"12-tool-call-nostream":             `tool_use: list_dir {"path":"."}`,
	"13-tool-call-stream":               `tool_use: list_dir {"path":"."}`,
	"14-after-tool-result-stream":       "end_turn: I listed the directory for you: the tool result above holds every entry. Done.",
	"15-content-then-tool-call-stream":  `tool_use: Let me look at the file first.  read_file {"limit":20,"path":"README.md"}`,
	"16-second-step-nostream":           `tool_use: list_dir {"path":"docs"}`,
	"17-two-calls-one-turn-stream":      `tool_use: list_dir {"path":"a"} list_dir {"path":"b"}`,
	"18-two-calls-one-turn-nostream":    `tool_use: list_dir {"path":"a"} list_dir {"path":"b"}`,
	"19-call-of-unoffered-tool":         "end_turn:",
	"19b-call-of-unoffered-tool-stream": "end_turn:",
	"20-broken-tool-json":               "end_turn:",
	"21-tool-script-but-no-tools-sent":  "end_turn: <tool_call>\n{\"name\":\"list_dir\",\"arguments\":{\"path\":\".\"}}\n</tool_call>",
	"22-tools-on-notools-model":         "no_tools: does not support tools",
	"22b-tools-on-notools-model-stream": "no_tools: does not support tools",
	"23-unknown-model":                  "missing_model: ghost",
	"24-unknown-model-tag":              "missing_model: brain:9b",
	"25-bad-json":                       "error: unexpected EOF",
	"27-no-messages-load":               "end_turn:",
	"29-unknown-path":                   "error: check the address",

	"30-num_predict-length":                 "max_tokens: This is the scripted default answer",
	"31-num_predict-length-stream":          "max_tokens: This is the scripted default answer",
	"32-num_predict-cuts-tool-call":         "max_tokens:",
	"32b-num_predict-cuts-tool-call-stream": "max_tokens:",
	"33-stop-sequence":                      "end_turn: This is the scripted ",
	"34-temperature-1.5":                    realDefault,
	"35-utf8-stream":                        "end_turn: Grüße, 世界! Ça va? 🦙 fin.",
	"36-bad-option-type":                    "error: must be of type float32",
	"37-unknown-option":                     realDefault,

	"40-format-schema":        `end_turn: {"answer":"This is the scripted default answer of the handmade test model.","count":0,"ok":false,"tags":["This is the scripted default answer of the handmade test model."],"level":"high"}`,
	"41-format-schema-stream": `end_turn: {"answer":"This is the scripted default answer of the handmade test model."}`,
	"42-format-json":          `end_turn: {"This is the scripted default answer of the handmade test model.":"This is the scripted default answer of the handmade test model."}`,
	"43-format-bad-string":    "error: invalid format",
	"44-format-bad-schema":    "error: invalid JSON schema in format",
	"45-format-with-tools":    `end_turn: {"answer":"This is the scripted default answer of the handmade test model."}`,

	"50-think-true-unsupported":     "error: does not support thinking",
	"51-think-false-unsupported":    realDefault,
	"52-think-level-unsupported":    "error: does not support thinking",
	"53-think-model-default-stream": realPlan,
	"54-think-model-true-nostream":  realPlan,
	"55-think-model-false":          realPlan,
	"56-think-model-level":          `error: think value "high" is not supported`,
	"57-think-then-tool-stream":     `tool_use: (I need the directory before answering.) list_dir {"path":"src"}`,
	"58-think-with-format":          `end_turn: (The user wants a plan. I should think briefly.) {"answer":"This is the scripted default answer of the handmade test model."}`,

	"60-long-single-message-num_ctx-256":  "context_truncated: num_ctx",
	"61-long-truncate-false":              "context_truncated: num_ctx",
	"61b-long-truncate-false-stream":      "context_truncated: num_ctx",
	"62-long-history-num_ctx-256":         realDefault, // 21 tokens: it does not show that something was dropped
	"62b-long-history-drops-the-question": "context_truncated: num_ctx",
	"63-generate-past-num_ctx-shift":      "max_tokens: round and round",
	"64-generate-past-num_ctx-noshift":    "max_tokens: round and round",
	"65-num_ctx-over-model-max":           realDefault,
	"67-client-hangs-up-mid-stream":       "garbage: ...", // the recording omits the earlier lines
	"68-after-hang-up":                    realDefault,
	"74-chat-embed-model":                 "no_chat: cannot chat",

	"80-embed-one":                     "128 numbers",
	"83-embed-empty-string":            "128 numbers",
	"84-embed-too-long-truncates":      "4 numbers",
	"85-embed-too-long-truncate-false": "context_truncated: ",
	"86-embed-chat-model":              "4 numbers",
	"87-embed-unknown-model":           "missing_model: ghost",
	"88-embed-bad-input":               "error: invalid input type",
	"92-unload":                        "end_turn:",
	"97-image-on-text-model":           realDefault,
}

// Each answer that a real server gave is read correctly (BRN-1, BRN-3 to BRN-7).
func TestBRN7AnswersOfARealServerAreRead(t *testing.T) {
	all, err := transcript.All()
	if err != nil {
		t.Fatal(err)
	}
	described := map[string]transcript.Exchange{} // what /api/show said of a model
	for _, e := range all {
		if e.Path == "/api/show" {
			described[modelOf(e)] = e
		}
	}
	for _, e := range all {
		want, known := read[e.Name]
		if _, not := notMet[e.Name]; not == known {
			t.Errorf("%s: in both lists or in none", e.Name)
		}
		if !known {
			continue
		}
		t.Run(e.Name, func(t *testing.T) {
			s := server(t, func(w http.ResponseWriter, r *http.Request, body string) {
				switch {
				case r.URL.Path == e.Path || r.URL.Path == "/api/chat" && !strings.HasPrefix(e.Path, "/api/embed"):
					replay(w, e)
				case r.URL.Path == "/api/show":
					replay(w, described[modelOf(transcript.Exchange{Request: body})])
				default:
					w.WriteHeader(http.StatusNotFound)
				}
			})
			got := told(t, s.URL, e)
			if text, part, failed := strings.Cut(want, ": "); failed && strings.HasPrefix(got, text+": ") && strings.Contains(got, part) && !strings.Contains(text, "_turn") {
				return
			}
			if got != want {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
	t.Logf("%d recorded answers, of which the client reads %d", len(all), len(read))
}

// replay sends a recorded answer.
func replay(w http.ResponseWriter, e transcript.Exchange) {
	w.Header().Set("Content-Type", e.Header.Get("Content-Type"))
	w.WriteHeader(max(e.Status, http.StatusOK))
	_, _ = io.WriteString(w, e.Answer)
}

// modelOf returns the model that a request names.
func modelOf(e transcript.Exchange) string {
	var r struct{ Model string }
	_ = json.Unmarshal([]byte(e.Request), &r)
	if r.Model == "" {
		return "brain"
	}
	return r.Model
}

// windowOf returns the window that a request asks for.
func windowOf(e transcript.Exchange) int {
	var r struct {
		Options struct {
			NumCtx int `json:"num_ctx"`
		}
	}
	_ = json.Unmarshal([]byte(e.Request), &r)
	return r.Options.NumCtx
}

// told sends a server the recorded request by way of the client, and describes the result.
func told(t *testing.T, url string, e transcript.Exchange) string {
	t.Helper()
	ctx := testContext(t)
	c, err := ollama.New(ollama.Options{BaseURL: url, Model: modelOf(e), EmbedModel: modelOf(e), NumCtx: windowOf(e)})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	text := ""
	switch e.Path {
	case "/api/version":
		text, err = c.Version(ctx)
	case "/api/tags":
		var models []ollama.Model
		models, err = c.Models(ctx)
		for _, m := range models {
			text += " " + m.Name
		}
	case "/api/show":
		var can ollama.Capabilities
		can, err = c.Show(ctx, modelOf(e))
		text = capable(can)
	case "/api/embed":
		var vector []byte
		vector, _, err = c.Embed(ctx, "hello world")
		text = fmt.Sprintf("%d numbers", len(vector)/4)
	default:
		var answer fsm.BrainAnswered
		answer, err = c.Chat(ctx, ask("hello"), offered(e), nil)
		text = answered(answer)
	}
	var failed *ollama.Error
	switch {
	case errors.As(err, &failed):
		return string(failed.Class) + ": " + failed.Reason
	case err != nil:
		return err.Error()
	default:
		return strings.TrimPrefix(text, " ")
	}
}

// offered returns the tools of a request.
func offered(e transcript.Exchange) []fsm.ToolDecl {
	var r struct {
		Tools []struct {
			Function struct{ Name string }
		}
	}
	_ = json.Unmarshal([]byte(e.Request), &r)
	var tools []fsm.ToolDecl
	for _, t := range r.Tools {
		tools = append(tools, fsm.ToolDecl{Name: t.Function.Name, Parameters: `{"type":"object"}`})
	}
	return tools
}

func capable(c ollama.Capabilities) string {
	text := ""
	for _, can := range []struct {
		is   bool
		word string
	}{{c.Completion, "completion"}, {c.Tools, "tools"}, {c.Thinking, "thinking"}, {c.Embedding, "embedding"}} {
		if can.is {
			text += " " + can.word
		}
	}
	return fmt.Sprintf("%s %d", text, c.ContextLength)
}

func answered(a fsm.BrainAnswered) string {
	text := string(a.Stop) + ":"
	if a.Thinking != "" {
		text += " (" + a.Thinking + ")"
	}
	if a.Text != "" {
		text += " " + a.Text
	}
	for _, c := range a.Calls {
		text += " " + c.Name + " " + c.Args
	}
	return text
}

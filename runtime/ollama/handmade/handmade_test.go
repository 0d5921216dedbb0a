package handmade

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"
	"testing"
	"text/template"
)

var script = Script{
	Default: "This is the default answer, and this is the end of it.",
	Steps: map[string]Step{
		"list:0": {Think: "hm", Content: "Look: ", Calls: []Call{{"list_dir", `{"path":"a"}`}, {"list_dir", `{"path":"b"}`}}},
		"list:1": {Content: "This is the default answer, and Grüße, 世界."},
	},
}

// model is a chat model's file, read back.
type model struct {
	tokens            []string
	embedding, output []float32
	width             int
}

func (m model) id(token string) int {
	for id, t := range m.tokens {
		if t == token {
			return id
		}
	}
	return -1
}

// next returns the token with the highest logit after a token, computed from the layer of zeros and
// the output matrix.
func (m model) next(id int) (best int) {
	highest := float32(math.Inf(-1))
	for to := range m.tokens {
		var logit float32
		for d := range m.width {
			logit += m.embedding[id*m.width+d] * m.output[to*m.width+d]
		}
		if logit > highest {
			best, highest = to, logit
		}
	}
	return best
}

// says returns what the model says after a token.
func (m model) says(start int) string {
	var b strings.Builder
	for id := m.next(start); m.tokens[id] != "<|eos|>" && b.Len() < 1000; id = m.next(id) {
		b.WriteString(m.tokens[id])
	}
	return b.String()
}

// open finds the parts of a file by what is written before them.
func open(t *testing.T, gguf []byte) model {
	t.Helper()
	var m model
	at := bytes.Index(gguf, []byte("tokenizer.ggml.tokens")) + len("tokenizer.ggml.tokens") + 8
	long := func() int { at += 8; return int(binary.LittleEndian.Uint64(gguf[at-8:])) }
	for range long() {
		n := long()
		m.tokens = append(m.tokens, string(gguf[at:at+n]))
		at += n
	}
	behind := func(name string) int { // where the description of a tensor continues
		return bytes.Index(gguf, append(binary.LittleEndian.AppendUint64(nil, uint64(len(name))), name...)) + 8 + len(name)
	}
	begin := behind("output.weight") + 4 + 2*8 + 4 + 8 // it is the last tensor
	begin = (begin + alignment - 1) / alignment * alignment
	tensor := func(name string) []float32 {
		at = behind(name) + 4
		m.width = long()
		data := make([]float32, m.width*long())
		at += 4
		offset := long()
		for i := range data {
			data[i] = math.Float32frombits(binary.LittleEndian.Uint32(gguf[begin+offset+4*i:]))
		}
		return data
	}
	m.embedding, m.output = tensor("token_embd.weight"), tensor("output.weight")
	return m
}

func TestTheModelSaysItsScript(t *testing.T) {
	gguf, err := Chat(script)
	if err != nil {
		t.Fatal(err)
	}
	m := open(t, gguf)
	for key, step := range script.Steps {
		if got := m.says(m.id(startToken(key))); got != step.text() {
			t.Errorf("%s: %q, want %q", key, got, step.text())
		}
	}
	for _, b := range []int{0, 'a', 255} {
		if got := m.says(b); got != script.Default {
			t.Errorf("after byte %d: %q, want %q", b, got, script.Default)
		}
	}
}

func TestTheSameScriptIsTheSameFile(t *testing.T) {
	a, err := Chat(script)
	b, err2 := Chat(script)
	if err != nil || err2 != nil || !bytes.Equal(a, b) || !bytes.Equal(Embedding(), Embedding()) {
		t.Errorf("two files differ (%v, %v)", err, err2)
	}
	if n := len(a); n%alignment != 0 || n > 1<<20 {
		t.Errorf("%d bytes", n)
	}
}

func TestTextThatCannotBeCutIsAnError(t *testing.T) {
	for _, s := range []Script{
		{},
		{Default: "x"},
		{Default: "fine", Steps: map[string]Step{"a:0": {Content: "fi"}, "b:0": {Content: "fi"}}},
	} {
		if _, err := Chat(s); err == nil {
			t.Errorf("%+v: no error", s)
		}
	}
}

func TestTheTemplateNamesTheStep(t *testing.T) {
	tmpl := template.Must(template.New("").Funcs(template.FuncMap{"json": func(any) string { return "{}" }}).Parse(script.template()))
	type message struct {
		Role, Content string
		ToolCalls     []string
	}
	user := func(text string) message { return message{Role: "user", Content: text} }
	result := message{Role: "tool", Content: "[not] this"}
	for want, messages := range map[string][]message{
		"<|go:list:0|>": {user("Question?\n\nInput:\nplease [list] and [not] this")},
		"<|go:list:2|>": {user("[list] it"), {Role: "assistant"}, result, result},
		"<|go:b:1|>":    {user("[list]"), result, {Role: "assistant"}, user("[b]"), result},
		"<|go::0|>":     {user("[list]"), {Role: "assistant"}, user("nothing")},
		"<|go::1|>":     {user("[open"), result},
		"<|go:c d:0|>":  {user("[a [c d] e]")},
	} {
		var b strings.Builder
		if err := tmpl.Execute(&b, map[string]any{"System": "s", "Tools": nil, "Messages": messages}); err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(b.String(), want) {
			t.Errorf("%+v: %q, want the end %s", messages, b.String(), want)
		}
	}
}

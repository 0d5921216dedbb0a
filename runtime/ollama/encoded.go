package ollama

import (
	"bytes"
	"fmt"
	"slices"
	"sync"

	"shelly/fsm"
	"shelly/fsm/wording"
)

// encodedBytesMax bounds the memory for all conversations, in bytes.
const encodedBytesMax = 8 << 20

// encoded keeps conversations as they were last sent. Each call of a session sends what the one
// before sent and a little more; encoding and counting it all again would make the total time
// quadratic in the length of the conversation.
type encoded struct {
	mu    sync.Mutex
	kept  []*transcript // the one used last is last
	bytes int           // of all of kept
	tools []toolset     // those offered last; the latest is last
}

// transcript is one conversation, message by message.
type transcript struct {
	of       talk
	messages []fsm.Message
	json     [][]byte // of each message
	least    []int    // the least number of tokens of each (BRN-3)
	bytes    int      // the memory that it takes
}

// talk identifies the conversation that a call continues: that of its session or, without a
// session, of its handle.
type talk struct {
	session string
	handle  fsm.HandleID
	purpose fsm.Purpose
}

func talkOf(ask *fsm.AskBrain) talk {
	if ask.Session == "" {
		return talk{handle: ask.Handle, purpose: ask.Purpose}
	}
	return talk{session: ask.Session, purpose: ask.Purpose}
}

// toolset is a list of tools as it is sent.
type toolset struct {
	decls []fsm.ToolDecl
	json  []byte
}

// toolsetsMax is how many toolsets are kept: that of handles, that of subagents, and some that
// sessions chose.
const toolsetsMax = 8

// toolsAsSent returns tools as they are sent; nil for none.
func (e *encoded) toolsAsSent(decls []fsm.ToolDecl) ([]byte, error) {
	if len(decls) == 0 {
		return nil, nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for i := len(e.tools) - 1; i >= 0; i-- {
		if slices.EqualFunc(e.tools[i].decls, decls, sentAlike) {
			return e.tools[i].json, nil
		}
	}
	json, err := wireTools(decls)
	if err != nil {
		return nil, err
	}
	if len(e.tools) == toolsetsMax {
		e.tools = slices.Delete(e.tools, 0, 1)
	}
	e.tools = append(e.tools, toolset{slices.Clone(decls), json})
	return json, nil
}

// sentAlike reports whether two tools are the same to a model.
func sentAlike(a, b fsm.ToolDecl) bool {
	return a.Name == b.Name && a.Description == b.Description && a.Parameters == b.Parameters
}

// take returns what is kept of a conversation. It belongs to the caller until give.
func (e *encoded) take(of talk) *transcript {
	e.mu.Lock()
	defer e.mu.Unlock()
	i := slices.IndexFunc(e.kept, func(p *transcript) bool { return p.of == of })
	if i < 0 {
		return &transcript{of: of}
	}
	p := e.kept[i]
	e.kept = slices.Delete(e.kept, i, i+1)
	e.bytes -= p.bytes
	return p
}

// give keeps a conversation, and drops those that have gone unused the longest if there are too
// many.
func (e *encoded) give(p *transcript) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.kept = append(e.kept, p)
	e.bytes += p.bytes
	for e.bytes > encodedBytesMax {
		e.bytes -= e.kept[0].bytes
		e.kept = slices.Delete(e.kept, 0, 1)
	}
}

// set makes the pieces match the messages of the lists. The piece of a message that is already in
// its place is not encoded again.
func (p *transcript) set(lists ...[]fsm.Message) error {
	all := 0
	for _, list := range lists {
		all += len(list)
	}
	n := min(all, len(p.messages))
	p.messages, p.json, p.least = p.messages[:n], p.json[:n], p.least[:n]
	at := 0
	for _, list := range lists {
		if err := p.setFrom(at, n, list); err != nil {
			return err
		}
		at += len(list)
	}
	p.bytes = 0
	for i, text := range p.json {
		p.bytes += messageBytes + len(p.messages[i].Text) + len(text)
	}
	return nil
}

// setFrom is set for the messages from index at on; there are pieces up to n.
func (p *transcript) setFrom(at, n int, messages []fsm.Message) error {
	for k := range messages {
		i, m := at+k, &messages[k]
		if i < n && same(m, &p.messages[i]) {
			continue
		}
		text, err := encode(wireMessage(*m))
		if err != nil {
			return err
		}
		least := leastTokens(m.Text) // a template may leave out thinking and calls
		if i < n {
			p.messages[i], p.json[i], p.least[i] = *m, text, least
		} else {
			p.messages, p.json, p.least = append(p.messages, *m), append(p.json, text), append(p.least, least)
		}
	}
	return nil
}

// messageBytes is what a message takes besides its texts.
const messageBytes = 256

// same reports whether two messages are sent alike. Messages are never changed, so those that share
// their texts and images, as in the calls of a handle, are compared without reading them.
func same(a, b *fsm.Message) bool {
	return a.Role == b.Role && a.Text == b.Text && a.Thinking == b.Thinking && a.Tool == b.Tool && a.ToolCall == b.ToolCall &&
		sameCalls(a.Calls, b.Calls) && slices.EqualFunc(a.Images, b.Images, bytes.Equal)
}

func sameCalls(a, b []fsm.ToolCall) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0] || slices.Equal(a, b))
}

// tokens returns the least number of tokens that the texts can be counted as (BRN-3).
func (p *transcript) tokens() (n int) {
	for _, least := range p.least {
		n += least
	}
	return n
}

// The placeholders for the messages and the tools in an encoded request. Inside a string the quotes
// would be escaped, so only the fields themselves match.
const (
	messagesHere = `"messages":0`
	toolsHere    = 1
	theTools     = `"tools":1`
)

// filled inserts the messages, and the tools if there are any, into an encoded request.
func (p *transcript) filled(request, tools []byte) []byte {
	length := len(request) + len(tools) + len(p.json)
	for _, text := range p.json {
		length += len(text)
	}
	b := make([]byte, 0, length+3)
	head, rest, _ := bytes.Cut(request, []byte(messagesHere))
	b = append(b, head...)
	b = append(b, `"messages":[`...)
	for i, text := range p.json {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, text...)
	}
	b = append(b, ']')
	if before, after, ok := bytes.Cut(rest, []byte(theTools)); ok && tools != nil {
		b = append(append(append(b, before...), `"tools":`...), tools...)
		rest = after
	}
	return append(append(b, rest...), '\n')
}

// encode returns v as JSON, as it is sent to the server.
func encode(v any) ([]byte, error) {
	b, err := wording.JSON(v)
	if err != nil {
		return nil, fmt.Errorf("encode the conversation: %w", err)
	}
	return b, nil
}

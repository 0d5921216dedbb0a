package ollama

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"shelly/fsm"
)

// encodedBytesMax bounds what is kept of all conversations, in bytes.
const encodedBytesMax = 8 << 20

// encoded keeps conversations as they were sent last. Each call of a handle sends what the one
// before has sent and a little more: what was encoded and counted once need not be again, or a
// request would take time by the square of its length.
type encoded struct {
	mu    sync.Mutex
	kept  []*transcript // the one that was used last comes last
	bytes int           // of all
}

// transcript is one conversation, message by message.
type transcript struct {
	of       fsm.HandleID
	purpose  fsm.Purpose
	messages []fsm.Message
	json     [][]byte // of each message
	least    []int    // tokens of each (BRN-3)
	bytes    int      // of json
}

// take returns what is kept of a handle's conversation, which is the caller's until give.
func (e *encoded) take(of fsm.HandleID, purpose fsm.Purpose) *transcript {
	e.mu.Lock()
	defer e.mu.Unlock()
	i := slices.IndexFunc(e.kept, func(p *transcript) bool { return p.of == of && p.purpose == purpose })
	if i < 0 {
		return &transcript{of: of, purpose: purpose}
	}
	p := e.kept[i]
	e.kept = slices.Delete(e.kept, i, i+1)
	e.bytes -= p.bytes
	return p
}

// give keeps a conversation, in place of those that were not used for longest.
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

// set makes the pieces those of messages. A message that is at its place already stays as it is.
func (p *transcript) set(messages []fsm.Message) error {
	n := min(len(messages), len(p.messages))
	p.messages, p.json, p.least = p.messages[:n], p.json[:n], p.least[:n]
	for i := range messages {
		m := &messages[i]
		if i < n && same(m, &p.messages[i]) {
			continue
		}
		text, err := encode(wireMessage(*m))
		if err != nil {
			return err
		}
		least := leastTokens(m.Text) // thinking and calls may be left out by a template
		if i < n {
			p.messages[i], p.json[i], p.least[i] = *m, text, least
		} else {
			p.messages, p.json, p.least = append(p.messages, *m), append(p.json, text), append(p.least, least)
		}
	}
	p.bytes = 0
	for _, text := range p.json {
		p.bytes += len(text)
	}
	return nil
}

// same reports whether two messages are sent alike. Messages are never changed, so those that
// share their texts and images, as the calls of a handle do, are compared without reading them.
func same(a, b *fsm.Message) bool {
	return a.Role == b.Role && a.Text == b.Text && a.Thinking == b.Thinking && a.Tool == b.Tool && a.ToolCall == b.ToolCall &&
		slices.Equal(a.Calls, b.Calls) && slices.EqualFunc(a.Images, b.Images, bytes.Equal)
}

// tokens is the least that the texts can be counted as (BRN-3).
func (p *transcript) tokens() (n int) {
	for _, least := range p.least {
		n += least
	}
	return n
}

// placeholder is what a request has in place of its messages.
const placeholder = `"messages":0`

// body puts the pieces into an encoded request. What a string has in it is escaped, so that
// nothing but the field looks like the placeholder.
func (p *transcript) body(request []byte) []byte {
	head, rest, _ := bytes.Cut(request, []byte(placeholder))
	b := make([]byte, 0, len(request)+p.bytes+len(p.json)+3)
	b = append(b, head...)
	b = append(b, `"messages":[`...)
	for i, text := range p.json {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, text...)
	}
	return append(append(append(b, ']'), rest...), '\n')
}

// encode returns v as JSON as the server is sent it.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encode the conversation: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

package comm

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"shelly/fsm"
)

// odd are messages that a lax reader would accept, or read differently.
func odd() []string {
	return []string{
		"", " ", "null", "[]", "7", `"text"`, "{", "}", `{"id":"m1"`, `{"id":"m1","text":"hello"}{"id":"m1","text":"hello"}`, `{"id":"m1","text":"hello"} x`,
		`{"id":"m1","id":"m2","text":"hello"}`, `{"ID":"m1","text":"hello"}`, `{"\u0069d":"m1","text":"hello"}`, `{"id":null,"text":"hello"}`,
		`{"id":7,"text":"hello"}`, `{"id":"","text":" "}`, `{"id":"m1","text":["a"]}`, `{"id":"m1","text":"a","ts":"1970-01-01T00:00:00Z"}`,
		`{"id":"../../etc/x","text":"a"}`, `{"id":"m1\u0000","text":"a"}`, `{"id":"m1","text":"\u001b]0;x\u0007"}`, "{\"id\":\"m1\",\"text\":\"\xff\"}",
		`{"id":"m1","text":"\ud800"}`, `{"id":"m1","text":"a","session":"s","channel":"UPPER","chat":"c"}`, `{"id":"m1","text":"a","chat":"c"}`,
		"\ufeff" + `{"id":"m1","text":"a"}`, `{"id":"m1",/**/"text":"a"}`, `{"id":"m1","text":"a",}`, strings.Repeat("[", 20_000), `{"id":` + strings.Repeat("[", 5_000),
		`{"id":"` + strings.Repeat("a", 129) + `","text":"a"}`, `{"id":"m1","token":"t","text":"a","token":"u"}`, `{"id":"m1","TOKEN":"t","text":"a","token":"u"}`,
		`{"id":"m1","text":"a","images":["/9j/","iVBORw0KGgo="],"context":[{"role":"user","content":"x"}]}`, `{"text":"a","images":["/9j\n/"]}`, `{"text":"a","images":[""]}`,
		`{"text":"a","context":[{"role":"tool","content":"x"}]}`, `{"text":"a","context":[{"role":"user","role":"system"}]}`, `{"text":"a","context":[null]}`,
		`{"text":"a","context":{"role":"user"}}`, `{"text":"a","images":[` + strings.Repeat(`"/9j/",`, 16) + `"/9j/"]}`,
	}
}

// refusal checks the answer to a sender.
func refusal(t *testing.T, err error, codes ...Code) {
	t.Helper()
	var p *Problem
	if !errors.As(err, &p) || p.Message == "" || p.Hint == "" {
		t.Fatalf("refused with %v", err)
	}
	if !slices.Contains(codes, p.Code) {
		t.Errorf("refused with the code %s: %v", p.Code, err)
	}
}

// name reports whether a text may be a name.
func name(s string, most int) bool {
	return len(s) <= most && utf8.ValidString(s) && !strings.ContainsFunc(s, unicode.IsControl)
}

// onlyOnce checks that no member of an object is given twice.
func onlyOnce(t *testing.T, data []byte) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(data))
	var within []map[string]bool // the members so far of each open object; nil: a list
	for name := false; ; {
		token, err := d.Token()
		if err != nil {
			return
		}
		last := len(within) - 1
		text, isText := token.(string)
		switch {
		case token == json.Delim('{'):
			within = append(within, map[string]bool{})
			name = true
			continue
		case token == json.Delim('['):
			within = append(within, nil)
			continue
		case token == json.Delim('}'), token == json.Delim(']'):
			within = within[:last]
			last--
		case isText && name && within[last] != nil:
			if within[last][text] {
				t.Errorf("the member %q is given twice", text)
			}
			within[last][text], name = true, false
			continue
		}
		name = last >= 0 && within[last] != nil
	}
}

// Whatever a datagram holds, it is either refused with an explanation, or it is one request
// within all bounds that any other JSON reader reads the same way, and whose id and token are
// those that were proved (COM-2, COM-6).
func FuzzDatagram(f *testing.F) {
	for _, text := range odd() {
		f.Add([]byte(text))
	}
	f.Add([]byte(`{"id":"m1","token":"t","text":"hello","session":"s","channel":"mail","chat":"ann"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		id, token, readable := claim(data)
		if !name(id, IDBytesMax) {
			t.Fatalf("the claim's id is %q", id)
		}
		r, err := decodeDatagram(data, Principal, 4096)
		if err != nil {
			refusal(t, err, CodeBadRequest, CodeTooLarge)
			return
		}
		if len(data) > 4096 || !readable {
			t.Fatalf("%d bytes are taken, the claim readable: %t", len(data), readable)
		}
		onlyOnce(t, data)
		inBounds(t, r, ChannelUDP)
		var other struct{ ID, Text, Session, Channel, Chat, Token string }
		if err := json.Unmarshal(data, &other); err != nil {
			t.Fatalf("another reader says: %v", err)
		}
		origin := originAt(fsm.Origin{Channel: other.Channel, Chat: other.Chat}, ChannelUDP)
		if r.Key.ID != other.ID || r.Text != other.Text || r.Session != other.Session || r.Origin != origin {
			t.Errorf("read as %+v, by another reader as %+v", r, other)
		}
		if id != r.Key.ID || token != other.Token {
			t.Errorf("the claim was %q with the token %q, the request is %+v", id, token, other)
		}
	})
}

// inBounds checks the bounds of an accepted request.
func inBounds(t *testing.T, r Request, channel string) {
	t.Helper()
	if r.Key.ID == "" || !name(r.Key.ID, IDBytesMax) || !name(r.Session, SessionBytesMax) || !name(r.Origin.Chat, ChatBytesMax) || len(r.Origin.Channel) > ChannelBytesMax {
		t.Errorf("out of bounds: %+v", r)
	}
	if strings.TrimSpace(r.Text) == "" || !utf8.ValidString(r.Text) {
		t.Errorf("the text is %q", r.Text)
	}
	if r.Origin.Chat != "" && r.Origin.Channel == "" {
		t.Errorf("a chat without a channel: %+v", r.Origin)
	}
	if r.Key.Principal != Principal || r.Key.Channel != channel {
		t.Errorf("the key is %+v", r.Key)
	}
}

// A body is refused with an explanation, or it is read as any other JSON reader reads it
// (COM-6, COM-11).
func FuzzBody(f *testing.F) {
	for _, text := range odd() {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var id, words string
		var pictures [][]byte
		var talk []fsm.Message
		err := decodeObject(data, text("id", &id), text("text", &words), images("images", &pictures), conversation("context", &talk))
		if err != nil {
			refusal(t, err, CodeBadRequest)
			return
		}
		onlyOnce(t, data)
		if len(pictures) > ImagesMax || len(talk) > ContextMax {
			t.Errorf("%d images and %d messages", len(pictures), len(talk))
		}
		var other struct {
			ID, Text string
			Images   [][]byte
			Context  []struct{ Role, Content string }
		}
		if err := json.Unmarshal(data, &other); err != nil {
			t.Fatalf("another reader says: %v", err)
		}
		if id != other.ID || words != other.Text || len(pictures) != len(other.Images) || len(talk) != len(other.Context) {
			t.Fatalf("read as %q %q, %d images, %+v, by another reader as %+v", id, words, len(pictures), talk, other)
		}
		for i, p := range pictures {
			if string(p) != string(other.Images[i]) || len(p) == 0 {
				t.Errorf("image %d is %x, for another reader %x", i, p, other.Images[i])
			}
		}
		for i, m := range talk {
			if string(m.Role) != other.Context[i].Role || m.Text != other.Context[i].Content {
				t.Errorf("message %d is %+v, for another reader %+v", i, m, other.Context[i])
			}
		}
	})
}

// A reply of any text fits into a datagram that can be read, whole or its beginning
// with the mark (COM-2).
func FuzzReplyDatagram(f *testing.F) {
	f.Add("m1", "hello", uint16(0))
	f.Add("a/ü", "日本語\x00\"<", uint16(12_000))
	f.Add("", "\\\xff", uint16(30_000))
	f.Fuzz(func(t *testing.T, id, part string, times uint16) {
		if !name(id, IDBytesMax) || len(part) > 1000 {
			t.Skip("no id")
		}
		text := strings.ToValidUTF8(strings.Repeat(part, int(times)+1), "\uFFFD")
		data := encodeReply(id, Event{Text: text})
		if len(data) > ReplyDatagramBytesMax {
			t.Fatalf("%d bytes", len(data))
		}
		var d Datagram
		if err := json.Unmarshal(data, &d); err != nil || d.ID != id || d.Type != DatagramReply {
			t.Fatalf("%.200s: got %v, %q, %q; want d.ID %q, d.Type %q", data, err, d.ID, d.Type, id, DatagramReply)
		}
		if !d.Cut {
			if d.Content != text {
				t.Errorf("%d bytes have become %d", len(text), len(d.Content))
			}
			return
		}
		if n := strings.LastIndex(d.Content, "\n[cut: "); n < 0 || !strings.HasPrefix(text, d.Content[:n]) {
			t.Errorf("a cut reply is no beginning with a mark: …%q", d.Content[max(0, len(d.Content)-200):])
		}
	})
}

package wire

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// awaited is a request that waits for its answer, which may come in one stream or in several.
type awaited struct {
	id  json.RawMessage
	err atomic.Pointer[Unanswered] // why there is none
}

type awaitedKey struct{}

func awaiting(ctx context.Context) *awaited {
	a, _ := ctx.Value(awaitedKey{}).(*awaited)
	return a
}

// fail notes that there will be no answer, and returns an event that makes the library return.
func (a *awaited) fail(err error) string {
	a.err.CompareAndSwap(nil, &Unanswered{Err: err})
	return fmt.Sprintf("data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":%d,\"message\":\"no answer\"}}\n\n", a.id, jsonrpc.CodeInternalError)
}

// answers reports whether a message is the answer to the request with an id.
func answers(m jsonrpc.Message, id json.RawMessage) bool {
	r, is := m.(*jsonrpc.Response)
	if !is {
		return false
	}
	of, err := json.Marshal(r.ID.Raw())
	return err == nil && bytes.Equal(of, id)
}

// eventBytesMax bounds an event. It is less than the library's limit, beyond which that ends the
// session.
const eventBytesMax = 15 << 20

// events passes on the events of a stream that are messages, and drops others (TOL-93): the library
// would end the session, and with it other calls. If the stream ends without the answer to its
// request, and cannot be continued, the request fails.
type events struct {
	body     io.Closer
	from     *bufio.Reader
	of       *awaited      // nil: the stream is not the answer to a request
	least    time.Duration // until the stream is opened again
	answered bool
	resumes  bool // it can be continued where it was cut
	requests int  // of the server
	dropped  int
	out      bytes.Buffer
	err      error
}

func newEvents(body io.ReadCloser, of *awaited, least time.Duration) *events {
	return &events{body: body, from: bufio.NewReader(body), of: of, least: least}
}

// Close implements [io.Closer].
func (e *events) Close() error { return e.body.Close() }

// Read implements [io.Reader].
func (e *events) Read(p []byte) (int, error) {
	for e.out.Len() == 0 && e.err == nil {
		e.err = e.next()
		if e.err != nil && e.of != nil && !e.answered && (!e.resumes || errors.Is(e.err, errEvent) || errors.Is(e.err, ErrRequests)) {
			e.out.WriteString(e.of.fail(e.why()))
		}
	}
	if e.out.Len() > 0 {
		return e.out.Read(p)
	}
	return 0, e.err
}

var errEvent = fmt.Errorf("an event is longer than %d bytes", eventBytesMax)

// RequestsMax bounds the requests that a server sends on one stream, or of which a program has no answer yet.
// The library works on all of them at once, and keeps the answers for the server to read.
const RequestsMax = 1000

// ErrRequests is that of a server that sends more.
var ErrRequests = fmt.Errorf("it has sent more than %d requests", RequestsMax)

// Requests reports whether a message is a request, which waits for an answer.
func Requests(m jsonrpc.Message) bool {
	r, is := m.(*jsonrpc.Request)
	return is && r.ID.IsValid()
}

// why says why the stream has no answer.
func (e *events) why() error {
	text := "its stream of events ends without the answer"
	if e.dropped > 0 {
		text += fmt.Sprintf("; events that are no messages of the protocol: %d", e.dropped)
	}
	if e.err == io.EOF {
		return errors.New(text)
	}
	return fmt.Errorf("%s: %w", text, e.err)
}

// event is an event of a stream.
type event struct {
	name, id, retry string
	data            []byte
}

// next passes on the next event.
func (e *events) next() error {
	var v event
	for size := 0; ; {
		line, err := e.line(eventBytesMax - size)
		if err != nil {
			if err == io.EOF && v.message() != nil { // only the empty line after it is missing
				err = cmp.Or(e.pass(v), err)
			}
			return err
		}
		if size += len(line) + 1; len(line) == 0 {
			return e.pass(v)
		}
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch field {
		case "event":
			v.name = value
		case "id":
			v.id = value
		case "retry":
			v.retry = value
		case "data":
			v.data = append(append(v.data, value...), '\n')
		}
	}
}

// line returns the next line of at most most bytes.
func (e *events) line(most int) (string, error) {
	var line []byte
	for {
		part, more, err := e.from.ReadLine()
		if line = append(line, part...); len(line) > most {
			return "", errEvent
		}
		if err == io.EOF && len(line) > 0 {
			err = nil // it comes again
		}
		if err != nil || !more {
			return strings.TrimPrefix(string(line), "\uFEFF"), err
		}
	}
}

// message returns the message in an event, or nil. The library would not mind what comes after it.
func (v event) message() jsonrpc.Message {
	if v.name != "" && v.name != "message" || !json.Valid(v.data) {
		return nil
	}
	m, err := jsonrpc.DecodeMessage(v.data)
	if err != nil {
		return nil
	}
	return m
}

// pass passes on what matters of an event.
func (e *events) pass(v event) error {
	if v.id != "" {
		e.resumes = true
		_, _ = fmt.Fprintf(&e.out, "id: %s\n", v.id)
	}
	if ms, err := strconv.ParseInt(v.retry, 10, 32); err == nil {
		_, _ = fmt.Fprintf(&e.out, "retry: %d\n", max(ms, e.least.Milliseconds()))
	}
	m := v.message()
	if Requests(m) {
		if e.requests++; e.requests > RequestsMax {
			return ErrRequests
		}
	}
	if m != nil {
		e.answered = e.answered || e.of != nil && answers(m, e.of.id)
		e.out.WriteString("data: ")
		_ = json.Compact(&e.out, v.data)
		e.out.WriteByte('\n')
	} else if e.of != nil && unreadable(v.data, e.of.id) == errNested {
		e.answered = true
		e.out.WriteString(e.of.fail(errNested))
	} else if len(v.data) > 0 {
		e.dropped++
	}
	if e.out.Len() > 0 {
		e.out.WriteByte('\n')
	}
	return nil
}

// listen opens a stream, or opens it again.
func (s *Sender) listen(req *http.Request) (*http.Response, error) {
	resp, err := s.Next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	of, last := awaiting(req.Context()), req.Header.Get("Last-Event-ID")
	again := of != nil || last != "" || s.opened.Load()
	switch code := resp.StatusCode; {
	case code < 300 && (again || kind(resp) == streamed):
		s.opened.Store(true)
		e := newEvents(resp.Body, of, s.Least)
		if last != "" { // from where it can be continued again, even if nothing comes
			_ = e.pass(event{id: last})
		}
		resp.Body = e
	case !again: // it has no stream
	case code == http.StatusTooManyRequests || code >= 500: // as if it were cut at once
		text := fmt.Sprintf("retry: %d\n\n", s.Least.Milliseconds())
		if last != "" {
			text = "id: " + last + "\n" + text
		}
		return stream(resp, text), nil
	case of != nil && !ended(req, resp):
		return stream(resp, of.fail(fmt.Errorf("its stream of events was cut, and when it is opened again the server answers HTTP %d %s", code, http.StatusText(code)))), nil
	}
	return resp, nil
}

// stream returns a stream with some events in place of an answer.
func stream(in *http.Response, text string) *http.Response {
	_ = in.Body.Close()
	out := *in
	out.StatusCode, out.Status = http.StatusOK, ""
	out.Header = http.Header{"Content-Type": {streamed}}
	out.Body, out.ContentLength = io.NopCloser(strings.NewReader(text)), int64(len(text))
	return &out
}

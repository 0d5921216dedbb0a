package ollama

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"

	"shelly/fsm"
	"shelly/fsm/heard"
	"shelly/fsm/wording"
)

const (
	// lineBytesMax bounds one line (BRN-11); a tool's arguments may contain a whole file.
	lineBytesMax = 16 << 20
	// answerBytesMax bounds the text and the thinking of an answer together, in case num_predict
	// does not: the client does not wait for more.
	answerBytesMax = 512 << 10
	// callsMax bounds the calls of an answer (BRN-20): more than limits.max_calls_per_answer can be.
	callsMax = 1024
	// firstBufferBytes is enough for an ordinary line.
	firstBufferBytes = 4 << 10
)

var errLineTooLong = errors.New("a line is longer than 16 MiB")

// lines reads a response line by line.
type lines struct {
	r    *bufio.Reader
	long []byte // holds a line that does not fit in the reader's buffer
	torn bool   // the latest line has no line ending: nothing came after it
}

// readers are those of responses that have been read.
var readers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, firstBufferBytes) }}

func newLines(r io.Reader) *lines {
	l := &lines{r: readers.Get().(*bufio.Reader)}
	l.r.Reset(r)
	return l
}

// giveBack ends the reading; no line is valid any more.
func (l *lines) giveBack() {
	l.r.Reset(nil)
	readers.Put(l.r)
	l.r = nil
}

// next returns the next line that is not blank, without its line ending, or io.EOF. The line is
// valid until the next call.
func (l *lines) next() ([]byte, error) {
	for {
		line, err := l.read()
		if line = bytes.TrimSpace(line); len(line) > 0 && (err == nil || err == io.EOF) {
			l.torn = err != nil
			return line, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

func (l *lines) read() ([]byte, error) {
	l.long = l.long[:0]
	for {
		part, err := l.r.ReadSlice('\n')
		if len(l.long)+len(part) > lineBytesMax {
			return nil, errLineTooLong
		}
		if err == nil && len(l.long) == 0 {
			return part, nil
		}
		l.long = append(l.long, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return l.long, err
		}
	}
}

// chunk is one line of a streamed answer.
type chunk struct {
	Message struct {
		Content   string `json:"content"`
		Thinking  string `json:"thinking"`
		ToolCalls calls  `json:"tool_calls"`
	} `json:"message"`
	Done            bool            `json:"done"`
	DoneReason      string          `json:"done_reason"`
	PromptEvalCount number          `json:"prompt_eval_count"`
	PromptCached    *number         `json:"prompt_eval_cached_count"` // of prompt_eval_count; newer servers say it
	EvalCount       number          `json:"eval_count"`
	PromptEvalTime  number          `json:"prompt_eval_duration"` // in ns
	EvalTime        number          `json:"eval_duration"`
	Error           json.RawMessage `json:"error"`
}

// number is a figure of the server's. What is no number, or too large for one, is -1, unknown: an
// answer is not lost for it (BRN-3). Some servers write 50.0.
type number float64

// UnmarshalJSON implements [json.Unmarshaler].
func (n *number) UnmarshalJSON(text []byte) error {
	f, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		f = -1
	}
	*n = number(f)
	return nil
}

// countMax is more tokens than any window holds.
const countMax = 1 << 30

// counted returns a count of tokens as the server gives it, or 0, unknown, if it is impossible (BRN-3).
func counted(n number) int {
	if n < 0 || n > countMax {
		return 0
	}
	return int(n)
}

// read returns how many tokens of a prompt a server has read that held some in its cache, or 0,
// unknown, if that is impossible (BRN-47).
func read(prompt int, cached float64) int {
	if cached < 0 || cached > float64(prompt) {
		return 0
	}
	return min(max(prompt-int(cached), 1), prompt) // the last token is always read
}

// timed returns a time as the server gives it, or 0, unknown, if it is impossible (BRN-3).
func timed(ns number) fsm.Millis {
	if ns < 0 || ns > math.MaxInt64 {
		return 0
	}
	return fsm.Millis(ns / number(time.Millisecond))
}

// failed reports whether the line is an error of the server.
func (c *chunk) failed() bool { return len(c.Error) > 0 && string(c.Error) != "null" }

// collector assembles one answer from chunks.
type collector struct {
	split    heard.Splitter
	text     []byte
	thinking []byte
	calls    calls
	stream   func(Chunk)
	full     bool // there is too much: answerBytesMax, callsMax or the limit on thinking was reached
	begun    bool // the first line has arrived

	last    string // what the latest chunk with text says, without blanks around it
	repeats int    // how many chunks before it said the same

	thinkTokens int // the limit on thinking before anything else; 0: none
	thought     int // the tokens of thinking so far
}

// add adds a chunk: its text, its thinking (BRN-6) and its calls (BRN-5).
func (a *collector) add(c *chunk) {
	text, thinking := a.split.Put(c.Message.Content)
	a.put(text, c.Message.Thinking+thinking)
	a.follow(c.Message.Content + c.Message.Thinking)
	more := c.Message.ToolCalls
	if c.Done {
		more = news(a.calls, more)
	}
	a.calls = append(a.calls, more...)
	if len(a.calls) > callsMax {
		a.calls, a.full = a.calls[:callsMax], true
	}
}

// repeatsMax is how often a model may repeat a token before a server gives up on it: 30 times in
// Ollama 0.17, 100 in later versions.
const repeatsMax = 30

// follow counts how often the model has repeated itself, as a server does.
func (a *collector) follow(piece string) {
	if piece == "" {
		return
	}
	if piece = strings.TrimSpace(piece); piece == a.last {
		a.repeats++
		return
	}
	a.last, a.repeats = piece, 0
}

func (a *collector) put(text, thinking string) {
	room := answerBytesMax - len(a.text) - len(a.thinking)
	if len(thinking)+len(text) > room {
		a.full = true
		thinking = wording.Edge(thinking, room)
		text = wording.Edge(text, room-len(thinking))
	}
	a.text = append(a.text, text...)
	a.thinking = append(a.thinking, thinking...)
	if a.thinkTokens > 0 && thinking != "" && len(a.text) == 0 && len(a.calls) == 0 {
		a.thought += fsm.TextTokens(thinking)
		a.full = a.full || a.thought > a.thinkTokens // INF-33
	}
	if a.stream != nil && text+thinking != "" {
		a.stream(Chunk{Text: text, Thinking: thinking})
	}
}

// answer returns the whole answer; last is its last chunk. The stop reason is one of the three that
// INF-2, INF-3 and INF-5 distinguish (BRN-4): done_reason never mentions calls, and some servers
// leave it empty. An answer that was cut off counts as such, whatever calls it already had.
func (a *collector) answer(asked fsm.Conversation, last *chunk) fsm.BrainAnswered {
	a.put(a.split.End())
	in := fsm.BrainAnswered{
		Stop:     fsm.StopEndTurn,
		Text:     string(a.text),
		Thinking: string(a.thinking),
		Calls:    toolCalls(asked, a.calls),
		Tokens: fsm.Tokens{
			Prompt: counted(last.PromptEvalCount), Answer: counted(last.EvalCount),
			Reading: timed(last.PromptEvalTime), Writing: timed(last.EvalTime),
		},
	}
	if last.PromptCached != nil {
		in.Tokens.Read = read(in.Tokens.Prompt, float64(*last.PromptCached))
	}
	text, thinking := a.split.Orphaned(in.Text)
	in.Text, in.Thinking = text, in.Thinking+thinking
	switch {
	case last.DoneReason == "length", a.full:
		in.Stop = fsm.StopMaxTokens
	case len(in.Calls) > 0:
		in.Stop = fsm.StopToolUse
	}
	return in
}
